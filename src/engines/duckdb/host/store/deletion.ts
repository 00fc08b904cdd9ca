/** Deleting the rows of a filter in pieces, each of which holds the writer's queue for some tens of milliseconds. */

import { tenantColumnOf } from "../../../schema/source/source-schema.ts";
import type { BoundValue, Connection } from "../../driver/connection.ts";
import { DuckDBListValue, DuckDBTimestampValue, LIST, TIMESTAMP, VARCHAR } from "../../driver/driver.ts";
import type { RowFilter } from "../protocol.ts";
import { findIdRange, type StoredSource } from "./stored-source.ts";

/** Row numbers whose rows are counted together. */
const SECTION_ROWS = 30_720;
/** Rows that one piece deletes at most, and row numbers that it spans. */
const MAX_PIECE_ROWS = 50_000;
const MAX_PIECE_SPAN = 3_000_000;

/** Rows of a table, as a condition with its values. */
export interface RowSelection {
  readonly table: string;
  readonly condition: string;
  readonly values: readonly BoundValue[];
}

/** Row numbers that hold rows of a selection, both included. */
export interface Piece {
  readonly first: number;
  readonly last: number;
  readonly rowCount: number;
}

function timeValue(us: bigint): BoundValue {
  return { value: new DuckDBTimestampValue(us), type: TIMESTAMP };
}

/** The rows that pass the filter. A source without tenants has none of any. */
export function selectRows(source: StoredSource, { id, tenants, fromUs, toUs }: RowFilter): RowSelection {
  const values: BoundValue[] = [];
  const conditions: string[] = [];
  const bind = (value: BoundValue) => `$${values.push(value)}`;
  const column = tenantColumnOf(source);
  if (tenants !== undefined) {
    const isOther = "exceptOf" in tenants;
    const names = isOther ? tenants.exceptOf : tenants.of;
    if (column === undefined) conditions.push(String(isOther));
    // By an equation the row groups of others are passed over.
    else if (!isOther && names.length === 1) conditions.push(`"${column}" = ${bind({ value: names[0] ?? "" })}`);
    else {
      const list = `(SELECT unnest(${bind({ value: new DuckDBListValue([...names]), type: LIST(VARCHAR) })}))`;
      conditions.push(isOther ? `("${column}" IS NULL OR "${column}" NOT IN ${list})` : `"${column}" IN ${list}`);
    }
  }
  if (id !== undefined) {
    conditions.push(`id = ${bind({ value: id })}`);
    const range = findIdRange([source], source.table, id);
    if (range === null) conditions.push("false");
    else if (range !== undefined) {
      conditions.push(`timestamp >= ${bind(timeValue(range.fromUs))}`, `timestamp < ${bind(timeValue(range.toUs))}`);
    }
  }
  if (fromUs !== undefined) conditions.push(`timestamp >= ${bind(timeValue(BigInt(fromUs)))}`);
  if (toUs !== undefined) conditions.push(`timestamp < ${bind(timeValue(BigInt(toUs)))}`);
  return { table: source.table, condition: conditions.length === 0 ? "true" : conditions.join(" AND "), values };
}

/** Where the rows are now, in order. */
export async function findPieces(
  connection: Connection,
  { table, condition, values }: RowSelection,
): Promise<readonly Piece[]> {
  const sections = await connection.all(
    `SELECT min(rowid)::DOUBLE, max(rowid)::DOUBLE, count(*)::DOUBLE FROM "${table}" WHERE ${condition} ` +
      `GROUP BY rowid // ${SECTION_ROWS} ORDER BY 1`,
    values,
  );
  const pieces: Piece[] = [];
  for (const section of sections) {
    const [first = 0, last = 0, rowCount = 0] = section.map(Number);
    const before = pieces.at(-1);
    const isLarge =
      before === undefined || before.rowCount + rowCount > MAX_PIECE_ROWS || last - before.first > MAX_PIECE_SPAN;
    if (isLarge) pieces.push({ first, last, rowCount });
    else pieces.splice(-1, 1, { first: before.first, last, rowCount: before.rowCount + rowCount });
  }
  return pieces;
}

export function countRows(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

/** Deletes rows of the selection that have these numbers by now, and answers how many they were. */
export async function deletePiece(
  connection: Connection,
  { table, condition, values }: RowSelection,
  { first, last }: Piece,
): Promise<number> {
  const sql = `DELETE FROM "${table}" WHERE rowid >= ${first} AND rowid <= ${last} AND ${condition}`;
  const [row] = await connection.all(sql, values);
  return Number(row?.[0] ?? 0);
}
