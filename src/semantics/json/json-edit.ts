/** JSON values changed at paths. Source: "Mutators" and "Accessors" of the GoogleSQL JSON functions page. */
import { parseJson } from "../../values/json/json-parser.ts";
import { findJson, type JsonPathStep, parseJsonPath, stepIndex } from "../../values/json/json-path.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../values/json/json-value.ts";

/** Nulls that one path may add, which for `$[999999999]` would fill the memory. */
const MAX_PADDING = 1_000_000;

function read(text: string): JsonValue {
  return parseJson(text, "round");
}

/** Copies arrays with nulls up to a length, up to `MAX_PADDING` nulls in all. */
type PadArray = (items: readonly JsonValue[], length: number) => JsonValue[];

function createPadding(): PadArray {
  let left = MAX_PADDING;
  return (items, length) => {
    left -= Math.max(0, length - items.length);
    if (left < 0) throw new Error(`A JSONPath cannot extend arrays by more than ${MAX_PADDING} elements`);
    const copy = [...items];
    while (copy.length < length) copy.push(null);
    return copy;
  };
}

type Change = (old: JsonValue | undefined) => JsonValue | undefined;

/**
 * The value with what is at the path replaced by `change` of it (undefined where there is nothing yet); `change`
 * answers undefined to leave everything as it is. Where the path does not exist, it is made when `creates`, also
 * below a null.
 */
function updateAt(
  value: JsonValue | undefined,
  path: readonly JsonPathStep[],
  creates: boolean,
  change: Change,
  pad: PadArray = createPadding(),
): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (value === undefined && !creates) return undefined;
  const isEmpty = value === undefined || (value === null && creates);
  if (isEmpty ? step.isIndex : isJsonArray(value)) {
    const items = isEmpty ? [] : (value as readonly JsonValue[]);
    const index = step.isIndex ? stepIndex(step) : undefined;
    if (index === undefined) return undefined;
    const item = updateAt(items[index], rest, creates, change, pad);
    return item === undefined ? undefined : Object.assign(pad(items, index), { [index]: item });
  }
  if (!isEmpty && (step.isIndex || !isJsonObject(value))) return undefined;
  const members: JsonObject = isEmpty ? new Map() : (value as JsonObject);
  const member = updateAt(members.get(step.key), rest, creates, change, pad);
  return member === undefined ? undefined : new Map(members).set(step.key, member);
}

export interface PathValue {
  readonly path: string;
  readonly value: JsonValue;
  /** The value is a SQL array, whose elements may be added one by one. */
  readonly isArray: boolean;
}

/** The value changed at a path, or the old one where the path did not fit. (A JSON null is a value.) */
function changed(json: JsonValue, path: readonly JsonPathStep[], change: Change, creates = false): JsonValue {
  const updated = updateAt(json, path, creates, change);
  return updated === undefined ? json : updated;
}

/** Changes an array that is there, or a null, which becomes one. */
function changingItems(change: (items: readonly JsonValue[]) => readonly JsonValue[]): Change {
  return (old) => (old === null ? change([]) : old !== undefined && isJsonArray(old) ? change(old) : undefined);
}

/** JSON_SET: pairs are applied one after the other; one that does not fit is left out. */
export function setValues(text: string, pairs: readonly PathValue[], createsMissing: boolean): JsonValue {
  return pairs.reduce<JsonValue>((json, { path, value }) => {
    const change: Change = (old) => (old === undefined && !createsMissing ? undefined : value);
    return changed(json, parseJsonPath(path, "standard"), change, createsMissing);
  }, read(text));
}

function itemsOf({ value, isArray }: PathValue, addsEach: boolean): readonly JsonValue[] {
  return addsEach && isArray && isJsonArray(value) ? value : [value];
}

/** JSON_ARRAY_APPEND: only to arrays that are there, and to nulls, which become arrays. */
export function appendValues(text: string, pairs: readonly PathValue[], addsEach: boolean): JsonValue {
  return pairs.reduce<JsonValue>((json, pair) => {
    const change = changingItems((items) => [...items, ...itemsOf(pair, addsEach)]);
    return changed(json, parseJsonPath(pair.path, "standard"), change);
  }, read(text));
}

/** JSON_ARRAY_INSERT: the last step of a path is the index that the value gets. */
export function insertValues(text: string, pairs: readonly PathValue[], addsEach: boolean): JsonValue {
  return pairs.reduce<JsonValue>((json, pair) => {
    const steps = parseJsonPath(pair.path, "standard");
    const last = steps.at(-1);
    const index = last?.isIndex === true ? stepIndex(last) : undefined;
    if (index === undefined) return json;
    const change = changingItems((old) => {
      const items = createPadding()(old, index);
      return [...items.slice(0, index), ...itemsOf(pair, addsEach), ...items.slice(index)];
    });
    return changed(json, steps.slice(0, -1), change);
  }, read(text));
}

/** JSON_REMOVE: paths that do not exist are passed over; `$` is an error. */
export function removeValues(text: string, paths: readonly string[]): JsonValue {
  return paths.reduce<JsonValue>((json, path) => {
    const steps = parseJsonPath(path, "standard");
    const last = steps.at(-1);
    if (last === undefined) throw new Error("The JSONPath cannot be '$'");
    const change: Change = (parent) => {
      if (parent === undefined) return undefined;
      if (isJsonArray(parent)) return parent.filter((_, index) => !last.isIndex || index !== stepIndex(last));
      if (last.isIndex || !isJsonObject(parent)) return undefined;
      const members = new Map(parent);
      members.delete(last.key);
      return members;
    };
    return changed(json, steps.slice(0, -1), change);
  }, read(text));
}

export interface StripOptions {
  readonly includesArrays: boolean;
  readonly removesEmpty: boolean;
}

/** Undefined when nothing is left. */
function strip(value: JsonValue, options: StripOptions): JsonValue | undefined {
  if (value === null) return undefined;
  if (isJsonArray(value)) {
    if (!options.includesArrays) return value.map((item) => (item === null ? null : (strip(item, options) ?? null)));
    const items = value.flatMap((item) => {
      const stripped = strip(item, options);
      return stripped === undefined ? [] : [stripped];
    });
    return items.length === 0 && options.removesEmpty ? undefined : items;
  }
  if (!isJsonObject(value)) return value;
  const members = new Map<string, JsonValue>();
  for (const [name, member] of value) {
    const stripped = strip(member, options);
    if (stripped !== undefined) members.set(name, stripped);
  }
  return members.size === 0 && options.removesEmpty ? undefined : members;
}

/** JSON_STRIP_NULLS below a path; null when nothing is left. */
export function stripNulls(text: string, path: string, options: StripOptions): JsonValue {
  const json = read(text);
  const steps = parseJsonPath(path, "standard");
  if (findJson(json, steps) === undefined) return json;
  return changed(json, steps, (old) => (old === undefined ? undefined : (strip(old, options) ?? null)));
}
