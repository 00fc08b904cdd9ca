/** What the compiler can print, and so what a statement may hold. */
import { scalarUdfs } from "../udf/index.ts";
import type { StatementRules } from "./statement-check.ts";
import { allowedFunctions } from "./tables/allowed-functions.ts";

const tableFunctions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);

export function statementRules(isKnownTable: (name: string) => boolean): StatementRules {
  const functions = new Set([...allowedFunctions, ...scalarUdfs.map(({ name }) => name.toLowerCase())]);
  return { isKnownTable, functions, tableFunctions };
}
