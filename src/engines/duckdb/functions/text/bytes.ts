/** The BYTES forms of functions that take STRING or BYTES. */
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, PrintCall } from "../types.ts";

/** Bytes `from` to `to`, both counted from 1 and included. */
function slice(value: string, from: string, to: string): string {
  return `array_slice(${value}, ${from}, ${to})`;
}

/** Fails for a negative length, unless one of the other arguments is NULL. */
function checked(length: string, name: string, ...others: readonly string[]): string {
  return computeOnce([length], "length", (v) => {
    const fail = raiseError(quoteString(`${name}: the length must not be negative`));
    const hasAll = others.map((other) => ` AND ${other} IS NOT NULL`).join("");
    return `CASE WHEN ${v} < 0${hasAll} THEN ${fail} ELSE ${v} END`;
  });
}

function substr({ args: [value = "", position = "", length] }: CallContext): string {
  const count = length === undefined ? [] : [checked(length, "SUBSTR", value, position)];
  return computeOnce([value, position, ...count], "substr", (v = "", p = "", n) => {
    const size = `octet_length(${v})`;
    const start = `CASE WHEN ${p} = 0 OR ${p} < -${size} THEN 1 WHEN ${p} < 0 THEN ${size} + ${p} + 1 ELSE ${p} END`;
    const missing = n === undefined ? `${p} IS NULL` : `${p} IS NULL OR ${n} IS NULL`;
    const from = `least(${start}, ${size} + 1)`;
    const to = n === undefined ? size : `least(${from} - 1 + least(${n}, ${size}), ${size})`;
    return `CASE WHEN ${missing} THEN NULL ELSE ${slice(v, from, to)} END`;
  });
}

function left({ args: [value = "", length = ""] }: CallContext): string {
  return computeOnce([value, checked(length, "LEFT", value)], "left", (v = "", n = "") => {
    return `CASE WHEN ${n} IS NOT NULL THEN ${slice(v, "1", `least(${n}, octet_length(${v}))`)} END`;
  });
}

function right({ args: [value = "", length = ""] }: CallContext): string {
  return computeOnce([value, checked(length, "RIGHT", value)], "right", (v = "", n = "") => {
    const size = `octet_length(${v})`;
    return `CASE WHEN ${n} IS NOT NULL THEN ${slice(v, `${size} - least(${n}, ${size}) + 1`, size)} END`;
  });
}

/** Whether the bytes begin, or end, with others. */
function affix(isPrefix: boolean): PrintCall {
  return ({ args }) =>
    computeOnce(args, "affix", (v = "", other = "") => {
      const [size, count] = [`octet_length(${v})`, `octet_length(${other})`];
      const part = isPrefix ? slice(v, "1", count) : slice(v, `${size} - ${count} + 1`, size);
      return `(${size} >= ${count} AND ${part} = ${other})`;
    });
}

function firstByte({ args: [value = ""] }: CallContext): string {
  return computeOnce(
    [value],
    "first",
    (v) => `CASE WHEN octet_length(${v}) = 0 THEN 0 ELSE lw_byte_values(${slice(v, "1", "1")})[1] END`,
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
        ? `lw_latin1_pattern(${arg})`
        : `lw_latin1(${arg})`;
    });
    const printed = print({ ...context, args });
    if (context.type.kind === "BYTES") return `lw_latin1_bytes(${printed})`;
    const isList = context.type.kind === "ARRAY" && context.type.element.kind === "BYTES";
    return isList ? `list_transform(${printed}, lambda lw_part: lw_latin1_bytes(lw_part))` : printed;
  };
}

/**
 * A function of STRING or BYTES. `bytesForm` says how BYTES are computed: a form of this file by its name, `latin1`
 * for the STRING form over one character a byte, or any other name, that of a function of the same arguments.
 */
export function onBytes(print: PrintCall, bytesForm: string): PrintCall {
  const own = ownForms[bytesForm];
  const printBytes =
    bytesForm === "latin1" ? overLatin1(print) : (own ?? (({ args }) => `${bytesForm}(${args.join(", ")})`));
  return (context) => (context.types[0]?.kind === "BYTES" ? printBytes(context) : print(context));
}
