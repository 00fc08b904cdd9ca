/** String functions. Characters are code points, for ClickHouse's functions of UTF-8 as for GoogleSQL. */

import { nameSql, numberSql, textSql } from "../sql/atoms.ts";
import { callSql, EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { bytesOnly, literalOf, named, textOnly } from "./rows.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** Characters of Unicode's White_Space property, which TRIM removes when it is given no set. */
const WHITE_SPACE =
  " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** The maximum result of a function, unless the call allows less: the server does not know the call's budget. */
const MAX_STRING_BYTES = 16 * 1024 * 1024;

function isBytes({ types }: CallContext): boolean {
  return types[0]?.kind === "BYTES";
}

/** ClickHouse's functions for texts and for bytes. */
function byKind(text: string, bytes = text): PrintCall {
  return (context) => callSql(isBytes(context) ? bytes : text, context.args);
}

/** The same as a number of the language. */
function counted(text: string, bytes = text): PrintCall {
  const print = byKind(text, bytes);
  return (context) => sql`toInt64(${print(context)})`;
}

function concat(context: CallContext): Sql {
  if (context.types.every(({ kind }) => kind === "STRING" || kind === "BYTES" || kind === "UNKNOWN")) {
    return sql`concat(${joinSql(context.args, ", ")})`;
  }
  if (context.type.kind === "ARRAY") return context.refuse("arrays");
  const texts = context.args.map((arg, index) => {
    const kind = context.types[index]?.kind;
    if (kind === "STRING") return arg;
    return kind === "INT64" ? sql`toString(${arg})` : context.refuse(`values of the type ${kind}`);
  });
  return sql`concat(${joinSql(texts, ", ")})`;
}

const length = (context: CallContext) => nameSql(isBytes(context) ? "length" : "lengthUTF8");
const part = (context: CallContext) => nameSql(isBytes(context) ? "substring" : "substringUTF8");

/** A number of characters that ClickHouse takes; no text has more. Over a name. */
function clamp(count: Sql): Sql {
  return sql`multiIf(${count} < 0, 0, ${count} > 4294967295, 4294967295, ${count})`;
}

function left(context: CallContext): Sql {
  const [value = EMPTY, count = EMPTY] = context.args;
  const take = (v: Sql, n: Sql) => sql`${part(context)}(${v}, 1, ${clamp(n)})`;
  if ((count.integer ?? -1n) >= 0n) return take(value, count);
  return context.bind([value, count], (v, n) =>
    context.failIf(sql`${n} < 0 AND isNotNull(${v})`, "LEFT: the length must not be negative", take(v, n)),
  );
}

function right(context: CallContext, v: Sql, n: Sql): Sql {
  const rest = sql`toInt64(${length(context)}(${v})) - ${clamp(n)}`;
  const start = sql`if(${rest} < 0, 1, ${rest} + 1)`;
  const taken = sql`${part(context)}(${v}, ${start})`;
  return context.failIf(sql`${n} < 0 AND isNotNull(${v})`, "RIGHT: the length must not be negative", taken);
}

/** Positions from 1; 0 and those before the start are the start, negative ones count from the end. */
function substr(context: CallContext, v: Sql, p: Sql, n: Sql | undefined): Sql {
  const all = sql`toInt64(${length(context)}(${v}))`;
  const start = sql`multiIf(isNull(${p}), NULL, ${p} = 0 OR ${p} < -${all}, 1, ${p} < 0, ${all} + ${p} + 1, ${clamp(p)})`;
  if (n === undefined) return sql`${part(context)}(${v}, ${start})`;
  const taken = sql`${part(context)}(${v}, ${start}, ${clamp(n)})`;
  const fails = sql`${n} < 0 AND isNotNull(${v}) AND isNotNull(${p})`;
  return context.failIf(fails, "SUBSTR: the length must not be negative", taken);
}

const firstPosition = counted("positionUTF8", "position");

function position(context: CallContext): Sql {
  return context.args.length > 2 ? context.refuse("a position or an occurrence") : firstPosition(context);
}

/** The characters of a set as a class of a regular expression. */
export function characterClass(set: string): string {
  return `[${[...set].map((character) => `\\x{${character.codePointAt(0)?.toString(16)}}`).join("")}]`;
}

function trim(end: "both" | "left" | "right"): PrintCall {
  return (context) => {
    const [value = EMPTY, given] = context.args;
    const set = given === undefined ? WHITE_SPACE : literalOf(context, 1);
    if (set === undefined) return context.refuse("a set of characters that is no literal");
    if (set === "") return value;
    const one = characterClass(set);
    const patterns = [...(end === "right" ? [] : [`^${one}+`]), ...(end === "left" ? [] : [`${one}+$`])];
    return sql`replaceRegexpAll(${value}, ${textSql(patterns.join("|"))}, '')`;
  };
}

function replace(context: CallContext): Sql {
  const [value = EMPTY, from = EMPTY, to = EMPTY] = context.args;
  const [wanted, other] = [literalOf(context, 1), literalOf(context, 2)];
  // How long the text may become is known for short replacements only.
  if (wanted === undefined || other === undefined || other.length > Math.max(16, wanted.length)) {
    return context.refuse("a replacement that is no short literal");
  }
  return wanted === "" ? value : sql`replaceAll(${value}, ${from}, ${to})`;
}

/** ClickHouse repeats a text a million times at most. */
const MAX_REPETITIONS = 1_000_000;

function repeat(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  const count = Number(literalOf(context, 1));
  if (!(count >= 0 && count <= MAX_REPETITIONS)) return context.refuse("a number that is no literal up to a million");
  return context.bind([value], (v) => {
    const tooLong = sql`length(${v}) * ${numberSql(count)} > ${numberSql(MAX_STRING_BYTES)}`;
    const repeated = sql`repeat(if(${tooLong}, '', ${v}), ${numberSql(count)})`;
    return context.failIf(tooLong, "REPEAT makes a text longer than max_string_bytes allows", repeated);
  });
}

function pad(name: "leftPadUTF8" | "rightPadUTF8"): PrintCall {
  return (context) => {
    const [value = EMPTY, count = EMPTY, pattern = textSql(" ")] = context.args;
    const known = Number(literalOf(context, 1));
    if (!(known >= 0 && known <= 100_000)) return context.refuse("a length that is no small literal");
    if (context.args.length > 2 && (literalOf(context, 2) ?? "") === "") return context.refuse("this pattern");
    return sql`${nameSql(name)}(${value}, ${count}, ${pattern})`;
  };
}

function split(context: CallContext): Sql {
  const [value = EMPTY] = context.args;
  const delimiter = context.args.length > 1 ? literalOf(context, 1) : ",";
  // Without one ClickHouse splits bytes.
  if (delimiter === undefined || delimiter === "") return context.refuse("a delimiter that is no literal");
  return context.bind([value], (v) => {
    const parts = sql`splitByString(${textSql(delimiter)}, ifNull(${v}, ''))`;
    return sql`CAST(if(isNull(${v}), [], [${parts}]), 'Array(Array(Nullable(String)))')`;
  });
}

function codePoint(_: CallContext, v: Sql): Sql {
  const first = sql`reinterpretAsUInt32(convertCharset(substringUTF8(${v}, 1, 1), 'UTF-8', 'UTF-32LE'))`;
  return sql`multiIf(isNull(${v}), NULL, ${v} = '', 0::Int64, toInt64(${first}))`;
}

function ascii(context: CallContext, v: Sql): Sql {
  const isOther = sql`match(${v}, '^[^\\\\x00-\\\\x7f]')`;
  return context.failIf(isOther, "ASCII: the first character is no ASCII character", sql`toInt64(ascii(${v}))`);
}

/** Hexadecimal digits, of which an odd number has a zero before it. */
function fromHex(context: CallContext, v: Sql): Sql {
  const isWrong = sql`NOT match(${v}, '^[0-9A-Fa-f]*$')`;
  return context.failIf(isWrong, "FROM_HEX: no hexadecimal text", sql`unhex(if(${isWrong}, '', ${v}))`);
}

/** Splits the pattern of a LIKE into texts, `_` and `%`. */
function readPattern(pattern: string): readonly (string | { readonly wild: "_" | "%" })[] | undefined {
  const parts: (string | { readonly wild: "_" | "%" })[] = [];
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "%" || character === "_") {
      parts.push({ wild: character });
      continue;
    }
    if (character === "\\") index++;
    const literal = characters[index];
    // A backslash at the end escapes nothing, which is an error.
    if (literal === undefined) return undefined;
    parts.push(literal);
  }
  return parts;
}

/** The pattern as ClickHouse reads it, whose backslashes escape its own characters only. */
function printPattern(context: CallContext, index: number): Sql {
  const pattern = literalOf(context, index);
  const parts = pattern === undefined ? undefined : readPattern(pattern);
  if (parts === undefined) return context.refuse("a pattern that is no literal");
  const text = parts.map((part) => (typeof part === "string" ? part.replace(/[%_\\]/, "\\$&") : part.wild));
  return textSql(text.join(""));
}

function like(context: CallContext): Sql {
  return sql`like(${context.args[0] ?? EMPTY}, ${printPattern(context, 1)})`;
}

function likeList(operator: " OR " | " AND "): PrintCall {
  return textOnly((context) => {
    const [value = EMPTY, ...patterns] = context.args;
    return context.bind([value], (v) => {
      const each = patterns.map((_, index) => sql`like(${v}, ${printPattern(context, index + 1)})`);
      return sql`(${joinSql(each, operator)})`;
    });
  });
}

/** As a text of its own length: bytes of a fixed number lose their last zeros in a cast. */
function hash(name: string): PrintCall {
  return ({ args: [value = EMPTY] }) => sql`unhex(hex(${nameSql(name)}(${value})))`;
}

export const textFunctions: FunctionTable = {
  $concat_op: concat,
  $like: textOnly(like),
  $like_any: likeList(" OR "),
  $like_all: likeList(" AND "),
  ASCII: textOnly(named(ascii)),
  BYTE_LENGTH: counted("length"),
  CHAR_LENGTH: textOnly(counted("lengthUTF8")),
  CONCAT: concat,
  ENDS_WITH: byKind("endsWith"),
  FROM_HEX: named(fromHex),
  INSTR: position,
  LEFT: left,
  LENGTH: counted("lengthUTF8", "length"),
  LOWER: byKind("lowerUTF8", "lower"),
  LPAD: textOnly(pad("leftPadUTF8")),
  LTRIM: textOnly(trim("left")),
  MD5: hash("MD5"),
  REPEAT: repeat,
  REPLACE: textOnly(replace),
  REVERSE: byKind("reverseUTF8", "reverse"),
  RIGHT: named(right),
  RPAD: textOnly(pad("rightPadUTF8")),
  RTRIM: textOnly(trim("right")),
  SHA1: hash("SHA1"),
  SHA256: hash("SHA256"),
  SHA512: hash("SHA512"),
  SPLIT: textOnly(split),
  STARTS_WITH: byKind("startsWith"),
  STRPOS: position,
  SUBSTR: named(substr),
  TO_BASE64: bytesOnly(({ args }) => callSql("base64Encode", args)),
  TO_HEX: ({ args }) => sql`lower(${callSql("hex", args)})`,
  TRIM: textOnly(trim("both")),
  UNICODE: textOnly(named(codePoint)),
  UPPER: byKind("upperUTF8", "upper"),
};
