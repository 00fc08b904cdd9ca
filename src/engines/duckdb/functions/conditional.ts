import { callSql } from "../sql/forms.ts";
import { EMPTY, sql } from "../sql/sql.ts";
import { computeOnce } from "./compute-once.ts";
import type { FunctionTable } from "./types.ts";

/** Conditional functions. */
export const conditionalFunctions: FunctionTable = {
  COALESCE: ({ args }) => callSql("COALESCE", args),
  IF: ({ args }) => sql`CASE WHEN ${args[0] ?? EMPTY} THEN ${args[1] ?? EMPTY} ELSE ${args[2] ?? EMPTY} END`,
  IFNULL: ({ args }) => callSql("COALESCE", args),
  // NaN equals nothing, itself included; for DuckDB it equals itself.
  NULLIF: ({ args, type }) =>
    type.kind === "FLOAT64"
      ? computeOnce(args, "nullif", (x, y) => sql`CASE WHEN isnan(${x}) THEN ${x} ELSE nullif(${x}, ${y}) END`)
      : callSql("nullif", args),
};
