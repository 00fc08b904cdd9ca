import { endOfString, splitValues } from "../../values/json/split-json.ts";
import { type LineLabels, toLabelName } from "./line-labels.ts";

/** Labels of one line at most, so that a line of a million keys makes none of them. */
const maxLabels = 1_000;
/** Levels of objects that are read: each is a pass over what it holds. */
const maxDepth = 50;

/** Reads the labels of a line that is a JSON object: nested keys are joined by `_`, arrays are left out. */
export function extractJson(line: string, labels: LineLabels): void {
  if (!isJsonObject(line)) {
    labels.fail("JSONParserErr", "the line is no JSON object");
    return;
  }
  let count = 0;
  const open: [prefix: string, json: string, depth: number][] = [["", line, 1]];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [prefix, json, depth] = next;
    for (const [key, value] of membersOf(json)) {
      const name = prefix + toLabelName(key);
      if (value.startsWith("{")) {
        if (depth < maxDepth) open.push([`${name}_`, value, depth + 1]);
      } else if (!value.startsWith("[") && ++count <= maxLabels) labels.extract(name, textOf(value));
    }
  }
}

/** Reads the labels of a line that Promtail packed, and returns the line in it. */
export function extractPacked(line: string, labels: LineLabels): string {
  if (!isJsonObject(line)) {
    labels.fail("JSONParserErr", "the line is no JSON object");
    return line;
  }
  let entry = line;
  for (const [key, value] of membersOf(line)) {
    if (!value.startsWith('"')) continue;
    if (key === "_entry") entry = textOf(value);
    else labels.extract(toLabelName(key), textOf(value));
  }
  return entry;
}

function isJsonObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The keys and values of an object that is valid JSON. Numbers stay as they are written. */
function membersOf(json: string): readonly (readonly [key: string, value: string])[] {
  return [...splitValues(json.trim().slice(1, -1))].flatMap((member) => {
    const quote = member.indexOf('"');
    if (quote === -1) return [];
    const end = endOfString(member, quote);
    const value = member.slice(member.indexOf(":", end) + 1).trim();
    return [[JSON.parse(member.slice(quote, end)) as string, value] as const];
  });
}

function textOf(json: string): string {
  if (json.startsWith('"')) return JSON.parse(json) as string;
  return json === "null" ? "" : json;
}

/** A key or a place in a list. */
export type JsonPath = readonly (string | number)[];

/** `a.b[0]["c d"]`. Throws `Error` for what is no such path. */
export function parseJsonPath(expression: string): JsonPath {
  const path: (string | number)[] = [];
  const step = /\s*(?:\.?([A-Za-z_][\w-]*)|\[\s*(?:(\d+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\])/y;
  while (step.lastIndex < expression.length) {
    const found = step.exec(expression);
    if (found === null) throw new Error(`invalid JSON path ${expression}`);
    const [, name, index, quoted, single] = found;
    if (index !== undefined) path.push(Number(index));
    else path.push(quoted === undefined ? (name ?? single ?? "") : (JSON.parse(`"${quoted}"`) as string));
  }
  if (path.length === 0) throw new Error("a JSON path is not empty");
  return path;
}

/** Reads the values at paths of a line that is JSON; objects and lists as JSON. */
export function extractJsonPaths(
  line: string,
  paths: readonly (readonly [name: string, path: JsonPath])[],
  labels: LineLabels,
): void {
  if (!isJsonObject(line)) {
    labels.fail("JSONParserErr", "the line is no JSON object");
    return;
  }
  for (const [name, path] of paths) {
    let json: string | undefined = line.trim();
    for (const key of path) json = json === undefined ? undefined : stepInto(json, key);
    labels.extract(name, json === undefined ? "" : textOf(json));
  }
}

function stepInto(json: string, key: string | number): string | undefined {
  if (typeof key === "string") {
    if (!json.startsWith("{")) return undefined;
    return membersOf(json).find(([name]) => name === key)?.[1];
  }
  if (!json.startsWith("[")) return undefined;
  let index = 0;
  for (const value of splitValues(json.slice(1, -1))) if (index++ === key) return value.trim();
  return undefined;
}

/** Options of the logfmt parser; with `wanted` only these keys are read, as the labels that they are given for. */
export interface LogfmtOptions {
  readonly wanted: ReadonlyMap<string, readonly string[]> | undefined;
  readonly isStrict: boolean;
  readonly keepsEmpty: boolean;
}

/** Reads pairs such as `level=warn msg="a b"`. */
export function extractLogfmt(line: string, options: LogfmtOptions, labels: LineLabels): void {
  const pair = /\s*(?:([^\s="]+)(?:=(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|([^\s"=]*)(?=\s|$)))?(?=\s|$)|(\S+))/y;
  let count = 0;
  while (pair.lastIndex < line.length) {
    const found = pair.exec(line);
    if (found === null) break;
    const [, key, quoted, plain = "", malformed] = found;
    if (malformed !== undefined) {
      if (!options.isStrict) continue;
      labels.fail("LogfmtParserErr", `logfmt syntax error at pos ${found.index + 1}`);
      return;
    }
    if (key === undefined) continue;
    const value = quoted === undefined ? plain : unquote(quoted);
    if (value === "" && !options.keepsEmpty) continue;
    const { wanted } = options;
    const names = wanted === undefined ? [toLabelName(key)] : (wanted.get(key) ?? []);
    for (const name of names) if (++count <= maxLabels) labels.extract(name, value);
  }
}

function unquote(quoted: string): string {
  if (!quoted.includes("\\")) return quoted;
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return quoted;
  }
}
