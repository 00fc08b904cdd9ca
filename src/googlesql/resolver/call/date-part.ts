import {
  formatInterval,
  INTERVAL_UNITS,
  type IntervalParts,
  intervalOf,
  parseIntervalParts,
} from "../../../values/interval.ts";
import type { DatePart, Expression, Extract, IntervalExpression } from "../../ast.ts";
import type { DatePartExpr, Expr } from "../../resolved.ts";
import { DATE, DATETIME, INT64, INTERVAL, type SqlType, STRING, TIME, TIMESTAMP, UNKNOWN } from "../../types.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { call } from "../expression/expr.ts";
import { literal } from "../expression/literal.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import { coerce, coerceOrFail, typeName } from "./coerce.ts";

const DATE_PARTS = ["YEAR", "ISOYEAR", "QUARTER", "MONTH", "WEEK", "ISOWEEK", "DAY", "DAYOFWEEK", "DAYOFYEAR"];
const TIME_PARTS = ["HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"];
const ALL_PARTS = [...DATE_PARTS, ...TIME_PARTS, "NANOSECOND", "DATE", "TIME", "DATETIME"];
const WEEKDAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
/** NORMALIZE's second argument is a bare word as well. */
const NORMALIZATION_MODES = ["NFC", "NFD", "NFKC", "NFKD"];

/** `DAY`, `WEEK(MONDAY)` as an argument; undefined (and reported) if it is not a date part. */
export function resolveDatePartArgument(resolution: Resolution, node: Expression, functionName: string): Expr {
  const { span } = node;
  const allowed = functionName.startsWith("NORMALIZE") ? NORMALIZATION_MODES : ALL_PARTS;
  const what = functionName.startsWith("NORMALIZE") ? "normalization mode" : "date part name";
  if (node.kind === "Identifier") {
    const part = node.name.toUpperCase();
    if (allowed.includes(part)) return datePart(part, undefined, span);
    const suggestion = resolution.suggest(part, allowed);
    return resolution.fail("invalid_query", `A valid ${what} is required but found ${node.name}`, span, {
      name: node.name,
      suggestion,
    });
  }
  if (
    node.kind === "FunctionCall" &&
    node.name.parts.length === 1 &&
    node.name.parts[0]?.name.toUpperCase() === "WEEK"
  ) {
    const [argument] = node.arguments;
    const weekday = argument?.value.kind === "Identifier" ? argument.value.name.toUpperCase() : "";
    if (node.arguments.length === 1 && WEEKDAYS.includes(weekday)) return datePart("WEEK", weekday, span);
    return resolution.fail(
      "invalid_query",
      "WEEK takes one of SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY and SATURDAY",
      span,
    );
  }
  return resolution.fail("invalid_query", `A valid ${what} is required`, span);
}

/** Could this argument be a date part: a bare word, or WEEK(...)? */
export function looksLikeDatePart(node: Expression): boolean {
  if (node.kind === "Identifier") return true;
  return (
    node.kind === "FunctionCall" && node.name.parts.length === 1 && node.name.parts[0]?.name.toUpperCase() === "WEEK"
  );
}

function datePart(part: string, weekday: string | undefined, span: Expr["span"]): DatePartExpr {
  return { kind: "DatePart", type: UNKNOWN, part, weekday, span };
}

/**
 * INTERVAL with a literal is a literal; with an expression it is computed. So is, where `isDeferred`, a literal out
 * of range: then that is an error of the call which it is an argument of.
 */
export function resolveInterval(context: ExprContext, node: IntervalExpression, isDeferred = false): Expr {
  const { resolution } = context;
  const { span } = node;
  const value = resolveExpression(context, node.value);
  if (isErrorExpr(value)) return errorExpr(span);
  for (const part of [node.from, node.to]) {
    if (part !== undefined && !INTERVAL_UNITS.has(part.name)) {
      return resolution.fail("invalid_query", `${part.name} is no part of an INTERVAL`, part.span, {
        name: part.name,
        suggestion: resolution.suggest(part.name, [...INTERVAL_UNITS.keys()]),
      });
    }
  }
  if (value.kind === "Literal" && value.type.kind === "STRING" && value.value !== null) {
    const text = value.value;
    // No value has parts of a microsecond.
    const isFine = /\.\d{6}\d*[1-9]/.test(text);
    const parsed = isFine ? undefined : intervalText(() => parseIntervalParts(text, node.from.name, node.to?.name));
    if (parsed !== undefined) return literal(INTERVAL, parsed, span);
    return resolution.fail("invalid_query", `Invalid INTERVAL literal ${JSON.stringify(text)}`, span);
  }
  if (node.to !== undefined)
    return resolution.fail("invalid_query", "INTERVAL with a range of parts takes a string literal", span);
  if (value.kind === "Literal" && value.type.kind === "INT64" && value.value !== null) {
    const amount = BigInt(value.value);
    const made = intervalText(() => intervalOf(amount, node.from.name));
    if (made !== undefined) return literal(INTERVAL, made, span);
    if (!isDeferred)
      return resolution.fail(
        "invalid_query",
        `Invalid INTERVAL: ${value.value} ${node.from.name} is out of range`,
        span,
      );
  }
  const amount = coerceOrFail(resolution, value, INT64, "The value of an INTERVAL");
  if (isErrorExpr(amount)) return amount;
  return call("$interval", [amount, datePart(node.from.name, undefined, node.from.span)], INTERVAL, span);
}

function intervalText(make: () => IntervalParts): string | undefined {
  try {
    return formatInterval(make());
  } catch {
    return undefined;
  }
}

const EXTRACTABLE: Readonly<Record<string, readonly string[]>> = {
  DATE: DATE_PARTS,
  DATETIME: [...DATE_PARTS, ...TIME_PARTS, "DATE", "TIME"],
  TIMESTAMP: [...DATE_PARTS, ...TIME_PARTS, "DATE", "TIME", "DATETIME"],
  TIME: TIME_PARTS,
  INTERVAL: ["YEAR", "MONTH", "DAY", ...TIME_PARTS],
};

/** `EXTRACT(part FROM value [AT TIME ZONE zone])`. */
export function resolveExtract(context: ExprContext, node: Extract): Expr {
  const { resolution } = context;
  const { span, part } = node;
  let value = resolveExpression(context, node.operand);
  const zone =
    node.timeZone === undefined
      ? undefined
      : coerceOrFail(resolution, resolveExpression(context, node.timeZone), STRING, "AT TIME ZONE");
  if (isErrorExpr(value) || (zone !== undefined && isErrorExpr(zone))) return errorExpr(span);
  if (EXTRACTABLE[value.type.kind] === undefined)
    value = coerce(resolution, value, TIMESTAMP) ?? coerce(resolution, value, DATE) ?? value;
  const parts = EXTRACTABLE[value.type.kind];
  if (parts === undefined)
    return resolution.fail("type_mismatch", `EXTRACT does not take ${typeName(value.type)}`, node.operand.span);
  if (!checkPart(resolution, part, parts, value.type)) return errorExpr(span);
  if (zone !== undefined && value.type.kind !== "TIMESTAMP") {
    return resolution.fail("type_mismatch", `EXTRACT from ${typeName(value.type)} does not take AT TIME ZONE`, span);
  }
  const types: Readonly<Record<string, SqlType>> = { DATE, TIME, DATETIME };
  const unit = datePart(part.name, part.weekday, part.span);
  return call("$extract", zone === undefined ? [value, unit] : [value, unit, zone], types[part.name] ?? INT64, span);
}

function checkPart(resolution: Resolution, part: DatePart, parts: readonly string[], type: SqlType): boolean {
  if (!parts.includes(part.name)) {
    const suggestion = ALL_PARTS.includes(part.name) ? undefined : resolution.suggest(part.name, parts);
    resolution.report(
      "invalid_query",
      `EXTRACT from ${typeName(type)} does not support the ${part.name} date part`,
      part.span,
      { name: part.name, suggestion },
    );
    return false;
  }
  if (part.weekday !== undefined && (part.name !== "WEEK" || !WEEKDAYS.includes(part.weekday))) {
    resolution.report("invalid_query", `${part.name}(${part.weekday}) is no date part`, part.span);
    return false;
  }
  return true;
}
