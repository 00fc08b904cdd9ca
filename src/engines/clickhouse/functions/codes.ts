/** Functions of code points and encodings, and those of patterns that need care. */

import { formatType } from "../../../googlesql/types.ts";
import { checkReplacement, countGroups } from "../../../semantics/text/regexp-syntax.ts";
import { numberSql, textSql, variableSql } from "../sql/atoms.ts";
import { Refusal } from "../sql/refusal.ts";
import { callSql, EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { literalOf, named, textOnly } from "./rows.ts";
import { characterClass } from "./text.ts";
import type { CallContext, FunctionTable } from "./types.ts";

/** The UTF-8 of a code point that is one, over a name. */
function encode(code: Sql): Sql {
  const low = (shift: number) => sql`bitOr(128, bitAnd(bitShiftRight(${code}, ${numberSql(shift)}), 63))`;
  const two = sql`char(bitOr(192, bitShiftRight(${code}, 6)), ${low(0)})`;
  const three = sql`char(bitOr(224, bitShiftRight(${code}, 12)), ${low(6)}, ${low(0)})`;
  const four = sql`char(bitOr(240, bitShiftRight(${code}, 18)), ${low(12)}, ${low(6)}, ${low(0)})`;
  return sql`multiIf(${code} < 128, char(${code}), ${code} < 2048, ${two}, ${code} < 65536, ${three}, ${four})`;
}

const isCode = (code: Sql) => sql`(${code} >= 0 AND ${code} <= 55295 OR ${code} >= 57344 AND ${code} <= 1114111)`;

function chr(context: CallContext, v: Sql): Sql {
  const wrong = sql`NOT ${isCode(v)}`;
  const code = sql`toUInt32(if(isNull(${v}) OR ${wrong}, 0, ${v}))`;
  const text = sql`if(isNull(${v}), NULL, ${context.bind([code], encode)})`;
  return context.failIf(wrong, "Invalid codepoint", text);
}

/** Whether an element `lw_c` of the array is such before any that is NULL, which decides as soon as it is met. */
function isReached(condition: Sql, array: Sql): Sql {
  return sql`isNotNull(${array}[arrayFirstIndex(lw_c -> isNull(lw_c) OR ifNull(${condition}, false), ${array})])`;
}

const CODE = variableSql("lw_c");

/** Joins what each number of an array becomes; fails with the message for one that `isWrong` of `lw_c` holds for. */
function joined(context: CallContext, array: Sql, isWrong: Sql, message: string, pieces: Sql): Sql {
  const missing = sql`empty(${array}) OR arrayExists(lw_c -> isNull(lw_c), ${array}[1])`;
  const text = sql`if(${missing}, NULL, arrayStringConcat(${pieces}))`;
  return context.failIf(isReached(isWrong, sql`${array}[1]`), message, text);
}

function fromCodes(context: CallContext, a: Sql): Sql {
  const codes = sql`arrayMap(lw_c -> toUInt32(if(isNull(lw_c) OR NOT ${isCode(CODE)}, 0, assumeNotNull(lw_c))), ${a}[1])`;
  const pieces = sql`arrayMap(lw_u -> ${encode(variableSql("lw_u"))}, ${codes})`;
  return joined(context, a, sql`NOT ${isCode(CODE)}`, "Invalid codepoint", pieces);
}

function fromByteValues(context: CallContext, a: Sql): Sql {
  const pieces = sql`arrayMap(lw_c -> char(ifNull(lw_c, 0)), ${a}[1])`;
  return joined(context, a, sql`(lw_c < 0 OR lw_c > 255)`, "Invalid value for a byte", pieces);
}

function toCodes(_: CallContext, v: Sql): Sql {
  const characters = sql`ngrams(ifNull(${v}, ''), 1)`;
  const code = sql`toInt64(reinterpretAsUInt32(convertCharset(lw_c, 'UTF-8', 'UTF-32LE')))`;
  const all = sql`if(${v} = '', [], arrayMap(lw_c -> ${code}, ${characters}))`;
  return sql`CAST(if(isNull(${v}), [], [${all}]), 'Array(Array(Nullable(Int64)))')`;
}

/** Characters for characters, of literals whose characters differ from each other. */
function translate(context: CallContext): Sql {
  const [from, to] = [literalOf(context, 1), literalOf(context, 2)];
  if (from === undefined || to === undefined) return context.refuse("characters that are no literals");
  const [wanted, made] = [[...from], [...to]];
  if (new Set(wanted).size < wanted.length || made.length > wanted.length) return context.refuse("these characters");
  const [value = EMPTY] = context.args;
  const removed = wanted.slice(made.length).join("");
  const kept = removed === "" ? value : sql`replaceRegexpAll(${value}, ${textSql(characterClass(removed))}, '')`;
  if (made.length === 0) return kept;
  const mapped = wanted.slice(0, made.length).join("");
  return sql`translateUTF8(${kept}, ${textSql(mapped)}, ${textSql(made.join(""))})`;
}

function distance(context: CallContext, left: Sql, right: Sql, max: Sql | undefined): Sql {
  if (max !== undefined) return context.refuse("a greatest distance");
  // Beside an empty text, the server counts bytes.
  const count = sql`lengthUTF8(${left}) + lengthUTF8(${right})`;
  return sql`toInt64(if(${left} = '' OR ${right} = '', ${count}, editDistanceUTF8(${left}, ${right})))`;
}

function normalize(context: CallContext): Sql {
  const mode = context.call.arguments[1];
  const form = mode === undefined ? "NFC" : mode.kind === "DatePart" ? mode.part : "";
  if (!/^NFK?[CD]$/.test(form)) return context.refuse("this mode");
  return callSql(`normalizeUTF8${form}`, context.args.slice(0, 1));
}

/** Characters that `\s` stands for in the language's reading of Base64. */
const SPACES =
  "[\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]";

/** White space is ignored, and the padding may be omitted. */
function fromBase64(context: CallContext, v: Sql): Sql {
  return context.bind([sql`replaceRegexpAll(${v}, ${textSql(SPACES)}, '')`], (text) => {
    const digits = sql`trimRight(${text}, '=')`;
    const isPadded = sql`length(${text}) = length(${digits}) OR length(${text}) % 4 = 0`;
    const isRight = sql`match(${text}, '^[A-Za-z0-9+/]*={0,2}$') AND (${isPadded}) AND length(${digits}) % 4 != 1`;
    const whole = sql`rightPad(${digits}, intDiv(length(${digits}) + 3, 4) * 4, '=')`;
    const bytes = sql`if(isNull(${v}), NULL, base64Decode(if(ifNull(${isRight}, false), ${whole}, '')))`;
    return context.failIf(sql`NOT (${isRight})`, "Failed to decode invalid base64 string", bytes);
  });
}

function fromBase32(context: CallContext, text: Sql): Sql {
  const digits = sql`trimRight(${text}, '=')`;
  const isPadded = sql`length(${text}) = length(${digits}) OR length(${text}) % 8 = 0`;
  const hasLength = sql`length(${digits}) % 8 NOT IN (1, 3, 6)`;
  const isRight = sql`match(${digits}, '^[A-Z2-7]*$') AND (${isPadded}) AND ${hasLength}`;
  const five = sql`substring(bin(toUInt8(position(${BASE32}, lw_c) - 1)), 4)`;
  const bits = sql`arrayStringConcat(arrayMap(lw_c -> ${five}, ngrams(lw_t, 1)))`;
  const whole = sql`arrayMap(lw_b -> unbin(substring(lw_b, 1, intDiv(length(lw_b), 8) * 8)), [${bits}])[1]`;
  const read = sql`arrayMap(lw_t -> if(lw_t = '', '', ${whole}), [if(ifNull(${isRight}, false), ifNull(${digits}, ''), '')])[1]`;
  const bytes = sql`if(isNull(${text}), NULL, ${read})`;
  return context.failIf(sql`NOT (${isRight})`, "Failed to decode invalid base32 string", bytes);
}

const BASE32 = textSql("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");

/** Sequences of UTF-8 in hexadecimal digits, each of whole bytes. */
const UTF8_IN_HEX = [
  ...["[0-7].", "(?:C[2-9A-F]|D.)[89AB].", "E0[AB].[89AB].", "E[1-9A-CEF](?:[89AB].){2}", "ED[89].[89AB]."],
  ...["F0[9AB].(?:[89AB].){2}", "F[1-3](?:[89AB].){3}", "F48.(?:[89AB].){2}"],
].join("|");

/** One replacement character for each byte that is not valid UTF-8. */
function safeText(_: CallContext, v: Sql): Sql {
  const sequences = sql`extractAll(hex(ifNull(${v}, '')), ${textSql(`${UTF8_IN_HEX}|..`)})`;
  const kept = sql`arrayMap(lw_h -> if(match(lw_h, ${textSql(`^(?:${UTF8_IN_HEX})$`)}), lw_h, 'EFBFBD'), ${sequences})`;
  return sql`multiIf(isNull(${v}), NULL, isValidUTF8(ifNull(${v}, '')), ${v}, unhex(arrayStringConcat(${kept})))`;
}

/** FORMAT of `%s`, `%d` and `%%` without flags, over texts and INT64. */
function format(context: CallContext): Sql {
  const pattern = literalOf(context, 0);
  if (pattern === undefined) return context.refuse("a format that is no literal");
  const tokens = pattern.match(/%.|[^%]+|%/gs) ?? [];
  let next = 1;
  const parts = tokens.map((token) => {
    if (!token.startsWith("%")) return textSql(token);
    if (token === "%%") return textSql("%");
    const [kind, arg = EMPTY] = [context.types[next]?.kind, context.args[next]];
    next++;
    const fits = (token === "%s" && kind === "STRING") || (token === "%d" && kind === "INT64");
    if (!fits) return context.refuse(`the element ${token}`);
    return kind === "STRING" ? arg : sql`toString(${arg})`;
  });
  if (next !== context.args.length) return context.refuse("a number of values that is not the format's");
  return sql`concat('', '', ${joinSql(parts, ", ")})`;
}

function knownPattern(context: CallContext): string | Refusal {
  const pattern = literalOf(context, 1);
  if (pattern === undefined || context.isSafe) return context.refuse("a pattern that is no literal");
  return pattern;
}

/** A pattern that matches no empty text, whose matches ClickHouse finds as others do. */
function extractAll(context: CallContext): Sql {
  const pattern = knownPattern(context);
  if (pattern instanceof Refusal) return pattern;
  const isSimple = /^(?:\((?:\[[^\]\\]+\]|[A-Za-z0-9 ])+\)|\[[^\]\\]+\]\+?|[A-Za-z0-9 ])+$/.test(pattern);
  if (!isSimple || countGroups(pattern) > 1) return context.refuse("this pattern");
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    const all = sql`[extractAll(ifNull(${v}, ''), ${textSql(`(?-s)${pattern}`)})]`;
    return sql`CAST(if(isNull(${v}), [], ${all}), 'Array(Array(Nullable(String)))')`;
  });
}

function replaceMatches(context: CallContext): Sql {
  const pattern = knownPattern(context);
  if (pattern instanceof Refusal) return pattern;
  const text = literalOf(context, 2);
  const isSimple = /^(?:\(?(?:\[[^\]\\]+\]|[A-Za-z0-9 ])\+?\)?)+$/.test(pattern);
  if (text === undefined || text.length > 16 || !isSimple) return context.refuse("this pattern or replacement");
  let rewrite: string;
  try {
    countGroups(pattern);
    rewrite = checkReplacement(pattern, text);
  } catch {
    return context.refuse("this pattern or replacement");
  }
  return sql`replaceRegexpAll(${context.args[0] ?? EMPTY}, ${textSql(`(?-s)${pattern}`)}, ${textSql(rewrite)})`;
}

export const codeFunctions: FunctionTable = {
  CHR: named(chr),
  CODE_POINTS_TO_BYTES: named(fromByteValues),
  CODE_POINTS_TO_STRING: named(fromCodes),
  EDIT_DISTANCE: textOnly(named(distance)),
  FARM_FINGERPRINT: ({ args }) => sql`reinterpretAsInt64(farmFingerprint64(${args[0] ?? EMPTY}))`,
  FORMAT: format,
  FROM_BASE32: named(fromBase32),
  FROM_BASE64: named(fromBase64),
  NORMALIZE: normalize,
  REGEXP_EXTRACT_ALL: textOnly(extractAll),
  REGEXP_REPLACE: textOnly(replaceMatches),
  SAFE_CONVERT_BYTES_TO_STRING: named(safeText),
  TO_BASE32: ({ args }) => sql`base32Encode(${args[0] ?? EMPTY})`,
  TO_CODE_POINTS: textOnly(named(toCodes)),
  TRANSLATE: textOnly(translate),
  TYPEOF: ({ types }) => textSql(types[0] === undefined ? "" : formatType(types[0])),
};
