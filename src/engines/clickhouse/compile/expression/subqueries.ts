/** Sub-queries in expressions. Those that read columns of the query around them find none, and are not pushed. */
import type { Expr, SubqueryExpr } from "../../../../googlesql/resolved.ts";
import { selectColumn } from "../../../sql/select.ts";
import { isComparable } from "../../functions/comparisons.ts";
import { TRUE } from "../../sql/atoms.ts";
import { isTrue } from "../../sql/forms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, unguarded } from "../compilation.ts";
import { renderSelect, type SelectBuilder } from "../render.ts";
import { openSelect, refusedSelect, scopeOf, wrapSelect } from "../select-builder.ts";
import { isWrapped } from "./literals.ts";

function build(compilation: Compilation, { scan, span }: Pick<SubqueryExpr, "scan" | "span">): SelectBuilder {
  if (compilation.branchQueries.has(scan))
    return refusedSelect(new Refusal("a sub-query that may fail, in a branch that may not be taken", span));
  return unguarded(compilation, () => compilation.buildScan(compilation, scan));
}

export function printSubquery(compilation: Compilation, expression: SubqueryExpr): Sql {
  const { mode, output, type, span } = expression;
  const builder = build(compilation, expression);
  if (builder.refused !== undefined) return builder.refused;
  if (mode === "EXISTS") return sql`exists(${renderSelect(builder)})`;
  if (output === undefined) return new Refusal("a sub-query without a column", span);
  if (mode === "ARRAY" || isWrapped(type)) return new Refusal("a sub-query that gives an array or a struct", span);
  const inner = builder.isDistinct ? wrapSelect(compilation, builder) : builder;
  return sql`(${renderSelect(inner, [unguarded(compilation, () => selectColumn(compilation, inner, output))])})`;
}

/** ClickHouse's IN knows no NULL: it is asked for by two more. */
export function printInSubquery(
  compilation: Compilation,
  expression: Expr & { kind: "InSubquery" },
  operand: Sql,
): Sql {
  const { operator, output, span } = expression;
  if (operator !== "IN") return new Refusal("LIKE ANY or ALL of a sub-query", span);
  const { type } = output;
  if (!isComparable(type) || type.kind === "FLOAT64") {
    return new Refusal(`IN over values of the type ${type.kind}`, span);
  }
  const select = (condition?: (column: Sql) => Sql) => {
    const built = build(compilation, expression);
    if (built.refused !== undefined) return built.refused;
    const builder = condition === undefined ? openSelect(compilation, built) : wrapSelect(compilation, built);
    if (scopeOf(builder).find(output.id) === undefined) {
      return new Refusal("a sub-query that reads columns of the query around it", span);
    }
    const item = unguarded(compilation, () => selectColumn(compilation, builder, output));
    const where = condition === undefined ? builder.where : [...builder.where, condition(item.sql)];
    return renderSelect({ ...builder, where }, [item]);
  };
  const values = select();
  if (values.isRefused) return values;
  const found = sql`${operand} IN (${values})`;
  const isAnyUnknown = sql`isNull(${operand}) AND exists(${select(() => TRUE)})`;
  const isUnknown = sql`(${isAnyUnknown}) OR exists(${select((column) => sql`isNull(${column})`)})`;
  return sql`multiIf(${isTrue(found)}, true, ${isUnknown}, NULL, false)`;
}
