import { compileRegexp } from "../pipeline/regexp.ts";
import {
  type BinaryOperator,
  type Grouping,
  type LogQuery,
  type LogqlQuery,
  type MetricQuery,
  precedence,
  type RangeAggregation,
  type RangeOperator,
  rangeOperators,
  type Stage,
  type Unwrap,
  type VectorAggregation,
  type VectorOperator,
  vectorOperators,
} from "./logql-ast.ts";
import { checked, parseLabelFilter, parseMatchers, parseStage } from "./parse-stages.ts";
import { TokenReader } from "./token-reader.ts";

const withUnwrap: readonly RangeOperator[] = rangeOperators.filter((each) =>
  /^(?:sum|avg|min|max|stddev|stdvar|quantile|first|last)_/.test(each),
);
const withGrouping: readonly RangeOperator[] = withUnwrap.filter((each) => each !== "sum_over_time");
const notAnswered = ["rate_counter", "approx_topk", "sum_approx", "count_min_sketch", "variants"];

/** Parses LogQL. Throws `syntax_error` with the place, and what is expected there. */
export function parseLogql(query: string): LogqlQuery {
  const reader = new TokenReader(query);
  const parsed = parseExpression(reader, 0);
  if (reader.peek().kind !== "end") reader.refuse("expected an operator or the end of the query");
  return parsed;
}

/** A selector alone, such as `{source="edge"}`. Throws `syntax_error` where anything else is there. */
export function parseSelector(query: string): LogQuery {
  const parsed = parseLogql(query);
  if (parsed.kind === "log" && parsed.stages.length === 0) return parsed;
  return new TokenReader(query).refuse("only label matchers are supported here", 0);
}

function parseExpression(reader: TokenReader, least: number): LogqlQuery {
  return reader.nested(() => {
    let left = parseOperand(reader);
    for (;;) {
      const { text: written, at } = reader.peek();
      const text = written.toLowerCase();
      const level = reader.isAt(text) && Object.hasOwn(precedence, text) ? precedence[text as BinaryOperator] : 0;
      if (level === 0 || level <= least) return left;
      reader.take();
      const operator = text as BinaryOperator;
      const { isBool, matching, many } = parseModifiers(reader);
      const right = reader.link(() => parseExpression(reader, operator === "^" ? level - 1 : level));
      left = {
        ...{ kind: "binary", operator, isBool, matching, many, at },
        left: asMetric(reader, left),
        right: asMetric(reader, right),
      };
    }
  });
}

function asMetric(reader: TokenReader, query: LogqlQuery): MetricQuery {
  if (query.kind !== "log") return query;
  return reader.refuse("a log query is no operand; aggregate it over a range, as in rate({...}[5m])", query.at);
}

function parseModifiers(
  reader: TokenReader,
): Pick<Extract<MetricQuery, { kind: "binary" }>, "isBool" | "matching" | "many"> {
  const isBool = reader.takeIf("bool");
  const isOn = reader.isAt("on");
  if (!isOn && !reader.isAt("ignoring")) return { isBool, matching: undefined, many: undefined };
  reader.take();
  const matching = { isOn, labels: parseLabelNames(reader) };
  const isLeft = reader.isAt("group_left");
  if (!isLeft && !reader.isAt("group_right")) return { isBool, matching, many: undefined };
  reader.take();
  const include = reader.isAt("(") ? parseLabelNames(reader) : [];
  return { isBool, matching, many: { side: isLeft ? "left" : "right", include } };
}

function parseLabelNames(reader: TokenReader): readonly string[] {
  return reader.list(() => reader.expectKind("name", "a label").text);
}

function parseOperand(reader: TokenReader): LogqlQuery {
  const { kind, text: written, at } = reader.peek();
  const text = written.toLowerCase();
  if (reader.isAt("{")) return parseLogQuery(reader);
  if (reader.takeIf("(")) {
    const inner = parseExpression(reader, 0);
    reader.expect(")");
    return inner;
  }
  if (kind === "number") return { kind: "number", value: reader.take().value, at };
  if ((text === "-" || text === "+") && reader.peek(1).kind === "number") {
    reader.take();
    return { kind: "number", value: reader.take().value * (text === "-" ? -1 : 1), at };
  }
  if (kind === "name" && rangeOperators.some((each) => each === text)) return parseRangeAggregation(reader);
  if (kind === "name" && vectorOperators.some((each) => each === text)) return parseVectorAggregation(reader);
  if (reader.takeIf("vector")) {
    reader.expect("(");
    const { value } = reader.expectKind("number", "a number");
    reader.expect(")");
    return { kind: "vector", value, at };
  }
  if (reader.isAt("label_replace")) return parseLabelReplacement(reader);
  if (notAnswered.includes(text)) return reader.refuse(`${text} is not supported`);
  return reader.refuse('expected a selector such as {source="edge"}, an aggregation or a number');
}

function parseSignedNumber(reader: TokenReader): number {
  const sign = reader.takeIf("-") ? -1 : 1;
  return sign * reader.expectKind("number", "a number").value;
}

function parseLogQuery(reader: TokenReader): LogQuery {
  const { at } = reader.peek();
  const matchers = parseMatchers(reader);
  const stages: Stage[] = [];
  for (let stage = parseStage(reader); stage !== undefined; stage = parseStage(reader)) stages.push(stage);
  return { kind: "log", matchers, stages, at };
}

function parseGrouping(reader: TokenReader): Grouping | undefined {
  const isWithout = reader.isAt("without");
  if (!isWithout && !reader.isAt("by")) return undefined;
  reader.take();
  return { isWithout, labels: parseLabelNames(reader) };
}

interface LogRange {
  readonly query: LogQuery;
  readonly unwrap: Unwrap | undefined;
  readonly rangeUs: number;
  readonly offsetUs: number;
}

function parseRangeAggregation(reader: TokenReader): RangeAggregation {
  const { text, at } = reader.take();
  const operator = text.toLowerCase() as RangeOperator;
  reader.expect("(");
  let parameter: number | undefined;
  if (operator === "quantile_over_time") {
    parameter = parseSignedNumber(reader);
    reader.expect(",");
  }
  const range = parseLogRange(reader);
  reader.expect(")");
  const grouping = parseGrouping(reader);
  const { unwrap } = range;
  if (unwrap === undefined && withUnwrap.includes(operator)) {
    reader.refuse(`invalid aggregation ${operator} without unwrap`, at);
  }
  if (
    unwrap !== undefined &&
    !withUnwrap.includes(operator) &&
    operator !== "rate" &&
    operator !== "absent_over_time"
  ) {
    reader.refuse(`invalid aggregation ${operator} with unwrap`, at);
  }
  if (grouping !== undefined && !withGrouping.includes(operator)) {
    reader.refuse(`grouping not allowed for ${operator} aggregation`, at);
  }
  return { kind: "range", operator, parameter, ...range, grouping, at };
}

/** `{...} | stages | unwrap label [5m] offset 1m`; the range may also stand behind the selector. */
function parseLogRange(reader: TokenReader): LogRange {
  if (reader.isAt("(")) {
    reader.take();
    const inner = parseRangeParts(reader);
    reader.expect(")");
    const { range } = inner.range === undefined ? { range: parseRange(reader) } : inner;
    if (range === undefined) return reader.refuse("expected a range such as [5m]");
    return { query: inner.query, unwrap: inner.unwrap, ...range };
  }
  const { query, unwrap, range } = parseRangeParts(reader);
  if (range === undefined) return reader.refuse("expected a range such as [5m]");
  return { query, unwrap, ...range };
}

type Range = Pick<LogRange, "rangeUs" | "offsetUs">;

function parseRangeParts(reader: TokenReader) {
  const { at } = reader.peek();
  const matchers = parseMatchers(reader);
  let range = parseRange(reader);
  const stages: Stage[] = [];
  let unwrap: Unwrap | undefined;
  for (;;) {
    if (reader.isAt("|") && reader.isAt("unwrap", 1)) {
      unwrap = parseUnwrap(reader);
      break;
    }
    const stage = parseStage(reader);
    if (stage === undefined) break;
    stages.push(stage);
  }
  range ??= parseRange(reader);
  const query: LogQuery = { kind: "log", matchers, stages, at };
  return { query, unwrap, range };
}

function parseRange(reader: TokenReader): Range | undefined {
  if (!reader.takeIf("[")) return undefined;
  const value = parseLength(reader);
  reader.expect("]");
  if (value < 1e3) reader.refuse("a range is at least a microsecond long");
  return { rangeUs: Math.round(value / 1e3), offsetUs: parseOffset(reader) };
}

function parseOffset(reader: TokenReader): number {
  if (!reader.takeIf("offset")) return 0;
  const sign = reader.takeIf("-") ? -1 : 1;
  // Adding nothing leaves no negative zero.
  return (sign * parseLength(reader)) / 1e3 + 0;
}

/** Nanoseconds, as many as Go can count. */
function parseLength(reader: TokenReader): number {
  const { text, value, at } = reader.expectKind("duration", "a duration such as 5m");
  return value < 2 ** 63 ? value : reader.refuse(`the duration ${text} is too long; it may be of 292 years`, at);
}

function parseUnwrap(reader: TokenReader): Unwrap {
  reader.expect("|");
  reader.expect("unwrap");
  const { text } = reader.expectKind("name", "a label");
  const isConverted = reader.takeIf("(");
  const conversions = { duration: "duration", duration_seconds: "duration", bytes: "bytes" } as const;
  const conversion = isConverted ? conversions[text as keyof typeof conversions] : "number";
  if (conversion === undefined) return reader.refuse("expected duration(), duration_seconds() or bytes()");
  const label = isConverted ? reader.expectKind("name", "a label").text : text;
  if (isConverted) reader.expect(")");
  const filters: Unwrap["filters"][number][] = [];
  while (reader.takeIf("|")) filters.push(parseLabelFilter(reader));
  return { label, conversion, filters };
}

function parseVectorAggregation(reader: TokenReader): VectorAggregation {
  const { text, at } = reader.take();
  const operator = text.toLowerCase() as VectorOperator;
  const before = parseGrouping(reader);
  reader.expect("(");
  let parameter: number | undefined;
  if (operator === "topk" || operator === "bottomk") {
    parameter = reader.expectKind("number", `the number of series of ${operator}`).value;
    if (!Number.isInteger(parameter) || parameter < 1) reader.refuse(`${operator} takes an integer from 1`, at);
    reader.expect(",");
  }
  const inner = asMetric(reader, parseExpression(reader, 0));
  reader.expect(")");
  const grouping = before ?? parseGrouping(reader);
  if (grouping !== undefined && operator.startsWith("sort")) reader.refuse(`${operator} takes no grouping`, at);
  return { kind: "aggregate", operator, parameter, grouping, inner, at };
}

function parseLabelReplacement(reader: TokenReader): MetricQuery {
  const { at } = reader.take();
  reader.expect("(");
  const inner = asMetric(reader, parseExpression(reader, 0));
  const texts = [0, 1, 2, 3].map(() => {
    reader.expect(",");
    return reader.expectKind("text", "a text");
  });
  reader.expect(")");
  const [target = "", replacement = "", source = "", pattern = ""] = texts.map(({ text }) => text);
  checked(reader, texts[3]?.at ?? at, () => compileRegexp(pattern));
  return { kind: "label_replace", inner, target, replacement, source, pattern, at };
}
