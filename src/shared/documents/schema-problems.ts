import type { TSchema } from "typebox";
import { Value } from "typebox/value";

/** One way in which a value does not fit a schema. */
export interface SchemaProblem {
  /** Keys from the outside to the value at fault; for an unknown key, that key is the last. */
  readonly path: readonly string[];
  readonly message: string;
}

/** All ways in which a value does not fit a JSON schema; none where it fits. */
export function findSchemaProblems(schema: TSchema, value: unknown): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  /** Problems of another form than a value has, where it may have several. */
  const ofOtherForms = new Set<SchemaProblem>();
  for (const error of Value.Errors(schema, value)) {
    // Said again for each unknown key, with the keyword "boolean"; an anyOf's members speak for it.
    if (error.keyword === "additionalProperties" || error.keyword === "anyOf") continue;
    const path = pointerToPath(error.instancePath);
    const problem = { path, message: describe(error.keyword, error.params, error.message) };
    problems.push(problem);
    if (error.keyword === "type") ofOtherForms.add(problem);
  }
  // What is said of the form that the value has says more.
  const isOtherForm = (problem: SchemaProblem) =>
    ofOtherForms.has(problem) &&
    problems.some((other) => !ofOtherForms.has(other) && startsWith(other.path, problem.path));
  // Where null is one of several forms, it is hardly the one that was meant.
  const isNullOnly = ({ path, message }: SchemaProblem) =>
    message === "must be null" && problems.some((other) => other.message !== message && startsWith(other.path, path));
  return problems.filter((problem) => !isNullOnly(problem) && !isOtherForm(problem));
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}

function pointerToPath(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function describe(keyword: string, params: object, message: string): string {
  if (keyword === "boolean") return "there is no such key";
  if ("requiredProperties" in params && Array.isArray(params.requiredProperties)) {
    const keys: readonly unknown[] = params.requiredProperties;
    const lines = keys.map((key) => `"${key}: ..."`).join(" and ");
    return `${keys.length === 1 ? "a key is" : "keys are"} missing: add ${lines}`;
  }
  if (keyword === "type" && message === "must be object") return "must be a map of keys, as in { key: value }";
  if ("allowedValues" in params && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(", ")}`;
  }
  return message;
}

/** Problems of texts that are reported of one document. */
const maxTextProblems = 10;

/**
 * The one rule for every text that a user has stored, of whatever document and depth, keys too: it can be stored in
 * every database and shown on every terminal as it was sent. It has no character of half a pair, which UTF-8 cannot
 * write, no NUL, which PostgreSQL refuses, and no other control character than tabs and line breaks.
 */
export function findTextProblems(document: unknown): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const open: Place[] = [{ value: document }];
  for (let next = open.pop(); next !== undefined && problems.length < maxTextProblems; next = open.pop()) {
    const { value } = next;
    const message = typeof value === "string" ? whyNotStored(value) : undefined;
    if (message !== undefined) problems.push({ path: pathOf(next), message });
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value).toReversed()) {
      const place = { key, value: inner, parent: next };
      const ofName = whyNotStored(key);
      if (ofName !== undefined) problems.push({ path: pathOf(place), message: `its name ${ofName}` });
      open.push(place);
    }
  }
  return problems;
}

/** A value and where it stands: documents may be as deep as their bodies are long. */
interface Place {
  readonly key?: string;
  readonly value: unknown;
  readonly parent?: Place;
}

/** Keys of a path that are reported. */
const maxShownKeys = 20;

function pathOf(place: Place): readonly string[] {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(toShown(at.key));
  return path.reverse().slice(0, maxShownKeys);
}

function whyNotStored(text: string): string | undefined {
  if (!text.isWellFormed()) return "has half a surrogate pair, which is no character";
  const control = /(?![\t\n\r])\p{Cc}/u.exec(text)?.[0];
  return control === undefined ? undefined : `has the control character ${toShown(control)}`;
}

/** A text for messages. */
function toShown(text: string): string {
  const name = (character: string) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return text
    .slice(0, 200)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, name);
}
