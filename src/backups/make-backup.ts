import { UserError } from "../shared/user-error.ts";
import { type BackupHead, type BackupTail, ByteReader, cutOff, hashBytes, writePrefixes } from "./backup-stream.ts";
import { cutFile, keyOfChunk, listChunks, nameChunk, readChunk } from "./chunks.ts";
import {
  type Backup,
  type BackupFile,
  checkedParts,
  chooseId,
  firstFormatKey,
  keyOfManifest,
  listBackups,
  writeManifest,
} from "./manifest.ts";
import { type BackupPlace, forAll } from "./place.ts";
import { takeLock } from "./place-lock.ts";

/** The needs of making a backup, besides its place. */
export interface BackupWork {
  /** Asks the service for its files, without the chunks that these sorted prefixes begin. */
  readonly request: (prefixes: Buffer) => Promise<AsyncIterable<Uint8Array>>;
  /** Throws where blocks of a new chunk do not fit their checksums. `position` is where it begins in its file. */
  readonly checkBlocks: (path: string, position: number, chunk: Buffer) => void;
  readonly onProgress: (done: number, total: number) => void;
  /** Notified of what the user should know, in words. */
  readonly notify: (message: string) => void;
}

/** A backup, and the bytes of it that are new in its place. */
export interface MadeBackup {
  readonly backup: Backup;
  readonly newBytes: number;
}

/** The file by which a place of backups is known. */
const markerKey = "logweir-backups.json";
const writesAtOnce = 16;
const readsAtOnce = 16;
const maxRounds = 3;

/**
 * Adds a backup of a running service to a place, of which only what the place does not have is asked for and written.
 * Every chunk is verified before the manifest is written, which makes it a backup: until then, and after an end at any
 * moment, the place has the backups that it had. Throws `UserError`.
 */
export async function makeBackup(place: BackupPlace, work: BackupWork): Promise<MadeBackup> {
  await prepare(place);
  const lock = await takeLock(place);
  try {
    const { names: known } = await listChunks(place);
    const received = await receiveAll(place, known, work);
    const { files, head } = received;
    const id = chooseId(
      head.made_at,
      (await listBackups(place)).map((each) => each.id),
    );
    const backup = { id, made_at: head.made_at, sources: head.sources, files };
    await lock.confirm();
    await place.write(keyOfManifest(id), writeManifest(backup));
    await place.sync();
    return { backup, newBytes: received.newBytes };
  } finally {
    await lock.release();
  }
}

/** Refuses a place that holds anything but backups. */
async function prepare(place: BackupPlace): Promise<void> {
  if ((await place.read(markerKey, 1)) !== undefined) return;
  const isOurs = (await place.isEmpty()) || (await place.read(firstFormatKey, 1)) !== undefined;
  if (!isOurs) {
    throw new UserError(
      `${place.title} is not empty and holds no backups of Logweir; nothing was changed. Choose a place that is new, ` +
        "empty, or made by an earlier `logweir backup`",
    );
  }
  await place.write(markerKey, Buffer.from('{"format":2}\n'));
  await place.sync();
}

type ChunkedFile = BackupFile & { readonly chunks: readonly string[] };

interface Received {
  readonly head: BackupHead;
  readonly files: readonly ChunkedFile[];
  readonly newBytes: number;
}

/** Receives until every chunk can be read back: those of earlier backups that cannot are asked for again. */
async function receiveAll(place: BackupPlace, known: Set<string>, work: BackupWork): Promise<Received> {
  let newBytes = 0;
  for (let round = 1; ; round++) {
    const received = await receive(place, known, work);
    newBytes += received.newBytes;
    await place.sync();
    const problems = await findProblems(place, received.files);
    const [first] = problems.values();
    if (first === undefined) return { ...received, newBytes };
    if (round === maxRounds) throw new UserError(`The backup cannot be read back from ${place.title}: ${first}`);
    work.notify(`${first}${problems.size > 1 ? `, and ${problems.size - 1} more` : ""}: copied again`);
    for (const name of problems.keys()) known.delete(name);
  }
}

/** The chunks of files that cannot be used, with the reasons. */
async function findProblems(place: BackupPlace, files: Received["files"]): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  const needed = new Set(files.flatMap(({ chunks }) => chunks));
  if (place.isRemote) {
    // Each is what was sent, but something else may have removed it since it was listed.
    const { names } = await listChunks(place);
    for (const name of needed) if (!names.has(name)) problems.set(name, `${keyOfChunk(name)} is missing`);
    return problems;
  }
  await forAll(needed, readsAtOnce, async (name) => {
    const chunk = await readChunk(place, name);
    if (typeof chunk === "string") problems.set(name, chunk);
  });
  return problems;
}

interface NewChunk {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Receives one answer of the service, and writes what is new of it: the chunks that it brings are in `known` then. */
async function receive(place: BackupPlace, known: Set<string>, work: BackupWork): Promise<Received> {
  const reader = new ByteReader(await work.request(writePrefixes(known)));
  try {
    const head = readLine<BackupHead>(await reader.line());
    for (const { path } of head.files) checkedParts(path, "The service");
    if (head.format !== 2) throw new UserError("The service is of another version; use its own `logweir backup`");
    const files: ChunkedFile[] = [];
    let newBytes = 0;
    async function* newChunks(): AsyncGenerator<NewChunk> {
      for await (const { path, position, name, bytes } of readChunks(reader, head, files, work.onProgress)) {
        if (known.has(name)) continue;
        if (bytes === undefined) throw new UserError("The service left out a part of its files. Try again");
        // In the place, a damaged one would be taken for verified by the next backup.
        work.checkBlocks(path, position, bytes);
        known.add(name);
        newBytes += bytes.length;
        yield { name, bytes };
      }
    }
    await forAll(newChunks(), writesAtOnce, ({ name, bytes }) => place.write(keyOfChunk(name), bytes));
    readLine<BackupTail>(await reader.line());
    return { head, files, newBytes };
  } finally {
    await reader.close();
  }
}

interface ReceivedChunk {
  readonly path: string;
  /** Where it begins in its file. */
  readonly position: number;
  readonly name: string;
  /** Absent where the service leaves them out. */
  readonly bytes?: Buffer;
}

/** All chunks in order; `files` has those that were read so far. */
async function* readChunks(
  reader: ByteReader,
  head: BackupHead,
  files: ChunkedFile[],
  onProgress: BackupWork["onProgress"],
): AsyncGenerator<ReceivedChunk> {
  const total = head.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { path, bytes } of head.files) {
    const chunks: string[] = [];
    files.push({ path, bytes, chunks });
    let position = 0;
    for (const size of cutFile(bytes)) {
      const chunk = await readOne(reader, size);
      chunks.push(chunk.name);
      yield { ...chunk, path, position };
      position += size;
      done += size;
      onProgress(done, total);
    }
  }
}

async function readOne(reader: ByteReader, size: number): Promise<{ readonly name: string; readonly bytes?: Buffer }> {
  const frame = await reader.exactly(hashBytes + 1);
  const name = frame.toString("hex", 0, hashBytes);
  if (frame[hashBytes] !== 1) return { name };
  const bytes = await reader.exactly(size);
  if (nameChunk(bytes) === name) return { name, bytes };
  throw new UserError("What came from the service is not what it sent; the backup was not made. Try again");
}

function readLine<T>(line: string | undefined): T {
  if (line === undefined) throw cutOff();
  return JSON.parse(line) as T;
}
