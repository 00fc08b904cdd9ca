import { messageOf } from "../../shared/message-of.ts";
import { compileIpRange } from "../pipeline/ip-range.ts";
import { checkPattern } from "../pipeline/line-pattern.ts";
import { parseJsonPath } from "../pipeline/parse-json-line.ts";
import { compileMatcher, compileRegexp } from "../pipeline/regexp.ts";
import { parseTemplate } from "../pipeline/template.ts";
import type {
  ChosenLabel,
  ComparisonOperator,
  Extraction,
  LabelFilter,
  LabelFormat,
  LineFilter,
  Matcher,
  Stage,
} from "./logql-ast.ts";
import type { TokenReader } from "./token-reader.ts";

/** `{a="b", c=~"d"}`. Throws `syntax_error`, also where every matcher lets an empty value pass, as Loki does. */
export function parseMatchers(reader: TokenReader): readonly Matcher[] {
  const { at } = reader.expect("{");
  const matchers: Matcher[] = [];
  if (!reader.isAt("}")) {
    do matchers.push(parseMatcher(reader));
    while (reader.takeIf(","));
  }
  reader.expect("}");
  if (matchers.every((each) => compileMatcher(each)(""))) {
    reader.refuse(
      "queries require at least one regexp or equality matcher that does not have an empty-compatible value; " +
        'for instance, source=~".+"',
      at,
    );
  }
  return matchers;
}

function parseMatcher(reader: TokenReader): Matcher {
  const { text: name, at } = reader.expectKind("name", "a label");
  const operator = reader.peek().text;
  if (operator !== "=" && operator !== "!=" && operator !== "=~" && operator !== "!~") {
    return reader.refuse("expected =, !=, =~ or !~");
  }
  reader.take();
  const { text: value, at: place } = reader.expectKind("text", "a text");
  if (operator.includes("~")) checked(reader, place, () => compileRegexp(value));
  return { name, operator, value, at };
}

/** Runs a check of a text in the query, whose errors are reported with its place. */
export function checked<T>(reader: TokenReader, at: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    return reader.refuse(messageOf(error), at);
  }
}

const lineTests: Readonly<Record<string, Pick<LineFilter, "test" | "isNegated">>> = {
  "|=": { test: "contains", isNegated: false },
  "!=": { test: "contains", isNegated: true },
  "|~": { test: "regexp", isNegated: false },
  "!~": { test: "regexp", isNegated: true },
  "|>": { test: "pattern", isNegated: false },
  "!>": { test: "pattern", isNegated: true },
};

/** The next stage of a pipeline; undefined at its end. */
export function parseStage(reader: TokenReader): Stage | undefined {
  const token = reader.peek();
  const lineTest = token.kind === "symbol" ? lineTests[token.text] : undefined;
  if (lineTest !== undefined) return parseLineFilter(reader, lineTest);
  if (!reader.isAt("|") || reader.isAt("unwrap", 1)) return undefined;
  reader.noteStage("all", reader.take().at);
  const parse = stageParsers[reader.peek().text.toLowerCase()];
  const next = reader.peek(1);
  // A label may have the name of a stage. Behind a stage that may stand alone, != and !~ begin a filter of lines.
  const isLineFilter = /^(?:json|logfmt|unpack|decolorize)!=?~?$/.test(reader.peek().text + next.text);
  const isFilter =
    next.kind === "symbol" &&
    /^(?:=|!=|=~|!~|==|>|>=|<|<=)$/.test(next.text) &&
    !(isLineFilter && (reader.peek(2).kind === "text" || reader.isAt("ip", 2)));
  if (!isFilter && reader.isAt("distinct")) return reader.refuse("distinct is not supported");
  if (parse === undefined || isFilter || reader.peek().kind !== "name") {
    return { kind: "filter", filter: parseLabelFilter(reader) };
  }
  const { text: name, at } = reader.take();
  if (parsingStages.has(name.toLowerCase())) reader.noteStage("parsing", at);
  return parse(reader);
}

const parsingStages: ReadonlySet<string> = new Set(["json", "logfmt", "regexp", "pattern", "unpack"]);

function parseLineFilter(reader: TokenReader, lineTest: Pick<LineFilter, "test" | "isNegated">): LineFilter {
  reader.take();
  const alternatives: LineFilter["alternatives"][number][] = [];
  do {
    const isIp = reader.isAt("ip") && reader.isAt("(", 1);
    if (isIp) reader.take();
    if (isIp) reader.expect("(");
    const { text, at } = reader.expectKind("text", "a text");
    if (isIp) reader.expect(")");
    if (isIp) checked(reader, at, () => compileIpRange(text));
    if (isIp && lineTest.test !== "contains") reader.refuse("ip() is for |= and !=", at);
    if (lineTest.test !== "contains" || isIp) reader.noteStage("all", at);
    if (lineTest.test === "regexp") checked(reader, at, () => compileRegexp(text));
    if (lineTest.test === "pattern") checked(reader, at, () => checkPattern(text, "filter"));
    alternatives.push({ text, isIp, at });
  } while (reader.takeIf("or"));
  return { kind: "line", ...lineTest, alternatives };
}

const stageParsers: Readonly<Record<string, (reader: TokenReader) => Stage>> = {
  json(reader) {
    const extractions = parseExtractions(reader);
    for (const { expression, at } of extractions) checked(reader, at, () => parseJsonPath(expression));
    return { kind: "json", extractions };
  },
  logfmt(reader) {
    const flags: string[] = [];
    while (reader.peek().kind === "flag") {
      const { text, at } = reader.take();
      if (text !== "--strict" && text !== "--keep-empty") reader.refuse("expected --strict or --keep-empty", at);
      flags.push(text);
    }
    const [isStrict, keepsEmpty] = [flags.includes("--strict"), flags.includes("--keep-empty")];
    return { kind: "logfmt", extractions: parseExtractions(reader), isStrict, keepsEmpty };
  },
  regexp(reader) {
    const { text, at } = reader.expectKind("text", "a regular expression");
    const { namedGroups } = checked(reader, at, () => compileRegexp(text));
    if (namedGroups.length === 0) reader.refuse("at least one named capture must be supplied", at);
    return { kind: "regexp", text, at };
  },
  pattern(reader) {
    const { text, at } = reader.expectKind("text", "a pattern");
    checked(reader, at, () => checkPattern(text, "parser"));
    return { kind: "pattern", text, at };
  },
  unpack: () => ({ kind: "unpack" }),
  decolorize: () => ({ kind: "decolorize" }),
  line_format(reader) {
    const { text, at } = reader.expectKind("text", "a template");
    checked(reader, at, () => parseTemplate(text));
    return { kind: "line_format", text, at };
  },
  label_format: (reader) => ({ kind: "label_format", formats: parseFormats(reader) }),
  drop: (reader) => ({ kind: "drop", labels: parseChosen(reader) }),
  keep: (reader) => ({ kind: "keep", labels: parseChosen(reader) }),
};

function parseExtractions(reader: TokenReader): readonly Extraction[] {
  const extractions: Extraction[] = [];
  while (reader.peek().kind === "name") {
    const { text: name, at } = reader.take();
    const expression = reader.takeIf("=") ? reader.expectKind("text", "an expression").text : name;
    extractions.push({ name, expression, at });
    if (!reader.takeIf(",")) break;
  }
  return extractions;
}

function parseFormats(reader: TokenReader): readonly LabelFormat[] {
  const formats: LabelFormat[] = [];
  do {
    const { text: name, at } = reader.expectKind("name", "a label");
    if (formats.some((each) => each.name === name)) reader.refuse(`multiple label name '${name}' not allowed`, at);
    reader.expect("=");
    const token = reader.take();
    if (token.kind === "text") checked(reader, token.at, () => parseTemplate(token.text));
    else if (token.kind !== "name") reader.refuse("expected a label or a template", token.at);
    formats.push({ name, from: token.kind === "text" ? { template: token.text } : { label: token.text }, at });
  } while (reader.takeIf(","));
  return formats;
}

function parseChosen(reader: TokenReader): readonly ChosenLabel[] {
  const chosen: ChosenLabel[] = [];
  do {
    const isMatched = reader.peek(1).kind === "symbol" && /^(?:=|!=|=~|!~)$/.test(reader.peek(1).text);
    const matcher = isMatched ? parseMatcher(reader) : undefined;
    chosen.push({ name: matcher?.name ?? reader.expectKind("name", "a label").text, matcher });
  } while (reader.takeIf(","));
  return chosen;
}

/** Conditions on labels: `and`, `,` or nothing between them binds more than `or`. */
export function parseLabelFilter(reader: TokenReader): LabelFilter {
  return reader.nested(() => {
    let left = parseConjunction(reader);
    while (reader.takeIf("or")) left = { kind: "or", left, right: reader.link(() => parseConjunction(reader)) };
    return left;
  });
}

function parseConjunction(reader: TokenReader): LabelFilter {
  let left = parseCondition(reader);
  for (;;) {
    const isJoined = reader.takeIf("and") || reader.takeIf(",");
    const isNext = reader.isAt("(") || (reader.peek().kind === "name" && !reader.isAt("or"));
    // A binary operation of metrics may follow only behind a range, so that a name here is a label.
    if (!isJoined && !isNext) return left;
    left = { kind: "and", left, right: reader.link(() => parseCondition(reader)) };
  }
}

function parseCondition(reader: TokenReader): LabelFilter {
  if (reader.takeIf("(")) {
    const inner = parseLabelFilter(reader);
    reader.expect(")");
    return inner;
  }
  const [{ kind, text: name }, { text: operator }, value] = [reader.peek(), reader.peek(1), reader.peek(2)];
  if (kind !== "name") return reader.refuse("expected a stage or a label");
  if (value.kind === "text") return { kind: "text", matcher: parseMatcher(reader) };
  reader.take();
  const equal = operator === "=" ? "==" : operator;
  const comparison = ["==", "!=", ">", ">=", "<", "<="].find((each) => each === equal) as
    | ComparisonOperator
    | undefined;
  if (comparison === undefined) return reader.refuse("expected a comparison");
  reader.take();
  if (reader.isAt("ip")) {
    if (comparison !== "==" && comparison !== "!=") return reader.refuse("ip() is for = and !=");
    reader.take();
    reader.expect("(");
    const { text: range, at } = reader.expectKind("text", "an address or a range of addresses");
    checked(reader, at, () => compileIpRange(range));
    reader.expect(")");
    return { kind: "ip", name, isNegated: comparison === "!=", range };
  }
  const sign = reader.takeIf("-") ? -1 : 1;
  const unit = reader.peek().kind;
  if (unit !== "number" && unit !== "duration" && unit !== "bytes") {
    return reader.refuse("expected a text, a number, a duration or a number of bytes");
  }
  return { kind: "number", name, operator: comparison, unit, value: sign * reader.take().value };
}
