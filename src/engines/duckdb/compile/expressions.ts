/** Printing expressions of the resolved query. Every result is safe to place anywhere: parenthesised where needed. */
import type { Span } from "../../../googlesql/diagnostic.ts";
import type { CallExpr, CaseExpr, CastExpr, Column, Expr, LetExpr } from "../../../googlesql/resolved.ts";
import { printCast } from "../functions/cast.ts";
import { scalarFunctions } from "../functions/index.ts";
import { fromList } from "../functions/record-arrays.ts";
import { structFieldName } from "../layout.ts";
import { bindOnce, quoteString } from "../sql-text.ts";
import { type Compilation, fail, nextAlias } from "./compilation.ts";
import { physicalTypeSql, printLiteral, printNull } from "./literals.ts";
import { arraySource, extractTyped, fieldPointer, fieldSource, isRecordType, recordText } from "./records.ts";
import { type Binding, cheapBinding, type RecordSource, type Scope, variableScope } from "./scope.ts";
import { printInSubquery, printSubquery } from "./subqueries.ts";

const NOWHERE: Span = { start: 0, end: 0 };

/** The column or variable, noting which block it is of. */
function lookUp(compilation: Compilation, column: Column, scope: Scope): Binding {
  let level = 0;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const found = at.find(column.id);
    if (found !== undefined) {
      if (at.kind === "block") compilation.levelsRead |= 1 << Math.min(level, 30);
      return found;
    }
    if (at.kind === "block") level++;
  }
  return fail(compilation, "invalid_query", `Column ${column.name} cannot be read here`, NOWHERE);
}

/** True when printing the expression twice costs nothing. */
export function isCheap(compilation: Compilation, expression: Expr, scope: Scope): boolean {
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
    case "DatePart":
      return true;
    case "Column":
    case "Variable":
      return lookUp(compilation, expression.column, scope).isCheap;
    case "Field":
      return isCheap(compilation, expression.base, scope);
    case "RecordField":
      return (
        !isRecordType(expression.type) &&
        sourceOf(compilation, expression.base, scope)?.leaf(expression.path) !== undefined
      );
    default:
      return false;
  }
}

/** Where the fields of the expression's value come from, when it can be traced to a table's record. */
export function sourceOf(compilation: Compilation, expression: Expr, scope: Scope): RecordSource | undefined {
  if (expression.kind === "Column" || expression.kind === "Variable") {
    return lookUp(compilation, expression.column, scope).record;
  }
  if (!isRecordType(expression.type)) return undefined;
  if (expression.kind === "MakeArray") {
    // A record taken for an array of itself.
    const [element, ...others] = expression.elements;
    const source = element === undefined || others.length > 0 ? undefined : sourceOf(compilation, element, scope);
    return source === undefined ? undefined : arraySource(source);
  }
  if (expression.kind !== "RecordField") return undefined;
  const base = sourceOf(compilation, expression.base, scope);
  return base === undefined ? undefined : fieldSource(base, expression.base.type, expression.path);
}

/** True when the value can be no NaN. */
export function isNeverNaN(compilation: Compilation, expression: Expr, scope: Scope): boolean {
  if (expression.type.kind !== "FLOAT64") return true;
  switch (expression.kind) {
    case "Literal":
      return expression.value !== "NaN";
    case "Column":
    case "Variable":
      return lookUp(compilation, expression.column, scope).isNeverNaN ?? false;
    case "RecordField":
      return true;
    case "Cast":
      return expression.operand.type.kind !== "STRING" && isNeverNaN(compilation, expression.operand, scope);
    default:
      return false;
  }
}

/** A binding that prints the expression where it is read. */
export function computedBinding(compilation: Compilation, expression: Expr, scope: Scope): Binding {
  if (expression.kind === "Column" || expression.kind === "Variable") {
    return lookUp(compilation, expression.column, scope);
  }
  let printed: string | undefined;
  const record = sourceOf(compilation, expression, scope);
  return {
    sql: () => {
      printed ??= printExpression(compilation, expression, scope);
      return printed;
    },
    isCheap: isCheap(compilation, expression, scope),
    isNeverNaN: isNeverNaN(compilation, expression, scope),
    ...(record === undefined ? {} : { record }),
  };
}

/** The expression as DuckDB SQL of the physical type of its GoogleSQL type. */
export function printExpression(compilation: Compilation, expression: Expr, scope: Scope): string {
  switch (expression.kind) {
    case "Literal":
      return printLiteral(expression.type, expression.value);
    case "Parameter": {
      const index = compilation.parameterIndex.get(expression.key);
      if (index === undefined)
        return fail(compilation, "unknown_parameter", `Unknown parameter: ${expression.key}`, expression.span);
      return `CAST($${index} AS ${physicalTypeSql(expression.type)})`;
    }
    case "Column":
    case "Variable":
      return lookUp(compilation, expression.column, scope).sql();
    case "Field": {
      const base = printExpression(compilation, expression.base, scope);
      const isRange = expression.base.type.kind === "RANGE";
      const name = isRange ? (expression.index === 0 ? "start" : "end") : structFieldName(expression.index);
      return `struct_extract(${base}, '${name}')`;
    }
    case "RecordField":
      return printRecordField(compilation, expression, scope);
    case "Call":
      return printCall(compilation, expression, scope);
    case "Case":
      return printCase(compilation, expression, scope);
    case "Cast":
      return printCastExpression(compilation, expression, scope);
    case "MakeArray": {
      const elements = expression.elements.map((element) => printExpression(compilation, element, scope));
      if (isRecordType(expression.type)) return fromList(`[${elements.join(", ")}]`, expression.type);
      return elements.length === 0 ? `CAST([] AS ${physicalTypeSql(expression.type)})` : `[${elements.join(", ")}]`;
    }
    case "MakeStruct": {
      if (expression.fields.length === 0) return `struct_pack(${structFieldName(0)} := true)`;
      const fields = expression.fields.map(
        (field, index) => `${structFieldName(index)} := ${printExpression(compilation, field, scope)}`,
      );
      return `struct_pack(${fields.join(", ")})`;
    }
    case "Subquery":
      return printSubquery(compilation, expression, scope);
    case "InSubquery":
      return printInSubquery(compilation, expression, printExpression(compilation, expression.operand, scope), scope);
    case "Lambda": {
      const names = expression.parameters.map(
        (parameter) => [parameter.id, variableName(compilation, parameter)] as const,
      );
      const variables = new Map(names.map(([id, name]) => [id, cheapBinding(name)]));
      const body = printExpression(compilation, expression.body, variableScope(scope, variables));
      return `lambda ${names.map(([, name]) => name).join(", ")}: ${body}`;
    }
    case "Let":
      return printLet(compilation, expression, scope);
    case "DatePart":
      return quoteString(
        expression.weekday === undefined ? expression.part : `${expression.part}(${expression.weekday})`,
      );
  }
}

function variableName(compilation: Compilation, column: Column): string {
  return `v${column.id}_${compilation.analysis.alias(column.id)}`;
}

function printRecordField(compilation: Compilation, expression: Expr & { kind: "RecordField" }, scope: Scope): string {
  const { base, path, type } = expression;
  if (type.kind === "UNKNOWN") return printNull(type);
  const source = sourceOf(compilation, base, scope);
  if (source === undefined) {
    return extractTyped(printExpression(compilation, base, scope), fieldPointer(base.type, path), type);
  }
  if (isRecordType(type)) return recordText(fieldSource(source, base.type, path));
  const { text, pointer } = source.json();
  return source.leaf(path) ?? extractTyped(text, pointer + fieldPointer(base.type, path), type);
}

function printCase(compilation: Compilation, expression: CaseExpr, scope: Scope): string {
  const branches = expression.branches.map(
    ({ when, then }) =>
      `WHEN ${printExpression(compilation, when, scope)} THEN ${printExpression(compilation, then, scope)}`,
  );
  const rest =
    expression.else === undefined ? printNull(expression.type) : printExpression(compilation, expression.else, scope);
  return `CASE ${branches.join(" ")} ELSE ${rest} END`;
}

function printCastExpression(compilation: Compilation, expression: CastExpr, scope: Scope): string {
  const { operand, type } = expression;
  if (operand.kind === "Literal" && operand.value === null) return printNull(type);
  const print = (inner: Expr | undefined) =>
    inner === undefined ? undefined : printExpression(compilation, inner, scope);
  const format = print(expression.format);
  const timeZone = print(expression.timeZone);
  return printCast({
    operand: printExpression(compilation, operand, scope),
    from: operand.type,
    to: type,
    isSafe: expression.isSafe,
    timeZone: compilation.timeZone,
    cast: expression,
    ...(format === undefined ? {} : { format }),
    ...(timeZone === undefined ? {} : { timeZoneSql: timeZone }),
  });
}

function printCall(compilation: Compilation, call: CallExpr, scope: Scope): string {
  const row = scalarFunctions[call.function];
  if (row === undefined) {
    return fail(compilation, "unsupported", `Function ${call.function} is not supported by this engine`, call.span);
  }
  const present = call.arguments.filter((argument) => argument !== undefined);
  const args = call.arguments.map((argument) =>
    argument === undefined ? undefined : printExpression(compilation, argument, scope),
  );
  const context = {
    types: call.arguments.map((argument) => argument?.type ?? call.type),
    type: call.type,
    call,
    timeZone: compilation.timeZone,
    isNeverNaN: present.map((argument) => isNeverNaN(compilation, argument, scope)),
  };
  const print = (printed: readonly (string | undefined)[]) => row({ ...context, args: printed as readonly string[] });
  const canMove = (index: number) =>
    call.arguments[index]?.kind !== "Lambda" && call.arguments[index]?.kind !== "DatePart";
  if (call.isSafe) {
    // Errors of the arguments are not this call's: they are computed outside of TRY.
    const outside = args.map((_, index) => {
      const argument = call.arguments[index];
      return argument !== undefined && canMove(index) && !isCheap(compilation, argument, scope);
    });
    return bindArguments(compilation, args, outside, (bound) => `TRY(${print(bound)})`);
  }
  const sql = print(args);
  const isQuery = args.map((arg, index) => canMove(index) && arg?.includes("SELECT") === true);
  // DuckDB allows no sub-query inside a lambda, and the function's form holds one.
  return sql.includes("lambda ") && isQuery.includes(true) ? bindArguments(compilation, args, isQuery, print) : sql;
}

/**
 * Computes the chosen arguments first and prints the call over names for them. Several are the fields of one struct: were they
 * bound one inside the other, a sub-query among them would stand in a lambda.
 */
function bindArguments(
  compilation: Compilation,
  args: readonly (string | undefined)[],
  isBound: readonly boolean[],
  print: (args: readonly (string | undefined)[]) => string,
): string {
  const chosen = args.flatMap((arg, index) => (isBound[index] === true && arg !== undefined ? [{ arg, index }] : []));
  const [first, second] = chosen;
  if (first === undefined) return print(args);
  const variable = nextAlias(compilation, "a");
  const nameOf = (index: number) => (second === undefined ? variable : `${variable}.b${index}`);
  const fields = chosen.map(({ arg, index }) => `b${index} := ${arg}`).join(", ");
  const value = second === undefined ? first.arg : `struct_pack(${fields})`;
  const named = args.map((arg, index) => (chosen.some((item) => item.index === index) ? nameOf(index) : arg));
  return bindOnce(value, variable, () => print(named));
}

function printLet(compilation: Compilation, expression: LetExpr, scope: Scope): string {
  const variables = new Map<number, Binding>();
  const inner = variableScope(scope, variables);
  const computed: { readonly name: string; readonly sql: string }[] = [];
  for (const variable of expression.variables) {
    const binding = computedBinding(compilation, variable.expression, inner);
    if (binding.isCheap || compilation.analysis.uses(variable.column) <= 1) {
      variables.set(variable.column.id, binding);
      continue;
    }
    const name = variableName(compilation, variable.column);
    computed.push({ name, sql: binding.sql() });
    variables.set(variable.column.id, { ...cheapBinding(name), isNeverNaN: binding.isNeverNaN ?? false });
  }
  const body = printExpression(compilation, expression.body, inner);
  return computed.reduceRight((text, { name, sql }) => {
    // A lambda cannot hold a sub-query.
    return text.includes("SELECT")
      ? `(SELECT ${text} FROM (SELECT ${sql} AS ${name}))`
      : bindOnce(sql, name, () => text);
  }, body);
}
