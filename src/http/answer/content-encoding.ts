import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** A way to compress a body (RFC 9110, section 8.4.1). */
export interface ContentEncoding {
  /** As `Content-Encoding` names it. */
  readonly name: string;
  /** Compresses a whole body, away from this thread. */
  readonly encode: (body: Buffer) => Promise<Buffer>;
  /** Compresses a body that is streamed. */
  readonly open: () => Duplex;
}

/** Shorter bodies are sent as they are. */
export const minEncodedBytes = 1_000;

const brotliOptions: zlib.BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions: zlib.ZlibOptions = { level: 5 };

/** Encodings supported by this Node.js, the preferred one first. Zstandard requires Node.js 22.15. */
export const contentEncodings: readonly ContentEncoding[] = [
  ...findZstandard(),
  {
    name: "br",
    encode: (body) => promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(body, brotliOptions),
    open: () => zlib.createBrotliCompress(brotliOptions),
  },
  {
    name: "gzip",
    encode: (body) => promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)(body, gzipOptions),
    open: () => zlib.createGzip(gzipOptions),
  },
];

interface Zstandard {
  readonly zstdCompress?: (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;
  readonly createZstdCompress?: () => Duplex;
}

function findZstandard(): ContentEncoding[] {
  const { zstdCompress, createZstdCompress } = zlib as Zstandard;
  if (zstdCompress === undefined || createZstdCompress === undefined) return [];
  return [{ name: "zstd", encode: promisify(zstdCompress), open: createZstdCompress }];
}

/**
 * The encoding that `Accept-Encoding` likes best (RFC 9110, section 12.5.3); undefined for the body as it is, which
 * is also what a caller gets that refuses everything.
 */
export function chooseEncoding(accepted: string | string[] | undefined): ContentEncoding | undefined {
  if (accepted === undefined || accepted === "") return undefined;
  const weights = new Map(
    readWeights(String(accepted)).map(([name, weight]) => [name === "x-gzip" ? "gzip" : name, weight]),
  );
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const plain = weights.get("identity") ?? 0;
  let best: ContentEncoding | undefined;
  let bestWeight = 0;
  for (const encoding of contentEncodings) {
    const weight = weightOf(encoding.name);
    if (weight > bestWeight && weight >= plain) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** The names in a header, in lower case, with the weight of each (RFC 9110, section 12.4.2); 0 for what is none. */
export function readWeights(header: string): readonly (readonly [name: string, weight: number])[] {
  return header.split(",").map((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    return [name, weight >= 0 && weight <= 1 ? weight : 0];
  });
}
