import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { findInaccessible, findNoFiles } from "../../shared/system/check-access.ts";
import { UserError } from "../../shared/user-error.ts";

const keyBytes = 32;

/**
 * A random key that is created once and stored in a file that only its owner can read. Throws when the file contains
 * something else.
 */
export async function readSecretKey(path: string): Promise<Uint8Array> {
  await mkdir(dirname(path), { recursive: true });
  // The first process creates it; any other reads it.
  await writeFile(path, randomBytes(keyBytes), { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const [problem] = [...findInaccessible([path]), ...findNoFiles([path])];
  if (problem !== undefined) throw new UserError(problem);
  const key = await readFile(path);
  if (key.length !== keyBytes) {
    throw new UserError(
      `${path} is damaged; nothing was changed. Remove it, and a new one is made: cursors given out so far end`,
    );
  }
  return key;
}

/** Replaces the existing key atomically. */
export async function replaceSecretKey(path: string, key: Uint8Array): Promise<void> {
  const made = `${path}.new`;
  await writeFile(made, key, { mode: 0o600, flush: true });
  await rename(made, path);
}
