/**
 * A batch of rows on its way from the service to the engine host: values by column, in one buffer. Text crosses as
 * UTF-8, so that neither side builds or parses JSON for it.
 *
 * Layout, little-endian: for each column of the header, in its order: when it lacks rows, u32 row numbers (`count` of
 * them); then its values: f64 (FLOAT64), i64 (INT64, TIMESTAMP), u8 (BOOL), u32 byte lengths and then the bytes (others).
 */
import type { LogEvent } from "../engine.ts";
import type { ValueType } from "./schema/schema-entry.ts";

/** Arrays cross as their JSON text. */
export type BatchType = ValueType | "TIMESTAMP";
export type BatchValue = string | number | bigint | boolean;

export interface BatchColumn {
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
  readonly rows: number[];
  readonly values: BatchValue[];
}

function writeInt64(buffer: Buffer, value: number | bigint, offset: number): number {
  if (typeof value === "bigint") return buffer.writeBigInt64LE(value, offset);
  const high = Math.floor(value / 2 ** 32);
  buffer.writeUInt32LE(value - high * 2 ** 32, offset);
  return buffer.writeInt32LE(high, offset + 4);
}

function writeValues(buffer: Buffer, { type, values }: ColumnValues, start: number): number {
  let offset = start;
  switch (type) {
    case "FLOAT64":
      for (const value of values) offset = buffer.writeDoubleLE(Number(value), offset);
      return offset;
    case "INT64":
    case "TIMESTAMP":
      for (const value of values) offset = writeInt64(buffer, value as number | bigint, offset);
      return offset;
    case "BOOL":
      for (const value of values) buffer[offset++] = value === true ? 1 : 0;
      return offset;
    default: {
      let lengthAt = offset;
      offset += 4 * values.length;
      for (const value of values) {
        const length = buffer.write(value as string, offset);
        lengthAt = buffer.writeUInt32LE(length, lengthAt);
        offset += length;
      }
      return offset;
    }
  }
}

/** Bytes that a column takes at most: a UTF-16 unit becomes three bytes of UTF-8 at the worst. */
function upperBound({ values, type }: ColumnValues): number {
  let bytes = values.length * 12;
  if (type === "STRING" || type.endsWith("[]")) for (const value of values) bytes += (value as string).length * 3;
  return bytes;
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
    let values = this.#columns.get(column);
    if (values === undefined) {
      values = { type, rows: [], values: [] };
      this.#columns.set(column, values);
    }
    values.rows.push(row);
    values.values.push(value);
  }

  encode(): EncodedBatch {
    const columns: BatchColumn[] = [];
    let size = 0;
    for (const values of this.#columns.values()) size += upperBound(values);
    const buffer = Buffer.allocUnsafe(size);
    let offset = 0;
    for (const [column, values] of this.#columns) {
      const count = values.rows.length;
      columns.push({ column, type: values.type, count });
      if (count < this.#rowCount) for (const row of values.rows) offset = buffer.writeUInt32LE(row, offset);
      offset = writeValues(buffer, values, offset);
    }
    const ownIdRows = this.#ownIdRows.length === this.#rowCount ? "all" : this.#ownIdRows;
    return { header: { rowCount: this.#rowCount, columns, ownIdRows }, payload: buffer.subarray(0, offset) };
  }
}

export interface DecodedColumn {
  readonly column: string;
  readonly type: BatchType;
  /** Row of each value; undefined when every row has one. */
  readonly rows: Uint32Array | undefined;
  readonly values: readonly BatchValue[];
}

function readValues(payload: Buffer, type: BatchType, count: number, start: number): [BatchValue[], number] {
  const values = new Array<BatchValue>(count);
  let offset = start;
  switch (type) {
    case "FLOAT64":
      for (let i = 0; i < count; i++, offset += 8) values[i] = payload.readDoubleLE(offset);
      return [values, offset];
    case "INT64":
    case "TIMESTAMP":
      for (let i = 0; i < count; i++, offset += 8) values[i] = payload.readBigInt64LE(offset);
      return [values, offset];
    case "BOOL":
      for (let i = 0; i < count; i++, offset++) values[i] = payload[offset] === 1;
      return [values, offset];
    default: {
      let lengthAt = offset;
      offset += 4 * count;
      for (let i = 0; i < count; i++, lengthAt += 4) {
        const end = offset + payload.readUInt32LE(lengthAt);
        values[i] = payload.toString("utf8", offset, end);
        offset = end;
      }
      return [values, offset];
    }
  }
}

/** The columns of a batch. Throws `RangeError` where the payload is shorter than its header says. */
export function decodeBatch({ header, payload }: EncodedBatch): DecodedColumn[] {
  let offset = 0;
  return header.columns.map(({ column, type, count }) => {
    let rows: Uint32Array | undefined;
    if (count < header.rowCount) {
      rows = new Uint32Array(count);
      for (let i = 0; i < count; i++, offset += 4) rows[i] = payload.readUInt32LE(offset);
    }
    const [values, end] = readValues(payload, type, count, offset);
    offset = end;
    return { column, type, rows, values };
  });
}
