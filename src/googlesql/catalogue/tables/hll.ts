import type { FunctionDefinition } from "../types.ts";

const AREA = "HyperLogLog++";

/** The "HyperLogLog++ functions" page of the reference. The sketches are ours: BigQuery's cannot be read. */
export const hllFunctions: readonly FunctionDefinition[] = [
  {
    name: "HLL_COUNT.EXTRACT",
    kind: "scalar",
    signatures: ["(BYTES) -> INT64"],
    area: AREA,
    summary: "The estimate of a sketch; 0 for NULL",
  },
  {
    area: AREA,
    name: "HLL_COUNT.INIT",
    kind: "aggregate",
    signatures: [
      "(INT64, [LITERAL INT64]) -> BYTES",
      "(STRING, [LITERAL INT64]) -> BYTES",
      "(NUMERIC, [LITERAL INT64]) -> BYTES",
      "(BIGNUMERIC, [LITERAL INT64]) -> BYTES",
      "(BYTES, [LITERAL INT64]) -> BYTES",
    ],
    summary:
      "A sketch of the distinct values, with a precision from 10 to 24 (15 by default), in this service's own format, not BigQuery's; NULL without values",
  },
  {
    area: AREA,
    name: "HLL_COUNT.MERGE",
    kind: "aggregate",
    signatures: ["(BYTES) -> INT64"],
    summary: "The estimate of all sketches together; 0 if there are none",
  },
  {
    area: AREA,
    name: "HLL_COUNT.MERGE_PARTIAL",
    kind: "aggregate",
    signatures: ["(BYTES) -> BYTES"],
    summary: "All sketches merged into one; NULL if there are none",
  },
];
