/**
 * Regular expressions: DuckDB has RE2, as GoogleSQL does. What differs is when nothing matches, and what may be asked
 * of a match.
 */
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { MATCH_MARKS } from "../../../../semantics/text/regexp.ts";
import { checkReplacement, countGroups, splitAtGroup } from "../../../../semantics/text/regexp-syntax.ts";
import { MAX_STRING_BYTES, STRING_BYTES } from "../../compile/limits.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeApart, computeOnce } from "../compute-once.ts";
import { literalOf } from "../literal-argument.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { onBytes } from "./bytes.ts";

/** Characters of a replacement that cannot make a value much longer. */
const MAX_SHORT_REPLACEMENT = 16;

/** A row whose printing may find that the call is wrong: then the call is an expression that fails. */
function checked(print: PrintCall): PrintCall {
  return (context) => {
    try {
      if (context.call.isSafe) return printSafe(print, context);
      if (context.call.arguments[1]?.kind === "Literal") return print(context);
      // A pattern that cannot be read fails where DuckDB does not expect it, but for regexp_matches.
      if (context.call.function === "REGEXP_CONTAINS") return print(context);
      return computeApart(context.args, "regexp", (...args) => print({ ...context, args }));
    } catch (error) {
      return raiseError(quoteString(error instanceof Error ? error.message : String(error)));
    }
  };
}

/**
 * DuckDB reads a constant expression before it runs, and then TRY cannot catch what is wrong with it: so it is made a
 * variable.
 */
function printSafe(print: PrintCall, context: CallContext<CallExpr>): string {
  const args = context.args.map((arg, index) => (index === 1 ? "lw_pattern" : arg));
  return `list_transform([${context.args[1]}], lambda lw_pattern: ${print({ ...context, args })})[1]`;
}

/** The number of the group that is extracted: 0 for the whole match. */
function groupSql(context: CallContext, pattern: string): string {
  const text = literalOf(context, 1);
  return text === undefined ? `CAST(lw_regexp_groups(${pattern}) AS INTEGER)` : String(countGroups(text));
}

/**
 * All matches. RE2 finds an empty one at the end of the text, also behind a match that ended there, where GoogleSQL
 * has stopped.
 */
function allMatches(text: string, pattern: string, group: string): string {
  const all = computeOnce([text], "text", (t) => {
    const fail = raiseError(quoteString("The value is too long to extract all matches from it"));
    return (
      `CASE WHEN strlen(${t}) > ${MAX_STRING_BYTES / 4} THEN ${fail} ` +
      `ELSE regexp_extract_all(${t}, ${pattern}, ${group}) END`
    );
  });
  return computeOnce([all, pattern], "matches", (list = "", p = "") => {
    const isExtra = `regexp_full_match('', ${p}) AND len(${list}) > 1`;
    return `CASE WHEN ${isExtra} THEN ${list}[:-2] ELSE ${list} END`;
  });
}

/** The text from a position, or NULL beyond its end; fails for a position before the start. */
function fromPosition(name: string, value: string, position: string | undefined): string {
  if (position === undefined) return value;
  return computeOnce([value, position], "from", (v = "", p = "") => {
    const fail = raiseError(quoteString(`${name}: position must be positive`));
    return (
      `CASE WHEN ${p} <= 0 THEN ${fail} WHEN ${p} > length(${v}) AND NOT (${v} = '' AND ${p} = 1) THEN NULL ` +
      `ELSE substr(${v}, ${p}) END`
    );
  });
}

function extract(context: CallContext): string {
  const [value = "", pattern = "", position, occurrence] = context.args;
  const group = groupSql(context, pattern);
  const text = fromPosition("REGEXP_EXTRACT", value, position);
  if (occurrence !== undefined) {
    return computeOnce([text, pattern, occurrence], "extract", (t = "", p = "", n = "") => {
      const fail = raiseError(quoteString("REGEXP_EXTRACT: occurrence must be positive"));
      return `CASE WHEN ${n} <= 0 THEN ${fail} ELSE ${allMatches(t, p, group)}[${n}] END`;
    });
  }
  // DuckDB has the empty string both for an empty match and for none: only then all matches are asked for.
  if (!/^\d$/.test(group)) return `regexp_extract_all(${text}, ${pattern}, ${group})[1]`;
  return computeOnce([text], "text", (t) =>
    computeOnce(
      [`regexp_extract(${t}, ${pattern}, ${group})`],
      "match",
      (found) => `CASE WHEN ${found} = '' THEN regexp_extract_all(${t}, ${pattern}, ${group})[1] ELSE ${found} END`,
    ),
  );
}

function extractAll(context: CallContext): string {
  const [value = "", pattern = ""] = context.args;
  const group = groupSql(context, pattern);
  const matches = allMatches(value, pattern, group);
  // A group that took no part in a match is empty.
  return group === "0" ? matches : `list_transform(${matches}, lambda lw_match: coalesce(lw_match, ''))`;
}

function instr(context: CallContext): string {
  const [value = "", pattern = "", position, occurrence = "1", isEnd = "0"] = context.args;
  const text = literalOf(context, 1);
  const split = text === undefined ? `lw_regexp_split(${pattern})` : quoteString(splitAtGroup(text));
  const rewrite = quoteString(`${MATCH_MARKS[0]}\\1${MATCH_MARKS[1]}\\2${MATCH_MARKS[2]}`);
  return computeOnce(
    [value, pattern, position ?? "1", occurrence, isEnd],
    "instr",
    (v = "", p = "", at = "", n = "", end = "") => {
      const rest = fromPosition("REGEXP_INSTR", v, at);
      const marked = `regexp_replace(${rest}, ${split}, ${rewrite}, 'g')`;
      const found = computeOnce(
        [`lw_match_position(${marked}, ${n}, ${end})`],
        "found",
        (f) => `CASE WHEN ${f} > 0 THEN ${f} + ${at} - 1 ELSE ${f} END`,
      );
      const isNull = [v, p, at, n, end].map((arg) => `${arg} IS NULL`).join(" OR ");
      return `CASE WHEN ${isNull} THEN NULL WHEN ${p} = '' THEN 0 ELSE coalesce(${found}, 0) END`;
    },
  );
}

function replace(context: CallContext): string {
  const [value = "", pattern = "", replacement = ""] = context.args;
  const [regexp, text] = [literalOf(context, 1), literalOf(context, 2)];
  const isKnown = regexp !== undefined && text !== undefined;
  const rewrite = isKnown
    ? quoteString(checkReplacement(regexp, text))
    : `lw_regexp_replacement(${pattern}, ${replacement})`;
  if (isKnown && text.length <= MAX_SHORT_REPLACEMENT) return `regexp_replace(${value}, ${pattern}, ${rewrite}, 'g')`;
  return computeOnce([value, rewrite], "replace", (v = "", r = "") => {
    // An expression may match before every character, and a replacement of n characters may repeat a match n / 2 times.
    const tooLong = `CAST(strlen(${v}) AS HUGEINT) * strlen(${r}) > 4 * ${STRING_BYTES}`;
    const fail = raiseError(quoteString("REGEXP_REPLACE makes a longer text than max_string_bytes allows"));
    return `CASE WHEN ${tooLong} THEN ${fail} ELSE regexp_replace(${v}, ${pattern}, ${r}, 'g') END`;
  });
}

/** Functions of regular expressions by their catalogue names. BYTES are matched as text of one character a byte. */
export const regexpFunctions: FunctionTable = {
  REGEXP_CONTAINS: checked(onBytes(({ args: [value, pattern] }) => `regexp_matches(${value}, ${pattern})`, "latin1")),
  REGEXP_EXTRACT: checked(onBytes(extract, "latin1")),
  REGEXP_EXTRACT_ALL: checked(onBytes(extractAll, "latin1")),
  REGEXP_INSTR: checked(onBytes(instr, "latin1")),
  REGEXP_REPLACE: checked(onBytes(replace, "latin1")),
};
