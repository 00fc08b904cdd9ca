import type { FunctionDefinition } from "../types.ts";

/** Functions of the "Conversion functions" page of the reference that are written as calls; CAST is syntax. */
export const conversionFunctions: readonly FunctionDefinition[] = [
  {
    name: "PARSE_NUMERIC",
    kind: "scalar",
    signatures: ["(STRING) -> NUMERIC"],
    area: "conversion",
    summary: "A NUMERIC from text: spaces, commas, a leading or trailing sign and an exponent are allowed",
  },
  {
    name: "PARSE_BIGNUMERIC",
    kind: "scalar",
    signatures: ["(STRING) -> BIGNUMERIC"],
    area: "conversion",
    summary: "A BIGNUMERIC from text: spaces, commas, a leading or trailing sign and an exponent are allowed",
  },
];
