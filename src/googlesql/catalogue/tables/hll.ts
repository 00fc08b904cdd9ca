import type { FunctionDefinition } from "../types.ts";

const AREA = "HyperLogLog++";

/** The "HyperLogLog++ functions" page of the reference. The sketches are ours: BigQuery's cannot be read. */
export const hllFunctions: readonly FunctionDefinition[] = [
  {
    name: "HLL_COUNT.EXTRACT",
    kind: "scalar",
    signatures: ["(BYTES) -> INT64"],
    area: AREA,
    summary: "The estimate that a sketch holds; 0 for NULL",
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
      "A sketch of the different values, of a precision from 10 to 24 (15 without one), in a form of this service: BigQuery's sketches are other bytes; NULL without values",
  },
  {
    area: AREA,
    name: "HLL_COUNT.MERGE",
    kind: "aggregate",
    signatures: ["(BYTES) -> INT64"],
    summary: "The estimate of all sketches together; 0 without one",
  },
  {
    area: AREA,
    name: "HLL_COUNT.MERGE_PARTIAL",
    kind: "aggregate",
    signatures: ["(BYTES) -> BYTES"],
    summary: "One sketch of all sketches; NULL without one",
  },
];
