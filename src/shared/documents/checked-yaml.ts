import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { messageOf } from "../message-of.ts";
import { findSchemaProblems, findTextProblems } from "./schema-problems.ts";

/** The maximum number of aliases that a document may resolve; more are considered an attack. */
const maxAliasCount = 100;

/** A problem of a text, with its position. */
export interface TextProblem {
  readonly message: string;
  /** UTF-16 offset into the text. */
  readonly offset: number;
}

/** A YAML text that was checked against a schema, or its problems. */
export type CheckedYaml<T> =
  | { readonly isValid: true; readonly value: T; readonly offsetOf: (path: readonly string[]) => number }
  | { readonly isValid: false; readonly problems: readonly TextProblem[] };

/**
 * Parses YAML and checks it against a JSON schema; reports all problems together, each at the key it is about.
 * An empty text is an empty map.
 */
export function parseCheckedYaml<S extends TSchema>(text: string, schema: S): CheckedYaml<Static<S>> {
  const document = parseDocument(text, { lineCounter: new LineCounter(), prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => describeSyntax(text, error.message, error.pos[0]));
    const isFirst = ({ message, offset }: TextProblem, index: number) =>
      problems.findIndex((other) => other.message === message && other.offset === offset) === index;
    return { isValid: false, problems: problems.filter(isFirst) };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount }) ?? {};
  } catch (error) {
    // A few lines of nested aliases can expand to billions of values.
    const message = `its aliases cannot be resolved: ${messageOf(error)}`;
    return { isValid: false, problems: [{ message, offset: 0 }] };
  }
  const contents = document.contents;
  const ofTexts = findTextProblems(value);
  if (ofTexts.length === 0 && Value.Check(schema, value)) {
    return { isValid: true, value, offsetOf: (path) => offsetOf(contents, path) };
  }
  const problems = [...ofTexts, ...findSchemaProblems(schema, value)].map(({ path, message }) => {
    const name = path.join(".");
    return { message: name === "" ? message : `${name}: ${message}`, offset: offsetOf(contents, path) };
  });
  return { isValid: false, problems: problems.sort((a, b) => a.offset - b.offset) };
}

const CLOSING: Readonly<Record<string, string>> = { "}": "{", "]": "[" };

/**
 * Syntax problems of the YAML. An unclosed bracket is reported at its own position, rather than at the end of the text.
 */
function describeSyntax(text: string, message: string, offset: number): TextProblem {
  const closing = /must be sufficiently indented and end with a ([}\]])/.exec(message)?.[1];
  const opening = closing === undefined ? undefined : findOpen(text.slice(0, offset));
  if (closing === undefined || opening === undefined) return { message, offset };
  return { message: `"${CLOSING[closing]}" is not closed: "${closing}" is missing`, offset: opening };
}

/** The last unclosed bracket of a text, ignoring quoted texts and comments. */
function findOpen(text: string): number | undefined {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/'(?:[^'\n]|'')*'|"(?:[^"\\\n]|\\.)*"|(?:^|\s)#.*|[[\]{}]/gm)) {
    if (token === "{" || token === "[") open.push(index);
    else if (token === "}" || token === "]") open.pop();
  }
  return open.at(-1);
}

/** Offset of the key at a path, or of the deepest that exists on the way there. */
function offsetOf(root: unknown, path: readonly string[]): number {
  let offset = (root as Node | null)?.range?.[0] ?? 0;
  let current = root;
  for (const key of path) {
    if (isSeq(current)) {
      current = current.items[Number(key)];
      offset = (current as Node | undefined)?.range?.[0] ?? offset;
      continue;
    }
    if (!isMap(current)) break;
    const pair = current.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    if (pair === undefined) break;
    if (isScalar(pair.key) && pair.key.range) offset = pair.key.range[0];
    current = pair.value;
  }
  return offset;
}
