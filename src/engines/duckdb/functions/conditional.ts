import { callSql } from "../sql/forms.ts";
import { EMPTY, sql } from "../sql/sql.ts";
import { isComposite, printEqual } from "./comparisons.ts";
import { canStandTwice, computeOnce } from "./compute-once.ts";
import type { FunctionTable } from "./types.ts";

/** Conditional functions. */
export const conditionalFunctions: FunctionTable = {
  COALESCE: ({ args }) => callSql("COALESCE", args),
  IF: ({ args }) => sql`CASE WHEN ${args[0] ?? EMPTY} THEN ${args[1] ?? EMPTY} ELSE ${args[2] ?? EMPTY} END`,
  NULLIF: ({ args, type }) => {
    const isPlain = type.kind !== "FLOAT64" && type.kind !== "INTERVAL" && !isComposite(type);
    const test = (x = EMPTY, y = EMPTY) => sql`CASE WHEN ${printEqual(x, y, type)} THEN NULL ELSE ${x} END`;
    if (!isPlain || !canStandTwice(args[0] ?? EMPTY)) return computeOnce(args, "nullif", test);
    // DuckDB's own is a macro that writes the value twice, whatever its size.
    return args[0]?.isRepeatable ? callSql("nullif", args) : test(...args);
  },
};
