/** Files that cannot be used, which stay for an operator in the folder `damaged` beside them. */
import { copyFile, link, lstat, mkdir, readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../message-of.ts";

const FOLDER = "damaged";
/** Failures that say nothing of the file. */
const passing: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "EBUSY", "ENOSPC"]);

/** Whether a file that could not be read or parsed will be as unreadable the next time. */
export function isOfFile(error: unknown): boolean {
  return error instanceof SyntaxError || !passing.has(codeOf(error));
}

/** Moves a file, or what stands in its place, out of the way, and returns its new path. */
export async function moveAside(path: string): Promise<string> {
  const kept = await nameAside(path);
  await rename(path, kept);
  return kept;
}

/** Keeps the content of a file that goes on being used, and returns its path; the same for the same content. */
export async function keepAside(path: string): Promise<string> {
  const kept = await nameAside(path);
  // A second name takes no space: the disk may be full. Not every file system has them.
  await link(path, kept).catch((error: NodeJS.ErrnoException) =>
    error.code === "EEXIST" ? undefined : copyFile(path, kept),
  );
  return kept;
}

async function nameAside(path: string): Promise<string> {
  const { mtimeMs } = await lstat(path);
  const folder = join(dirname(path), FOLDER);
  await mkdir(folder, { recursive: true });
  return join(folder, `${Math.trunc(mtimeMs)}-${basename(path)}`);
}

/** Makes a folder; a file in its place is set aside. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    await moveAside(path);
    await mkdir(path, { recursive: true });
  });
}

/** Finds what was set aside in a folder and those below it. */
export async function findSetAside(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (basename(folder) === FOLDER) found.push(path);
    else if (entry.isDirectory()) found.push(...(await findSetAside(path)));
  }
  return found;
}
