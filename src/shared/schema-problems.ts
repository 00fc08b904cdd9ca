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
