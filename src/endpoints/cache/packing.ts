import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Shorter bodies are not worth the time. */
export const minPackedBytes = 4_000;
/** The minimum saving of compression, as a share of the body. */
const minSaved = 0.3;

/** The body compressed off this thread; undefined when compression saves too little. */
export async function packBody(body: Buffer): Promise<Buffer | undefined> {
  const packed = await compress(body);
  return packed.length <= body.length * (1 - minSaved) ? packed : undefined;
}

/** Restores a compressed body. */
export function unpackBody(packed: Buffer): Promise<Buffer> {
  return decompress(packed);
}
