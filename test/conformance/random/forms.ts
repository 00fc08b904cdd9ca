/**
 * Calls of every function of `calls.ts` in two forms: over literals, which are computed as the query is planned, and
 * over columns, where other code may compute them: native SQL in the one, `src/semantics/` in the other.
 */
import { CALLS } from "./calls.ts";
import { ExpressionWriter } from "./expressions.ts";
import { LITERALS } from "./literals.ts";
import type { Random } from "./random.ts";
import { COMPARED, ORDERED } from "./values.ts";

/** A call's text in pieces: what stands between its arguments, and their types, or the literals that they may be. */
export interface CallShape {
  readonly type: string;
  readonly template: string;
}

/** One call: as text over literals, and the parts that a call over columns has. */
export interface Call {
  readonly literal: string;
  readonly args: readonly string[];
  /** The text over the columns of a row, `c0` and so on. */
  readonly overColumns: string;
}

export const CALL_SHAPES: readonly CallShape[] = Object.entries(CALLS).flatMap(([type, templates]) =>
  [...new Set(templates)].map((template) => ({ type, template })),
);

/** True for values that a column can contain; names of date parts, for example, are none. */
function isValue(text: string): boolean {
  return /^(?:r?b?'|-?\d)/.test(text);
}

/**
 * Calls of one shape over random arguments. All have the same parts of dates and the like; with `areFixed` they have the
 * same formats, patterns and small numbers too, which then stand in the text: not everything may be read of a column.
 */
export function writeCalls(random: Random, shape: CallShape, count: number, areFixed: boolean): readonly Call[] {
  const expressions = new ExpressionWriter(random);
  const bound: Readonly<Record<string, string>> = {
    A: expressions.anyType(),
    C: random.pick(COMPARED),
    O: random.pick(ORDERED),
  };
  const fixed = new Map<number, string>();
  const parts = shape.template.split(/\{([^{}]+)\}/);
  const pieces = parts.map((name, index) => {
    const literals = index % 2 === 1 ? LITERALS[name] : undefined;
    const isInText = literals !== undefined && (areFixed || !literals.every(isValue) || isQuoted(parts, index));
    if (isInText) fixed.set(index, random.pick(literals));
    return { name, literals, index };
  });
  return random.times(count, () => {
    const args: string[] = [];
    let [literal, overColumns] = ["", ""];
    for (const { name, literals, index } of pieces) {
      const known = index % 2 === 0 ? name : fixed.get(index);
      const given = literals === undefined ? expressions.value(bound[name] ?? name) : random.pick(literals);
      const value = known ?? settle(given);
      literal += value;
      overColumns += known ?? `c${args.length}`;
      if (known === undefined) args.push(value);
    }
    return { literal: `(${literal})`, args, overColumns: `(${overColumns})` };
  });
}

/**
 * A value that means the same wherever it stands: a number as it is written may become one of another type, and a minus
 * before another begins a comment.
 */
function settle(value: string): string {
  if (/^-?\d+$/.test(value)) return value.startsWith("-") ? `(${value})` : value;
  return /^-?\d+(?:\.\d+)?(?:e-?\d+)?$/.test(value) ? `CAST('${value}' AS FLOAT64)` : value;
}

/** Does the piece stand inside of a text, as the element of a format does? */
function isQuoted(parts: readonly string[], index: number): boolean {
  const before = parts.slice(0, index).filter((_, at) => at % 2 === 0);
  return before.join("").replace(/\\'/g, "").split("'").length % 2 === 0;
}

/** The calls over columns as one query, a row a call in their order. */
export function overColumns(calls: readonly Call[]): string {
  const rows = calls.map(({ args }, row) => {
    const cells = args.map((arg, index) => (row === 0 ? `${arg} AS c${index}` : arg));
    return `STRUCT(${[row === 0 ? "0 AS id" : String(row), ...cells].join(", ")})`;
  });
  return `SELECT ${calls[0]?.overColumns} FROM UNNEST([${rows.join(", ")}]) ORDER BY id`;
}

export function overLiterals(calls: readonly Call[]): string {
  return `SELECT ${calls.map(({ literal }) => literal).join(", ")}`;
}
