import { EMPTY, sql } from "../../sql/sql.ts";
import type { FunctionTable } from "../types.ts";

/** Bit functions. */
export const bitFunctions: FunctionTable = {
  BIT_COUNT: ({ args, types }) =>
    types[0]?.kind === "BYTES"
      ? sql`lw_bit_count(${args[0] ?? EMPTY})`
      : sql`CAST(bit_count(${args[0] ?? EMPTY}) AS BIGINT)`,
};
