import { type FunctionDefinition, NEVER_FAILS } from "../types.ts";

/** The "Bit functions" page of the reference. */
export const bitFunctions: readonly FunctionDefinition[] = [
  {
    name: "BIT_COUNT",
    kind: "scalar",
    signatures: ["(INT64) -> INT64", "(BYTES) -> INT64"],
    area: "bit",
    ...NEVER_FAILS,
    summary: "The number of set bits; a negative INT64 is counted in 64-bit two's complement",
  },
];
