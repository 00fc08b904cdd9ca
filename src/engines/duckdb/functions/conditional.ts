import { callSql } from "../sql/forms.ts";
import { EMPTY, sql } from "../sql/sql.ts";
import { computeOnce } from "./compute-once.ts";
import { sortKey } from "./sort-key.ts";
import type { FunctionTable } from "./types.ts";

/** Conditional functions. */
export const conditionalFunctions: FunctionTable = {
  COALESCE: ({ args }) => callSql("COALESCE", args),
  IF: ({ args }) => sql`CASE WHEN ${args[0] ?? EMPTY} THEN ${args[1] ?? EMPTY} ELSE ${args[2] ?? EMPTY} END`,
  IFNULL: ({ args }) => callSql("COALESCE", args),
  NULLIF: ({ args, type }) => {
    if (type.kind === "INTERVAL") {
      return computeOnce(args, "nullif", (x = EMPTY, y = EMPTY) => {
        return sql`CASE WHEN ${sortKey(type, x)} = ${sortKey(type, y)} THEN NULL ELSE ${x} END`;
      });
    }
    if (type.kind !== "FLOAT64") return callSql("nullif", args);
    // NaN equals nothing, itself included; for DuckDB it equals itself.
    return computeOnce(args, "nullif", (x, y) => sql`CASE WHEN isnan(${x}) THEN ${x} ELSE nullif(${x}, ${y}) END`);
  },
};
