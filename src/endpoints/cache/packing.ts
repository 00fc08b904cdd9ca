import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Shorter bodies are not worth the time. */
export const minPackedBytes = 4_000;
/** What packing must save at least, as a share of the body. */
const minSaved = 0.3;

/** The body compressed, away from this thread; undefined where it does not pay. */
export async function packBody(body: Buffer): Promise<Buffer | undefined> {
  const packed = await compress(body);
  return packed.length <= body.length * (1 - minSaved) ? packed : undefined;
}

/** What was packed. */
export function unpackBody(packed: Buffer): Promise<Buffer> {
  return decompress(packed);
}
