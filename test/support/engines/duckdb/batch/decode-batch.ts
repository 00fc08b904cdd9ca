import type { BatchType, BatchValue, EncodedBatch } from "../../../../../src/engines/duckdb/batch/batch.ts";
import { readValues, rowOf, viewBatch } from "../../../../../src/engines/duckdb/batch/batch-reader.ts";

interface DecodedColumn {
  readonly column: string;
  readonly type: BatchType;
  readonly rows: Uint32Array | undefined;
  readonly values: readonly BatchValue[];
}

/** All columns with their values. */
export function decodeBatch(batch: EncodedBatch): DecodedColumn[] {
  return viewBatch(batch).map((view) => ({
    column: view.column,
    type: view.type,
    rows: view.rowsAt === undefined ? undefined : Uint32Array.from({ length: view.count }, (_, i) => rowOf(view, i)),
    values: readValues(view),
  }));
}
