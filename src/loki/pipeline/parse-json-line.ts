import { eachItem, eachMember, type JsonValue, textOfJson } from "./json-members.ts";
import { type LineLabels, maxLabels, toLabelName, toLabelPart } from "./line-labels.ts";

/** Levels of objects that are read: each is a pass over what it holds. */
const maxDepth = 50;

/**
 * Reads the labels of a line that is a JSON object: nested keys are joined by `_`, lists and null are left out. Where
 * a line is broken, the labels before that place are read.
 */
export function extractJson(line: string, labels: LineLabels): void {
  let count = 0;
  const read = (from: number, prefix: string, depth: number): string | undefined =>
    eachMember(line, from, (key, value) => {
      const part = prefix === "" ? toLabelName(key) : toLabelPart(key);
      const name = prefix === "" || part === "" ? prefix + part : `${prefix}_${part}`;
      if (value.kind === "object") return depth < maxDepth ? read(value.start, name, depth + 1) : undefined;
      const isLabel = value.kind !== "array" && value.kind !== "null" && name !== "";
      if (isLabel && ++count <= maxLabels) labels.extract(name, textOfJson(line, value));
      return undefined;
    });
  const error = read(0, "", 1);
  if (error !== undefined) labels.fail("JSONParserErr", error);
}

/** Reads the labels of a line that Promtail packed, and returns the line in it. */
export function extractPacked(line: string, labels: LineLabels): string {
  if (line === "") return line;
  let entry: string | undefined;
  const found: [name: string, value: string][] = [];
  const error = line.startsWith("{")
    ? eachMember(line, 0, (key, value) => {
        if (value.kind !== "string") return undefined;
        if (key === "_entry") entry = textOfJson(line, value);
        else if (found.length < maxLabels) found.push([key, textOfJson(line, value)]);
        return undefined;
      })
    : "expecting json object(6), but it is not";
  if (error !== undefined) labels.fail("JSONParserErr", error);
  if (error !== undefined || entry === undefined) return line;
  for (const [key, value] of found) labels.extract(toLabelName(key), value);
  return entry;
}

/** A key or a place in a list. */
export type JsonPath = readonly (string | number)[];

/** `a.b[0]["c d"]`. Throws `Error` for what is no such path. */
export function parseJsonPath(expression: string): JsonPath {
  const path: (string | number)[] = [];
  const step = /\s*(?:(\.?)\s*([A-Za-z_]\w*)|\[\s*(?:(\d+)|"([^"\]]*)")\s*\])\s*/y;
  while (step.lastIndex < expression.length) {
    const [, dot, name, index, quoted] = step.exec(expression) ?? [];
    const isField = name !== undefined && (dot === ".") === path.length > 0;
    if (!isField && index === undefined && quoted === undefined) throw new Error(`invalid JSON path ${expression}`);
    path.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  if (path.length === 0) throw new Error("a JSON path is not empty");
  return path;
}

/** Reads the values at paths of a line that is JSON; objects and lists as JSON, and nothing for what is not there. */
export function extractJsonPaths(
  line: string,
  paths: readonly (readonly [name: string, path: JsonPath])[],
  labels: LineLabels,
): void {
  if (line === "") return;
  if (!/^["{[]/.test(line)) {
    labels.fail("JSONParserErr", "");
    return;
  }
  const missing: string[] = [];
  for (const [name, path] of paths) {
    const value = findValue(line, path);
    if (value === undefined) missing.push(name);
    else labels.put(name, textOfJson(line, value));
  }
  for (const name of missing) if (labels.get(name) === undefined) labels.set(name, "");
}

function findValue(line: string, path: JsonPath): JsonValue | undefined {
  let at: JsonValue | undefined = { kind: line.startsWith("{") ? "object" : "array", start: 0, end: line.length };
  for (const step of path) at = at === undefined ? undefined : stepInto(line, at, step);
  return at;
}

function stepInto(line: string, { kind, start }: JsonValue, step: string | number): JsonValue | undefined {
  if (typeof step === "string") {
    let found: JsonValue | undefined;
    if (kind !== "object") return undefined;
    eachMember(line, start, (key, value) => {
      if (key !== step) return undefined;
      found = value;
      return "found";
    });
    return found;
  }
  if (kind !== "array") return undefined;
  let index = 0;
  for (const value of eachItem(line, start)) if (index++ === step) return value;
  return undefined;
}
