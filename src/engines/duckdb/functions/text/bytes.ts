/** The BYTES forms of functions that take STRING or BYTES. */

import { numberSql } from "../../sql/atoms.ts";
import { callSql, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, PrintCall } from "../types.ts";

/** Bytes `from` to `to`, both counted from 1 and included. */
function slice(value: Sql, from: Sql, to: Sql): Sql {
  return sql`array_slice(${value}, ${from}, ${to})`;
}

/** DuckDB takes lengths and positions of texts up to it. */
export const MAX_POSITION = 4_294_967_295n;

/** Whether it is written out, and a length of texts. */
export function isKnownLength({ integer }: Sql): boolean {
  return integer !== undefined && integer >= 0n && integer <= MAX_POSITION;
}

/**
 * The length, at most `MAX_POSITION`. Fails for a negative one unless one of the other arguments is NULL. All of them
 * cost nothing to repeat. (DuckDB's `least` would make a number of a NULL.)
 */
export function checkedLength(length: Sql, name: string, ...others: readonly Sql[]): Sql {
  if (isKnownLength(length)) return length;
  const hasAll = joinMapped(others, "", (other) => sql` AND ${other} IS NOT NULL`);
  return sql`
    (CASE WHEN ${length} < 0${hasAll} THEN ${raiseText(`${name}: the length must not be negative`)} WHEN ${length} < 0
    THEN 0 WHEN ${length} > ${numberSql(MAX_POSITION)} THEN ${numberSql(MAX_POSITION)} ELSE ${length} END)
  `;
}

function substr({ args: [value = EMPTY, position = EMPTY, length] }: CallContext): Sql {
  return computeOnce(
    [value, position, ...(length === undefined ? [] : [length])],
    "substr",
    (v = EMPTY, p = EMPTY, n) => {
      const size = sql`octet_length(${v})`;
      const start = sql`CASE WHEN ${p} = 0 OR ${p} < -${size} THEN 1 WHEN ${p} < 0 THEN ${size} + ${p} + 1 ELSE ${p} END`;
      const missing = n === undefined ? sql`${p} IS NULL` : sql`${p} IS NULL OR ${n} IS NULL`;
      const from = sql`least(${start}, ${size} + 1)`;
      const count = (given: Sql) => sql`least(${checkedLength(given, "SUBSTR", v, p)}, ${size})`;
      const to = n === undefined ? size : sql`least(${from} - 1 + ${count(n)}, ${size})`;
      return sql`CASE WHEN ${missing} THEN NULL ELSE ${slice(v, from, to)} END`;
    },
  );
}

function left({ args: [value = EMPTY, length = EMPTY] }: CallContext): Sql {
  return computeOnce([value, length], "left", (v = EMPTY, n = EMPTY) => {
    const count = sql`least(${checkedLength(n, "LEFT", v)}, octet_length(${v}))`;
    return sql`CASE WHEN ${n} IS NOT NULL THEN ${slice(v, numberSql(1), count)} END`;
  });
}

function right({ args: [value = EMPTY, length = EMPTY] }: CallContext): Sql {
  return computeOnce([value, length], "right", (v = EMPTY, n = EMPTY) => {
    const size = sql`octet_length(${v})`;
    const count = sql`least(${checkedLength(n, "RIGHT", v)}, ${size})`;
    return sql`CASE WHEN ${n} IS NOT NULL THEN ${slice(v, sql`${size} - ${count} + 1`, size)} END`;
  });
}

/** Whether the bytes begin, or end, with others. */
function affix(isPrefix: boolean): PrintCall {
  return ({ args }) =>
    computeOnce(args, "affix", (v = EMPTY, other = EMPTY) => {
      const [size, count] = [sql`octet_length(${v})`, sql`octet_length(${other})`];
      const part = isPrefix ? slice(v, numberSql(1), count) : slice(v, sql`${size} - ${count} + 1`, size);
      return sql`(${size} >= ${count} AND ${part} = ${other})`;
    });
}

function firstByte({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce(
    [value],
    "first",
    (v) =>
      sql`CASE WHEN octet_length(${v}) = 0 THEN 0 ELSE lw_byte_values(${slice(v, numberSql(1), numberSql(1))})[1] END`,
  );
}

const ownForms: Readonly<Record<string, PrintCall>> = {
  first: firstByte,
  left,
  right,
  substr,
  starts_with: affix(true),
  ends_with: affix(false),
};

/**
 * The STRING form over strings of one character a byte: right wherever a function treats characters as units,
 * whatever they are. A result that is text again becomes bytes again.
 */
function overLatin1(print: PrintCall): PrintCall {
  return (context) => {
    const args = context.args.map((arg, index) => {
      if (context.types[index]?.kind !== "BYTES" || arg === undefined) return arg;
      return index === 1 && context.call.function.startsWith("REGEXP_")
        ? sql`lw_latin1_pattern(${arg})`
        : sql`lw_latin1(${arg})`;
    });
    const printed = print({ ...context, args });
    if (context.type.kind === "BYTES") return sql`lw_latin1_bytes(${printed})`;
    const isList = context.type.kind === "ARRAY" && context.type.element.kind === "BYTES";
    return isList ? mapList(printed, "lw_part", sql`lw_latin1_bytes(lw_part)`) : printed;
  };
}

/**
 * A function of STRING or BYTES. `bytesForm` says how BYTES are computed: a form of this file by its name, `latin1`
 * for the STRING form over one character a byte, or any other name, that of a function of the same arguments.
 */
export function onBytes(print: PrintCall, bytesForm: string): PrintCall {
  const own = ownForms[bytesForm];
  const printBytes = bytesForm === "latin1" ? overLatin1(print) : (own ?? (({ args }) => callSql(bytesForm, args)));
  return (context) => (context.types[0]?.kind === "BYTES" ? printBytes(context) : print(context));
}
