import type { Expression, GroupingItem, OrderItem, Query, Select } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { binary, call, integer, select as item, logical } from "../../lql/sql-nodes.ts";
import type { ChExpression, ChSelect } from "../clickhouse-ast.ts";
import { refuse } from "../parse/refuse.ts";
import { findSources, type LogsTables } from "./find-sources.ts";
import { LogsRelation } from "./logs-relation.ts";
import { type ExpressionCount, SelectScope } from "./select-scope.ts";
import { translateExpression } from "./translate-expression.ts";
import { toAnswer, toCondition, toValue } from "./typed.ts";

/** One SELECT over `logs` as a query of GoogleSQL over the endpoint's tables. */
export function translateSelect(text: string, written: ChSelect, tables: LogsTables, count: ExpressionCount): Query {
  const { span, limit } = written;
  const scope = new SelectScope(text, written, openRelation(text, written, tables), count, translateExpression);
  const { translate } = scope;
  const items = written.items.map(({ expression, alias, span: at }) =>
    item(
      toAnswer(
        scope.inside(alias, () => translate(expression)),
        at,
      ),
      alias ?? nameOf(text, expression),
      at,
    ),
  );
  const own = written.where === undefined ? [] : [toCondition(translate(written.where), written.where.span)];
  const keys = readKeys(scope, written);
  const orderBy = written.orderBy.map((each): OrderItem => {
    const { isDescending, nulls, span: at } = each;
    const expression = orderKey(scope, written, each.expression);
    return { expression, isDescending, ...(nulls === undefined ? {} : { nulls }), span: at };
  });
  const having = readHaving(scope, written, keys);
  const { from, conditions } = scope.from(written.from?.span ?? span);
  const where = all([...own, ...conditions], span);
  const body: Select = {
    ...{ kind: "Select", isDistinct: written.isDistinct, items, windows: [], span },
    ...(from === undefined ? {} : { from }),
    ...(where === undefined ? {} : { where }),
    ...(keys.length === 0 ? {} : { groupBy: { kind: "GroupBy", isAll: false, items: keys, span } as const }),
    ...(having === undefined ? {} : { having }),
  };
  return {
    ...{ kind: "Query", body, pipes: [], span },
    ...(orderBy.length === 0 ? {} : { orderBy }),
    ...(limit === undefined ? {} : { limit: toLimit(limit) }),
  };
}

function openRelation(text: string, written: ChSelect, tables: LogsTables): LogsRelation | undefined {
  const { from } = written;
  if (from === undefined) return undefined;
  if (from.name.toLowerCase() === "logs") return new LogsRelation(findSources(written, tables), from.span);
  throw refuse(text, "unknown_table", `Table not found: ${from.name}; the one table here is logs`, from.span);
}

/** The name of a column without an alias: a column's own, else its text, as ClickHouse has it. */
function nameOf(text: string, expression: ChExpression): string {
  if (expression.kind === "name") return expression.name;
  return text.slice(expression.span.start, expression.span.end).slice(0, 200);
}

/** An item of SELECT that a number stands for, counted from 1. */
function itemAt(scope: SelectScope, { items }: ChSelect, expression: ChExpression): ChExpression {
  if (expression.kind !== "number" || !/^\d+$/.test(expression.text)) return expression;
  const found = items[Number(expression.text) - 1];
  if (found !== undefined) return found.expression;
  throw scope.error("invalid_query", `There is no column ${expression.text} in SELECT`, expression.span);
}

/** The keys of GROUP BY that are no literals: by these all rows are alike. */
function readKeys(scope: SelectScope, written: ChSelect): readonly GroupingItem[] {
  return written.groupBy.flatMap((each): GroupingItem[] => {
    const { node, isLiteral } = scope.translate(itemAt(scope, written, each));
    return isLiteral === true ? [] : [{ kind: "GroupingExpression", expression: node, span: each.span }];
  });
}

/** Groups by literals alone have one group, and none without rows. */
function readHaving(
  { translate }: SelectScope,
  { groupBy, having, span }: ChSelect,
  keys: readonly GroupingItem[],
): Expression | undefined {
  const own = having === undefined ? [] : [toCondition(translate(having), having.span)];
  if (groupBy.length === 0 || keys.length > 0) return all(own, span);
  return all([...own, binary(">", call("COUNT", [], span, { isStar: true }), integer(0, span), span)], span);
}

/** With DISTINCT rows are ordered by what they show. */
function orderKey(scope: SelectScope, written: ChSelect, expression: ChExpression): Expression {
  const at = itemAt(scope, written, expression);
  if (written.isDistinct) {
    const shown = written.items.findIndex(
      ({ alias, expression: each }) =>
        each === at || (at.kind === "name" && (alias === at.name || (each.kind === "name" && each.name === at.name))),
    );
    if (shown >= 0) return integer(shown + 1, expression.span);
  }
  const value = scope.translate(at);
  // A literal would be read as a position.
  return value.isLiteral === true
    ? call("COALESCE", [value.node], expression.span)
    : toValue(value, expression.span).node;
}

function all(conditions: readonly Expression[], span: Span): Expression | undefined {
  return conditions.length > 1 ? logical("AND", conditions, span) : conditions[0];
}

function toLimit({ count, offset, span }: NonNullable<ChSelect["limit"]>) {
  const whole = (text: string): Expression => ({ kind: "IntLiteral", text, span });
  return { count: whole(count), ...(offset === undefined ? {} : { offset: whole(offset) }), span };
}
