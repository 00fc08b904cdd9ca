/** FORMAT: arguments become texts by their types here, and a UDF lays them out. */
import type { SqlType } from "../../../googlesql/types.ts";
import { quoteString } from "../sql-text.ts";
import { type FormatKind, specifierLetters } from "../udf/format.ts";
import type { CallContext } from "./types.ts";
import { udfTexts } from "./udf-list.ts";
import { valueText } from "./value-text.ts";

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

/** Prints the call. Where the format string is known, only the texts that it asks for are computed. */
export function format({ args, types, call, timeZone }: CallContext): string {
  const [formatSql = "", ...values] = args;
  const first = "arguments" in call ? call.arguments[0] : undefined;
  const text = first?.kind === "Literal" && first.value !== null ? first.value : undefined;
  const letters = text === undefined ? undefined : specifierLetters(text);
  const typeAt = (index: number): SqlType => types[index + 1] ?? { kind: "UNKNOWN" };
  const wants = (index: number, isLiteral: boolean) => letters === undefined || (letters[index] === "T") === isLiteral;
  const plain = values.map((value, index) => {
    const type = typeAt(index);
    // NULL of the argument must show; the text itself need not be computed for %T.
    if (!wants(index, false)) return `CASE WHEN ${value} IS NOT NULL THEN '' END`;
    return valueText(type, value, { style: "plain", timeZone });
  });
  const literals = values.map((value, index) =>
    wants(index, true) ? valueText(typeAt(index), value, { style: "literal", timeZone }) : "NULL",
  );
  const kinds = values.map((_, index) => kindOf(typeAt(index))).join("");
  return `lw_format(${formatSql}, ${quoteString(kinds)}, ${udfTexts(plain)}, ${udfTexts(literals)})`;
}
