/**
 * Printing aggregate and window calls: their arguments and what stands around them; the function tables do the rest.
 */

import { CATALOGUE } from "../../../../googlesql/catalogue/index.ts";
import type { AggregateCall, Expr, WindowCall } from "../../../../googlesql/resolved.ts";
import { sortItem } from "../../../sql/select.ts";
import { hasOffset, type OffsetBound, printFrame, printOver } from "../../../sql/window.ts";
import type { AggregateContext, AggregateModifiers } from "../../functions/aggregate/aggregate-shape.ts";
import { printQuantile } from "../../functions/aggregate/approximate.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { aggregateFunctions, windowFunctions } from "../../functions/index.ts";
import { sortKey } from "../../functions/sort-key.ts";
import { NULL, signSql, textSql } from "../../sql/atoms.ts";
import { castTo, isConstantKey, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { HUGEINT } from "../../sql/types.ts";
import { refuseFunction, type Scope } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { isNeverNaN, readAs } from "../expression/traits.ts";

type Key = AggregateCall["orderBy"][number];

/** Prints the sort key of the expression: a key if values of its type have one, itself otherwise. */
function printSortKey(expression: Expr, scope: Scope): Sql {
  const key = readAs(expression, expression.type, scope);
  if (key !== undefined) return key;
  const value = printExpression(expression, scope);
  return sortKey(expression.type, value);
}

/** `x ASC NULLS FIRST`; for FLOAT64 with a key before it that puts NaN where GoogleSQL has it. */
function printKey(key: Key, value: Sql, scope: Scope, isSingle: boolean): Sql {
  const { isDescending, nullsFirst } = key;
  const printed = sortItem(value, isDescending, nullsFirst);
  if (isNeverNaN(key.expression, scope)) return printed;
  // The opposite of a number has NaN where it belongs, and bounds as far away.
  if (isSingle) return sortItem(sql`(-${value})`, !isDescending, nullsFirst);
  return sql`${sortItem(sql`isnan(${value})`, !isDescending, nullsFirst)}, ${printed}`;
}

function printKeys(keys: readonly Key[], scope: Scope, isSingle = false): Sql {
  const printed: Sql[] = [];
  for (const key of keys) {
    const value = printSortKey(key.expression, scope);
    if (isSingle) printed.push(printKey(key, widenKey(key, value), scope, true));
    else if (!isConstantKey(value)) printed.push(printKey(key, value, scope, false));
  }
  return joinSql(printed, ", ");
}

function printOptional(expression: Expr | undefined, scope: Scope): Sql | undefined {
  return expression === undefined ? undefined : printExpression(expression, scope);
}

function printHaving(having: AggregateCall["having"], scope: Scope): AggregateModifiers["having"] {
  if (having === undefined) return undefined;
  return {
    kind: having.kind,
    expressionSql: printSortKey(having.expression, scope),
    mayBeNaN: !isNeverNaN(having.expression, scope),
  };
}

/** Does the result depend on the order of the rows? */
const isOrdered = (name: string): boolean => CATALOGUE.find(name)?.definition.allows?.includes("order") === true;

function aggregateContext(call: AggregateCall, scope: Scope, naturalOrder: readonly Sql[]): AggregateContext {
  const isNatural = call.orderBy.length === 0 && !call.isDistinct && isOrdered(call.function);
  const orderBySql = isNatural
    ? joinMapped(naturalOrder, ", ", (position) => sortItem(position, false, true))
    : printKeys(call.orderBy, scope);
  // The order of printing is the order in which aliases are numbered. All fields, for objects of one shape.
  const filterSql = printOptional(call.filter, scope);
  const limitSql = printOptional(call.limit, scope);
  const modifiers: AggregateModifiers = {
    isDistinct: call.isDistinct,
    orderBySql: orderBySql === EMPTY ? undefined : orderBySql,
    filterSql,
    nulls: call.nullHandling,
    limitSql,
    having: printHaving(call.having, scope),
    overSql: undefined,
  };
  return callContext(call, scope, printOperands(call, scope), modifiers);
}

function printOperands(call: AggregateCall | WindowCall, scope: Scope): readonly Sql[] {
  return call.arguments.map((argument) => printExpression(argument, scope));
}

function callContext<Call extends AggregateCall | WindowCall>(
  call: Call,
  scope: Scope,
  args: readonly Sql[],
  modifiers: AggregateModifiers,
) {
  const operands = call.arguments;
  const [value] = operands;
  return {
    args,
    isNeverNaN: value === undefined || isNeverNaN(value, scope),
    sortKey: (index: number) => {
      const argument = operands[index];
      return argument === undefined ? NULL : printSortKey(argument, scope);
    },
    types: operands.map((argument) => argument.type),
    type: call.type,
    timeZone: scope.compilation.timeZone,
    call,
    modifiers,
  };
}

/** The complete aggregate. `naturalOrder` is the order that the rows have where the call names none. */
export function printAggregateCall(call: AggregateCall, scope: Scope, naturalOrder: readonly Sql[]): Sql {
  const row = aggregateFunctions[call.function] ?? refuseFunction(call);
  return row(aggregateContext(call, scope, naturalOrder));
}

/** Prints single elements of an aggregate whose result is an array; undefined where that is no cheaper. */
export function elementPrinter(call: AggregateCall, scope: Scope): ((offset: bigint) => Sql | undefined) | undefined {
  if (call.function !== "APPROX_QUANTILES") return undefined;
  return (offset) => printQuantile(aggregateContext(call, scope, []), offset);
}

export const WRONG_OFFSET = "A window frame's offset must be non-negative and not NULL";

function notNegative(offset: Sql): Sql {
  return computeOnce([offset], "offset", (o) => {
    return sql`CASE WHEN ${o} >= 0 THEN ${o} ELSE ${raiseText(WRONG_OFFSET)} END`;
  });
}

/** Smaller offsets lead from no number to an infinity. */
const LEAST_OVERFLOW = 1e290;

/** An infinite offset reaches to the last number, but from the infinity that lies in its direction back. */
function checkedOffset(offset: Sql, key: Sql, isUp: boolean): Sql {
  const failure = raiseText(WRONG_OFFSET);
  const endless = raiseText("The offset of a RANGE frame cannot be infinite where a key is infinite");
  return computeOnce([offset], "offset", (o = EMPTY) => {
    const isEndless = sql`isinf(${o}) AND ${key} = CAST(${textSql(isUp ? "-inf" : "inf")} AS DOUBLE)`;
    const reach = finiteOffset(o, key, isUp);
    return sql`
      CASE WHEN ${isEndless} THEN ${endless} WHEN NOT isnan(${o}) AND ${o} >= 0 THEN ${reach} ELSE ${failure} END
    `;
  });
}

/** A finite offset that would lead from a number to an infinity reaches to the last number instead. */
function finiteOffset(offset: Sql, key: Sql, isUp: boolean): Sql {
  const [most, sign] = [sql`1.7976931348623157e308::DOUBLE`, signSql(isUp ? "+" : "-")];
  const rest = isUp ? sql`${most} - ${key}` : sql`${key} + ${most}`;
  const leaves = sql`isfinite(${offset}) AND isfinite(${key}) AND isinf(${key} ${sign} ${offset})`;
  return sql`CASE WHEN ${leaves} THEN ${rest} ELSE ${offset} END`;
}

function printOffset({ kind, offset }: OffsetBound, scope: Scope, key: Key | undefined): Sql {
  const printed = printExpression(offset, scope);
  const value = offset.type.kind === "NUMERIC" ? toBillionths(printed) : printed;
  const isFloat = offset.type.kind === "FLOAT64" && key !== undefined;
  // The resolver has checked literals.
  const isLiteral = offset.kind === "Literal";
  if (!isFloat || (isLiteral && Number(offset.value) < LEAST_OVERFLOW)) return isLiteral ? value : notNegative(value);
  const isUp = (kind === "Following") !== key.isDescending;
  const at = printExpression(key.expression, scope);
  return isLiteral ? finiteOffset(value, at, isUp) : checkedOffset(value, at, isUp);
}

/** A NUMERIC as a whole number of its last digit: HUGEINT reaches further than DECIMAL(38, 9). */
function toBillionths(numeric: Sql): Sql {
  return computeOnce([numeric], "billionths", (x) => {
    return sql`CAST(trunc(${x}) AS HUGEINT) * 1000000000 + CAST((${x} - trunc(${x})) * 1000000000 AS HUGEINT)`;
  });
}

/** A type in which no bound of a RANGE frame leaves the range of the key's own. */
function widenKey(key: Key, value: Sql): Sql {
  if (key.expression.type.kind === "INT64") return castTo(value, HUGEINT);
  return key.expression.type.kind === "NUMERIC" ? toBillionths(value) : value;
}

function printOverOf(call: WindowCall, scope: Scope): Sql {
  const partition = joinSql(
    call.partitionBy.map((key) => (key.type.kind === "INTERVAL" ? printSortKey : printExpression)(key, scope)),
    ", ",
  );
  // A RANGE frame with an offset takes exactly one key.
  const { frame } = call;
  const isSingle = frame?.unit === "RANGE" && [frame.start, frame.end].some(hasOffset);
  const order = printKeys(call.orderBy, scope, isSingle);
  const offset = (bound: OffsetBound) => sql`(${printOffset(bound, scope, call.orderBy[0])})`;
  return printOver(partition, order, frame && printFrame(frame, offset));
}

/** The complete window call, OVER included. */
export function printWindowCall(call: WindowCall, scope: Scope): Sql {
  const args = printOperands(call, scope);
  const modifiers: AggregateModifiers = {
    isDistinct: call.isDistinct,
    orderBySql: undefined,
    filterSql: undefined,
    nulls: call.nullHandling,
    limitSql: undefined,
    having: printHaving(call.having, scope),
    overSql: printOverOf(call, scope),
  };
  const row = windowFunctions[call.function] ?? aggregateFunctions[call.function] ?? refuseFunction(call);
  return row(callContext(call, scope, args, modifiers));
}
