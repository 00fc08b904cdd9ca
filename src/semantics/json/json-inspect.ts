/** Functions that inspect a JSON value and its structure. Source: "Accessors" of the GoogleSQL JSON functions page. */
import { parseJson } from "../../values/json/json-parser.ts";
import {
  compareText,
  formatJson,
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonValue,
} from "../../values/json/json-value.ts";

export type KeysMode = "strict" | "lax" | "lax recursive";

/** Paths write other names in double quotes. */
function quoteKey(name: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(name) ? name : JSON.stringify(name);
}

/**
 * JSON_KEYS: the paths of all members down to `maxDepth`, without repetition, sorted. Members of objects in an array
 * are passed over (strict), counted when the array is not itself in an array (lax), or always (lax recursive).
 */
export function memberPaths(text: string, maxDepth: number, mode: KeysMode): readonly string[] {
  const paths = new Set<string>();
  const visit = (value: JsonValue, prefix: string, depth: number, isInArray: boolean): void => {
    if (isJsonArray(value)) {
      if (mode === "strict" || (mode === "lax" && isInArray)) return;
      for (const item of value) visit(item, prefix, depth, true);
    } else if (isJsonObject(value) && depth < maxDepth) {
      for (const [name, member] of value) {
        const path = prefix + quoteKey(name);
        paths.add(path);
        visit(member, `${path}.`, depth + 1, false);
      }
    }
  };
  visit(parseJson(text, "round"), "", 0, false);
  return [...paths].sort(compareText);
}

/** JSON_FLATTEN: the values that are no arrays, from any depth of arrays in arrays. */
export function flatten(text: string): readonly string[] {
  const collect = (value: JsonValue): readonly string[] =>
    isJsonArray(value) ? value.flatMap(collect) : [formatJson(value)];
  return collect(parseJson(text, "round"));
}

/** Are these numbers of one value, as `1` and `1.0` are? */
function isSameNumber(left: JsonValue, right: JsonValue): boolean {
  if (!(left instanceof JsonNumber && right instanceof JsonNumber)) return false;
  const [a, b] = [Number(left.text), Number(right.text)];
  // Of equal doubles, those of integers may have been rounded.
  return a === b && (!Number.isInteger(a) || toInteger(left) === toInteger(right));
}

const toInteger = ({ text }: JsonNumber): bigint => BigInt(/^-?\d+$/.test(text) ? text : Number(text));

/**
 * JSON_CONTAINS: an array holds each element of another somewhere; an object each member; at the top an array holds a
 * scalar.
 */
export function containsJson(outer: string, inner: string): boolean {
  const contains = (left: JsonValue, right: JsonValue): boolean => {
    if (isJsonArray(left))
      return isJsonArray(right) && right.every((item) => left.some((candidate) => contains(candidate, item)));
    if (isJsonObject(left)) {
      if (!isJsonObject(right)) return false;
      return [...right].every(([name, member]) => {
        const own = left.get(name);
        return own !== undefined && contains(own, member);
      });
    }
    if (isJsonArray(right) || isJsonObject(right)) return false;
    return formatJson(left) === formatJson(right) || isSameNumber(left, right);
  };
  const left = parseJson(outer, "round");
  const right = parseJson(inner, "round");
  const isScalarInArray = isJsonArray(left) && !isJsonArray(right) && !isJsonObject(right);
  return isScalarInArray ? left.some((item) => contains(item, right)) : contains(left, right);
}

export type JsonScope = "JSON_VALUES" | "JSON_KEYS" | "JSON_KEYS_AND_VALUES";

/** The texts that CONTAINS_SUBSTR searches: scalars, names, or both. */
export function searchableTexts(text: string, scope: JsonScope): readonly string[] {
  const texts: string[] = [];
  const visit = (value: JsonValue): void => {
    if (isJsonArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) {
      for (const [name, member] of value) {
        if (scope !== "JSON_VALUES") texts.push(name);
        visit(member);
      }
    } else if (scope !== "JSON_KEYS") texts.push(typeof value === "string" ? value : formatJson(value));
  };
  visit(parseJson(text, "round"));
  return texts;
}

/** A compact JSON text laid out on lines, two spaces a level; everything else stays unchanged. */
export function prettyText(text: string): string {
  let depth = 0;
  const lineBreak = () => `\n${"  ".repeat(depth)}`;
  return text.replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === ",") return `,${lineBreak()}`;
    if (token === ":") return ": ";
    if (token === "{" || token === "[") {
      depth++;
      return token + lineBreak();
    }
    if (token === "}" || token === "]") {
      depth--;
      return lineBreak() + token;
    }
    return token;
  });
}
