/** String functions. Characters are code points, for DuckDB as for GoogleSQL; functions of BYTES stand in bytes.ts. */

import { FREE_STRING_BYTES, MAX_STRING_BYTES, STRING_BYTES } from "../../compile/limits.ts";
import { concatSql, nameSql, numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import { anyNull, callSql, castTo, lambda, raiseError, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { BLOB } from "../../sql/types.ts";
import { valueText } from "../cast/value-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { literalOf } from "../types.ts";
import { udfList } from "../udf-list.ts";
import { checkedLength, isKnownLength, MAX_POSITION, onBytes } from "./bytes.ts";
import { containsSubstr } from "./contains-substr.ts";
import { format } from "./format.ts";

/** Characters of Unicode's White_Space property, which TRIM removes when it is given no set. */
const WHITE_SPACE =
  " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

const VALUE = variableSql("lw_value");

/** Each byte may be an element of a list, and takes 16 bytes there. */
const MAX_SPLIT_BYTES = MAX_STRING_BYTES / 4;

function failTooLong(name: string): Sql {
  return raiseText(`${name} makes a longer text than max_string_bytes allows`);
}

/**
 * DuckDB's function where all characters are ASCII, where it does what GoogleSQL does and fast; JavaScript's
 * otherwise.
 */
function asciiOr(value: Sql, native: (value: Sql) => Sql, otherwise: (value: Sql) => Sql): Sql {
  return computeOnce(
    [value],
    "ascii",
    (v) => sql`CASE WHEN strlen(${v}) = length(${v}) THEN ${native(v)} ELSE ${otherwise(v)} END`,
  );
}

function mapCharacters(native: string, udf: string): PrintCall {
  return ({ args: [value = EMPTY] }) =>
    asciiOr(
      value,
      (v) => sql`${nameSql(native)}(${v})`,
      (v) => sql`${nameSql(udf)}(${v})`,
    );
}

function part(native: "left" | "right", name: string): PrintCall {
  return ({ args: [value = EMPTY, length = EMPTY] }) => {
    const print = (v: Sql, n: Sql) => sql`${nameSql(native)}(${v}, ${checkedLength(n, name, v)})`;
    return isKnownLength(length) ? print(value, length) : computeOnce([value, length], native, print);
  };
}

function substr({ args: [value = EMPTY, position = EMPTY, ...length] }: CallContext): Sql {
  const isPlain = isKnownLength(position);
  const print = (v: Sql, p: Sql, ...n: readonly Sql[]) => {
    const most = numberSql(MAX_POSITION);
    const start = isPlain
      ? numberSql(p.integer || 1n)
      : sql`CASE WHEN ${p} = 0 OR ${p} < -length(${v}) THEN 1 WHEN ${p} > ${most} THEN ${most} ELSE ${p} END`;
    return callSql("substr", [v, start, ...n.map((each) => checkedLength(each, "SUBSTR", v, p))]);
  };
  const args = [value, position, ...length] as const;
  return isPlain && length.every(isKnownLength) ? print(...args) : computeOnce(args, "substr", print);
}

/** LPAD and RPAD. */
function pad(native: "lpad" | "rpad", name: string): PrintCall {
  return ({ args: [value = EMPTY, length = EMPTY, pattern = textSql(" ")] }) =>
    computeOnce([value, length, pattern], "pad", (v = EMPTY, n = EMPTY, p = EMPTY) => {
      const checks = [
        sql`WHEN ${anyNull([v, n, p])} THEN NULL`,
        sql`WHEN ${n} < 0 THEN ${raiseText(`${name}: the length must not be negative`)}`,
        sql`WHEN ${p} = '' THEN ${raiseText(`${name}: the pattern must not be empty`)}`,
        sql`WHEN ${n} > ${STRING_BYTES} // 4 THEN ${failTooLong(name)}`,
      ];
      const known = n.integer;
      const isSafe =
        known !== undefined && known >= 0n && known <= FREE_STRING_BYTES / 4 && /^[^']+$/.test(p.literalText ?? "");
      const padded = (count: Sql) => sql`${nameSql(native)}(${v}, CAST(${count} AS INTEGER), ${p})`;
      return isSafe ? padded(n) : sql`CASE ${joinSql(checks, " ")} ELSE ${padded(n)} END`;
    });
}

function repeat({ args }: CallContext): Sql {
  return computeOnce(args, "repeat", (value = EMPTY, count = EMPTY) => {
    const tooLong = sql`strlen(${value}) * CAST(${count} AS HUGEINT) > ${STRING_BYTES}`;
    return sql`
      CASE WHEN ${value} IS NULL OR ${count} IS NULL THEN NULL WHEN ${count} < 0
      THEN ${raiseText("REPEAT: the number of repetitions must not be negative")} WHEN ${tooLong}
      THEN ${failTooLong("REPEAT")} WHEN ${value} = '' THEN ${value} ELSE repeat(${value}, ${count}) END
    `;
  });
}

function trim(native: "trim" | "ltrim" | "rtrim"): PrintCall {
  return ({ args: [value = EMPTY, set] }) => {
    if (set !== undefined) return sql`${nameSql(native)}(${value}, ${set})`;
    const [first, last] = [sql`left(${VALUE}, 1)`, sql`right(${VALUE}, 1)`];
    const ends = native === "trim" ? [first, last] : native === "ltrim" ? [first] : [last];
    // Most values have nothing to remove, and DuckDB is slow for a large set.
    const mayHaveSpace = joinMapped(ends, " OR ", (end) => sql`${end} <= ' ' OR ${end} > '~'`);
    const trimmed = sql`${nameSql(native)}(${VALUE}, ${textSql(WHITE_SPACE)})`;
    // Over no struct: nothing of it can fail, so that it may run over a dictionary.
    return sql`list_transform([${value}], ${lambda(VALUE, sql`CASE WHEN ${mayHaveSpace} THEN ${trimmed} ELSE ${VALUE} END`)})[1]`;
  };
}

function split(context: CallContext): Sql {
  const [value = EMPTY, delimiter = textSql(",")] = context.args;
  return computeOnce([value, delimiter], "split", (v = EMPTY, d = EMPTY) => {
    const tooLong = sql`WHEN strlen(${v}) > ${numberSql(MAX_SPLIT_BYTES)} THEN ${raiseText("SPLIT: the value is too long")}`;
    const isKnown = context.args[1] === undefined || literalOf(context, 1) !== undefined;
    // DuckDB takes a missing delimiter for one that does not occur.
    return sql`CASE ${tooLong} ${isKnown ? sql`ELSE` : sql`WHEN ${d} IS NOT NULL THEN`} string_split(${v}, ${d}) END`;
  });
}

/** Fails where the result would be too long; what cannot grow much is not checked. */
function replace(context: CallContext): Sql {
  const { args } = context;
  const [from, to] = [literalOf(context, 1), literalOf(context, 2)];
  if (to !== undefined && to.length <= Math.max(16, from?.length ?? 0)) return callSql("replace", args);
  return computeOnce(args, "replace", (v = EMPTY, f = EMPTY, t = EMPTY) => {
    const mayBeLong = sql`CAST(strlen(${v}) AS HUGEINT) * strlen(${t}) > ${STRING_BYTES}`;
    const added = sql`(strlen(${v}) - strlen(replace(${v}, ${f}, ''))) // greatest(strlen(${f}), 1) * strlen(${t})`;
    const tooLong = sql`${mayBeLong} AND ${added} > ${STRING_BYTES}`;
    return sql`CASE WHEN ${tooLong} THEN ${failTooLong("REPLACE")} ELSE replace(${v}, ${f}, ${t}) END`;
  });
}

/** CONCAT, and `||` of texts. */
export function concat(context: CallContext): Sql {
  const parts = context.args.map((arg, index) => {
    const type = context.types[index];
    return type === undefined || type.kind === "STRING" || type.kind === "BYTES"
      ? arg
      : valueText(type, arg, { style: "cast", timeZone: context.timeZone });
  });
  const joined = concatSql(parts);
  // With a constant NULL it has no type for DuckDB, which then finds no function of it.
  return context.type.kind === "BYTES" ? castTo(joined, BLOB) : joined;
}

function instr({ args: [value = EMPTY, wanted = EMPTY, position, occurrence] }: CallContext): Sql {
  if (position === undefined && occurrence === undefined) return sql`strpos(${value}, ${wanted})`;
  return sql`lw_instr(${value}, ${wanted}, ${position ?? numberSql(1)}, ${occurrence ?? numberSql(1)})`;
}

/** NORMALIZE and NORMALIZE_AND_CASEFOLD; the mode is a bare name, NFC when absent. */
function normalize(udf: string, ascii: (value: Sql) => Sql): PrintCall {
  return ({ call, args: [value = EMPTY] }) => {
    const mode = call.arguments[1];
    const form = textSql(mode?.kind === "DatePart" ? mode.part : "NFC");
    const otherwise = (v: Sql) => sql`${nameSql(udf)}(${v}, ${form})`;
    return /^NFK?[CD]$/.test(form.literalText ?? "") ? asciiOr(value, ascii, otherwise) : otherwise(value);
  };
}

function chr({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce([value], "chr", (v) => {
    const isValid = sql`${v} BETWEEN 1 AND 55295 OR ${v} BETWEEN 57344 AND 1114111`;
    return sql`
      CASE WHEN ${v} = 0 THEN chr(0) WHEN ${isValid} THEN chr(CAST(${v} AS INTEGER)) WHEN ${v} IS NOT NULL
      THEN ${raiseError(sql`concat('Invalid codepoint ', ${v})`)} END
    `;
  });
}

function ascii({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce([value], "ascii", (v) => {
    const code = sql`CAST(unicode(${v}) AS BIGINT)`;
    return sql`
      CASE WHEN ${v} = '' THEN 0 WHEN ${code} > 127 THEN
      ${raiseText("ASCII: the first character is no ASCII character")} ELSE ${code} END
    `;
  });
}

function editDistance({ args: [left = EMPTY, right = EMPTY, max] }: CallContext): Sql {
  return max === undefined
    ? sql`lw_edit_distance(${left}, ${right})`
    : sql`lw_edit_distance_within(${left}, ${right}, ${max})`;
}

function initcap({ args: [value = EMPTY, delimiters] }: CallContext): Sql {
  return delimiters === undefined ? sql`lw_initcap(${value})` : sql`lw_initcap_by(${value}, ${delimiters})`;
}

/** A function of all arguments that DuckDB, or a UDF, has under a name. */
function call(name: string): PrintCall {
  return ({ args }) => callSql(name, args);
}

/** String functions by their catalogue names. */
export const stringFunctions: FunctionTable = {
  ASCII: onBytes(ascii, "first"),
  BYTE_LENGTH: onBytes(call("strlen"), "octet_length"),
  CHAR_LENGTH: call("length"),
  CHR: chr,
  CODE_POINTS_TO_BYTES: ({ args }) => sql`lw_from_byte_values(${udfList(args[0] ?? EMPTY)})`,
  CODE_POINTS_TO_STRING: ({ args }) => sql`lw_from_code_points(${udfList(args[0] ?? EMPTY)})`,
  COLLATE: ({ args }) => args[0] ?? EMPTY,
  CONCAT: concat,
  CONTAINS_SUBSTR: containsSubstr,
  EDIT_DISTANCE: onBytes(editDistance, "latin1"),
  ENDS_WITH: onBytes(call("ends_with"), "ends_with"),
  FORMAT: format,
  FROM_BASE32: call("lw_from_base32"),
  FROM_BASE64: call("lw_from_base64"),
  FROM_HEX: call("unhex"),
  INITCAP: initcap,
  INSTR: onBytes(instr, "latin1"),
  LEFT: onBytes(part("left", "LEFT"), "left"),
  LENGTH: onBytes(call("length"), "octet_length"),
  LOWER: onBytes(mapCharacters("lower", "lw_lower"), "lw_lower_bytes"),
  LPAD: onBytes(pad("lpad", "LPAD"), "latin1"),
  LTRIM: onBytes(trim("ltrim"), "latin1"),
  NORMALIZE: normalize("lw_normalize", (v) => v),
  NORMALIZE_AND_CASEFOLD: normalize("lw_casefold", (v) => sql`lower(${v})`),
  REPEAT: onBytes(repeat, "latin1"),
  REPLACE: onBytes(replace, "latin1"),
  REVERSE: onBytes(mapCharacters("reverse", "lw_reverse"), "lw_reverse_bytes"),
  RIGHT: onBytes(part("right", "RIGHT"), "right"),
  RPAD: onBytes(pad("rpad", "RPAD"), "latin1"),
  RTRIM: onBytes(trim("rtrim"), "latin1"),
  SAFE_CONVERT_BYTES_TO_STRING: call("lw_safe_text"),
  SOUNDEX: call("lw_soundex"),
  SPLIT: onBytes(split, "latin1"),
  STARTS_WITH: onBytes(call("starts_with"), "starts_with"),
  STRPOS: onBytes(({ args }) => callSql("strpos", args), "latin1"),
  SUBSTR: onBytes(substr, "substr"),
  TO_BASE32: call("lw_to_base32"),
  TO_BASE64: call("to_base64"),
  TO_CODE_POINTS: onBytes(call("lw_code_points"), "lw_byte_values"),
  TO_HEX: ({ args }) => sql`lower(hex(${args[0] ?? EMPTY}))`,
  TRANSLATE: onBytes(call("lw_translate"), "latin1"),
  TRIM: onBytes(trim("trim"), "latin1"),
  UNICODE: ({ args: [value = EMPTY] }) =>
    computeOnce([value], "unicode", (v) => sql`CASE WHEN ${v} = '' THEN 0 ELSE CAST(unicode(${v}) AS BIGINT) END`),
  UPPER: onBytes(mapCharacters("upper", "lw_upper"), "lw_upper_bytes"),
};
