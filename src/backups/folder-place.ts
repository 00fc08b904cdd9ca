import { constants, createReadStream, existsSync, realpathSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "../shared/message-of.ts";
import { explainFullDisk } from "../shared/user-error.ts";
import { type BackupPlace, forAll } from "./place.ts";

const pieceBytes = 1024 * 1024;
/** The end of the name of a file that is being written. */
const unfinished = ".new";
const syncsAtOnce = 8;
/** A file is on disk before it is closed. */
const whole = { mode: 0o600, flush: true } as const;

/**
 * A folder as a place of backups; it is made by the first file. A file gets its name once all of it is on disk, so that
 * an end at any moment leaves at most a file `NAME.new`, which the next one replaces.
 */
export function openFolderPlace(folder: string): BackupPlace {
  const changed = new Set<string>();
  const pathOf = (key: string) => join(folder, ...key.split("/"));
  return {
    title: folder,
    isRemote: false,
    async isEmpty() {
      const names = await readdir(folder).catch(unlessMissing([]));
      return names.every((name) => name.endsWith(unfinished));
    },
    async list(start) {
      const keys: string[] = [];
      for await (const key of listBelow(folder, start)) keys.push(key);
      return keys;
    },
    read: (key, maxBytes) => readStart(pathOf(key), maxBytes).catch(unlessMissing(undefined)),
    async ageMs(key) {
      const found = await stat(pathOf(key)).catch(unlessMissing(undefined));
      return found === undefined ? undefined : Date.now() - found.mtimeMs;
    },
    async write(key, bytes) {
      const path = pathOf(key);
      changed.add(dirname(path));
      await replaceFile(path, bytes).catch((error: unknown) => {
        throw explainFullDisk(error, folder, effectOfFullDisk);
      });
    },
    create: (key, bytes) => createFile(pathOf(key), bytes),
    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      changed.add(dirname(path));
      // Folders that are empty go too, as far as they can.
      if (dirname(path) !== folder) await rmdir(dirname(path)).catch(() => undefined);
    },
    async sync() {
      const folders = new Set([...changed].flatMap((path) => [path, dirname(path)]));
      await forAll(folders, syncsAtOnce, syncFolder);
      changed.clear();
    },
    stream: (key) => createReadStream(pathOf(key), { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>,
  };
}

async function readStart(path: string, maxBytes: number): Promise<Buffer> {
  // A pipe under this name would keep the reader waiting for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(Math.min((await file.stat()).size, maxBytes));
    let done = 0;
    for (let count = -1; count !== 0 && done < bytes.length; done += count) {
      count = (await file.read(bytes, done, bytes.length - done, done)).bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await file.close();
  }
}

async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  try {
    await writeFile(path + unfinished, bytes, whole);
    await rename(path + unfinished, path);
  } catch (error) {
    await rm(path + unfinished, { force: true });
    throw error;
  }
}

async function createFile(path: string, bytes: Uint8Array): Promise<boolean> {
  await makeFolder(dirname(path));
  try {
    await writeFile(path, bytes, { ...whole, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // On a full disk the file is there, without its text. Space is made by pruning, which begins with a lock.
    if (codeOf(error) === "ENOSPC" && existsSync(path)) return true;
    throw error;
  }
}

const effectOfFullDisk =
  "the backups there are unchanged. Make space, for example with `logweir backup prune`, and try again: what was " +
  "copied so far need not be copied again";

async function* listBelow(folder: string, start: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(folder, start), { withFileTypes: true }).catch(unlessMissing([]))) {
    const key = `${start}/${entry.name}`;
    if (entry.isDirectory()) yield* listBelow(folder, key);
    else if (entry.isFile()) yield key;
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

async function syncFolder(path: string): Promise<void> {
  // A folder that is gone has nothing to lose, and one above the place may be nobody's to open.
  const opened: FileHandle | undefined = await open(path, "r").catch(() => undefined);
  await opened?.sync().finally(() => opened.close());
}

/** Answers for what is not there; other errors are thrown on. */
function unlessMissing<T>(answer: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return answer;
    throw error;
  };
}

/** The data folder of a service that a folder is, or lies in. */
export function findDataFolder(folder: string): string | undefined {
  let at = resolve(folder);
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  for (at = realpathSync(at); ; at = dirname(at)) {
    // A backup of the first format has the same files, and its manifest.
    if (existsSync(join(at, "store", "events.duckdb")) && !existsSync(join(at, "manifest.json"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
