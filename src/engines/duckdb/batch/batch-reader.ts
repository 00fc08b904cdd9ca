/** Reading a batch (see `batch.ts`): where its columns lie, and their values on demand. */
import type { BatchType, BatchValue, EncodedBatch } from "./batch.ts";

/** Where the values of a column lie in the payload of its batch. */
export interface ColumnView {
  readonly column: string;
  readonly type: BatchType;
  readonly payload: Buffer;
  readonly count: number;
  /** Where the row numbers of the values are in the payload, u32; undefined when every row has one. */
  readonly rowsAt: number | undefined;
  /** Where the lengths of texts are, u32; undefined where values have a fixed width. */
  readonly lengthsAt: number | undefined;
  /** Where the values are. */
  readonly valuesAt: number;
  readonly byteCount: number;
}

/** The row of a value. */
export function rowOf({ payload, rowsAt }: ColumnView, index: number): number {
  return rowsAt === undefined ? index : payload.readUInt32LE(rowsAt + 4 * index);
}

/** Bytes of a text. */
export function lengthOf({ payload, lengthsAt }: ColumnView, index: number): number {
  return lengthsAt === undefined ? 0 : payload.readUInt32LE(lengthsAt + 4 * index);
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

/** The columns of a batch. Throws `RangeError` where the payload is shorter than its header says. */
export function viewBatch({ header, payload }: EncodedBatch): ColumnView[] {
  let offset = 0;
  const skip = (byteCount: number) => {
    const start = offset;
    offset += byteCount;
    need(payload, offset);
    return start;
  };
  return header.columns.map(({ column, type, count }) => {
    const rowsAt = count < header.rowCount ? skip(4 * count) : undefined;
    const width = widthOf(type);
    const byteCount = width === undefined ? payload.readUInt32LE(skip(4)) : count * width;
    const lengthsAt = width === undefined ? skip(4 * count) : undefined;
    return { column, type, payload, count, rowsAt, lengthsAt, valuesAt: skip(byteCount), byteCount };
  });
}

/** The values of a column; arrays as their JSON text. */
export function readValues(view: ColumnView): BatchValue[] {
  const { type, payload, count, valuesAt } = view;
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
        const end = offset + lengthOf(view, i);
        values[i] = payload.toString("utf8", offset, end);
        offset = end;
      }
    }
  }
  return values;
}
