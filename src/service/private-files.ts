import { chmod, lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { UserError } from "../shared/user-error.ts";

/** Permissions of the group and of others. */
const foreignBits = 0o077;

/**
 * Keeps what the service stores from other users of the machine: everything that this process and the processes it
 * starts create from now on, and everything that the folder holds already. Symbolic links are not followed. `warn` is
 * reported, once, of what this user may not change. Throws `UserError` for a pipe, socket or device, or a link to one:
 * reading it may never end.
 */
export async function keepFilesPrivate(folder: string, warn: (message: string) => void): Promise<void> {
  // The mask belongs to the process, and only its main thread may set it.
  if (isMainThread) process.umask(foreignBits);
  const refused = await closeToOthers(folder);
  const [first] = refused;
  if (first === undefined) return;
  const others = refused.length === 1 ? "" : ` and ${refused.length - 1} more`;
  warn(`Other users of this machine may read ${first}${others}, and this user may not change that: run chmod go-rwx`);
}

/** Returns the paths that could not be changed. */
async function closeToOthers(path: string): Promise<readonly string[]> {
  const found = await lstat(path).catch(() => undefined);
  // Files come and go, such as those of another process that reads the metadata.
  if (found === undefined) return [];
  const target = found.isSymbolicLink() ? await stat(path).catch(() => undefined) : found;
  if (target !== undefined && !target.isFile() && !target.isDirectory()) {
    throw new UserError(`${path} is neither a file nor a folder; nothing was changed. Move it away`);
  }
  if (found.isSymbolicLink()) return [];
  const refused: string[] = [];
  if ((found.mode & foreignBits) !== 0) {
    await chmod(path, found.mode & 0o700).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") refused.push(path);
    });
  }
  const names = found.isDirectory() ? await readdir(path).catch(() => []) : [];
  for (const name of names) refused.push(...(await closeToOthers(join(path, name))));
  return refused;
}
