/** FORMAT: arguments become texts by their types here, and a UDF lays them out. */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import { isUntypedNull } from "../../../../googlesql/resolver/resolution.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import {
  type FormatKind,
  formatProblem,
  isLetterOf,
  plainParts,
  specifierLetters,
} from "../../../../semantics/text/format.ts";
import { concatSql, NULL, textSql } from "../../sql/atoms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { valueText } from "../cast/value-text.ts";
import { computeOnce } from "../compute-once.ts";
import { refuseCall } from "../time/date-parts.ts";
import type { CallContext } from "../types.ts";
import { udfTexts } from "../udf-list.ts";

function kindOf(type: SqlType): FormatKind {
  switch (type.kind) {
    case "INT64":
      return "i";
    case "FLOAT64":
      return "f";
    case "NUMERIC":
    case "BIGNUMERIC":
      return "n";
    case "STRING":
      return "s";
    case "JSON":
    case "RECORD":
      return "j";
    default:
      return "x";
  }
}

/** Joins texts without a UDF if the format string only places them; undefined if it does more. */
function joinNatively(
  format: string,
  values: readonly Sql[],
  types: readonly SqlType[],
  timeZone: string,
): Sql | undefined {
  const parts = plainParts(format);
  if (parts === undefined || parts.length !== values.length + 1) return undefined;
  const pieces: Sql[] = [];
  for (const [index, { text, letter }] of parts.entries()) {
    if (text !== "" || parts.length === 1) pieces.push(textSql(text));
    const [value, type] = [values[index], types[index]];
    if (value === undefined || type === undefined) continue;
    if (!"sditTp".includes(letter) || !isLetterOf(letter, kindOf(type))) return undefined;
    const printed = valueText(type, value, { style: letter === "T" ? "literal" : "plain", timeZone });
    pieces.push(letter.toLowerCase() === "t" ? sql`coalesce(${printed}, 'NULL')` : printed);
  }
  return concatSql(pieces);
}

/** A NULL alone is an INT64, which `%s` does not take. */
function isNullAlone(argument: Expr | undefined): boolean {
  return argument !== undefined && isUntypedNull(argument);
}

/** A known format string that does not fit the types fails when the query is loaded, in SAFE.FORMAT too. */
function refuseMismatch(call: CallExpr, text: string, kinds: string): void {
  const known = [...kinds].map((kind, index) => {
    const argument = call.arguments[index + 1];
    return argument?.type.kind === "UNKNOWN" && !isNullAlone(argument) ? "?" : kind;
  });
  const problem = formatProblem(text, known.join(""));
  if (problem !== undefined) refuseCall(call, problem);
}

/** Prints the call. Where the format string is known, only the texts that it asks for are computed. */
export function format({ args, types, call, timeZone }: CallContext): Sql {
  const [formatSql = EMPTY, ...values] = args;
  const given = "arguments" in call ? call.arguments : [];
  const first = given[0];
  const text = first?.kind === "Literal" && first.value !== null ? first.value : undefined;
  const letters = text === undefined ? undefined : specifierLetters(text);
  const typeAt = (index: number): SqlType => types[index + 1] ?? { kind: "UNKNOWN" };
  const kinds = values.map((_, index) => (isNullAlone(given[index + 1]) ? "i" : kindOf(typeAt(index)))).join("");
  if (text !== undefined && call.kind === "Call") refuseMismatch(call, text, kinds);
  const native =
    text === undefined
      ? undefined
      : joinNatively(
          text,
          values,
          values.map((_, index) => typeAt(index)),
          timeZone,
        );
  if (native !== undefined) return native;
  const wants = (index: number, isLiteral: boolean) => letters === undefined || (letters[index] === "T") === isLiteral;
  const print = (...texts: readonly Sql[]) => {
    const plain = texts.map((value, index) => {
      // NULL of the argument must show; the text itself need not be computed for %T.
      if (!wants(index, false)) return sql`CASE WHEN ${value} IS NOT NULL THEN '' END`;
      return valueText(typeAt(index), value, { style: "plain", timeZone });
    });
    const literals = texts.map((value, index) =>
      wants(index, true) ? valueText(typeAt(index), value, { style: "literal", timeZone }) : NULL,
    );
    return sql`lw_format(${formatSql}, ${textSql(kinds)}, ${udfTexts(plain)}, ${udfTexts(literals)})`;
  };
  return values.some((_, index) => wants(index, true)) ? computeOnce(values, "format", print) : print(...values);
}
