/** Building SELECTs for joins. */

import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr, Scan } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { nameSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { EMPTY, joinSql, sql } from "../../sql/sql.ts";
import { type Compilation, unguarded } from "../compilation.ts";
import { printAll, printExpression } from "../expression/expressions.ts";
import type { SelectBuilder } from "../render.ts";
import { newSelect, refusedSelect, rowSelect, scopeOf, wrapSelect } from "../select-builder.ts";

type Join = Scan & { kind: "Join" };

/** Kinds that compute from what stands below them, or from nothing. */
const PLAIN: ReadonlySet<AnyExpr["kind"]> = new Set([
  ...("Call Cast RecordField Field Literal Parameter".split(" ") as AnyExpr["kind"][]),
]);

/** Reads the expression columns of the SELECT's only? */
function readsOnly(expression: Expr, builder: SelectBuilder): boolean {
  let reads = false;
  const isOther = (at: AnyExpr): boolean => {
    if (at.kind !== "Column") return !PLAIN.has(at.kind);
    reads = true;
    return findColumn(builder, at.column.id) === undefined;
  };
  return !someExpression(expression, isOther, false) && reads;
}

/** An equality between the sides, which ClickHouse joins by. */
function isKey(condition: Expr, left: SelectBuilder, right: SelectBuilder): boolean {
  if (condition.kind !== "Call" || condition.function !== "$equal" || condition.isSafe) return false;
  const [one, other] = condition.arguments;
  if (one === undefined || other === undefined || one.type.kind === "FLOAT64") return false;
  return (readsOnly(one, left) && readsOnly(other, right)) || (readsOnly(one, right) && readsOnly(other, left));
}

function conjuncts(on: Expr | undefined): readonly Expr[] {
  if (on === undefined) return [];
  if (on.kind !== "Call" || on.function !== "$and" || on.isSafe) return [on];
  return on.arguments.flatMap((each) => (each === undefined ? [] : conjuncts(each)));
}

/** Sides are sub-selects unless they are bare tables: their filters hold before the join. */
function side(compilation: Compilation, builder: SelectBuilder): SelectBuilder {
  const rows = { ...rowSelect(compilation, builder), order: [] };
  const isBare = rows.isTable && rows.where.length === 0 && rows.bindings.size === 0;
  return isBare ? rows : wrapSelect(compilation, rows);
}

export function buildJoin(compilation: Compilation, scan: Join, input: SelectBuilder): SelectBuilder {
  if (scan.isLateral === true)
    return refusedSelect(new Refusal("a sub-query that reads columns of the query around it", scan.on?.span));
  return joinBlocks(compilation, scan, input, compilation.buildScan(compilation, scan.right));
}

/** The join of two SELECTs. */
export function joinBlocks(
  compilation: Compilation,
  scan: Join,
  input: SelectBuilder,
  other: SelectBuilder,
): SelectBuilder {
  const { type } = scan;
  const left = wrapSelect(compilation, rowSelect(compilation, input));
  const right = side(compilation, other);
  const refused = left.refused ?? right.refused;
  if (refused !== undefined) return refusedSelect(refused);
  const builder: SelectBuilder = {
    ...newSelect(Math.max(left.depth, right.depth)),
    sources: [(id) => findColumn(left, id) ?? findColumn(right, id)],
  };
  const parts = conjuncts(scan.on);
  const isInner = type === "CROSS" || type === "INNER";
  const keys = parts.filter((part) => isKey(part, left, right));
  if (!isInner && (keys.length === 0 || keys.length !== parts.length)) {
    return refusedSelect(new Refusal(`${type} JOIN on more than equalities of columns`, scan.on?.span));
  }
  const scope = scopeOf(builder);
  const others = parts.filter((part) => !keys.includes(part));
  const printed = printAll([...keys, ...others], (each) => {
    return unguarded(compilation, () => printExpression(compilation, each, scope));
  });
  if (printed instanceof Refusal) return refusedSelect(printed);
  if (printed.some(({ canFail }) => canFail))
    return refusedSelect(new Refusal("a join's condition that may fail", scan.on?.span));
  const on = printed.slice(0, keys.length);
  const word = nameSql(on.length === 0 ? "CROSS" : isInner ? "INNER" : type);
  const condition = on.length === 0 ? EMPTY : sql` ON ${joinSql(on, " AND ")}`;
  return {
    ...builder,
    where: printed.slice(keys.length),
    from: { print: () => sql`${left.from?.print() ?? EMPTY} ${word} JOIN ${right.from?.print() ?? EMPTY}${condition}` },
  };
}
