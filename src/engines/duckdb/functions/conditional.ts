import { callSql } from "../sql/forms.ts";
import { EMPTY, sql } from "../sql/sql.ts";
import { isComposite, printEqual } from "./comparisons.ts";
import { computeOnce } from "./compute-once.ts";
import type { FunctionTable } from "./types.ts";

/** Conditional functions. */
export const conditionalFunctions: FunctionTable = {
  COALESCE: ({ args }) => callSql("COALESCE", args),
  IF: ({ args }) => sql`CASE WHEN ${args[0] ?? EMPTY} THEN ${args[1] ?? EMPTY} ELSE ${args[2] ?? EMPTY} END`,
  NULLIF: ({ args, type }) => {
    const isPlain = type.kind !== "FLOAT64" && type.kind !== "INTERVAL" && !isComposite(type);
    if (isPlain) return callSql("nullif", args);
    const test = (x = EMPTY, y = EMPTY) => sql`CASE WHEN ${printEqual(x, y, type)} THEN NULL ELSE ${x} END`;
    return computeOnce(args, "nullif", test);
  },
};
