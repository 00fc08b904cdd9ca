/** Batches of rows as the driver's chunks. */
import type { BatchType, BatchValue, DecodedColumn } from "../batch.ts";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  TIMESTAMP,
  VARCHAR,
} from "../driver.ts";

/** A column of a table, in the table's order. */
export interface TableColumn {
  readonly name: string;
  readonly type: BatchType;
}

/** Rows of one batch that are to be stored. */
export interface PickedRows {
  readonly columns: readonly DecodedColumn[];
  /** Numbers of the rows of the batch, ascending. */
  readonly rows: readonly number[];
  readonly rowCount: number;
}

/** DuckDB's size of a vector. */
const MAX_CHUNK_ROWS = 2048;

const driverTypes: Readonly<Record<BatchType, DuckDBType>> = {
  INT64: BIGINT,
  FLOAT64: DOUBLE,
  BOOL: BOOLEAN,
  STRING: VARCHAR,
  TIMESTAMP,
  RUN: INTEGER,
  "INT64[]": LIST(BIGINT),
  "FLOAT64[]": LIST(DOUBLE),
  "BOOL[]": LIST(BOOLEAN),
  "STRING[]": LIST(VARCHAR),
};

/** Elements of an INT64 array are read as text first: JSON.parse would lose digits beyond 2^53. */
function parseIntegers(text: string): bigint[] {
  const inner = text.slice(1, -1);
  return inner === "" ? [] : inner.split(",").map(BigInt);
}

function toDriverValue(type: BatchType, value: BatchValue): DuckDBValue {
  switch (type) {
    case "TIMESTAMP":
      return new DuckDBTimestampValue(value as bigint);
    case "INT64[]":
      return new DuckDBListValue(parseIntegers(value as string));
    case "FLOAT64[]":
    case "BOOL[]":
    case "STRING[]":
      return new DuckDBListValue(JSON.parse(value as string) as readonly DuckDBValue[]);
    default:
      return value;
  }
}

/** Writes the picked rows' values of one column behind the rows that the chunk holds already. */
function fillColumn(chunk: DuckDBDataChunk, index: number, column: DecodedColumn, slots: Int32Array): void {
  const vector = chunk.getColumnVector(index);
  for (let i = 0; i < column.values.length; i++) {
    const slot = slots[column.rows?.[i] ?? i] ?? -1;
    const value = column.values[i];
    if (slot >= 0 && value !== undefined) vector.setItem(slot, toDriverValue(column.type, value));
  }
}

/** True when every row of every part has a value in the column. */
function isComplete(name: string, parts: readonly PickedRows[]): boolean {
  return parts.every(({ columns }) => columns.some(({ column, rows }) => column === name && rows === undefined));
}

function createChunk(table: readonly TableColumn[], parts: readonly PickedRows[], rowCount: number): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(
    table.map(({ type }) => driverTypes[type]),
    rowCount,
  );
  const indexes = new Map(table.map(({ name }, index) => [name, index]));
  table.forEach(({ name }, index) => {
    if (isComplete(name, parts)) return;
    const vector = chunk.getColumnVector(index);
    for (let row = 0; row < rowCount; row++) vector.setItem(row, null);
  });
  let base = 0;
  for (const { columns, rows, rowCount: batchRows } of parts) {
    const slots = new Int32Array(batchRows).fill(-1);
    for (let i = 0; i < rows.length; i++) slots[rows[i] ?? 0] = base + i;
    base += rows.length;
    for (const column of columns) {
      const index = indexes.get(column.column);
      if (index === undefined) throw new Error(`The table has no column ${column.column}`);
      fillColumn(chunk, index, column, slots);
    }
  }
  for (let index = 0; index < table.length; index++) chunk.getColumnVector(index).flush();
  return chunk;
}

/** Chunks with the rows of all parts, in their order. */
export function buildChunks(table: readonly TableColumn[], parts: readonly PickedRows[]): DuckDBDataChunk[] {
  const chunks: DuckDBDataChunk[] = [];
  let pending: PickedRows[] = [];
  let pendingRows = 0;
  const flush = () => {
    if (pendingRows > 0) chunks.push(createChunk(table, pending, pendingRows));
    pending = [];
    pendingRows = 0;
  };
  for (const part of parts) {
    for (let from = 0; from < part.rows.length; ) {
      const rows = part.rows.slice(from, from + MAX_CHUNK_ROWS - pendingRows);
      pending.push({ ...part, rows });
      pendingRows += rows.length;
      from += rows.length;
      if (pendingRows === MAX_CHUNK_ROWS) flush();
    }
  }
  flush();
  return chunks;
}
