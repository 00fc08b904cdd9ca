import type { FunctionDefinition } from "../types.ts";

const AREA = "KLL quantiles";

function scalar(name: string, signature: string, summary: string): FunctionDefinition {
  return { name: `KLL_QUANTILES.${name}`, kind: "scalar", signatures: [signature], area: AREA, summary };
}

function aggregate(name: string, signature: string, summary: string): FunctionDefinition {
  return {
    name: `KLL_QUANTILES.${name}`,
    kind: "aggregate",
    signatures: [signature],
    isWindowable: false,
    area: AREA,
    summary,
  };
}

function ofType(type: "INT64" | "FLOAT64"): readonly FunctionDefinition[] {
  return [
    aggregate(
      `INIT_${type}`,
      `(${type}, [LITERAL INT64]) -> BYTES`,
      "A quantile sketch with a precision from 1 to 100000 (1000 by default)",
    ),
    aggregate(
      `MERGE_${type}`,
      `(BYTES, LITERAL INT64) -> ARRAY<${type}>`,
      "The n + 1 boundaries of n groups of equal size, of all sketches together",
    ),
    aggregate(
      `MERGE_POINT_${type}`,
      `(BYTES, LITERAL FLOAT64) -> ${type}`,
      "The value at a share of the ranks (from 0 to 1), of all sketches together",
    ),
    scalar(`EXTRACT_${type}`, `(BYTES, INT64) -> ARRAY<${type}>`, "The n + 1 boundaries of n groups of equal size"),
    scalar(`EXTRACT_POINT_${type}`, `(BYTES, FLOAT64) -> ${type}`, "The value at a share of the ranks (from 0 to 1)"),
  ];
}

/** The "KLL quantile functions" page of the reference. The sketches are ours: BigQuery's cannot be read. */
export const kllFunctions: readonly FunctionDefinition[] = [
  ...ofType("INT64"),
  ...ofType("FLOAT64"),
  aggregate("MERGE_PARTIAL", "(BYTES) -> BYTES", "All sketches merged into one; NULL if there are none"),
];
