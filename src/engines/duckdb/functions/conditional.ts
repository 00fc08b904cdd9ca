import { computeOnce } from "./compute-once.ts";
import type { FunctionTable } from "./types.ts";

/** Conditional functions. */
export const conditionalFunctions: FunctionTable = {
  COALESCE: ({ args }) => `COALESCE(${args.join(", ")})`,
  IF: ({ args }) => `CASE WHEN ${args[0]} THEN ${args[1]} ELSE ${args[2]} END`,
  IFNULL: ({ args }) => `COALESCE(${args.join(", ")})`,
  // NaN equals nothing, itself included; for DuckDB it equals itself.
  NULLIF: ({ args, type }) =>
    type.kind === "FLOAT64"
      ? computeOnce(args, "nullif", (x, y) => `CASE WHEN isnan(${x}) THEN ${x} ELSE nullif(${x}, ${y}) END`)
      : `nullif(${args.join(", ")})`,
};
