/**
 * A batch of rows on its way from the service to the engine host: values by column, in one buffer. Text crosses as
 * UTF-8, so that neither side builds or parses JSON for it.
 *
 * Layout, little-endian: for each column of the header, in its order: when it lacks rows, u32 row numbers (`count` of
 * them); then its values: f64 (FLOAT64), i64 (INT64, TIMESTAMP), u8 (BOOL); others are text: u32 bytes of all of it,
 * u32 lengths in bytes, then all texts joined. So text is encoded once a column, not once a value, and is not decoded
 * at all on its way into the database. `batch-reader.ts` reads it.
 */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { ValueType } from "../../schema/schema-entry.ts";

/** Arrays cross as their JSON text. RUN is the store's own column, which no batch fills. */
export type BatchType = ValueType | "TIMESTAMP" | "RUN";
export type BatchValue = string | number | bigint | boolean;

interface BatchColumn {
  readonly column: string;
  readonly type: BatchType;
  /** Values in this column; fewer than the rows of the batch when some rows have none. */
  readonly count: number;
}

export interface BatchHeader {
  readonly rowCount: number;
  readonly columns: readonly BatchColumn[];
  /** Rows whose id the sender chose, so that it can be a repeat. */
  readonly ownIdRows: "all" | readonly number[];
}

export interface EncodedBatch {
  readonly header: BatchHeader;
  readonly payload: Buffer;
}

interface ColumnValues {
  readonly type: BatchType;
  /** Row of each value; absent while every row so far has one. */
  rows: number[] | undefined;
  readonly values: BatchValue[];
}

/** A column's values ready to be written, and the bytes they take. */
interface SizedColumn {
  readonly column: string;
  readonly data: ColumnValues;
  /** All values of a column of short texts; undefined where they are written one by one. */
  readonly text: string | undefined;
  readonly textBytes: number;
}

/** Joining longer texts costs more than it saves: one of them beyond ASCII doubles the memory of all. */
const MAX_JOINED_LENGTH = 128;

/**
 * A text that UTF-8 can hold, in one piece: half a surrogate pair cannot be held, and two halves of neighbours would
 * become a character; the pieces that a text was put together from would otherwise live as long as the batch.
 */
function ownText(text: string): string {
  // Looking at a character joins the pieces.
  const isEmpty = Number.isNaN(text.charCodeAt(0));
  return isEmpty || text.isWellFormed() ? text : text.toWellFormed();
}

function isText(type: BatchType): boolean {
  return type === "STRING" || type.endsWith("[]");
}

function writeInt64(buffer: Buffer, value: number | bigint, offset: number): number {
  if (typeof value === "bigint") return buffer.writeBigInt64LE(value, offset);
  const high = Math.floor(value / 2 ** 32);
  buffer.writeUInt32LE(value - high * 2 ** 32, offset);
  return buffer.writeInt32LE(high, offset + 4);
}

function writeText(buffer: Buffer, { data, text, textBytes }: SizedColumn, start: number): number {
  const lengthsAt = buffer.writeUInt32LE(textBytes, start);
  const textsAt = lengthsAt + 4 * data.values.length;
  const values = data.values as readonly string[];
  if (text === undefined) return writeEach(buffer, values, lengthsAt, textsAt);
  const isAscii = text.length === textBytes;
  let lengthAt = lengthsAt;
  for (const value of values) {
    lengthAt = buffer.writeUInt32LE(isAscii ? value.length : Buffer.byteLength(value), lengthAt);
  }
  return textsAt + buffer.write(text, textsAt);
}

function writeEach(buffer: Buffer, texts: readonly string[], lengthsAt: number, textsAt: number): number {
  let [lengthAt, offset] = [lengthsAt, textsAt];
  for (const text of texts) {
    const length = buffer.write(text, offset);
    lengthAt = buffer.writeUInt32LE(length, lengthAt);
    offset += length;
  }
  return offset;
}

function writeValues(buffer: Buffer, sized: SizedColumn, start: number): number {
  const { type, values } = sized.data;
  let offset = start;
  switch (type) {
    case "FLOAT64":
    case "WIDE":
      for (const value of values) offset = buffer.writeDoubleLE(Number(value), offset);
      return offset;
    case "INT64":
    case "TIMESTAMP":
      for (const value of values) offset = writeInt64(buffer, value as number | bigint, offset);
      return offset;
    case "BOOL":
      for (const value of values) buffer[offset++] = value === true ? 1 : 0;
      return offset;
    default:
      return writeText(buffer, sized, start);
  }
}

function sizeColumn(column: string, data: ColumnValues): SizedColumn {
  if (!isText(data.type)) return { column, data, text: undefined, textBytes: 0 };
  const texts = data.values as readonly string[];
  if ((texts[0]?.length ?? 0) <= MAX_JOINED_LENGTH) {
    const text = texts.join("");
    return { column, data, text, textBytes: Buffer.byteLength(text) };
  }
  return { column, data, text: undefined, textBytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}

/** Gathers rows; values of one row may be put in any order, rows come one after the other. */
export class BatchBuilder {
  readonly #columns = new Map<string, ColumnValues>();
  readonly #ownIdRows: number[] = [];
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Begins a row with the event's fixed columns and answers its number. */
  addRow(event: LogEvent): number {
    const row = this.#rowCount++;
    if (!event.hasGeneratedId) this.#ownIdRows.push(row);
    this.put(row, "id", "STRING", event.id);
    this.put(row, "timestamp", "TIMESTAMP", event.timestampUs);
    if (event.eventMessage !== null) this.put(row, "event_message", "STRING", event.eventMessage);
    return row;
  }

  put(row: number, column: string, type: BatchType, value: BatchValue): void {
    let data = this.#columns.get(column);
    if (data === undefined) {
      data = { type, rows: undefined, values: [] };
      this.#columns.set(column, data);
    }
    const { rows, values } = data;
    // Of two values for one place the first counts: a column with more values than rows would be read as another.
    if ((rows === undefined ? values.length - 1 : rows[rows.length - 1]) === row) return;
    if (rows !== undefined) rows.push(row);
    else if (row !== values.length) data.rows = [...values.keys(), row];
    values.push(typeof value === "string" ? ownText(value) : value);
  }

  encode(): EncodedBatch {
    const sized: SizedColumn[] = [];
    let size = 0;
    for (const [column, data] of this.#columns) {
      const one = sizeColumn(column, data);
      sized.push(one);
      size += one.textBytes + 4 + data.values.length * 12;
    }
    const buffer = Buffer.allocUnsafe(size);
    const columns: BatchColumn[] = [];
    let offset = 0;
    for (const one of sized) {
      const count = one.data.values.length;
      columns.push({ column: one.column, type: one.data.type, count });
      if (count < this.#rowCount) offset = this.#writeRows(buffer, one.data, offset);
      offset = writeValues(buffer, one, offset);
    }
    const ownIdRows = this.#ownIdRows.length === this.#rowCount ? "all" : this.#ownIdRows;
    return { header: { rowCount: this.#rowCount, columns, ownIdRows }, payload: buffer.subarray(0, offset) };
  }

  #writeRows(buffer: Buffer, { rows, values }: ColumnValues, start: number): number {
    let offset = start;
    for (const row of rows ?? values.keys()) offset = buffer.writeUInt32LE(row, offset);
    return offset;
  }
}

/** The batch, with every id of it looked up in the table. */
export function withOwnIds({ header, payload }: EncodedBatch): EncodedBatch {
  return { header: { ...header, ownIdRows: "all" }, payload };
}
