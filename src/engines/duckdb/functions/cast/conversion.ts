import type { FunctionTable } from "../types.ts";

/** Conversion functions that are written as calls. */
export const conversionFunctions: FunctionTable = {
  PARSE_NUMERIC: ({ args }) => `lw_parse_numeric(${args[0]})`,
  PARSE_BIGNUMERIC: ({ args }) => `lw_parse_bignumeric(${args[0]})`,
};
