/**
 * Scalar functions written in JavaScript and registered with DuckDB in the engine host, for what DuckDB has no right
 * equivalent of. They cost about a microsecond a row: native SQL wherever it is right.
 */

import type { FunctionFacts } from "../googlesql/catalogue/types.ts";

/** DuckDB types that cross into JavaScript, and the values that stand for them there. */
export interface ScalarTypes {
  STRING: string;
  INT64: bigint;
  FLOAT64: number;
  BOOL: boolean;
  /** A DECIMAL(38, 9): the value times 10^9. */
  NUMERIC: bigint;
  /** A BIGNUM: the value times 10^38 (see decimal.ts). */
  BIGNUMERIC: bigint;
  BYTES: Uint8Array;
  /** Microseconds since 1970-01-01 UTC (of the wall clock, for a DATETIME). */
  TIMESTAMP: bigint;
  /** Days since 1970-01-01. */
  DATE: number;
  /** Microseconds since midnight. */
  TIME: bigint;
  "STRING[]": readonly (string | null)[];
  "INT64[]": readonly (bigint | null)[];
  "FLOAT64[]": readonly (number | null)[];
}

export type ScalarType = keyof ScalarTypes;
export type ScalarValue = ScalarTypes[ScalarType];

export interface ScalarFunction {
  /** Begins with `lw_`, so that it never hides a function of DuckDB. */
  readonly name: string;
  readonly parameters: readonly ScalarType[];
  readonly returns: ScalarType;
  /** False (the default): a NULL argument makes the result NULL without a call. */
  readonly acceptsNull?: boolean;
  /** Places of the arguments that decide whether a call fails, as in the catalogue; all of them by default. */
  readonly fallibility?: FunctionFacts["fallibility"];
  /**
   * An `Error` thrown here fails the query with its message, which is shown to the caller: it may quote the call's
   * own arguments only.
   */
  readonly call: (...values: (ScalarValue | null)[]) => ScalarValue | null;
}

/** Builds a UDF whose implementation is typed by its parameter list. */
export function defineFunction<const P extends readonly ScalarType[], R extends ScalarType>(
  name: string,
  parameters: P,
  returns: R,
  call: (...values: { [K in keyof P]: ScalarTypes[P[K]] }) => ScalarTypes[R] | null,
  facts: Pick<ScalarFunction, "fallibility"> = {},
): ScalarFunction {
  return { name, parameters, returns, call: call as unknown as ScalarFunction["call"], ...facts };
}

/** The elements of a list that are not NULL. */
export function withoutNulls<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}
