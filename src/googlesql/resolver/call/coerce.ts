import { DECIMAL_TYPES, formatDecimal, parseDecimal } from "../../../values/decimal.ts";
import {
  formatDate,
  formatDatetime,
  formatTime,
  parseDate,
  parseDatetime,
  parseTime,
  parseTimestamp,
} from "../../../values/time-text.ts";
import { findZone } from "../../../values/time-zone.ts";
import { functionFacts } from "../../catalogue/index.ts";
import type { Column, Expr, LiteralExpr } from "../../resolved.ts";
import { formatType, type SqlType, STRING, UNKNOWN } from "../../types.ts";
import { coercionCost, commonType, isMixed, type Operand } from "../../typing/argument.ts";
import { mixedTypeOf } from "../../typing/implicit.ts";
import { isCollated, isOrderable, isSameType } from "../../typing/same-type.ts";
import { isErrorExpr, isErrorType, type Resolution } from "../resolution.ts";

/** An expression as overload resolution sees it. */
export function operandOf(resolution: Resolution, expression: Expr): Operand {
  return { type: expression.type, expression, isLenient: isLenientExpr(resolution, expression) };
}

/** Does a function of these arguments give a field of a log record: one of them that is such, or an element of it? */
export function passesLenient(resolution: Resolution, name: string, given: readonly (Expr | undefined)[]): boolean {
  const { answers } = functionFacts(name);
  if (answers === undefined) return false;
  const passed = answers === "all" ? given : answers.map((place) => given[place]);
  return areLenient(
    resolution,
    passed.filter((value) => value !== undefined),
  );
}

/** Are all of them fields of log records, NULL aside, also where one was made the type of the others? */
function areLenient(resolution: Resolution, values: readonly Expr[]): boolean {
  const some = values.filter((value) => !(value.kind === "Literal" && value.value === null));
  const isOne = (value: Expr): boolean =>
    isLenientExpr(resolution, value) || (value.kind === "Cast" && value.isImplicit && isOne(value.operand));
  return some.length > 0 && some.every(isOne);
}

/** Is it a field of a log record, or a column of a log source: a value whose type is what events happened to carry? */
export function isLenientExpr(resolution: Resolution, expression: Expr): boolean {
  if (expression.kind === "RecordField" || isMixed(expression.type)) return true;
  switch (expression.kind) {
    case "Column":
    case "Variable":
      return resolution.lenientColumns.has(expression.column.id);
    case "Call":
      return passesLenient(resolution, expression.function, expression.arguments);
    case "Field": {
      const { type } = expression.base;
      return type.kind === "STRUCT" && type.fields[expression.index]?.isLenient === true;
    }
    case "Case": {
      const results = expression.branches.map(({ then }) => then);
      return areLenient(resolution, expression.else === undefined ? results : [...results, expression.else]);
    }
    case "Let":
      return isLenientExpr(resolution, expression.body);
    case "Subquery":
      return expression.output !== undefined && resolution.lenientColumns.has(expression.output.id);
    default:
      return false;
  }
}

/** A column for an expression's values: lenient if they are of log records. */
export function columnOf(resolution: Resolution, name: string, expression: Expr): Column {
  const column = resolution.newColumn(name, expression.type);
  if (isLenientExpr(resolution, expression)) resolution.lenientColumns.add(column.id);
  return column;
}

/**
 * A field of a log record as one of several shapes: what its events carried so far may not be what the query asks
 * for, which is no error. Undefined for what is no such field, or of several shapes already.
 */
export function asMixed(resolution: Resolution, expression: Expr): Expr | undefined {
  if (!isLenientExpr(resolution, expression)) return undefined;
  const type = mixedTypeOf(expression.type);
  if (type === undefined) return undefined;
  return { kind: "Cast", operand: expression, type, isSafe: true, isImplicit: true, span: expression.span };
}

/** The fields among the expressions as those of several shapes; undefined where there is none. */
export function withMixedFields(resolution: Resolution, expressions: readonly Expr[]): readonly Expr[] | undefined {
  const mixed = expressions.map((expression) => asMixed(resolution, expression));
  if (mixed.every((expression) => expression === undefined)) return undefined;
  return expressions.map((expression, i) => mixed[i] ?? expression);
}

/** Returns the sort expression: a field of lists or records becomes one of several shapes, which have an order. */
export function sortable(resolution: Resolution, expression: Expr): Expr {
  return isOrderable(expression.type) ? expression : (asMixed(resolution, expression) ?? expression);
}

/** The common type of expressions, or undefined. */
export function commonTypeOf(resolution: Resolution, expressions: readonly Expr[]): SqlType | undefined {
  if (expressions.some(isErrorExpr)) return expressions.find(isErrorExpr)?.type;
  const known = commonType(expressions.map((expression) => operandOf(resolution, expression)));
  const mixed = known === undefined ? withMixedFields(resolution, expressions) : undefined;
  const type = mixed === undefined ? known : commonType(mixed.map((expression) => operandOf(resolution, expression)));
  if (!resolution.hasCollation || type?.kind !== "STRING") return type;
  return expressions.find((expression) => isCollated(expression.type))?.type ?? type;
}

/**
 * The expression with the type wanted, or undefined when it cannot be coerced. Reports a literal that has no value of
 * the type.
 */
export function coerce(resolution: Resolution, expression: Expr, to: SqlType): Expr | undefined {
  if (isErrorExpr(expression) || isErrorType(to)) return expression;
  if (isSameType(expression.type, to)) return expression;
  const cost = coercionCost(operandOf(resolution, expression), to);
  if (cost !== undefined) return convert(resolution, expression, to, cost.isLenient);
  const mixed = asMixed(resolution, expression);
  return mixed === undefined ? undefined : coerce(resolution, mixed, to);
}

/** As {@link coerce}; reports a type mismatch in `what` when it cannot be done. */
export function coerceOrFail(resolution: Resolution, expression: Expr, to: SqlType, what: string): Expr {
  const result = coerce(resolution, expression, to);
  if (result !== undefined) return result;
  return resolution.fail(
    "type_mismatch",
    `${what} must be ${formatType(to)}, but it is ${typeName(expression.type)}`,
    expression.span,
  );
}

function convert(resolution: Resolution, expression: Expr, to: SqlType, isSafe: boolean): Expr {
  if (expression.kind === "Parameter" && expression.type.kind === "UNKNOWN") {
    const known = resolution.usedParameters.get(expression.key);
    // A caller has a value of one shape.
    const wanted = to.kind === "MIXED" ? STRING : to;
    if (known === undefined || known.kind === "UNKNOWN") resolution.usedParameters.set(expression.key, wanted);
    const type = resolution.usedParameters.get(expression.key) ?? wanted;
    const typed: Expr = { ...expression, type };
    return isSameType(type, to)
      ? typed
      : { kind: "Cast", operand: typed, type: to, isSafe: false, isImplicit: true, span: expression.span };
  }
  if (expression.type.kind === "UNKNOWN" && isPlainNull(expression))
    return { kind: "Literal", type: to, value: null, span: expression.span };
  if (expression.kind === "Literal" && !isSafe) {
    const written = writtenValue(expression, to);
    const converted = convertLiteral(resolution, written, expression.type, to);
    if (converted === "invalid") {
      return resolution.fail(
        "invalid_query",
        `Could not cast literal ${JSON.stringify(written)} to type ${formatType(to)}`,
        expression.span,
      );
    }
    if (converted !== undefined) return { kind: "Literal", type: to, value: converted, span: expression.span };
  }
  if (expression.kind === "MakeArray" && to.kind === "ARRAY") {
    return {
      ...expression,
      type: to,
      elements: expression.elements.map((element) => coerce(resolution, element, to.element) ?? element),
    };
  }
  if (expression.kind === "MakeStruct" && to.kind === "STRUCT") {
    return {
      ...expression,
      type: to,
      fields: expression.fields.map((field, i) => coerce(resolution, field, to.fields[i]?.type ?? UNKNOWN) ?? field),
    };
  }
  return { kind: "Cast", operand: expression, type: to, isSafe, isImplicit: true, span: expression.span };
}

/** The literal's text for a value of another type: a decimal has all the digits that were written. */
export function writtenValue({ value, digits }: LiteralExpr, to: SqlType): string | null {
  return digits !== undefined && (to.kind === "NUMERIC" || to.kind === "BIGNUMERIC") ? digits : value;
}

/** Calls of unknown type are not dropped for NULL: ERROR() is one. */
function isPlainNull(expression: Expr): boolean {
  return (
    expression.kind === "Literal" ||
    expression.kind === "Column" ||
    expression.kind === "RecordField" ||
    expression.kind === "Variable"
  );
}

/**
 * The canonical text of a literal in another type; `invalid` when it has no value there, undefined when a cast must
 * do it.
 */
export function convertLiteral(
  resolution: Resolution,
  value: string | null,
  from: SqlType,
  to: SqlType,
): string | null | undefined | "invalid" {
  if (value === null) return null;
  if (from.kind === "STRING") {
    switch (to.kind) {
      case "DATE":
        return written(parseDate(value), formatDate);
      case "TIME":
        return written(parseTime(value), formatTime);
      case "DATETIME":
        return written(parseDatetime(value), formatDatetime);
      case "TIMESTAMP":
        return written(parseTimestamp(value, resolution.timeZone, findZone), String);
      default:
        return undefined;
    }
  }
  if (from.kind === "INT64") {
    if (to.kind === "FLOAT64") return String(Number(value));
    if (to.kind === "NUMERIC" || to.kind === "BIGNUMERIC") return value;
    return undefined;
  }
  if ((from.kind === "FLOAT64" || from.kind === "NUMERIC") && (to.kind === "NUMERIC" || to.kind === "BIGNUMERIC")) {
    const type = DECIMAL_TYPES[to.kind];
    return written(parseDecimal(value, type), (decimal) => formatDecimal(decimal, type));
  }
  return undefined;
}

function written<T>(value: T | undefined, format: (value: T) => string): string {
  return value === undefined ? "invalid" : format(value);
}

/** Any scalar of a log record as text, where nothing nearer goes. */
export function castToString(expression: Expr): Expr {
  return isSameType(expression.type, STRING)
    ? expression
    : { kind: "Cast", operand: expression, type: STRING, isSafe: true, isImplicit: true, span: expression.span };
}

/** For messages: as GoogleSQL writes it, `NULL` for what has no type. */
export function typeName(type: SqlType): string {
  return type.kind === "UNKNOWN" ? "NULL" : formatType(type);
}

/** The same where values are distinguished, which a collation decides too. */
export function keyTypeName(type: SqlType): string {
  const isString = type.kind === "STRING" && type.collation !== undefined;
  return isString ? `STRING with collation '${type.collation}'` : typeName(type);
}
