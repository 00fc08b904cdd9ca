import { messageOf } from "../../shared/message-of.ts";
import type { ComparisonOperator, LabelFilter, LineFilter, Stage, Unwrap } from "../logql/logql-ast.ts";
import { parseBytes, parseGoDuration, parseNumber } from "../logql/scan-logql.ts";
import { compileIpRange, compileIpSearch } from "./ip-range.ts";
import { errorDetailsLabel, errorLabel, type LineLabels } from "./line-labels.ts";
import { compilePattern, compilePatternFilter } from "./line-pattern.ts";
import { extractJson, extractJsonPaths, extractPacked, parseJsonPath } from "./parse-json-line.ts";
import { extractLogfmt } from "./parse-logfmt-line.ts";
import { compileMatcher, compileRegexp } from "./regexp.ts";
import { parseTemplate, type Template } from "./template.ts";

/** ANSI sequences of colours, which begin with an escape. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** One stage: the line that it makes of a line and its labels; undefined where it drops it. */
type Step = (line: string, labels: LineLabels) => string | undefined;

/** Runs the stages over a line: returns the line behind them, or undefined where one drops it. Throws `Error` for a stage that cannot work. */
export function compilePipeline(stages: readonly Stage[]): Step {
  const steps = stages.map(compileStage);
  return (line, labels) => {
    let current: string | undefined = line;
    for (const step of steps) {
      current = step(current, labels);
      if (current === undefined) return undefined;
    }
    return current;
  };
}

const keeping =
  (run: (line: string, labels: LineLabels) => void): Step =>
  (line, labels) => {
    run(line, labels);
    return line;
  };

function compileStage(stage: Stage): Step {
  switch (stage.kind) {
    case "line": {
      const test = compileLineFilter(stage);
      return (line) => (test(line) ? line : undefined);
    }
    case "filter": {
      const test = compileLabelFilter(stage.filter);
      return (line, labels) => (test(labels) ? line : undefined);
    }
    case "json": {
      if (stage.extractions.length === 0) return keeping(extractJson);
      const paths = stage.extractions.map(({ name, expression }) => [name, parseJsonPath(expression)] as const);
      return keeping((line, labels) => extractJsonPaths(line, paths, labels));
    }
    case "logfmt": {
      const { extractions, isStrict, keepsEmpty } = stage;
      const wanted = new Map(extractions.map(({ name, expression }) => [expression, name]));
      const options = { isStrict, keepsEmpty, wanted: extractions.length === 0 ? undefined : wanted };
      return keeping((line, labels) => extractLogfmt(line, options, labels));
    }
    case "regexp": {
      const regexp = compileRegexp(stage.text);
      return keeping((line, labels) => extractAll(regexp.find(line), labels));
    }
    case "pattern": {
      const read = compilePattern(stage.text);
      return keeping((line, labels) => extractAll(read(line), labels));
    }
    case "unpack":
      return extractPacked;
    case "decolorize":
      return (line) => line.replaceAll(colours, "");
    case "line_format":
      return compileLineFormat(stage.text);
    case "label_format":
      return compileLabelFormat(stage.formats);
    case "drop":
    case "keep":
      return compileChoice(stage);
  }
}

function extractAll(found: ReadonlyMap<string, string> | undefined, labels: LineLabels): void {
  for (const [name, value] of found ?? []) labels.extract(name, value);
}

function compileLineFilter({ test, isNegated, alternatives }: LineFilter): (line: string) => boolean {
  const tests = alternatives.map(({ text, isIp }): ((line: string) => boolean) => {
    if (isIp) return compileIpSearch(text);
    if (test === "contains") return (line) => line.includes(text);
    if (test === "pattern") return compilePatternFilter(text);
    const regexp = compileRegexp(text);
    return (line) => regexp.test(line);
  });
  return (line) => tests.some((each) => each(line)) !== isNegated;
}

const comparisons: Readonly<Record<ComparisonOperator, (a: number, b: number) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** The words in which Go reports a value that it cannot read. */
const complaints = {
  number: (text: string) => `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`,
  duration: (text: string) => `time: invalid duration ${JSON.stringify(text)}`,
  bytes(text: string) {
    const [digits = ""] = /^[\d.,]*/.exec(text) ?? [];
    if (parseNumber(digits.replaceAll(",", "")) === undefined) return complaints.number(digits);
    return `unhandled size name: ${text.slice(digits.length).trim().toLowerCase()}`;
  },
} as const;

const readers = { number: parseNumber, duration: parseGoDuration, bytes: parseBytes } as const;

/** Whether labels pass. A value that is no number lets the line pass, with an error in its labels, as in Loki. */
function compileLabelFilter(filter: LabelFilter): (labels: LineLabels) => boolean {
  switch (filter.kind) {
    case "and":
    case "or": {
      const [left, right] = [compileLabelFilter(filter.left), compileLabelFilter(filter.right)];
      if (filter.kind === "and") return (labels) => left(labels) && right(labels);
      return (labels) => left(labels) || right(labels);
    }
    case "text": {
      const { matcher } = filter;
      const test = compileMatcher(matcher);
      return (labels) => test(labels.get(matcher.name) ?? "");
    }
    case "ip": {
      const { name, isNegated } = filter;
      const test = compileIpRange(filter.range);
      return (labels) => test(labels.get(name) ?? "") !== isNegated;
    }
    case "number": {
      const { name, unit, value, operator } = filter;
      const [read, test] = [readers[unit], comparisons[operator]];
      return (labels) => {
        const text = labels.get(name);
        if (text === undefined) return false;
        const number = read(text);
        if (number !== undefined) return test(number, value);
        // What went wrong before may show more.
        if (labels.get(errorLabel) === undefined) labels.fail("LabelFilterErr", complaints[unit](text.slice(0, 100)));
        return true;
      };
    }
  }
}

function compileLineFormat(source: string): Step {
  const render = parseTemplate(source);
  return (line, labels) => {
    try {
      return render({ line, label: (name) => labels.get(name) ?? "" });
    } catch (error) {
      labels.fail("TemplateFormatErr", messageOf(error));
      return line;
    }
  };
}

function compileLabelFormat(formats: Extract<Stage, { kind: "label_format" }>["formats"]): Step {
  const compiled = formats.map(({ name, from }) => {
    return { name, from, render: "label" in from ? undefined : parseTemplate(from.template) };
  });
  return keeping((line, labels) => {
    // A template sees the labels as they were before the first one.
    let before: ReadonlyMap<string, string> | undefined;
    for (const { name, from, render } of compiled) {
      if (render !== undefined) {
        before ??= labels.all();
        renderLabel(render, name, line, before, labels);
        continue;
      }
      const value = "label" in from ? labels.get(from.label) : undefined;
      if (value === undefined || !("label" in from)) continue;
      labels.set(name, value);
      labels.delete(from.label);
    }
  });
}

function renderLabel(
  render: Template,
  name: string,
  line: string,
  before: ReadonlyMap<string, string>,
  labels: LineLabels,
): void {
  try {
    labels.set(name, render({ line, label: (each) => before.get(each) ?? "" }));
  } catch (error) {
    labels.fail("TemplateFormatErr", messageOf(error));
  }
}

function compileChoice({ kind, labels: chosen }: Extract<Stage, { kind: "drop" | "keep" }>): Step {
  const tests = new Map<string, ((value: string) => boolean)[]>();
  for (const { name, matcher } of chosen) {
    const test = matcher === undefined ? () => true : compileMatcher(matcher);
    tests.set(name, [...(tests.get(name) ?? []), test]);
  }
  return keeping((_, labels) => {
    for (const [name, value] of labels.all()) {
      if (kind === "keep" && (name === errorLabel || name === errorDetailsLabel)) continue;
      const isChosen = tests.get(name)?.some((test) => test(value)) ?? false;
      if (isChosen === (kind === "drop")) labels.delete(name);
    }
  });
}

/** Reads a line's sample from its labels; undefined where it has none. */
export function compileUnwrap({ label, conversion, filters }: Unwrap): (labels: LineLabels) => number | undefined {
  const read = readers[conversion];
  const tests = filters.map(compileLabelFilter);
  return (labels) => {
    const text = labels.get(label);
    if (text === undefined || text === "") return undefined;
    const value = read(text);
    if (value === undefined) labels.fail("SampleExtractionErr", complaints[conversion](text.slice(0, 100)));
    if (!tests.every((test) => test(labels))) return undefined;
    return conversion === "duration" ? (value ?? 0) / 1e9 : (value ?? 0);
  };
}
