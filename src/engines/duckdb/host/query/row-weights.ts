/**
 * How large the rows of a chunk are, read from their lengths alone: before any of them is made a value of JavaScript.
 */
import {
  DuckDBDataChunk,
  DuckDBListType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  data_chunk_get_vector,
  list_vector_get_child,
  list_vector_get_size,
  struct_vector_get_child,
  type Vector,
  vector_get_data,
  vector_get_validity,
} from "../../driver/driver.ts";
import type { RowChunk } from "../../driver/rows.ts";

/** The least bytes that the row of a number has as JSON text. */
type Weigh = (row: number) => number;

/** `string_t`: its length comes first. `list_entry_t`: offset and length. */
const ENTRY_BYTES = 16;
/** A digit and a comma. */
const LEAST_VALUE_BYTES = 2;

const leastValue: Weigh = () => LEAST_VALUE_BYTES;

/**
 * The least bytes that each row of the chunk has as JSON text: what its texts have, and as many values as it has.
 * Undefined where rows are small whatever they hold, and where they are values already.
 */
export function weighRows(chunk: RowChunk): Weigh | undefined {
  if (!(chunk instanceof DuckDBDataChunk)) return undefined;
  const columns: Weigh[] = [];
  for (let index = 0; index < chunk.columnCount; index++) {
    const weigh = weighVector(
      data_chunk_get_vector(chunk.chunk, index),
      chunk.getColumnVector(index).type,
      chunk.rowCount,
    );
    if (weigh !== leastValue) columns.push(weigh);
  }
  if (columns.length === 0) return undefined;
  return (row) => {
    let bytes = 0;
    for (const weigh of columns) bytes += weigh(row);
    return bytes;
  };
}

function weighVector(vector: Vector, type: DuckDBType, rowCount: number): Weigh {
  if (rowCount === 0) return leastValue;
  if (type.typeId === DuckDBTypeId.VARCHAR || type.typeId === DuckDBTypeId.BLOB) return weighTexts(vector, rowCount);
  if (type instanceof DuckDBListType) return weighLists(vector, type, rowCount);
  if (!(type instanceof DuckDBStructType)) return leastValue;
  const fields = type.entryTypes
    .map((field, index) => weighVector(struct_vector_get_child(vector, index), field, rowCount))
    .filter((weigh) => weigh !== leastValue);
  if (fields.length === 0) return leastValue;
  return (row) => fields.reduce((bytes, weigh) => bytes + weigh(row), LEAST_VALUE_BYTES);
}

function weighTexts(vector: Vector, rowCount: number): Weigh {
  const { isValid, view } = readEntries(vector, rowCount);
  return (row) => (isValid(row) ? view.getUint32(row * ENTRY_BYTES, true) : 0) + LEAST_VALUE_BYTES;
}

function weighLists(vector: Vector, { valueType }: DuckDBListType, rowCount: number): Weigh {
  const { isValid, view } = readEntries(vector, rowCount);
  const elements = weighVector(list_vector_get_child(vector), valueType, list_vector_get_size(vector));
  return (row) => {
    if (!isValid(row)) return LEAST_VALUE_BYTES;
    const offset = Number(view.getBigUint64(row * ENTRY_BYTES, true));
    const length = Number(view.getBigUint64(row * ENTRY_BYTES + 8, true));
    if (elements === leastValue) return (length + 1) * LEAST_VALUE_BYTES;
    let bytes = LEAST_VALUE_BYTES;
    for (let index = offset; index < offset + length; index++) bytes += elements(index);
    return bytes;
  };
}

interface Entries {
  readonly view: DataView;
  /** True for a value; the entry of a NULL is undefined. */
  readonly isValid: (row: number) => boolean;
}

function readEntries(vector: Vector, rowCount: number): Entries {
  const data = vector_get_data(vector, rowCount * ENTRY_BYTES);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  // Null if every row has a value, despite the driver's types.
  const validity: Uint8Array | null = vector_get_validity(vector, Math.ceil(rowCount / 64) * 8);
  if (validity === null) return { view, isValid: () => true };
  return { view, isValid: (row) => ((validity[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0 };
}
