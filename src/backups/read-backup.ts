import { createHash } from "node:crypto";
import { UserError } from "../shared/user-error.ts";
import { readChunk } from "./chunks.ts";
import { type Backup, type BackupFile, type ListedBackup, listBackups } from "./manifest.ts";
import { type BackupPlace, forAll } from "./place.ts";

const readsAtOnce = 16;

/**
 * The bytes of a file of a backup, in pieces. Throws `UserError`, which names the file in the place that is missing or
 * damaged; a piece that was given before may be one of the damaged.
 */
export async function* readBackupFile(place: BackupPlace, { path, bytes, chunks, sha256 }: BackupFile) {
  if (chunks === undefined) {
    yield* readWhole(place, path, bytes, sha256);
    return;
  }
  let found = 0;
  for await (const chunk of readAhead(chunks, (name) => readChunk(place, name))) {
    if (typeof chunk === "string") throw new UserError(chunk);
    found += chunk.length;
    yield chunk;
  }
  if (found !== bytes) throw new UserError(`the parts of ${path} have ${found} bytes instead of ${bytes}`);
}

/** Reads several at once, and gives them in their order. */
async function* readAhead<T, R>(items: readonly T[], read: (item: T) => Promise<R>): AsyncGenerator<R> {
  const reading: Promise<R>[] = [];
  for (const item of items) {
    const one = read(item);
    // One that fails is reported in its turn.
    one.catch(() => undefined);
    reading.push(one);
    const [first] = reading;
    if (reading.length < readsAtOnce || first === undefined) continue;
    yield await first;
    void reading.shift();
  }
  for (const one of reading) yield await one;
}

/** A file of the first format. */
async function* readWhole(place: BackupPlace, path: string, bytes: number, sha256: string | undefined) {
  if (place.stream === undefined) throw new UserError(`${path} is of a format that only folders have`);
  const hash = createHash("sha256");
  try {
    for await (const piece of place.stream(path)) {
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UserError(`${path} is missing`);
    throw error;
  }
  if (hash.digest("hex") !== sha256)
    throw new UserError(`${path} is damaged: it is not the file of ${bytes} bytes that was written`);
}

/** The result of reading the backups of a place to the last byte. */
export interface Verification {
  readonly backups: readonly ListedBackup[];
  /** Each file that is missing or damaged, in words, and the backups that cannot be restored without it. */
  readonly problems: readonly { readonly problem: string; readonly backups: readonly string[] }[];
}

/** Reads every file of all backups. */
export async function verifyBackups(
  place: BackupPlace,
  onProgress: (done: number, total: number) => void,
): Promise<Verification> {
  const backups = await listBackups(place);
  const problems: Verification["problems"][number][] = backups.flatMap(({ id, problem }) =>
    problem === undefined ? [] : [{ problem, backups: [id] }],
  );
  const usable = backups.flatMap(({ backup }) => (backup === undefined ? [] : [backup]));
  const users = new Map<string, string[]>();
  for (const { id, files } of usable) {
    for (const name of new Set(files.flatMap(({ chunks = [] }) => chunks))) {
      const ids = users.get(name);
      if (ids === undefined) users.set(name, [id]);
      else ids.push(id);
    }
  }
  let done = 0;
  await forAll(users, readsAtOnce, async ([name, ids]) => {
    const chunk = await readChunk(place, name);
    if (typeof chunk === "string") problems.push({ problem: chunk, backups: ids });
    onProgress(++done, users.size);
  });
  for (const backup of usable) problems.push(...(await verifyWhole(place, backup)));
  return { backups, problems };
}

/** For files of the first format; those of others are verified by their chunks. */
async function verifyWhole(place: BackupPlace, { id, files }: Backup): Promise<Verification["problems"]> {
  const problems: Verification["problems"][number][] = [];
  for (const file of files.filter(({ chunks }) => chunks === undefined)) {
    try {
      for await (const _ of readBackupFile(place, file));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push({ problem: error.message, backups: [id] });
    }
  }
  return problems;
}
