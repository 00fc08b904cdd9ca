/**
 * Rows of a source's table as a block of ClickHouse's Native format: columns one after the other, as the server keeps
 * them, so that it has least to do. Nothing of a value is parsed on the way but lists.
 */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { RowSink } from "../../schema/encode/row-sink.ts";
import type { ValueType } from "../../schema/schema-entry.ts";
import { type Element, serverTypeOf } from "../layout.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { EncodedRows } from "./encoded-rows.ts";

/** `PRESENT`: a flag that is true or missing. `PLAIN`: texts and integers that no row lacks. */
type ColumnKind = ValueType | "PLAIN STRING" | "PLAIN INT64" | "PRESENT";

type Scalar = string | number | bigint | boolean;
type Value = Scalar | WrittenText;

/**
 * From so many characters on a text is written down when it comes in. The JSON of a record hangs together of many
 * pieces: then they are still in the processor's caches, and none is left for the collector to copy.
 */
const MIN_WRITTEN_LENGTH = 65;

/** A text as the format has it, in bytes that were written beforehand. */
class WrittenText {
  readonly #texts: ByteWriter;
  readonly #start: number;
  readonly #end: number;

  constructor(texts: ByteWriter, value: string) {
    this.#texts = texts;
    this.#start = texts.length;
    texts.text(value);
    this.#end = texts.length;
  }

  copyTo(writer: ByteWriter): void {
    writer.bytes(this.#texts.slice(this.#start, this.#end));
  }

  /** The text itself. */
  toString(): string {
    const bytes = Buffer.from(this.#texts.slice(this.#start, this.#end));
    // The last byte of the length is the first without the flag that another follows.
    return bytes.toString("utf8", bytes.findIndex((byte) => byte < 128) + 1);
  }
}

/** Values of the rows that have one; `rows` ascend. */
interface Column {
  readonly kind: ColumnKind;
  readonly rows: number[];
  readonly values: Value[];
}

/** The server's own name of the column that says with which block a row came. */
export const BATCH_COLUMN = "lw_batch";

/** How many bytes a block takes beside what is counted of its values: flags, and texts beyond ASCII. */
const SIZE_MARGIN = 1.1;

/** Gathers rows of one append, in any order of their columns. */
export class NativeRows implements RowSink {
  readonly columns = new Map<string, Column>();
  readonly ids: string[] = [];
  /** Whether the sender chose the row's id, so that the row may be a repeat. */
  readonly ownIds: boolean[] = [];
  readonly timestamps: bigint[] = [];
  /** Long texts, which the columns refer to. */
  readonly #texts = new ByteWriter(64 * 1024);
  #size = 0;

  get rowCount(): number {
    return this.ids.length;
  }

  /** About as many bytes as the rows will be. */
  get byteCount(): number {
    return this.#size;
  }

  /** The column's value of each row, or undefined. */
  valuesOf(name: string): readonly (Value | undefined)[] {
    const { rows = [], values = [] } = this.columns.get(name) ?? {};
    const all: (Value | undefined)[] = Array.from({ length: this.rowCount });
    for (const [index, row] of rows.entries()) all[row] = values[index];
    return all;
  }

  addRow({ id, hasGeneratedId, timestampUs, eventMessage }: LogEvent): number {
    const row = this.ids.length;
    this.ids.push(id);
    this.ownIds.push(!hasGeneratedId);
    this.timestamps.push(timestampUs);
    this.#put(row, "id", "PLAIN STRING", id);
    this.#put(row, "timestamp", "PLAIN INT64", timestampUs);
    if (eventMessage !== null) this.#put(row, "event_message", "STRING", eventMessage);
    return row;
  }

  put(row: number, column: string, type: ValueType, value: Scalar): void {
    this.#put(row, column, column.startsWith("p") && type === "BOOL" ? "PRESENT" : type, value);
  }

  #put(row: number, name: string, kind: ColumnKind, value: Scalar): void {
    let column = this.columns.get(name);
    if (column === undefined) {
      column = { kind, rows: [], values: [] };
      this.columns.set(name, column);
    }
    // Of two values for one place the first counts.
    if (column.rows.at(-1) === row) return;
    column.rows.push(row);
    const isText = typeof value === "string";
    this.#size += isText ? value.length + 2 : 9;
    const isLong = isText && value.length >= MIN_WRITTEN_LENGTH && kind.endsWith("STRING");
    column.values.push(isLong ? new WrittenText(this.#texts, value) : value);
  }
}

/** Rows of one append that are to be stored, ascending. */
interface PickedRows {
  readonly rows: NativeRows;
  readonly picked: readonly number[];
}

/** A block of rows for INSERT ... FORMAT Native. */
export interface NativeBlock {
  readonly columns: readonly string[];
  readonly body: Uint8Array;
  readonly rowCount: number;
}

/** The picked rows of all parts as one block; `batch` is noted with each. */
export function encodeBlock(parts: readonly PickedRows[], batch: bigint): NativeBlock {
  const rowCount = parts.reduce((sum, { picked }) => sum + picked.length, 0);
  const gathered = gather(parts);
  const writer = new ByteWriter(64 * 1024);
  beginBlock(writer, { columnCount: gathered.size, rowCount, batch });
  for (const [name, column] of gathered) writeColumn(writer, name, column, rowCount);
  return { columns: [BATCH_COLUMN, ...gathered.keys()], body: writer.finish(), rowCount };
}

/** Writes the beginning of a block: the number of columns, and the column that all blocks have. */
export function beginBlock(
  writer: ByteWriter,
  { columnCount, rowCount, batch }: { readonly columnCount: number; readonly rowCount: number; readonly batch: bigint },
): void {
  writer.varint(columnCount + 1);
  writer.varint(rowCount);
  writer.text(BATCH_COLUMN);
  writer.text("UInt64");
  for (let row = 0; row < rowCount; row++) writer.uint64(batch);
}

/** All rows as they cross from one thread to another; `tenantColumn` as the source's table has it. */
export function encodeRows(rows: NativeRows, tenantColumn: string | undefined): EncodedRows {
  const { rowCount, ids, ownIds, timestamps } = rows;
  const writer = new ByteWriter(Math.ceil(rows.byteCount * SIZE_MARGIN) + 4096);
  for (const [name, column] of rows.columns) writeColumn(writer, name, column, rowCount);
  const bytes = writer.finish();
  const tenants = tenantColumn === undefined ? undefined : rows.valuesOf(tenantColumn).map(toTenant);
  const columns = [...rows.columns.keys()];
  return { ids, ownIds, timestamps, tenants, rowCount, columns, bytes, byteCount: bytes.length };
}

function toTenant(value: Value | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** The columns of all parts with their rows counted through. */
function gather(parts: readonly PickedRows[]): Map<string, Column> {
  const gathered = new Map<string, Column>();
  let base = 0;
  for (const { rows, picked } of parts) {
    const places = new Int32Array(rows.rowCount).fill(-1);
    for (const [index, row] of picked.entries()) places[row] = base + index;
    base += picked.length;
    for (const [name, { kind, rows: own, values }] of rows.columns) {
      let column = gathered.get(name);
      if (column === undefined) {
        column = { kind, rows: [], values: [] };
        gathered.set(name, column);
      }
      if (column.kind !== kind) throw new Error(`The column ${name} is of ${column.kind} and of ${kind}`);
      for (let index = 0; index < own.length; index++) {
        const place = places[own[index] ?? 0] ?? -1;
        if (place < 0) continue;
        column.rows.push(place);
        column.values.push(values[index] ?? "");
      }
    }
  }
  return gathered;
}

function writeColumn(writer: ByteWriter, name: string, { kind, rows, values }: Column, rowCount: number): void {
  writer.text(name);
  if (kind === "PRESENT") {
    writer.text("Bool");
    writeFlags(writer, rows, rowCount, 0, 1);
    return;
  }
  if (kind === "PLAIN STRING" || kind === "PLAIN INT64") {
    const [type, element] = kind === "PLAIN STRING" ? (["String", "STRING"] as const) : (["Int64", "INT64"] as const);
    writer.text(type);
    for (const value of values) writeValue(writer, element, value);
    return;
  }
  writer.text(serverTypeOf(kind));
  if (kind.endsWith("[]")) {
    writeLists(writer, kind.slice(0, -2) as Element, rows, values as readonly string[], rowCount);
    return;
  }
  writeFlags(writer, rows, rowCount, 1, 0);
  writeSparse(writer, kind as Element, rows, values, rowCount);
}

/** A byte a row: `without` for rows that are not listed. */
function writeFlags(
  writer: ByteWriter,
  rows: readonly number[],
  rowCount: number,
  without: number,
  listed: number,
): void {
  const at = writer.fill(without, rowCount);
  for (const row of rows) writer.set(at + row, listed);
}

function writeSparse(
  writer: ByteWriter,
  type: Element,
  rows: readonly number[],
  values: readonly Value[],
  rowCount: number,
): void {
  const missingBytes = type === "STRING" || type === "BOOL" ? 1 : 8;
  let row = 0;
  for (let index = 0; index < rows.length; index++) {
    const own = rows[index] ?? 0;
    if (own > row) writer.fill(0, (own - row) * missingBytes);
    writeValue(writer, type, values[index] ?? "");
    row = own + 1;
  }
  writer.fill(0, (rowCount - row) * missingBytes);
}

function writeValue(writer: ByteWriter, type: Element, value: Value): void {
  if (value instanceof WrittenText) value.copyTo(writer);
  else if (type === "STRING") writer.text(String(value));
  else if (type === "BOOL") writer.fill(value === true ? 1 : 0, 1);
  else if (type === "INT64") writer.int64(value as number | bigint);
  else writer.float64(Number(value));
}

/** Ends of the lists, counted in elements, then all elements. Rows that are not listed have the empty list. */
function writeLists(
  writer: ByteWriter,
  type: Element,
  rows: readonly number[],
  texts: readonly string[],
  rowCount: number,
): void {
  const lists = texts.map((text) => parseList(type, text));
  let [row, end] = [0, 0];
  for (const [index, own] of rows.entries()) {
    for (; row < own; row++) writer.uint64(BigInt(end));
    end += lists[index]?.length ?? 0;
    writer.uint64(BigInt(end));
    row++;
  }
  for (; row < rowCount; row++) writer.uint64(BigInt(end));
  for (const list of lists) for (const value of list) writeValue(writer, type, value);
}

/** Elements of integers are read as text: JSON.parse would lose digits beyond 2^53. */
function parseList(type: Element, text: string): readonly Value[] {
  if (type !== "INT64" && type !== "WIDE") return JSON.parse(text) as readonly Value[];
  const inner = text.slice(1, -1);
  if (inner === "") return [];
  return type === "INT64" ? inner.split(",").map(BigInt) : inner.split(",").map(Number);
}
