/** The window of a window function: `OVER` and its frame. */
import type { Expr, ResolvedFrame, ResolvedFrameBound } from "../../googlesql/resolved.ts";
import { nameSql } from "./atoms.ts";
import { EMPTY, joinSql, type Sql } from "./node.ts";
import { sql } from "./template.ts";

/** A bound of a frame so far away from the row. */
export type OffsetBound = Extract<ResolvedFrameBound, { readonly offset: Expr }>;

export function hasOffset(bound: ResolvedFrameBound): bound is OffsetBound {
  return "offset" in bound;
}

/** `OVER (...)`, of the parts that are not empty. */
export function printOver(partition: Sql, order: Sql, frame: Sql | undefined): Sql {
  const parts: Sql[] = [];
  if (partition !== EMPTY) parts.push(sql`PARTITION BY ${partition}`);
  if (order !== EMPTY) parts.push(sql`ORDER BY ${order}`);
  if (frame !== undefined) parts.push(frame);
  return sql`OVER (${joinSql(parts, " ")})`;
}

/** `ROWS BETWEEN ... AND ...`; `printOffset` prints how far away a bound is. */
export function printFrame({ unit, start, end }: ResolvedFrame, printOffset: (bound: OffsetBound) => Sql): Sql {
  const bounds = [start, end].map((bound) => printBound(bound, printOffset));
  return sql`${nameSql(unit)} BETWEEN ${joinSql(bounds, " AND ")}`;
}

function printBound(bound: ResolvedFrameBound, printOffset: (bound: OffsetBound) => Sql): Sql {
  switch (bound.kind) {
    case "UnboundedPreceding":
      return sql`UNBOUNDED PRECEDING`;
    case "UnboundedFollowing":
      return sql`UNBOUNDED FOLLOWING`;
    case "CurrentRow":
      return sql`CURRENT ROW`;
    default:
      return sql`${printOffset(bound)} ${nameSql(bound.kind.toUpperCase())}`;
  }
}
