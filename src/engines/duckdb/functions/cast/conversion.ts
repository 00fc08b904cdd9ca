import { EMPTY, sql } from "../../sql/sql.ts";
import type { FunctionTable } from "../types.ts";

/** Conversion functions that are written as calls. */
export const conversionFunctions: FunctionTable = {
  PARSE_NUMERIC: ({ args }) => sql`lw_parse_numeric(${args[0] ?? EMPTY})`,
  PARSE_BIGNUMERIC: ({ args }) => sql`lw_parse_bignumeric(${args[0] ?? EMPTY})`,
};
