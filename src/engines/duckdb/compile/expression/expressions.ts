/** Printing expressions of the resolved query. Every result is safe to place anywhere: parenthesised where needed. */

import type { CallExpr, CaseExpr, CastExpr, Column, Expr, LetExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { once } from "../../../lowering/once.ts";
import { fromList } from "../../functions/array/record-arrays.ts";
import { printCast } from "../../functions/cast/cast.ts";
import { placeholder, textSql, variableSql } from "../../sql/atoms.ts";
import { bindInTurn, boundName, callSql, castTo, lambda, type NamedValue, structFieldSql } from "../../sql/forms.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { structFieldName } from "../../sql-text.ts";
import { type Compilation, fail, type Scope, variableScope } from "../compilation.ts";
import { type Binding, cheapBinding, makeBinding } from "../scope.ts";
import { operandOf, printCall, printElement } from "./calls.ts";
import { extractBelowMixed, extractField } from "./extract.ts";
import { isRecordType } from "./json-place.ts";
import { physicalTypeSql, printLiteral, printNull, printPart } from "./literals.ts";
import { fieldSource, recordText } from "./records.ts";
import { detectorsOf, printRedacted } from "./redaction.ts";
import { printInSubquery, printSubquery } from "./subqueries.ts";
import { isCheap, isNeverNaN, lookUp, readAs, sourceOf } from "./traits.ts";

/** A binding that prints the expression where it is read. */
export function computedBinding(expression: Expr, scope: Scope): Binding {
  if (expression.kind === "Column") return lookUp(expression.column, scope);
  const record = sourceOf(expression, scope);
  const isCheapAgain = isCheap(expression, scope);
  // What is cheap may be a variable, which is read in another way behind others.
  const sql = isCheapAgain ? () => printExpression(expression, scope) : once(() => printExpression(expression, scope));
  const as = expression.type.kind !== "MIXED" ? undefined : (to: SqlType) => readAs(expression, to, scope);
  return makeBinding(sql, isCheapAgain, isNeverNaN(expression, scope), record, undefined, as);
}

/** The expression as DuckDB SQL of the physical type of its GoogleSQL type. */
export function printExpression(expression: Expr, scope: Scope): Sql {
  switch (expression.kind) {
    case "Literal":
      return printLiteral(expression.type, expression.value);
    case "Parameter":
      return printParameter(scope.compilation, expression);
    case "Column":
    case "Variable":
      return lookUp(expression.column, scope).sql();
    case "Field": {
      const base = printExpression(expression.base, scope);
      const isRange = expression.base.type.kind === "RANGE";
      const name = isRange ? (expression.index === 0 ? "start" : "end") : structFieldName(expression.index);
      return printPart(sql`struct_extract(${base}, ${textSql(name)})`, base, expression.type);
    }
    case "RecordField":
      return printRecordField(expression, scope);
    case "Call":
      return printElement(expression, scope) ?? printCallOf(expression, scope);
    case "Case":
      return printCase(expression, scope);
    case "Cast":
      return printCastExpression(expression, scope);
    case "MakeArray": {
      const elements = expression.elements.map((element) => printExpression(element, scope));
      if (isRecordType(expression.type)) return fromList(sql`[${joinSql(elements, ", ")}]`, expression.type);
      return elements.length === 0
        ? sql`CAST([] AS ${physicalTypeSql(expression.type)})`
        : sql`[${joinSql(elements, ", ")}]`;
    }
    case "MakeStruct": {
      if (expression.fields.length === 0) return sql`struct_pack(${structFieldSql(0)} := true)`;
      const fields = expression.fields.map(
        (field, index) => sql`${structFieldSql(index)} := ${printExpression(field, scope)}`,
      );
      return callSql("struct_pack", fields);
    }
    case "Subquery":
      return printSubquery(expression, scope);
    case "InSubquery":
      return printInSubquery(expression, printExpression(expression.operand, scope), scope);
    case "Lambda":
      return printLambda(expression, scope);
    case "Let":
      return printLet(expression, scope);
    case "DatePart":
      return textSql(expression.weekday === undefined ? expression.part : `${expression.part}(${expression.weekday})`);
  }
}

function printParameter(compilation: Compilation, { key, span }: Expr & { kind: "Parameter" }): Sql {
  const parameter = compilation.parameters.get(key);
  if (parameter === undefined) return fail("unknown_parameter", `Unknown parameter: ${key}`, span);
  // A parameter without a type of its own is bound as what the query shows.
  return castTo(placeholder(parameter.index), physicalTypeSql(parameter.type));
}

function printLambda({ parameters, body: of }: Expr & { kind: "Lambda" }, scope: Scope): Sql {
  const names = parameters.map(
    (parameter) => [parameter.id, variableSql(variableName(scope.compilation, parameter))] as const,
  );
  const variables = new Map(names.map(([id, name]) => [id, cheapBinding(name)]));
  const body = printExpression(of, variableScope(scope, variables));
  return lambda(
    names.map(([, name]) => name),
    body,
  );
}

function variableName(compilation: Compilation, column: Column): string {
  return `v${compilation.analysis.alias(column.id)}`;
}

function printRecordField(expression: Expr & { kind: "RecordField" }, scope: Scope): Sql {
  const { base, path, type } = expression;
  if (type.kind === "UNKNOWN") return printNull(type);
  const field = { base: base.type, path, type };
  const source = sourceOf(base, scope);
  if (source === undefined) {
    const text = printExpression(base, scope);
    return base.type.kind === "MIXED" ? extractBelowMixed(text, field) : extractField({ text, steps: [] }, field);
  }
  if (isRecordType(type)) return recordText(fieldSource(source, base.type, path));
  return source.leaf(path) ?? extractField(source.json(), field);
}

function printCase(expression: CaseExpr, scope: Scope): Sql {
  const branches = expression.branches.map(
    ({ when, then }) => sql`WHEN ${printExpression(when, scope)} THEN ${printExpression(then, scope)}`,
  );
  const rest = expression.else === undefined ? printNull(expression.type) : printExpression(expression.else, scope);
  return sql`CASE ${joinSql(branches, " ")} ELSE ${rest} END`;
}

function printCastExpression(expression: CastExpr, scope: Scope): Sql {
  const { operand, type } = expression;
  if (operand.kind === "Literal" && operand.value === null) return printNull(type);
  const { format, timeZone } = expression;
  const direct =
    expression.isSafe && format === undefined && type.kind !== "MIXED" ? readAs(operand, type, scope) : undefined;
  if (direct !== undefined) return direct;
  return printCast({
    operand: printExpression(operand, scope),
    from: operand.type,
    to: type,
    isSafe: expression.isSafe,
    timeZone: scope.compilation.timeZone,
    cast: expression,
    format: format === undefined ? undefined : printExpression(format, scope),
    timeZoneSql: timeZone === undefined ? undefined : printExpression(timeZone, scope),
  });
}

function printCallOf(call: CallExpr, scope: Scope): Sql {
  const [value] = call.arguments;
  if (call.function === "$redact" && value !== undefined) {
    return printRedacted(printExpression(value, scope), call.type, detectorsOf(call));
  }
  const args = call.arguments.map((argument) =>
    argument === undefined ? undefined : printExpression(operandOf(call, argument), scope),
  );
  return printCall(call, args, scope);
}

/** Lambdas inside each other, at most: each takes DuckDB twice as long as the one around it. */
const MAX_NESTED_LAMBDAS = 8;

function printLet(expression: LetExpr, scope: Scope): Sql {
  const { analysis } = scope.compilation;
  const variables = new Map<number, Binding>();
  const inner = variableScope(scope, variables);
  const computed: (NamedValue & { readonly id: number; readonly isNeverNaN: boolean | undefined })[] = [];
  for (const { column, expression: of } of expression.variables) {
    const binding = computedBinding(of, inner);
    if (binding.isCheap || analysis.uses(column) <= 1) {
      variables.set(column.id, binding);
      continue;
    }
    const name = variableName(scope.compilation, column);
    computed.push({ id: column.id, name, value: binding.sql(), isNeverNaN: binding.isNeverNaN });
    for (const [index, { id, isNeverNaN }] of computed.entries()) {
      variables.set(id, cheapBinding(boundName(name, computed.length - 1 - index), isNeverNaN));
    }
  }
  const body = printExpression(expression.body, inner);
  // A lambda cannot hold a sub-query.
  const holdsQuery = [body, ...computed.slice(1).map(({ value }) => value)].some((text) => text.holdsQuery);
  return bindInTurn(computed, body, holdsQuery || analysis.bindingDepth(expression) >= MAX_NESTED_LAMBDAS);
}
