/**
 * Scalar functions written in JavaScript and registered with DuckDB in the engine host, for what DuckDB has no right
 * equivalent of. They cost about a microsecond a row: native SQL wherever it is right.
 */

/** DuckDB types that cross into JavaScript, and the values that stand for them there. */
export interface UdfTypes {
  VARCHAR: string;
  BIGINT: bigint;
  DOUBLE: number;
  BOOLEAN: boolean;
  /** A DECIMAL(38, 9): the value times 10^9. */
  NUMERIC: bigint;
  /** A BIGNUM: the value times 10^38 (see decimal.ts). */
  BIGNUMERIC: bigint;
  BLOB: Uint8Array;
  /** Microseconds since 1970-01-01 UTC (of the wall clock, for a DATETIME). */
  TIMESTAMP: bigint;
  /** Days since 1970-01-01. */
  DATE: number;
  /** Microseconds since midnight. */
  TIME: bigint;
  "VARCHAR[]": readonly (string | null)[];
  "BIGINT[]": readonly (bigint | null)[];
  "DOUBLE[]": readonly (number | null)[];
}

export type UdfType = keyof UdfTypes;
export type UdfValue = UdfTypes[UdfType];

export interface ScalarUdf {
  /** Begins with `lw_`, so that it never hides a function of DuckDB. */
  readonly name: string;
  readonly parameters: readonly UdfType[];
  readonly returns: UdfType;
  /** False (the default): a NULL argument makes the result NULL without a call. */
  readonly acceptsNull?: boolean;
  /** An `Error` thrown here fails the query with its message, which is shown to the caller: it may quote the call's own arguments only. */
  readonly call: (...values: (UdfValue | null)[]) => UdfValue | null;
}

/** Builds a UDF whose implementation is typed by its parameter list. */
export function defineUdf<const P extends readonly UdfType[], R extends UdfType>(
  name: string,
  parameters: P,
  returns: R,
  call: (...values: { [K in keyof P]: UdfTypes[P[K]] }) => UdfTypes[R] | null,
): ScalarUdf {
  return { name, parameters, returns, call: call as unknown as ScalarUdf["call"] };
}
