/** Several appends as one INSERT. */
import { ByteWriter } from "./byte-writer.ts";
import { type EncodedRows, pickEncoded } from "./encoded-rows.ts";
import { BATCH_COLUMN, beginBlock, encodeBlock, NativeRows } from "./native-rows.ts";

/** Rows of an append: of events that lie here, or as another thread has encoded them. */
export type AppendRows = NativeRows | EncodedRows;

/** Rows that are to be stored, ascending. */
export interface PickedRows {
  readonly rows: AppendRows;
  readonly picked: readonly number[];
}

/** The body of INSERT ... FORMAT Native. */
export interface InsertBody {
  readonly columns: readonly string[];
  readonly body: readonly Uint8Array[];
}

/** The picked rows of all parts; `batch` is noted with each. */
export function makeInsertBody(parts: readonly PickedRows[], batch: bigint): InsertBody {
  const columns = new Set([BATCH_COLUMN]);
  const body: Uint8Array[] = [];
  const own = parts.flatMap(({ rows, picked }) =>
    rows instanceof NativeRows && picked.length > 0 ? [{ rows, picked }] : [],
  );
  if (own.length > 0) {
    const block = encodeBlock(own, batch);
    for (const name of block.columns) columns.add(name);
    body.push(block.body);
  }
  for (const { rows, picked } of parts) {
    if (rows instanceof NativeRows || picked.length === 0) continue;
    const block = pickEncoded(rows, picked);
    for (const name of block.columns) columns.add(name);
    body.push(beginOf(block, batch), block.bytes);
  }
  return { columns: [...columns], body };
}

function beginOf({ columns, rowCount }: EncodedRows, batch: bigint): Uint8Array {
  const writer = new ByteWriter(64 + 8 * rowCount);
  beginBlock(writer, { columnCount: columns.length, rowCount, batch });
  return writer.finish();
}
