/**
 * Files are cut where DuckDB writes: three headers of 4 KB, then blocks of 256 KB. So a block that did not change is
 * the same chunk in every backup. Other files are cut in the same places.
 */
import { createHash } from "node:crypto";
import { codeOf } from "../shared/message-of.ts";
import type { BackupPlace } from "./place.ts";

const headerBytes = 12_288;
const blockBytes = 262_144;

/** The bytes of the chunks of a file, in order. */
export function* cutFile(byteCount: number): Generator<number> {
  let size = headerBytes;
  for (let left = byteCount; left > 0; left -= size, size = blockBytes) yield Math.min(size, left);
}

/** The number of chunks of a file. */
export function countChunks(byteCount: number): number {
  return byteCount === 0 ? 0 : 1 + Math.ceil(Math.max(0, byteCount - headerBytes) / blockBytes);
}

/** The name of a chunk: its SHA-256 in hexadecimal. */
export function nameChunk(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A chunk's file in a place. */
export function keyOfChunk(name: string): string {
  return `chunks/${name.slice(0, 2)}/${name}`;
}

const keyPattern = /^chunks\/[0-9a-f]{2}\/([0-9a-f]{64})(\.new)?$/;

/** The chunks in a place, and the keys of all files that belong to chunks, also of those that were not finished. */
export async function listChunks(place: BackupPlace) {
  const names = new Set<string>();
  const keys: { readonly key: string; readonly name: string }[] = [];
  for (const key of await place.list("chunks")) {
    const [, name, isUnfinished] = keyPattern.exec(key) ?? [];
    if (name === undefined) continue;
    keys.push({ key, name });
    if (isUnfinished === undefined) names.add(name);
  }
  return { names, keys };
}

/** The bytes of a chunk, or why it cannot be used, in words that name its file. */
export async function readChunk(place: BackupPlace, name: string): Promise<Buffer | string> {
  const key = keyOfChunk(name);
  try {
    const bytes = await place.read(key, blockBytes + 1);
    if (bytes === undefined) return `${key} is missing`;
    return nameChunk(bytes) === name ? bytes : `${key} is damaged: it is not what was written`;
  } catch (error) {
    // A disk that does not read it. What a connection failed to read may be there.
    if (place.isRemote || codeOf(error) === undefined) throw error;
    return `${key} cannot be read: ${(error as Error).message}`;
  }
}
