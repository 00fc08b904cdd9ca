/** Printing calls of scalar functions and operators, whose arguments are printed already. */

import { functionFacts } from "../../../../googlesql/catalogue/index.ts";
import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { hasBranches } from "../../../lowering/failing.ts";
import { elementOf } from "../../../lowering/parts.ts";
import type { ComparisonContext } from "../../functions/comparisons.ts";
import { scalarFunctions } from "../../functions/index.ts";
import type { PrintCall } from "../../functions/types.ts";
import { columnOf, textSql, variableSql } from "../../sql/atoms.ts";
import { lambda, tried } from "../../sql/forms.ts";
import { EMPTY, joinMapped, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias, refuseFunction, type Scope } from "../compilation.ts";
import { boundById, noteTimeBounds } from "./event-bounds.ts";
import { printNull, printPart } from "./literals.ts";
import { isCheap, isNeverNaN, lookUp } from "./traits.ts";

type Printed = readonly (Sql | undefined)[];

/** The call over its printed operands; undefined stands for a skipped one. */
export function printCall(call: CallExpr, args: Printed, scope: Scope): Sql {
  const row = scalarFunctions[call.function] ?? refuseFunction(call);
  if (hasNullLiteral(call)) return printNull(call.type);
  const types = call.arguments.map((argument) => argument?.type ?? call.type);
  const context: ComparisonContext = {
    args: args as readonly Sql[],
    types,
    type: call.type,
    call,
    timeZone: scope.compilation.timeZone,
    isNeverNaN: numberArguments(call, scope),
  };
  if (call.isSafe) return printSafe(context, row, scope);
  noteTimeBounds(call, args, scope);
  const sql = boundById(call, printRow(row, context), scope);
  // A branch that is not taken is not computed: none is moved out of its place, nor into a lambda of the call's own.
  if (hasBranches(call.function)) return sql;
  if (!sql.holdsQuery || !sql.holdsLambda) return sql;
  // DuckDB allows no sub-query inside a lambda, and the function's form holds one.
  const isQuery = args.map((arg, index) => isValue(call.arguments[index]) && arg?.holdsQuery === true);
  return bindArguments(scope.compilation, args, isQuery, rowPrinter(row, context));
}

/** NULL where the call fails. Errors of the operands are not the call's: they are computed outside of TRY. */
function printSafe(context: ComparisonContext, row: PrintCall, scope: Scope): Sql {
  const { arguments: all } = context.call;
  const outside = all.map(
    (argument) => argument !== undefined && isValue(argument) && !isCheap(operandOf(context.call, argument), scope),
  );
  const print = rowPrinter(row, context);
  const { $interval } = scalarFunctions;
  const printAll = (operands: Printed) => {
    const args = operands.map((operand, index) => {
      const call = all[index];
      if (operand === undefined || $interval === undefined || !isInterval(call) || movesClock(context.call))
        return operand;
      return printRow($interval, { ...context, args: [operand], call });
    });
    return print(args);
  };
  return bindArguments(scope.compilation, context.args, outside, (bound) => tried(printAll(bound)));
}

/**
 * The operand of a call that is printed for an argument. The interval of a SAFE.DATE_ADD is a number and a part of the
 * call's own, so that only the number is: what is wrong with the interval is the call's. So is that of a TIME_ADD,
 * which wraps at midnight and takes any number.
 */
export function operandOf(call: CallExpr, argument: Expr): Expr {
  const isNumber = (call.isSafe || movesClock(call)) && isInterval(argument);
  return isNumber ? (argument.arguments[0] ?? argument) : argument;
}

function movesClock({ arguments: [moved] }: CallExpr): boolean {
  return moved?.type.kind === "TIME";
}

function isInterval(argument: Expr | undefined): argument is CallExpr {
  return argument?.kind === "Call" && argument.function === "$interval";
}

/** Prints the call over other arguments. */
function rowPrinter(row: PrintCall, context: ComparisonContext): (args: Printed) => Sql {
  return (args) => printRow(row, { ...context, args: args as readonly Sql[] });
}

function printRow(row: PrintCall, context: ComparisonContext): Sql {
  const sql = row(context);
  return isPart(context.call) ? printPart(sql, context.args[0] ?? EMPTY, context.type) : sql;
}

/** Is the value an element or a bound of the first argument, unchanged? */
function isPart({ function: name, arguments: [whole], type }: CallExpr): boolean {
  const isWhole = (kind: SqlType["kind"] | undefined) => kind === "ARRAY" || kind === "RANGE";
  const { answers } = functionFacts(name);
  return isWhole(whole?.type.kind) && !isWhole(type.kind) && answers?.[0] === 0;
}

/** With a NULL that the query has, a pattern, a path or a position is not read, and cannot be wrong. */
function hasNullLiteral({ function: name, arguments: operands }: CallExpr): boolean {
  if (!operands.some((operand) => operand?.kind === "Literal" && operand.value === null)) return false;
  return /^(?:REGEXP_|JSON_(?:VALUE|QUERY|EXTRACT)|\$(?:safe_)?array_at_)/.test(name);
}

/** Which arguments can be no NaN; undefined where none is a FLOAT64. */
function numberArguments(call: CallExpr, scope: Scope): readonly boolean[] | undefined {
  const hasFloats = call.arguments.some((argument) => (argument?.type ?? call.type).kind === "FLOAT64");
  if (!hasFloats) return undefined;
  return call.arguments.map((argument) => argument === undefined || isNeverNaN(argument, scope));
}

function isValue(argument: Expr | undefined): boolean {
  return argument?.kind !== "Lambda";
}

/**
 * Computes the chosen arguments first and prints the call over names for them. They are the fields of one struct:
 * were they bound one inside the other, a sub-query among them would stand in a lambda; and a struct has no
 * dictionary.
 */
function bindArguments(
  compilation: Compilation,
  args: Printed,
  isBound: readonly boolean[],
  print: (args: Printed) => Sql,
): Sql {
  const chosen = args.flatMap((arg, index) => (isBound[index] === true && arg !== undefined ? [{ arg, index }] : []));
  if (chosen.length === 0) return print(args);
  const variable = nextAlias(compilation, "a");
  const fields = joinMapped(chosen, ", ", ({ arg, index }) => sql`${textSql(`b${index}`)}: ${arg}`);
  const named = args.map((arg, index) =>
    chosen.some((item) => item.index === index) ? columnOf(variable, `b${index}`) : arg,
  );
  return sql`list_transform([{${fields}}], ${lambda(variableSql(variable), print(named))})[1]`;
}

/** One element of a column that can be had without the whole array, such as APPROX_QUANTILES(x, 100)[OFFSET(95)]. */
export function printElement(call: CallExpr, scope: Scope): Sql | undefined {
  const read = elementOf(call);
  return read && lookUp(read.array, scope).element?.(read.offset);
}
