import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import zlib from "node:zlib";
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type ColumnChunk,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { valueText } from "../../engines/contract/event-line.ts";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { messageOf } from "../../shared/message-of.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { CliError } from "../context.ts";
import { digestKey, eventColumn } from "../exporting/parquet-file.ts";
import type { NumberedLine } from "./numbered-lines.ts";
import { guardText, leavesOf, readSchema, toEventValue } from "./parquet-schema.ts";

/** A row group is decoded as a whole, where a value takes some tens of bytes, however short the file says it. */
const maxGroupBytes = 512_000_000;
const maxGroupValues = 50_000_000;

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

/** Times with their microseconds, JSON with all digits, and texts that may be keys. */
const parsers = {
  stringFromBytes: (bytes: Uint8Array) => guardText(decoder.decode(bytes)),
  timestampFromMilliseconds: (ms: bigint) => formatIsoTimestamp(ms * 1000n),
  timestampFromMicroseconds: (us: bigint) => formatIsoTimestamp(us),
  timestampFromNanoseconds: (ns: bigint) => formatIsoTimestamp(BigInt.asIntN(64, ns / 1000n)),
  dateFromDays: (days: number) => formatIsoTimestamp(BigInt(days) * 86_400_000_000n).replace(/T.*/, ""),
  jsonFromBytes: (bytes: Uint8Array) => parseJson(decoder.decode(bytes)),
};

type Decompress = (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
const decompressBy =
  (decompress: Decompress): ((input: Uint8Array, outputLength: number) => Uint8Array) =>
  (input, maxOutputLength) =>
    decompress(input, { maxOutputLength: Math.min(maxOutputLength, maxGroupBytes) });

/** zstd came with Node 22.15. */
const zstd = (zlib as { readonly zstdDecompressSync?: Decompress }).zstdDecompressSync;
/** Those beside Snappy, which the reader has. */
const compressors: Compressors = {
  GZIP: decompressBy(zlib.gunzipSync),
  BROTLI: decompressBy(zlib.brotliDecompressSync),
  ...(zstd === undefined ? {} : { ZSTD: decompressBy(zstd) }),
};

/**
 * The rows of a Parquet file as events of `/api/logs`, numbered from 1: those of an export by their text, others with a
 * field for each column. A row group at a time is in memory. Throws `CliError` for a file that cannot be read, at its
 * end also for one whose events are not those that were written.
 */
export async function* parquetLines(path: string): AsyncGenerator<NumberedLine> {
  const hash = createHash("sha256");
  let number = 1;
  try {
    const file = await asyncBufferFromFile(path);
    // What it looks for in geographic columns has no end where a damaged part has fewer children than none.
    const described = await parquetMetadataAsync(file, { geoparquet: false });
    checkParts(path, described);
    const { metadata, root } = readSchema(described);
    const [eventAt, written] = [root.children.findIndex(({ name }) => name === eventColumn), digestOf(metadata)];
    const isExport = eventAt >= 0;
    if (written !== undefined && !isExport) throw new Error(`it lacks the column ${eventColumn}`);
    const isOfEvent = ({ meta_data: column }: ColumnChunk) => column?.path_in_schema[0] === String(eventAt);
    let rowStart = 0;
    for (const { num_rows, columns } of metadata.row_groups) {
      const range = { rowStart, rowEnd: rowStart + Number(num_rows) };
      await checkPages(path, file, isExport ? columns.filter(isOfEvent) : columns);
      const of = { ...range, utf8: isExport, ...(isExport ? { columns: [String(eventAt)] } : {}) };
      const rows = await parquetReadObjects({ file, metadata, compressors, parsers, ...of });
      if (rows.length !== Number(num_rows)) throw new Error(`rows from ${rowStart + 1} on are missing`);
      for (const row of rows) {
        const bytes = Buffer.from(isExport ? eventOf(row[eventAt], number) : valueText(toEventValue(row, root)));
        if (written !== undefined) hash.update(bytes).update("\n");
        yield { bytes, number: number++ };
      }
      rowStart = range.rowEnd;
    }
    if (BigInt(rowStart) !== metadata.num_rows) throw new Error("its parts do not have the rows that it declares");
    if (written !== undefined && written !== hash.digest("hex")) throw new Error("its events were changed");
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = messageOf(error);
    throw new CliError(`${path} is damaged, or no Parquet file that can be read: ${reason}`);
  }
}

function digestOf({ key_value_metadata = [] }: FileMetaData): string | undefined {
  return key_value_metadata.find(({ key }) => key === digestKey)?.value;
}

/** Each row group has the columns of the schema, in its order; the reader relies on it. */
function checkParts(path: string, metadata: FileMetaData): void {
  const leaves = leavesOf(parquetSchema(metadata)).map((names) => names.join("\0"));
  for (const { columns, num_rows } of metadata.row_groups) {
    const chunks = columns.flatMap(({ meta_data }) => meta_data ?? []);
    if (chunks.some(({ path_in_schema: names }, index) => names.join("\0") !== leaves[index])) {
      throw new Error("its parts do not have the columns that it declares");
    }
    refuseCodecs(path, chunks);
    const size = chunks.reduce((sum, { total_uncompressed_size: bytes }) => sum + bytes, 0n);
    // Each row is an object beside its values.
    refuseSize(path, Number(size), Number(num_rows) * (chunks.length + 1));
  }
}

/**
 * Adds up the pages of a part of a file by their own headers, which the reader goes by: memory for what they declare is
 * taken before it is seen whether that comes.
 */
async function checkPages(path: string, file: AsyncBuffer, columns: readonly ColumnChunk[]): Promise<void> {
  let [bytes, values] = [0, 0];
  for (const { meta_data: column } of columns) {
    if (column === undefined) continue;
    const start = Number(column.dictionary_page_offset || column.data_page_offset);
    const chunk = await file.slice(start, start + Number(column.total_compressed_size));
    const reader = { view: new DataView(chunk), offset: 0 };
    while (reader.offset < chunk.byteLength - 1) {
      const page = parquetHeader(reader);
      if (page.compressed_page_size < 0) throw new Error("one of its pages is shorter than nothing");
      reader.offset += page.compressed_page_size;
      bytes += page.uncompressed_page_size;
      const head = page.data_page_header ?? page.data_page_header_v2 ?? page.dictionary_page_header;
      values += head?.num_values ?? 0;
      refuseSize(path, bytes, values);
    }
  }
}

function refuseSize(path: string, bytes: number, values: number): void {
  if (bytes <= maxGroupBytes && values <= maxGroupValues) return;
  const limits = `512 MB, or of more than ${maxGroupValues.toLocaleString("en")} values`;
  throw new CliError(`${path} has row groups of more than ${limits}: write it with smaller ones`);
}

/** Throws for a compression that only a newer Node, or no reader here, knows: that is no damage. */
function refuseCodecs(path: string, chunks: readonly { readonly codec?: string }[]): void {
  const known = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(compressors)];
  const unknown = chunks.find(({ codec }) => codec === undefined || !known.includes(codec));
  if (unknown === undefined) return;
  if (unknown.codec === undefined) throw new Error("the compression of a column is unknown");
  throw new CliError(
    `${path} is compressed with ${unknown.codec}, which cannot be read: write it with one of ${known.join(", ")}`,
  );
}

function eventOf(text: unknown, number: number): string {
  if (typeof text !== "string") throw new Error(`row ${number} has no event`);
  // Damage shows before anything is sent.
  JSON.parse(text);
  return text;
}
