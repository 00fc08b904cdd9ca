/**
 * Which JavaScript functions can fail, and the form in which those get their arguments. What fails for no value may be
 * computed for values that no row of the query holds (see `compile/hidden-failures.ts`).
 */
import type { ScalarFunction } from "./scalar-function.ts";

/**
 * Is there a value for which the function fails? What only constants decide does not count: the compiler prints those
 * that fit.
 */
export function canFail({ parameters, fallibility }: ScalarFunction): boolean {
  return parameters.length > 0 && (fallibility === undefined || fallibility.includes(0));
}

/** The names of the fields in which a function that can fail gets its arguments. */
export function packedFieldName(index: number): string {
  return `a${index}`;
}
