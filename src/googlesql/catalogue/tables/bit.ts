import type { FunctionDefinition } from "../types.ts";

/** The "Bit functions" page of the reference. */
export const bitFunctions: readonly FunctionDefinition[] = [
  {
    name: "BIT_COUNT",
    kind: "scalar",
    signatures: ["(INT64) -> INT64", "(BYTES) -> INT64"],
    area: "bit",
    summary: "How many bits are set; a negative INT64 counts as its 64 bits of two's complement",
  },
];
