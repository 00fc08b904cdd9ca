/** What the compiler can print, and so what a statement may hold. */
import type { StatementRules } from "./statement-check.ts";

const tableFunctions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);

export function statementRules(isKnownTable: (name: string) => boolean): StatementRules {
  return { isKnownTable, functions: undefined, tableFunctions };
}
