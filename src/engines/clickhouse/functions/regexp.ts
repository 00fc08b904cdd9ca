/**
 * Regular expressions: RE2 on both sides. In ClickHouse a point matches a line feed too unless the pattern says
 * otherwise.
 */
import { countGroups } from "../../../semantics/text/regexp-syntax.ts";
import { printNull } from "../compile/expression/literals.ts";
import { textSql } from "../sql/atoms.ts";
import { Refusal } from "../sql/refusal.ts";
import { EMPTY, type Sql, sql } from "../sql/sql.ts";
import { literalOf, textOnly } from "./rows.ts";
import type { CallContext, FunctionTable } from "./types.ts";

/** The pattern, in which points match no line feed. */
function withPoints(pattern: string): string {
  return pattern.includes(".") ? `(?-s)${pattern}` : pattern;
}

function contains(context: CallContext): Sql {
  if (context.isSafe) return context.refuse("SAFE.");
  const [value = EMPTY, pattern = EMPTY] = context.args;
  const argument = context.call.arguments[1];
  // An invalid pattern fails before any row is read, even if there are no rows.
  if (argument?.kind !== "Literal" && argument?.kind !== "Parameter") return context.refuse("a pattern of the rows");
  const known = literalOf(context, 1);
  // Only a pattern without flags is looked for as the plain text that it may be.
  const text =
    known === undefined
      ? sql`if(position(${pattern}, '.') > 0, concat('(?-s)', ${pattern}), ${pattern})`
      : textSql(withPoints(known));
  return argument.kind === "Literal" && known === undefined
    ? printNull({ kind: "BOOL" })
    : sql`match(${value}, ${text})`;
}

/** The one group of the pattern, or all of it, as ClickHouse's functions take it: with a group around. */
function grouped(context: CallContext): { readonly pattern: string; readonly hasGroup: boolean } | Refusal {
  const known = literalOf(context, 1);
  if (known === undefined || context.isSafe) return context.refuse("a pattern that is no literal");
  if (context.args.length > 2) return context.refuse("a position or an occurrence");
  let groups: number;
  try {
    groups = countGroups(known);
  } catch {
    return context.refuse("this pattern");
  }
  return { pattern: groups === 0 ? `(?-s)(${known})` : `(?-s)${known}`, hasGroup: groups > 0 };
}

/** An empty match is distinguished from none by asking for one. */
function extract(context: CallContext): Sql {
  const known = grouped(context);
  if (known instanceof Refusal) return known;
  const { pattern, hasGroup } = known;
  // A group that took no part in the match is NULL, and empty in ClickHouse.
  if (hasGroup && /[?*|]|\{0/.test(pattern.slice("(?-s)".length).replaceAll(/\[[^\]]*\]|\(\?:/g, ""))) {
    const isSure = /^(?:\^)?(?:[^()[\]|?*{}\\]|\\.)*\((?!\?)(?:[^()|]|\\.)*\)[^()|?*{]*$/.test(
      pattern.slice("(?-s)".length),
    );
    if (!isSure) return context.refuse("a group that may take no part in a match");
  }
  const text = textSql(pattern);
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    return sql`if(ifNull(match(${v}, ${text}), false), extract(ifNull(${v}, ''), ${text}), NULL)`;
  });
}

export const regexpFunctions: FunctionTable = {
  REGEXP_CONTAINS: textOnly(contains),
  REGEXP_EXTRACT: textOnly(extract),
};
