import {
  type BinaryOperation,
  type ChosenLabel,
  type Grouping,
  type LabelFilter,
  type LogQuery,
  type LogqlQuery,
  type Matcher,
  type MetricQuery,
  precedence,
  type RangeAggregation,
  type Stage,
  type Unwrap,
  type VectorAggregation,
} from "./logql-ast.ts";
import { printBytes, printDuration, printNumber } from "./print-number.ts";

/** A part that has more characters is broken into lines, as in Loki. */
const maxCharacters = 100;

/** A part of a query: on one line, and in several, each indented by as many levels as it is asked to. */
interface Part {
  readonly flat: string;
  readonly broken: (level: number) => string;
}

/** A longer query stays on one line: indented, it could become many times as long. */
const maxBrokenCharacters = 10_000;

/** Formats a query as Loki does: what is short stands on one line. Parsed again, it is the same query. */
export function printLogql(query: LogqlQuery): string {
  const part = toPart(query);
  return part.flat.length > maxBrokenCharacters ? part.flat : layOut(part, 0);
}

const indent = (level: number) => "  ".repeat(level);
const quote = (text: string) => JSON.stringify(text);

function layOut({ flat, broken }: Part, level: number): string {
  return flat.length <= maxCharacters ? indent(level) + flat : broken(level);
}

const leaf = (flat: string): Part => ({ flat, broken: (level) => indent(level) + flat });

/** A function's call, whose arguments stand on lines of their own where it is long. */
function toCall(head: string, parts: readonly Part[], tail = ""): Part {
  return {
    flat: `${head}(${parts.map(({ flat }) => flat).join(",")})${tail}`,
    broken: (level) => {
      const lines = parts.map((part) => layOut(part, level + 1)).join(",\n");
      return `${indent(level)}${head}(\n${lines}\n${indent(level)})${tail}`;
    },
  };
}

function toPart(query: LogqlQuery): Part {
  switch (query.kind) {
    case "log":
      return logPart(query);
    case "range":
      return rangePart(query);
    case "aggregate":
      return aggregatePart(query);
    case "binary":
      return binaryPart(query);
    case "label_replace": {
      const { inner, target, replacement, source, pattern } = query;
      const texts = [target, replacement, source, pattern].map((text) => leaf(quote(text)));
      return toCall("label_replace", [toPart(inner), ...texts]);
    }
    case "number":
      return leaf(printNumber(query.value));
    case "vector":
      return leaf(`vector(${printNumber(query.value)})`);
  }
}

const printMatcher = ({ name, operator, value }: Matcher) => `${name}${operator}${quote(value)}`;

function logPart({ matchers, stages }: LogQuery): Part {
  const selector = `{${matchers.map(printMatcher).join(", ")}}`;
  const printed = stages.map(printStage);
  return {
    flat: [selector, ...printed].join(" "),
    broken: (level) => [indent(level) + selector, ...printed.map((stage) => indent(level + 1) + stage)].join("\n"),
  };
}

function rangePart({ operator, parameter, query, unwrap, rangeUs, offsetUs, grouping }: RangeAggregation): Part {
  const lines = logPart(query);
  const unwrapped = unwrap === undefined ? [] : printUnwrap(unwrap);
  const offset = offsetUs === 0 ? "" : ` offset ${printDuration(offsetUs * 1e3)}`;
  const range = `[${printDuration(rangeUs * 1e3)}]${offset}`;
  const inner: Part = {
    flat: [lines.flat, ...unwrapped].join(" ") + range,
    broken: (level) => {
      const below = unwrapped.map((line) => indent(level + 1) + line);
      return `${[layOut(lines, level), ...below].join("\n")} ${range}`;
    },
  };
  const parameters = parameter === undefined ? [] : [leaf(printNumber(parameter))];
  return toCall(operator, [...parameters, inner], printGrouping(grouping));
}

function printUnwrap({ label, conversion, filters }: Unwrap): readonly string[] {
  const value = conversion === "number" ? label : `${conversion}(${label})`;
  return [`| unwrap ${value}`, ...filters.map((filter) => `| ${printFilter(filter)}`)];
}

const printNames = (names: readonly string[]) => `(${names.join(",")})`;

function printGrouping(grouping: Grouping | undefined): string {
  if (grouping === undefined) return "";
  return ` ${grouping.isWithout ? "without" : "by"} ${printNames(grouping.labels)}`;
}

function aggregatePart({ operator, parameter, grouping, inner }: VectorAggregation): Part {
  const parameters = parameter === undefined ? [] : [leaf(printNumber(parameter))];
  return toCall(operator + printGrouping(grouping), [...parameters, toPart(inner)]);
}

/** Operations of one precedence that group from the left stand in one list, however many they are. */
function binaryPart(query: BinaryOperation): Part {
  const links: { readonly operator: string; readonly operand: Part }[] = [];
  let first = query;
  for (let next: MetricQuery = query; next.kind === "binary" && isChained(next, query); next = first.left) {
    first = next;
    const operand = operandPart(first, "right");
    links.push({ operator: printOperator(first, operand), operand });
    if (query.operator === "^") break;
  }
  links.reverse();
  const start = operandPart(first, "left");
  return {
    flat: [start.flat, ...links.map(({ operator, operand }) => `${operator} ${operand.flat}`)].join(" "),
    broken: (level) => {
      const lines = links.map(({ operator, operand }) => `${indent(level)}${operator}\n${layOut(operand, level + 1)}`);
      return [layOut(start, level + 1), ...lines].join("\n");
    },
  };
}

const isChained = (left: BinaryOperation, { operator }: BinaryOperation) =>
  precedence[left.operator] === precedence[operator];

/** An operand, in parentheses where it would be read as another query. */
function operandPart(query: BinaryOperation, side: "left" | "right"): Part {
  const { operator, [side]: operand } = query;
  const part = toPart(operand);
  if (operand.kind !== "binary") return part;
  const difference = precedence[operand.operator] - precedence[operator];
  const isOtherSide = side === (operator === "^" ? "left" : "right");
  return difference < 0 || (difference === 0 && isOtherSide) ? toCall("", [part]) : part;
}

function printOperator({ operator, isBool, matching, many }: BinaryOperation, right: Part): string {
  const words: string[] = [operator];
  if (isBool) words.push("bool");
  if (matching !== undefined) words.push(matching.isOn ? "on" : "ignoring", printNames(matching.labels));
  if (many !== undefined) {
    words.push(`group_${many.side}`);
    // A parenthesis behind it would be read as its labels.
    if (many.include.length > 0 || right.flat.startsWith("(")) words.push(printNames(many.include));
  }
  return words.join(" ");
}

const lineOperators = {
  contains: ["|=", "!="],
  regexp: ["|~", "!~"],
  pattern: ["|>", "!>"],
} as const;

function printStage(stage: Stage): string {
  switch (stage.kind) {
    case "line": {
      const { test, isNegated, alternatives } = stage;
      const texts = alternatives.map(({ text, isIp }) => (isIp ? `ip(${quote(text)})` : quote(text)));
      return `${lineOperators[test][isNegated ? 1 : 0]} ${texts.join(" or ")}`;
    }
    case "filter": {
      const text = printFilter(stage.filter);
      // A label with the name of a stage.
      return /^(?:unwrap|(?:json|logfmt|unpack|decolorize)!)/.test(text) ? `| (${text})` : `| ${text}`;
    }
    case "json":
      return ["| json", ...printPairs(stage.extractions)].join(" ");
    case "logfmt": {
      const flags = [...(stage.isStrict ? ["--strict"] : []), ...(stage.keepsEmpty ? ["--keep-empty"] : [])];
      return ["| logfmt", ...flags, ...printPairs(stage.extractions)].join(" ");
    }
    case "regexp":
    case "pattern":
    case "line_format":
      return `| ${stage.kind} ${quote(stage.text)}`;
    case "unpack":
    case "decolorize":
      return `| ${stage.kind}`;
    case "label_format": {
      const formats = stage.formats.map(({ name, from }) => {
        return `${name}=${"label" in from ? from.label : quote(from.template)}`;
      });
      return `| label_format ${formats.join(",")}`;
    }
    case "drop":
    case "keep":
      return `| ${stage.kind} ${stage.labels.map(printChosen).join(",")}`;
  }
}

function printPairs(pairs: readonly { readonly name: string; readonly expression: string }[]): readonly string[] {
  const printed = pairs.map(({ name, expression }) => `${name}=${quote(expression)}`);
  return printed.length === 0 ? [] : [printed.join(",")];
}

const printChosen = ({ name, matcher }: ChosenLabel) => (matcher === undefined ? name : printMatcher(matcher));

function printFilter(filter: LabelFilter): string {
  switch (filter.kind) {
    case "text":
      return printMatcher(filter.matcher);
    case "ip":
      return `${filter.name}${filter.isNegated ? "!=" : "="}ip(${quote(filter.range)})`;
    case "number":
      return `${filter.name}${filter.operator}${printAmount(filter)}`;
    case "and":
    case "or":
      return printJoined(filter);
  }
}

function printAmount({ unit, value }: Extract<LabelFilter, { kind: "number" }>): string {
  if (unit === "number") return printNumber(value);
  return unit === "bytes" ? printBytes(value) : printDuration(value);
}

/** Conditions that are joined from the left stand in one list, however many they are. */
function printJoined(filter: Extract<LabelFilter, { kind: "and" | "or" }>): string {
  const { kind } = filter;
  const joined: string[] = [];
  let first: LabelFilter = filter;
  for (; first.kind === kind; first = first.left) {
    const { right }: Extract<LabelFilter, { kind: "and" | "or" }> = first;
    joined.push(printTerm(right, kind, right.kind === kind));
  }
  return [...joined, printTerm(first, kind, false)].reverse().join(` ${kind} `);
}

function printTerm(filter: LabelFilter, kind: "and" | "or", isSame: boolean): string {
  const text = printFilter(filter);
  return isSame || (kind === "and" && filter.kind === "or") ? `(${text})` : text;
}
