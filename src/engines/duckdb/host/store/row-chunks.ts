/** Batches of rows as the driver's chunks. */
import type { BatchType } from "../../batch/batch.ts";
import { type ColumnView, readValues, rowOf } from "../../batch/batch-reader.ts";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBListValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  TIMESTAMP,
  VARCHAR,
} from "../../driver/driver.ts";
import { type PlacedColumn, RawVectors } from "./raw-vectors.ts";

/** A column of a table, in the table's order. */
export interface TableColumn {
  readonly name: string;
  readonly type: BatchType;
}

/** Rows of one batch that are to be stored. */
export interface PickedRows {
  readonly columns: readonly ColumnView[];
  /** Numbers of the rows of the batch, ascending. */
  readonly rows: readonly number[];
  readonly rowCount: number;
}

/** DuckDB's size of a vector. */
export const MAX_CHUNK_ROWS = 2048;

/** The types of columns in the database. */
export const driverTypes: Readonly<Record<BatchType, DuckDBType>> = {
  INT64: BIGINT,
  FLOAT64: DOUBLE,
  WIDE: DOUBLE,
  BOOL: BOOLEAN,
  STRING: VARCHAR,
  TIMESTAMP,
  RUN: INTEGER,
  "INT64[]": LIST(BIGINT),
  "FLOAT64[]": LIST(DOUBLE),
  "WIDE[]": LIST(DOUBLE),
  "BOOL[]": LIST(BOOLEAN),
  "STRING[]": LIST(VARCHAR),
};

/** Elements of an INT64 array are read as text first: JSON.parse would lose digits beyond 2^53. */
function parseIntegers(text: string): bigint[] {
  const inner = text.slice(1, -1);
  return inner === "" ? [] : inner.split(",").map(BigInt);
}

function toList(type: BatchType, text: string): DuckDBListValue {
  if (type === "INT64[]") return new DuckDBListValue(parseIntegers(text));
  return new DuckDBListValue(JSON.parse(text) as readonly DuckDBValue[]);
}

/** Lists are few: they are built by the driver's own means. */
function fillLists(chunk: DuckDBDataChunk, index: number, parts: readonly PlacedColumn[]): void {
  const vector = chunk.getColumnVector(index);
  for (let row = 0; row < chunk.rowCount; row++) vector.setItem(row, null);
  for (const { view, slots } of parts) {
    readValues(view).forEach((text, i) => {
      const slot = slots[rowOf(view, i)] ?? -1;
      if (slot >= 0) vector.setItem(slot, toList(view.type, String(text)));
    });
  }
  vector.flush();
}

function createChunk(table: readonly TableColumn[], parts: readonly PickedRows[], rowCount: number): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(
    table.map(({ type }) => driverTypes[type]),
    rowCount,
  );
  const placed = new Map(table.map(({ name, type }) => [name, { type, parts: [] as PlacedColumn[] }]));
  let base = 0;
  for (const { columns, rows, rowCount: batchRows } of parts) {
    const slots = new Int32Array(batchRows).fill(-1);
    for (let i = 0; i < rows.length; i++) slots[rows[i] ?? 0] = base + i;
    base += rows.length;
    for (const view of columns) {
      const column = placed.get(view.column);
      // Bytes are copied unchanged: those of another type would be read as addresses.
      if (column?.type !== view.type) throw new Error(`The table has no column ${view.column} of ${view.type}`);
      column.parts.push({ view, slots });
    }
  }
  const vectors = new RawVectors(chunk, rowCount);
  table.forEach(({ name, type }, index) => {
    const column = placed.get(name)?.parts ?? [];
    if (type.endsWith("[]")) fillLists(chunk, index, column);
    else vectors.fill(index, column);
  });
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
