import { open } from "node:fs/promises";
import zlib from "node:zlib";
import {
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from "hyparquet";
import { valueText } from "../../engines/contract/event-line.ts";
import { parseJson } from "../../engines/contract/parse-json.ts";
import type { EventValue } from "../../engines/contract/query-engine.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { CliError } from "../context.ts";
import { eventColumn } from "../exporting/parquet-file.ts";
import type { NumberedLine } from "./numbered-lines.ts";

/** A row group is decoded as a whole. */
const maxGroupBytes = 512_000_000;

const magic = "PAR1";

/** Whether a file is Parquet, or has its name. */
export async function isParquet(path: string): Promise<boolean> {
  if (path.endsWith(".parquet")) return true;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return bytesRead === magic.length && buffer.toString("latin1") === magic;
  } finally {
    await file.close();
  }
}

const decoder = new TextDecoder();

/** Times with their microseconds, and JSON with all digits. */
const parsers = {
  timestampFromMilliseconds: (ms: bigint) => formatIsoTimestamp(ms * 1000n),
  timestampFromMicroseconds: (us: bigint) => formatIsoTimestamp(us),
  timestampFromNanoseconds: (ns: bigint) => formatIsoTimestamp(BigInt.asIntN(64, ns / 1000n)),
  dateFromDays: (days: number) => formatIsoTimestamp(BigInt(days) * 86_400_000_000n).slice(0, 10),
  jsonFromBytes: (bytes: Uint8Array) => parseJson(decoder.decode(bytes)),
};

type Decompress = (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
const decompressBy =
  (decompress: Decompress): ((input: Uint8Array, outputLength: number) => Uint8Array) =>
  (input, maxOutputLength) =>
    decompress(input, { maxOutputLength });

/** zstd came with Node 22.15. */
const zstd = (zlib as { readonly zstdDecompressSync?: Decompress }).zstdDecompressSync;
/** Those beside Snappy, which the reader has. */
const compressors: Compressors = {
  GZIP: decompressBy(zlib.gunzipSync),
  BROTLI: decompressBy(zlib.brotliDecompressSync),
  ...(zstd === undefined ? {} : { ZSTD: decompressBy(zstd) }),
};

/**
 * The rows of a Parquet file as events of `/api/logs`, numbered from 1: an export's by their text, other files' with a
 * field for each column. A row group at a time is in memory. Throws `CliError` for a file that cannot be read.
 */
export async function* parquetLines(path: string): AsyncGenerator<NumberedLine> {
  const unreadable = (error: unknown) => {
    if (error instanceof CliError) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return new CliError(`${path} is damaged, or no Parquet file that can be read: ${reason}`);
  };
  let number = 1;
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const columns = isExport(metadata) ? [eventColumn] : undefined;
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const size = group.columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n);
      refuseCodecs(path, group);
      if (size > maxGroupBytes) {
        throw new CliError(`${path} has row groups of more than 512 MB: write it with smaller ones`);
      }
      const rowEnd = rowStart + Number(group.num_rows);
      const of = columns === undefined ? {} : { columns };
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, parsers, ...of });
      if (rows.length !== rowEnd - rowStart) throw new Error(`rows from ${rowStart + 1} on are missing`);
      for (const row of rows) {
        yield { bytes: Buffer.from(columns === undefined ? rowText(row) : eventOf(row, number)), number };
        number++;
      }
      rowStart = rowEnd;
    }
    if (BigInt(rowStart) !== metadata.num_rows) throw new Error("its parts do not have the rows that it tells");
  } catch (error) {
    throw unreadable(error);
  }
}

/** Throws for a compression that only a newer Node, or no reader here, knows: that is no damage. */
function refuseCodecs(path: string, { columns }: FileMetaData["row_groups"][number]): void {
  const known = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(compressors)];
  const codec = columns.map(({ meta_data }) => meta_data?.codec ?? "").find((each) => !known.includes(each));
  if (codec === undefined) return;
  throw new CliError(
    `${path} is compressed with ${codec}, which cannot be read: write it with one of ${known.join(", ")}`,
  );
}

function isExport({ created_by, schema }: FileMetaData): boolean {
  return created_by === "logweir" && schema.some(({ name }) => name === eventColumn);
}

function eventOf(row: Record<string, unknown>, number: number): string {
  const text = row[eventColumn];
  if (typeof text !== "string") throw new Error(`row ${number} has no event`);
  // Damage shows before anything is sent.
  JSON.parse(text);
  return text;
}

function rowText(row: Record<string, unknown>): string {
  return valueText(toEventValue(row) ?? {});
}

/** A value of a row; null where events have none. */
function toEventValue(value: unknown): EventValue | null {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "object":
      break;
    default:
      return null;
  }
  if (value === null) return null;
  // Bytes that are no text.
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return Array.from(value as Iterable<unknown>, (item) => toEventValue(item)) as EventValue;
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toEventValue(each)])) as EventValue;
}
