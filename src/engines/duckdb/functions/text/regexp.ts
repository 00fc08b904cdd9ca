/**
 * Regular expressions: DuckDB has RE2, as GoogleSQL does. What differs is when nothing matches, and what may be asked
 * of a match.
 */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import {
  checkReplacement,
  countGroups,
  GAP,
  spellNames,
  splitAtGroup,
} from "../../../../semantics/text/regexp-syntax.ts";
import { messageOf } from "../../../../shared/message-of.ts";
import { MAX_STRING_BYTES, STRING_BYTES } from "../../compile/limits.ts";
import { numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import { anyNull, filterList, lambda, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeApart, computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { literalOf } from "../types.ts";
import { udfList } from "../udf-list.ts";
import { onBytes } from "./bytes.ts";

/** Characters of a replacement that cannot make a value much longer. */
const MAX_SHORT_REPLACEMENT = 16;

/** A row whose printing may find that the call is wrong: then the call is an expression that fails. */
function checked(print: PrintCall): PrintCall {
  return (written) => {
    try {
      const context = withSpeltNames(written);
      if (context.call.isSafe) return printSafe(print, context);
      if (context.call.arguments[1]?.kind === "Literal") return print(context);
      // A pattern that cannot be read fails where DuckDB does not expect it, but for regexp_matches.
      if (context.call.function === "REGEXP_CONTAINS") return print(context);
      return computeApart(context.args, "regexp", (...args) => print({ ...context, args }));
    } catch (error) {
      return raiseText(messageOf(error));
    }
  };
}

/** With the names of groups as DuckDB's RE2, which is older than the language's, takes them. */
function withSpeltNames(context: CallContext<CallExpr>): CallContext<CallExpr> {
  const text = literalOf(context, 1);
  const pattern = context.args[1] ?? EMPTY;
  // Those of BYTES are spelt where they become text.
  if (text?.includes("(?<") === false || context.types[1]?.kind !== "STRING") return context;
  const spelt = text === undefined ? spellAll(pattern) : textSql(spellNames(text));
  return { ...context, args: context.args.with(1, spelt) };
}

function spellAll(pattern: Sql): Sql {
  return computeOnce(
    [pattern],
    "pattern",
    (p) => sql`CASE WHEN contains(${p}, '(?<') THEN lw_regexp_names(${p}) ELSE ${p} END`,
  );
}

/**
 * DuckDB reads a constant expression before it runs, and then TRY cannot catch what is wrong with it: so it is made a
 * variable.
 */
function printSafe(print: PrintCall, context: CallContext<CallExpr>): Sql {
  const pattern = variableSql("lw_pattern");
  const args = context.args.map((arg, index) => (index === 1 ? pattern : arg));
  return sql`list_transform([${context.args[1] ?? EMPTY}], ${lambda(pattern, print({ ...context, args }))})[1]`;
}

/** The number of the group that is extracted: 0 for the whole match. */
function groupSql(context: CallContext, pattern: Sql): Sql {
  const text = literalOf(context, 1);
  return text === undefined ? sql`CAST(lw_regexp_groups(${pattern}) AS INTEGER)` : numberSql(countGroups(text));
}

/** The number of a group as it stands in a replacement; all patterns that are known have such. */
function isOneDigit({ integer }: Sql): boolean {
  return integer !== undefined && integer < 10n;
}

/** The matches of a group as a list; fails for a text too long for it. */
function listMatches(text: Sql, pattern: Sql, group: Sql): Sql {
  return computeOnce([text], "text", (t) => {
    const fail = raiseText("The value is too long to extract all matches from it");
    return sql`
      CASE WHEN strlen(${t}) > ${numberSql(MAX_STRING_BYTES / 4)} THEN ${fail}
      ELSE regexp_extract_all(${t}, ${pattern}, ${group}) END
    `;
  });
}

/**
 * All matches. RE2 finds empty ones at the end of the text, also behind a match that ended there, where GoogleSQL has
 * stopped: where one is empty, those that count are recognised by their places.
 */
function allMatches(text: Sql, pattern: Sql, group: Sql): Sql {
  return computeOnce([text, pattern], "text", (t = EMPTY, p = EMPTY) => {
    const spaced = sql`(${textSql(GAP)} || '(' || ${p} || ')')`;
    const part = (index: Sql) => sql`regexp_extract_all(${t}, ${spaced}, ${index})`;
    const values = part(isOneDigit(group) ? numberSql((group.integer ?? 0n) + 2n) : sql`2 + ${group}`);
    return computeOnce([listMatches(t, p, group)], "matches", (list) => {
      const mayBeEmpty = sql`list_contains(${list}, '') OR len(${filterList(list, "lw_each", sql`lw_each IS NULL`)}) > 0`;
      const kept = sql`lw_keep_matches(${part(numberSql(1))}, ${part(numberSql(2))}, ${values}, ${t})`;
      return sql`CASE WHEN ${mayBeEmpty} THEN ${kept} ELSE ${list} END`;
    });
  });
}

/** The text from a position, or NULL beyond its end; fails for a position before the start. */
function fromPosition(name: string, value: Sql, position: Sql | undefined): Sql {
  if (position === undefined) return value;
  return computeOnce([value, position], "from", (v = EMPTY, p = EMPTY) => {
    const fail = raiseText(`${name}: position must be positive`);
    return sql`
      CASE WHEN ${v} IS NULL THEN NULL WHEN ${p} <= 0 THEN ${fail} WHEN ${p} > length(${v}) AND NOT (${v} = '' AND ${p} = 1) THEN NULL
      ELSE substr(${v}, ${p}) END
    `;
  });
}

function extract(context: CallContext): Sql {
  const [value = EMPTY, pattern = EMPTY, position, occurrence] = context.args;
  const group = groupSql(context, pattern);
  if (occurrence !== undefined) {
    return computeOnce([value, pattern, occurrence], "extract", (v = EMPTY, p = EMPTY, n = EMPTY) => {
      const fail = raiseText("REGEXP_EXTRACT: occurrence must be positive");
      const nth = sql`${allMatches(fromPosition("REGEXP_EXTRACT", v, position), p, group)}[${n}]`;
      return sql`CASE WHEN ${v} IS NULL THEN NULL WHEN ${n} <= 0 THEN ${fail} ELSE ${nth} END`;
    });
  }
  const text = fromPosition("REGEXP_EXTRACT", value, position);
  // DuckDB has the empty string both for an empty match and for none: only then all matches are asked for.
  if (!isOneDigit(group)) return sql`regexp_extract_all(${text}, ${pattern}, ${group})[1]`;
  return computeOnce([text], "text", (t) =>
    computeOnce(
      [sql`regexp_extract(${t}, ${pattern}, ${group})`],
      "match",
      (found) => sql`CASE WHEN ${found} = '' THEN regexp_extract_all(${t}, ${pattern}, ${group})[1] ELSE ${found} END`,
    ),
  );
}

function extractAll(context: CallContext): Sql {
  const [value = EMPTY, pattern = EMPTY] = context.args;
  const group = groupSql(context, pattern);
  const matches = allMatches(value, pattern, group);
  // A group that took no part in a match is empty.
  return group.integer === 0n ? matches : mapList(matches, "lw_match", sql`coalesce(lw_match, '')`);
}

function instr(context: CallContext): Sql {
  const [value = EMPTY, pattern = EMPTY, position, occurrence = numberSql(1), isEnd = numberSql(0)] = context.args;
  const text = literalOf(context, 1);
  const split = text === undefined ? sql`lw_regexp_split(${pattern})` : textSql(splitAtGroup(spellNames(text)));
  const groups = text === undefined ? sql`lw_regexp_groups(${pattern})` : numberSql(countGroups(text));
  return computeOnce(
    [value, pattern, position ?? numberSql(1), occurrence, isEnd],
    "instr",
    (v = EMPTY, p = EMPTY, at = EMPTY, n = EMPTY, end = EMPTY) => {
      const found = computeOnce([fromPosition("REGEXP_INSTR", v, at)], "rest", (rest) => {
        const lists = [numberSql(1), numberSql(2), numberSql(3), numberSql(4)].map((group) =>
          udfList(listMatches(rest, split, group)),
        );
        const place = sql`lw_match_position(${joinSql(lists, ", ")}, ${groups}, ${rest}, ${n}, ${end})`;
        return computeOnce([place], "found", (f) => sql`CASE WHEN ${f} > 0 THEN ${f} + ${at} - 1 ELSE ${f} END`);
      });
      const isNull = anyNull([v, p, at, n, end]);
      const checks = sql`${checkPositive(position, at, "position")}${checkPositive(occurrence, n, "occurrence")}`;
      return sql`CASE WHEN ${isNull} THEN NULL ${checks}WHEN ${p} = '' THEN 0 ELSE coalesce(${found}, 0) END`;
    },
  );
}

/** A branch that fails for a number below 1, also where nothing is looked for. */
function checkPositive(given: Sql | undefined, value: Sql, name: string): Sql {
  if (given === undefined || (given.integer ?? 0n) > 0n) return EMPTY;
  return sql`WHEN ${value} <= 0 THEN ${raiseText(`REGEXP_INSTR: ${name} must be positive`)} `;
}

function replace(context: CallContext): Sql {
  const [value = EMPTY, pattern = EMPTY, replacement = EMPTY] = context.args;
  const [regexp, text] = [literalOf(context, 1), literalOf(context, 2)];
  const isKnown = regexp !== undefined && text !== undefined;
  const known = isKnown ? textSql(checkReplacement(regexp, text)) : undefined;
  if (known !== undefined && (text ?? "").length <= MAX_SHORT_REPLACEMENT) {
    return sql`regexp_replace(${value}, ${pattern}, ${known}, 'g')`;
  }
  return computeOnce([value], "replaced", (v) => {
    const read = sql`CASE WHEN ${v} IS NOT NULL THEN lw_regexp_replacement(${pattern}, ${replacement}) END`;
    return printReplace(v, pattern, known ?? read);
  });
}

function printReplace(value: Sql, pattern: Sql, rewrite: Sql): Sql {
  return computeOnce([value, rewrite], "replace", (v = EMPTY, r = EMPTY) => {
    // An expression may match before every character, and a replacement of n characters may repeat a match n / 2 times.
    const tooLong = sql`CAST(strlen(${v}) AS HUGEINT) * strlen(${r}) > 4 * ${STRING_BYTES}`;
    const fail = raiseText("REGEXP_REPLACE makes a longer text than max_string_bytes allows");
    return sql`CASE WHEN ${tooLong} THEN ${fail} ELSE regexp_replace(${v}, ${pattern}, ${r}, 'g') END`;
  });
}

/** Functions of regular expressions by their catalogue names. BYTES are matched as text of one character a byte. */
export const regexpFunctions: FunctionTable = {
  REGEXP_CONTAINS: checked(
    onBytes(({ args: [value, pattern] }) => sql`regexp_matches(${value ?? EMPTY}, ${pattern ?? EMPTY})`, "latin1"),
  ),
  REGEXP_EXTRACT: checked(onBytes(extract, "latin1")),
  REGEXP_EXTRACT_ALL: checked(onBytes(extractAll, "latin1")),
  REGEXP_INSTR: checked(onBytes(instr, "latin1")),
  REGEXP_REPLACE: checked(onBytes(replace, "latin1")),
};
