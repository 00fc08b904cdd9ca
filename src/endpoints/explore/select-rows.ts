import type { Expression, Query, Select, SelectItem } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { fieldOf, identifier, logical } from "../../lql/sql-nodes.ts";

/** The row, in what is selected from a query's rows. */
const rowName = "lql_row";

/** The value of a field of the row, at any depth. */
export function fieldOfRow(path: readonly string[], span: Span): Expression {
  return fieldOf([rowName, ...path], span);
}

/** `SELECT items FROM rows WHERE condition`. */
export function selectFromRows(rows: Query, items: readonly SelectItem[], condition: Expression | undefined): Select {
  const { span } = rows;
  const plain = asPlain(rows);
  if (plain !== undefined) {
    const conditions = [plain.where, condition].flatMap((each) => each ?? []);
    const [only] = conditions;
    const { where: _, ...others } = plain;
    if (only === undefined) return { ...others, items };
    return { ...others, items, where: conditions.length === 1 ? only : logical("AND", conditions, span) };
  }
  return {
    kind: "Select",
    isDistinct: false,
    items,
    from: { kind: "TableSubquery", query: rows, alias: identifier(rowName, span), suffixes: [], span },
    windows: [],
    span,
    ...(condition === undefined ? {} : { where: condition }),
  };
}

/** A `SELECT *` of one table named as ours are, as LQL makes it: what is selected may stand in its place. */
function asPlain({ with: ctes, body, orderBy, limit, pipes }: Query): Select | undefined {
  if (ctes !== undefined || orderBy !== undefined || limit !== undefined || pipes.length > 0) return undefined;
  if (body.kind !== "Select" || body.groupBy !== undefined || body.isDistinct) return undefined;
  const isAll = body.items.length === 1 && body.items[0]?.kind === "Star";
  return isAll && body.from?.kind === "TableReference" && body.from.alias?.name === rowName ? body : undefined;
}
