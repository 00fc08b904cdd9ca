/** Rules of CAST. Source: the "Conversion rules" and "Conversion functions" pages of the GoogleSQL reference. */
import { MIXED, type ScalarKind, type SqlType, STRING } from "../types.ts";
import { isSameType } from "./same-type.ts";

const CASTS: Readonly<Record<ScalarKind, readonly ScalarKind[]>> = {
  INT64: ["BOOL", "INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", "STRING"],
  NUMERIC: ["INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", "STRING"],
  BIGNUMERIC: ["INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", "STRING"],
  FLOAT64: ["INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", "STRING"],
  BOOL: ["BOOL", "INT64", "STRING"],
  STRING: [
    "BOOL",
    "INT64",
    "NUMERIC",
    "BIGNUMERIC",
    "FLOAT64",
    "STRING",
    "BYTES",
    "DATE",
    "DATETIME",
    "TIME",
    "TIMESTAMP",
    "INTERVAL",
  ],
  BYTES: ["STRING", "BYTES"],
  DATE: ["STRING", "DATE", "DATETIME", "TIMESTAMP"],
  DATETIME: ["STRING", "DATE", "DATETIME", "TIME", "TIMESTAMP"],
  TIME: ["STRING", "TIME"],
  TIMESTAMP: ["STRING", "DATE", "DATETIME", "TIME", "TIMESTAMP"],
  INTERVAL: ["STRING", "INTERVAL"],
  JSON: ["JSON"],
  UNKNOWN: [],
};

/** Does `CAST(from AS to)` exist? It may still fail on a value. */
export function isCastable(from: SqlType, to: SqlType): boolean {
  if (from.kind === "UNKNOWN" || isSameType(from, to)) return true;
  if (from.kind === "MIXED") return isCastableMixed(to);
  if (to.kind === "MIXED") return from.kind !== "STRUCT" && from.kind !== "RANGE";
  if (from.kind === "ARRAY") return to.kind === "ARRAY" && isCastable(from.element, to.element);
  if (from.kind === "STRUCT") {
    return (
      to.kind === "STRUCT" &&
      from.fields.length === to.fields.length &&
      from.fields.every((field, i) => {
        const target = to.fields[i];
        return target !== undefined && isCastable(field.type, target.type);
      })
    );
  }
  if (from.kind === "RANGE") return to.kind === "STRING";
  if (from.kind === "RECORD") return to.kind === "RECORD" || to.kind === "STRING" || to.kind === "JSON";
  if (to.kind === "RANGE") return from.kind === "STRING";
  if (to.kind === "ARRAY" || to.kind === "STRUCT" || to.kind === "RECORD") return false;
  return CASTS[from.kind].includes(to.kind);
}

/** A value of any shape becomes what texts become, and a list of it. */
function isCastableMixed(to: SqlType): boolean {
  if (to.kind === "ARRAY") return isCastable(MIXED, to.element);
  return to.kind === "MIXED" || to.kind === "JSON" || isCastable(STRING, to);
}

/** Does `CAST(from AS to FORMAT ...)` exist? */
export function isFormatCastable(from: SqlType, to: SqlType): boolean {
  const dated: readonly string[] = ["DATE", "DATETIME", "TIME", "TIMESTAMP"];
  if (to.kind === "STRING")
    return (
      from.kind === "BYTES" ||
      dated.includes(from.kind) ||
      ["INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64"].includes(from.kind)
    );
  return from.kind === "STRING" && (to.kind === "BYTES" || dated.includes(to.kind));
}
