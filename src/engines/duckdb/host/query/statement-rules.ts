/** Limits statements to the forms that the compiler can print. */
import { allowedFunctions, allowedTableFunctions } from "../../sql/native-functions.ts";
import type { StatementRules } from "./statement-check.ts";

export function statementRules(isKnownTable: (name: string) => boolean): StatementRules {
  return { isKnownTable, functions: allowedFunctions, tableFunctions: allowedTableFunctions };
}
