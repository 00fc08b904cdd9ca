import type { Expression, Query } from "../googlesql/ast.ts";
import type { Span } from "../googlesql/diagnostic.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";
import type { LqlComparison, LqlFilter, LqlOperator } from "./lql-ast.ts";
import {
  between,
  binary,
  call,
  cast,
  fieldOf,
  float,
  identifier,
  integer,
  isNull,
  logical,
  select,
  text,
  timestamp,
} from "./sql-nodes.ts";

/** The condition that a filter means, over the columns of the table. */
export function toCondition(filter: LqlFilter): Expression {
  const { span } = filter;
  switch (filter.kind) {
    case "And":
    case "Or":
      return logical(filter.kind === "And" ? "AND" : "OR", filter.operands.map(toCondition), span);
    case "Not":
      // Also true where the condition is NULL: a row without the field does not have the value.
      return { kind: "IsTest", isNegated: true, operand: toCondition(filter.operand), test: "TRUE", span };
    case "Message": {
      const message = fieldOf(["event_message"], span);
      if (filter.isPattern) return call("REGEXP_CONTAINS", [message, text(filter.text, span)], span);
      return binary(">", call("STRPOS", [message, text(filter.text, span)], span), integer(0, span), span);
    }
    case "Comparison": {
      const condition = toComparison(filter);
      if (isTimestamp(filter.path)) return condition;
      const isNullTest = filter.value.kind === "Null";
      return { kind: "AnyElement", path: fieldOf(filter.path, span), condition, isNullTest, span };
    }
  }
}

/** The regular expressions of a filter. */
export function patternsOf(filter: LqlFilter): readonly string[] {
  switch (filter.kind) {
    case "And":
    case "Or":
      return filter.operands.flatMap(patternsOf);
    case "Not":
      return patternsOf(filter.operand);
    case "Message":
      return filter.isPattern ? [filter.text] : [];
    case "Comparison": {
      const { operator, value } = filter;
      const isPattern = operator === "matches" || operator === "includes-match";
      return isPattern && (value.kind === "Text" || value.kind === "Number") ? [value.text] : [];
    }
  }
}

function toComparison({ path, operator, value, span }: LqlComparison): Expression {
  const field = fieldOf(path, span);
  const asNumber = () => cast(field, "FLOAT64", true, span);
  // The timestamp column is compared without a conversion, so that engines can skip rows outside the range.
  const asTime = () => (isTimestamp(path) ? field : cast(field, "TIMESTAMP", true, span));
  switch (value.kind) {
    case "Null":
      return isNull(field, span);
    case "NumberRange":
      return between(asNumber(), float(value.low, span), float(value.high, span), span);
    case "InstantRange": {
      const { lowUs, highUs } = value;
      const inTime = between(asTime(), timestamp(lowUs, span), timestamp(highUs, span), span);
      const isBetween = (us: Expression) => between(us, float(String(lowUs), span), float(String(highUs), span), span);
      return isTimestamp(path) ? inTime : orUnixTime(inTime, asNumber(), isBetween, span);
    }
    case "OneOf": {
      const items = value.texts.map((each) => text(each, span));
      return {
        kind: "In",
        isNegated: false,
        operand: cast(field, "STRING", false, span),
        set: { kind: "List", items },
        span,
      };
    }
    case "Instant": {
      if (isText(operator)) return compareText(field, operator, formatIsoTimestamp(value.us), span);
      const inTime = compare(asTime(), operator, timestamp(value.us, span), span);
      const isSo = (us: Expression) => compare(us, operator, float(String(value.us), span), span);
      return isTimestamp(path) ? inTime : orUnixTime(inTime, asNumber(), isSo, span);
    }
    case "Number":
      if (operator === "includes" && isExact(value.text))
        return includes(
          field,
          (item) => compare(cast(item, "FLOAT64", true, span), "=", float(value.text, span), span),
          span,
        );
      if (isText(operator)) return compareText(field, operator, value.text, span);
      // What a FLOAT64 cannot hold exactly is an identifier, not a quantity.
      if (operator === "=" && !isExact(value.text)) {
        return compareText(field, operator, value.text, span);
      }
      return compare(asNumber(), operator, float(value.text, span), span);
    case "Text":
      return compareText(field, operator, value.text, span);
  }
}

/** Or the field is a Unix time of which the same holds: a number of 10 digits (seconds), 13 or 16, as `t:` reads them. */
function orUnixTime(
  inTime: Expression,
  number: Expression,
  holds: (micros: Expression) => Expression,
  span: Span,
): Expression {
  const isBelow = (limit: string) => binary("<", number, float(limit, span), span);
  const millis = call("IF", [isBelow("100000000000000"), float("1000", span), float("1", span)], span);
  const scale = call("IF", [isBelow("100000000000"), float("1000000", span), millis], span);
  const isUnix = binary(">=", number, float("1000000000", span), span);
  const unix = logical("AND", [isUnix, holds(binary("*", number, scale, span))], span);
  return logical("OR", [inTime, unix], span);
}

/** Is the number a safe integer or a decimal, so that it can be compared as a FLOAT64? */
function isExact(number: string): boolean {
  return Number.isSafeInteger(Number(number)) || number.includes(".");
}

function isTimestamp(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === "timestamp";
}

function isText(operator: LqlOperator): boolean {
  return operator === "matches" || operator === "includes" || operator === "includes-match";
}

function compareText(field: Expression, operator: LqlOperator, value: string, span: Span): Expression {
  if (operator === "includes" || operator === "includes-match") {
    const matched = operator === "includes" ? "=" : "matches";
    return includes(
      field,
      (item) => compare(cast(item, "STRING", false, span), matched, text(value, span), span),
      span,
    );
  }
  return compare(cast(field, "STRING", false, span), operator, text(value, span), span);
}

/** Both sides are of one type; `matches` compares texts. */
function compare(left: Expression, operator: LqlOperator, right: Expression, span: Span): Expression {
  switch (operator) {
    case "=":
    case ">":
    case ">=":
    case "<":
    case "<=":
      return binary(operator, left, right, span);
    case "matches":
    case "includes":
    case "includes-match":
      return call("REGEXP_CONTAINS", [left, right], span);
  }
}

/** `EXISTS(SELECT 1 FROM UNNEST(field) AS item WHERE item ...)`. */
function includes(field: Expression, condition: (item: Expression) => Expression, span: Span): Expression {
  const item = "lql_item";
  const query: Query = {
    kind: "Query",
    body: {
      kind: "Select",
      isDistinct: false,
      items: [select(integer(1, span), undefined, span)],
      from: { kind: "Unnest", arrays: [{ expression: field }], alias: identifier(item, span), suffixes: [], span },
      where: condition(fieldOf([item], span)),
      windows: [],
      span,
    },
    pipes: [],
    span,
  };
  return { kind: "QueryExpression", mode: "EXISTS", query, span };
}
