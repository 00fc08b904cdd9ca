import type { FunctionTable } from "../types.ts";

/** Bit functions. */
export const bitFunctions: FunctionTable = {
  BIT_COUNT: ({ args, types }) =>
    types[0]?.kind === "BYTES" ? `lw_bit_count(${args[0]})` : `CAST(bit_count(${args[0]}) AS BIGINT)`,
};
