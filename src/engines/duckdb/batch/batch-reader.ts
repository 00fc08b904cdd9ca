/** Reading a batch (see `batch.ts`): where its columns lie, and their values on demand. */
import type { BatchType, BatchValue, EncodedBatch } from "./batch.ts";

/** Where the values of a column lie in the payload of its batch. */
export interface ColumnView {
  readonly column: string;
  readonly type: BatchType;
  readonly payload: Buffer;
  /** Row of each value; undefined when every row has one. */
  readonly rows: Uint32Array | undefined;
  readonly count: number;
  /** Bytes of each text; undefined where values have a fixed width. */
  readonly lengths: Uint32Array | undefined;
  /** Where the first value begins in the payload. */
  readonly valuesAt: number;
}

export interface DecodedColumn {
  readonly column: string;
  readonly type: BatchType;
  readonly rows: Uint32Array | undefined;
  readonly values: readonly BatchValue[];
}

/** Bytes of a value of the type; undefined for text. */
export function widthOf(type: BatchType): number | undefined {
  switch (type) {
    case "FLOAT64":
    case "WIDE":
    case "INT64":
    case "TIMESTAMP":
      return 8;
    case "BOOL":
      return 1;
    default:
      return undefined;
  }
}

function need(payload: Buffer, end: number): void {
  if (end > payload.length) throw new RangeError("A batch is shorter than its header says");
}

/** The numbers at that place, copied, because they are not aligned. */
function readNumbers(payload: Buffer, offset: number, count: number): Uint32Array {
  need(payload, offset + 4 * count);
  const start = payload.byteOffset + offset;
  return new Uint32Array(payload.buffer.slice(start, start + 4 * count));
}

/** The columns of a batch. Throws `RangeError` where the payload is shorter than its header says. */
export function viewBatch({ header, payload }: EncodedBatch): ColumnView[] {
  let offset = 0;
  return header.columns.map(({ column, type, count }) => {
    let rows: Uint32Array | undefined;
    if (count < header.rowCount) {
      rows = readNumbers(payload, offset, count);
      offset += 4 * count;
    }
    const width = widthOf(type);
    let lengths: Uint32Array | undefined;
    let byteCount = count * (width ?? 0);
    if (width === undefined) {
      need(payload, offset + 4);
      byteCount = payload.readUInt32LE(offset);
      lengths = readNumbers(payload, offset + 4, count);
      offset += 4 + 4 * count;
    }
    const valuesAt = offset;
    offset += byteCount;
    need(payload, offset);
    return { column, type, payload, rows, count, lengths, valuesAt };
  });
}

/** The values of a column; arrays as their JSON text. */
export function readValues({ type, payload, count, lengths, valuesAt }: ColumnView): BatchValue[] {
  const values = new Array<BatchValue>(count);
  let offset = valuesAt;
  for (let i = 0; i < count; i++) {
    switch (type) {
      case "FLOAT64":
      case "WIDE":
        values[i] = payload.readDoubleLE(offset);
        offset += 8;
        break;
      case "INT64":
      case "TIMESTAMP":
        values[i] = payload.readBigInt64LE(offset);
        offset += 8;
        break;
      case "BOOL":
        values[i] = payload[offset++] === 1;
        break;
      default: {
        const end = offset + (lengths?.[i] ?? 0);
        values[i] = payload.toString("utf8", offset, end);
        offset = end;
      }
    }
  }
  return values;
}

/** All columns with their values. */
export function decodeBatch(batch: EncodedBatch): DecodedColumn[] {
  return viewBatch(batch).map((view) => ({
    column: view.column,
    type: view.type,
    rows: view.rows,
    values: readValues(view),
  }));
}
