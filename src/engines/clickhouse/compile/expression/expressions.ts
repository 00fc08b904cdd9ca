/** Expressions as ClickHouse SQL of the physical type of their GoogleSQL types. */
import { functionFacts } from "../../../../googlesql/catalogue/index.ts";
import type { CallExpr, CaseExpr, CastExpr, Expr, LetExpr } from "../../../../googlesql/resolved.ts";
import { formatType, isRecordType, type SqlType } from "../../../../googlesql/types.ts";
import { elementOf } from "../../../lowering/parts.ts";
import { printCast } from "../../functions/cast.ts";
import { scalarFunctions } from "../../functions/index.ts";
import { numberSql, placeholder, textSql, variableSql } from "../../sql/atoms.ts";
import { both, either, isRepeatable, isTrue, none } from "../../sql/forms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, guarded, nextAlias } from "../compilation.ts";
import { printRunConstant } from "../run-constants.ts";
import { type Binding, cheapBinding, type RecordSource, refusedBinding, type Scope, variableScope } from "../scope.ts";
import { ArgumentGuards } from "./branches.ts";
import { printCall, printRow } from "./calls.ts";
import { castTo, isWrapped, physicalType, printLiteral, printNull, refusedType } from "./literals.ts";
import { printInSubquery, printSubquery } from "./subqueries.ts";

function lookUp(scope: Scope, id: number, expression: Expr): Binding {
  const found = scope.find(id);
  return found ?? refusedBinding(new Refusal("a sub-query that reads columns of the query around it", expression.span));
}

/** Why ClickHouse has no such values, or another order or equality of them. */
function refusedValues({ kind, type, span }: Expr): Refusal | undefined {
  if (type.kind === "STRING" && type.collation !== undefined) return new Refusal("a collation", span);
  if (type.kind === "INTERVAL" && kind !== "Call") return new Refusal("values of the type INTERVAL", span);
  return undefined;
}

/** Prints the expression. A refusal, and nothing around it, where ClickHouse does not compute it exactly. */
export function printExpression(compilation: Compilation, expression: Expr, scope: Scope): Sql {
  const refused = refusedValues(expression);
  if (refused !== undefined) return refused;
  const constant = printRunConstant(compilation, expression, (trial) => printKind(trial, expression, scope));
  const printed = constant ?? printKind(compilation, expression, scope);
  return refusalIn(printed, expression.span) ?? printed;
}

/** Prints one after the other, up to the first that is refused. */
export function printAll<T>(items: readonly T[], print: (item: T) => Sql): readonly Sql[] | Refusal {
  const all: Sql[] = [];
  for (const item of items) {
    const printed = print(item);
    if (printed instanceof Refusal) return printed;
    all.push(printed);
  }
  return all;
}

function printKind(compilation: Compilation, expression: Expr, scope: Scope): Sql {
  switch (expression.kind) {
    case "Literal":
      return printLiteral(expression.type, expression.value);
    case "Parameter": {
      const parameter = compilation.parameters.get(expression.key);
      if (parameter === undefined) return new Refusal("a parameter that is not known", expression.span);
      return printParameter(parameter.index, parameter.type);
    }
    case "Column":
    case "Variable":
      return lookUp(scope, expression.column.id, expression).sql();
    case "Field":
      return printField(compilation, expression, scope);
    case "RecordField":
      return printRecordField(expression, scope);
    case "Call":
      return printCallOf(compilation, expression, scope);
    case "Case":
      return printCase(compilation, expression, scope);
    case "Cast":
      return printCastOf(compilation, expression, scope);
    case "MakeArray":
      return printArray(compilation, expression, scope);
    case "MakeStruct": {
      const fields = expression.fields.map((field) => printExpression(compilation, field, scope));
      return castTo(sql`[tuple(${joinSql(fields, ", ")})]`, expression.type);
    }
    case "Subquery":
      return printSubquery(compilation, expression);
    case "InSubquery": {
      const operand = printExpression(compilation, expression.operand, scope);
      return operand.isRefused ? operand : printInSubquery(compilation, expression, operand);
    }
    case "Let":
      return printLet(compilation, expression, scope);
    case "Lambda":
      return printLambda(compilation, expression, scope);
    case "DatePart":
      return EMPTY;
  }
}

const LISTED = new Set<SqlType["kind"]>([
  ..."INT64 STRING BOOL DATE TIME DATETIME TIMESTAMP".split(" "),
] as SqlType["kind"][]);

/** Bytes travel as Base64. */
function printParameter(index: number, type: SqlType): Sql {
  if (type.kind === "STRUCT" || (type.kind === "ARRAY" && !LISTED.has(type.element.kind))) {
    return new Refusal(`a parameter of the type ${formatType(type)}`);
  }
  const refused = refusedType(type);
  if (refused !== undefined) return refused;
  const parameter = placeholder(index, physicalType(type));
  return type.kind === "BYTES" ? sql`base64Decode(${parameter})` : parameter;
}

function printArray(compilation: Compilation, expression: Expr & { kind: "MakeArray" }, scope: Scope): Sql {
  const { type } = expression;
  if (type.kind !== "ARRAY" || !isWrapped(type)) return new Refusal("an array of records", expression.span);
  const refused = refusedType(type.element);
  if (refused !== undefined) return refused;
  // An array within arrays is cast only to as many dimensions as it has, but for one that is empty itself.
  const list = textSql(`Array(${physicalType(type.element)})`);
  if (expression.elements.length === 0) return sql`[CAST([], ${list})]`;
  const elements = expression.elements.map((element) => printExpression(compilation, element, scope));
  return castTo(sql`[[${joinSql(elements, ", ")}]]`, type);
}

function printField(compilation: Compilation, expression: Expr & { kind: "Field" }, scope: Scope): Sql {
  const { base, index, type } = expression;
  if (base.type.kind !== "STRUCT") return new Refusal(`fields of a ${formatType(base.type)}`, expression.span);
  const struct = printExpression(compilation, base, scope);
  if (struct.isRefused) return struct;
  const name = variableSql(nextAlias(compilation, "f"));
  // A missing element is a tuple of defaults, whose own NULLs are NULL: all of its fields may be.
  return refusedType(type) ?? sql`arrayMap(${name} -> ${name}.${numberSql(index + 1)}, ${struct})[1]`;
}

/** The record that an expression is, where it can be traced to a table; undefined otherwise. */
export function sourceOf(expression: Expr, scope: Scope): RecordSource | undefined {
  if (expression.kind === "Column" || expression.kind === "Variable") return scope.find(expression.column.id)?.record;
  if (expression.kind !== "RecordField") return undefined;
  const base = sourceOf(expression.base, scope);
  return base === undefined ? undefined : below(base, expression.path);
}

function below(base: RecordSource, path: readonly string[]): RecordSource {
  return {
    leaf: (further, type) => base.leaf([...path, ...further], type),
    presence: (further) => base.presence([...path, ...further]),
    json: (further) => base.json([...path, ...further]),
  };
}

function printRecordField(expression: Expr & { kind: "RecordField" }, scope: Scope): Sql {
  const { base, path, type, span } = expression;
  if (type.kind === "UNKNOWN") return printNull(type);
  const source = sourceOf(base, scope);
  const found = isRecordType(type) ? source?.json(path) : source?.leaf(path, type);
  return found ?? new Refusal(`the field ${path.join(".")}, which only the event's JSON shows`, span);
}

function printCase(compilation: Compilation, expression: CaseExpr, scope: Scope): Sql {
  let taken: Sql | undefined;
  const parts: Sql[] = [];
  const print = (guard: Sql | undefined, each: Expr) =>
    guarded(compilation, guard, () => printExpression(compilation, each, scope));
  for (const { when, then } of expression.branches) {
    const before = none(taken);
    const condition = print(before, when);
    const isTaken = isTrue(condition);
    parts.push(condition, print(both(isTaken, before), then));
    taken = either(taken, isTaken);
  }
  const rest = expression.else === undefined ? printNull(expression.type) : print(none(taken), expression.else);
  return sql`multiIf(${joinSql(parts, ", ")}, ${rest})`;
}

function printCastOf(compilation: Compilation, expression: CastExpr, scope: Scope): Sql {
  const { operand, type } = expression;
  if (operand.kind === "Literal" && operand.value === null) return printNull(type);
  const { format, isSafe, span, timeZone: zone } = expression;
  if (format !== undefined) return new Refusal("CAST with FORMAT", span);
  const printed = printExpression(compilation, operand, scope);
  if (printed.isRefused) return printed;
  const shape = { args: [printed], types: [operand.type], type, isSafe, span, name: "CAST" };
  const timeZone = zone === undefined ? compilation.timeZone : zone.kind === "Literal" ? (zone.value ?? "") : "";
  return printRow(compilation, shape, (context) => printCast(context, operand.type, type, timeZone));
}

/** Does the function's row take the interval apart? */
function readsInterval({ function: name }: CallExpr, argument: Expr): boolean {
  const isWritten = argument.kind === "Literal" || (argument.kind === "Call" && argument.function === "$interval");
  return isWritten && scalarFunctions[name]?.takesIntervals === true;
}

/** Is there no such record? Undefined where its column cannot be traced to a table, or the call asks something else. */
function printMissingRecord(call: CallExpr, scope: Scope): Sql | undefined {
  const [operand] = call.arguments;
  if (call.function !== "$is_null" || operand === undefined) return undefined;
  const record = operand.type.kind === "ARRAY" ? operand.type.element : operand.type;
  if (record.kind !== "RECORD" || record.isRepeated) return undefined;
  const path = operand.kind === "RecordField" ? operand.path : [];
  const found = sourceOf(operand.kind === "RecordField" ? operand.base : operand, scope)?.presence(path);
  return found === undefined ? undefined : sql`(NOT ${isTrue(found)})`;
}

/** One element of an array whose elements are to be had alone; undefined for any other expression. */
export function printElement(expression: Expr, scope: Scope): Sql | undefined {
  const read = expression.kind === "Call" ? elementOf(expression) : undefined;
  return read && scope.find(read.array.id)?.element?.(read.offset);
}

function printCallOf(compilation: Compilation, call: CallExpr, scope: Scope): Sql {
  const found = printMissingRecord(call, scope) ?? printElement(call, scope);
  if (found !== undefined) return found;
  const args: Sql[] = [];
  const guards = new ArgumentGuards(call);
  const isAnyWrapped = call.arguments.some((each) => each !== undefined && isWrapped(each.type));
  for (const argument of call.arguments) {
    if (argument === undefined) return new Refusal(`Function ${call.function} with a skipped argument`, call.span);
    if (argument.type.kind === "INTERVAL" && !readsInterval(call, argument)) {
      return new Refusal("values of the type INTERVAL", argument.span);
    }
    if (argument.kind === "Literal" && argument.type.kind === "INTERVAL") {
      args.push(EMPTY);
      continue;
    }
    const guard = isAnyWrapped && functionFacts(call.function).laziness !== "choice" ? undefined : guards.guard;
    const printed = guarded(compilation, guard, () => printExpression(compilation, argument, scope));
    if (printed.isRefused) return printed;
    args.push(printed);
    guards.add(printed);
  }
  return printCall(compilation, call, args);
}

function printLambda(compilation: Compilation, lambda: Expr & { kind: "Lambda" }, scope: Scope): Sql {
  const names = lambda.parameters.map((parameter) => [parameter.id, variableSql(nextAlias(compilation, "v"))] as const);
  const variables = new Map(names.map(([id, name]) => [id, cheapBinding(name)]));
  const body = printExpression(compilation, lambda.body, variableScope(scope, variables));
  const parameters = names.map(([, name]) => name);
  return sql`(${joinSql(parameters, ", ")}) -> ${body}`;
}

function printLet(compilation: Compilation, expression: LetExpr, scope: Scope): Sql {
  const variables = new Map<number, Binding>();
  const inner = variableScope(scope, variables);
  const computed: { readonly name: Sql; readonly value: Sql }[] = [];
  for (const variable of expression.variables) {
    const value = printExpression(compilation, variable.expression, inner);
    if (value.isRefused) return value;
    const record = sourceOf(variable.expression, inner);
    if (isRepeatable(value) || compilation.analysis.uses(variable.column) <= 1) {
      variables.set(variable.column.id, cheapBinding(value, record));
      continue;
    }
    const name = variableSql(nextAlias(compilation, "w"));
    computed.push({ name, value });
    variables.set(variable.column.id, cheapBinding(name, record));
  }
  // A guard would name what is bound in here only.
  const body = printExpression(compilation, expression.body, inner);
  return computed.reduceRight((inside, { name, value }) => sql`arrayMap(${name} -> ${inside}, [${value}])[1]`, body);
}
