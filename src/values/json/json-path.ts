/**
 * JSONPath of the JSON functions. Keys that hold other characters are quoted `$."a.b"` for the standard functions
 * (JSON_QUERY, JSON_VALUE ...) and `$['a.b']` for the legacy ones (JSON_EXTRACT ...).
 * Source: "JSONPath format" of the GoogleSQL JSON functions page.
 */
import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";

export type JsonPathStyle = "standard" | "legacy";

/**
 * One step: the name of a member, or, of an array, the text of an index. Whether a step was written `.x` or `[x]` makes
 * no difference to what it finds: the value it is applied to decides.
 */
export interface JsonPathStep {
  readonly key: string;
  /** True for `[0]`: the mutating functions make an array for it where there is nothing yet. */
  readonly isIndex: boolean;
}

const MEMBER = /\.([\p{L}\p{N}_\-:\s]+)/uy;
const QUOTED_STANDARD = /\."([^"\\]*(?:\\[\s\S][^"\\]*)*)"/uy;
const QUOTED_LEGACY = /\[\s*'([^'\\]*(?:\\[\s\S][^'\\]*)*)'\s*\]/uy;
const INDEX_STANDARD = /\[\s*([\p{N}_-]+)\s*\]/uy;
const INDEX_LEGACY = /\[\s*([\p{L}\p{N}_-]+)\s*\]/uy;

/** As deep as JSON values are. */
const MAX_STEPS = 500;

/**
 * Reads a path; throws an Error with the reference's reasons where it is none, or uses an operator that is not
 * supported.
 */
export function parseJsonPath(path: string, style: JsonPathStyle): readonly JsonPathStep[] {
  if (!path.startsWith("$")) throw new Error("JSONPath must start with '$'");
  const quoted = style === "standard" ? QUOTED_STANDARD : QUOTED_LEGACY;
  const index = style === "standard" ? INDEX_STANDARD : INDEX_LEGACY;
  const quote = style === "standard" ? '\\"' : "\\'";
  const steps: JsonPathStep[] = [];
  let at = 1;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    if (found === null) return undefined;
    at += found[0].length;
    return found[1];
  };
  while (at < path.length) {
    const member = take(MEMBER);
    if (member !== undefined) {
      steps.push({ key: member, isIndex: false });
      continue;
    }
    const subscript = take(index);
    if (subscript !== undefined) {
      steps.push({ key: subscript, isIndex: /^\d+$/.test(subscript) });
      continue;
    }
    const key = take(quoted);
    if (key === undefined) break;
    steps.push({ key: key.replaceAll(quote, quote.slice(1)), isIndex: false });
  }
  if (steps.length > MAX_STEPS) throw new Error(`A JSONPath has at most ${MAX_STEPS} steps`);
  const rest = path.slice(at);
  // The legacy functions allow a dot at the end.
  if (rest === "" || (rest === "." && style === "legacy")) return steps;
  const operator = /\*|\.\.|@/.exec(rest);
  if (operator !== null) throw new Error(`Unsupported operator in JSONPath: ${operator[0]}`);
  throw new Error(`Invalid token in JSONPath at: ${rest}`);
}

/** The position in an array that a step names, or undefined. */
export function stepIndex(step: JsonPathStep): number | undefined {
  return /^\d{1,15}$/.test(step.key) ? Number(step.key) : undefined;
}

/** The value at a path, or undefined where there is none. */
export function findJson(value: JsonValue, path: readonly JsonPathStep[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of path) {
    if (current === undefined) return undefined;
    if (isJsonObject(current)) current = current.get(step.key);
    else if (isJsonArray(current)) {
      const index = stepIndex(step);
      current = index === undefined ? undefined : current[index];
    } else return undefined;
  }
  return current;
}

/** The path as a JSON Pointer (RFC 6901), which finds the same values. */
export function toJsonPointer(path: readonly JsonPathStep[]): string {
  return path.map((step) => `/${step.key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
