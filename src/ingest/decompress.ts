import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { BodyError } from "../engines/contract/query-engine.ts";
import { decompressSnappy } from "./protocols/decompress-snappy.ts";

type Decompress = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

type Unpack = (
  body: Uint8Array,
  options: zlib.ZlibOptions & zlib.BrotliOptions,
  callback: (error: Error | null, unpacked: Buffer) => void,
) => void;

/**
 * A function of Node, for bodies that end where their stream ends. Node says nothing of what follows it, nor of a zstd
 * stream that is cut; such a one would take a further byte in.
 */
function unpackWhole(unpack: Unpack): Decompress {
  const run = promisify(unpack);
  return async (body, options) => {
    const unpacked: unknown = await run(Buffer.concat([body, Buffer.alloc(1)]), { ...options, info: true });
    const { buffer, engine } = unpacked as { readonly buffer: Buffer; readonly engine: zlib.Inflate };
    if (engine.bytesWritten !== body.length) throw new Error("The stream does not end with the body");
    return buffer;
  };
}

/** zstd came with Node 22.15; older versions answer `unsupported_encoding`. */
const zstd = (zlib as { zstdDecompress?: Unpack }).zstdDecompress;

const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ["gzip", promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ["x-gzip", promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ["deflate", unpackWhole(zlib.inflate)],
  ["snappy", async (body, { maxOutputLength }) => Buffer.from(decompressSnappy(body, maxOutputLength))],
  ["br", unpackWhole(zlib.brotliDecompress)],
  ...(zstd === undefined ? [] : [["zstd", unpackWhole(zstd)] as const]),
]);

/** The values of Content-Encoding that this Node understands. */
export const supportedEncodings: readonly string[] = [...decompressors.keys()];

/**
 * Decodes Content-Encoding (RFC 9110, section 8.4), several encodings from the last to the first. Throws `BodyError`
 * `body_too_large` as soon as the output exceeds `maxBytes`, so that a decompression bomb costs no more than that.
 */
export async function decompress(body: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const codings = encoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > 2) throw new BodyError("unsupported_encoding", "At most two content codings are accepted");
  let bytes = body;
  for (const coding of codings.reverse()) bytes = await decompressOnce(bytes, coding, maxBytes);
  if (bytes.length > maxBytes) throw new BodyError("body_too_large", `The body is larger than ${maxBytes} bytes`);
  return bytes;
}

async function decompressOnce(body: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> {
  const run = decompressors.get(coding);
  if (run === undefined) {
    const known = supportedEncodings.join(", ");
    throw new BodyError("unsupported_encoding", `Content-Encoding ${coding} is not supported; send one of: ${known}`);
  }
  try {
    return await run(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof BodyError) throw error;
    if (error instanceof RangeError) {
      throw new BodyError("body_too_large", `The body is larger than ${maxBytes} bytes after decompression`);
    }
    throw new BodyError("invalid_body", `The body is not valid ${coding}; check Content-Encoding`);
  }
}
