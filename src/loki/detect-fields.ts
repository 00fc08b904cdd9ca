import type { Stage } from "./logql/logql-ast.ts";
import { errorDetailsLabel, errorLabel, LineLabels } from "./pipeline/line-labels.ts";
import { extractJson } from "./pipeline/parse-json-line.ts";
import { extractLogfmt } from "./pipeline/parse-logfmt-line.ts";
import type { StoredLine } from "./reading/read-lines.ts";

/** A field of some lines. */
export interface DetectedField {
  readonly values: ReadonlySet<string>;
  /** The parsers that find it in lines; none for a field of the events themselves. */
  readonly parsers: ReadonlySet<string>;
}

/**
 * Finds the fields of lines, by name: those of their events, and those that the query's parsers made. Where the query
 * has none, each line is read as JSON if it is an object, else as logfmt.
 */
export function detectFields(
  lines: readonly StoredLine[],
  stages: readonly Stage[],
): ReadonlyMap<string, DetectedField> {
  const found = new Map<string, { readonly values: Set<string>; readonly parsers: Set<string> }>();
  const add = (labels: ReadonlyMap<string, string>, parsers: readonly string[]) => {
    for (const [name, value] of labels) {
      if (name === errorLabel || name === errorDetailsLabel) continue;
      const field = found.get(name) ?? { values: new Set(), parsers: new Set() };
      found.set(name, field);
      field.values.add(value);
      for (const parser of parsers) field.parsers.add(parser);
    }
  };
  const parsers = stages.map(({ kind }) => kind).filter((kind) => parserKinds.has(kind));
  for (const { line, labels } of lines) {
    add(labels.of("metadata"), []);
    add(labels.of("parsed"), parsers);
    if (parsers.length > 0) continue;
    const read = new LineLabels(labels.of("stream"), labels.of("metadata"));
    const isJson = line.trimStart().startsWith("{");
    if (isJson) extractJson(line, read);
    else extractLogfmt(line, { wanted: undefined, isStrict: false, keepsEmpty: false }, read);
    add(read.of("parsed"), [isJson ? "json" : "logfmt"]);
  }
  return found;
}

const parserKinds: ReadonlySet<string> = new Set(["json", "logfmt", "pattern", "regexp", "unpack"]);
