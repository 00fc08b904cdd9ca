/** A query with the rows that a plain rule gives for it, or with what its error says. */
export interface TableCase {
  readonly query: string;
  /** As `sql --batch` writes them; FLOAT64 are compared as numbers. */
  readonly rows?: readonly unknown[];
  /** A pattern that the message matches. */
  readonly error?: RegExp;
}

/** Cases of one rule over a family of types or values. */
export interface CaseTable {
  readonly name: string;
  readonly cases: readonly TableCase[];
}

/** TRUE, FALSE or NULL. */
export type Truth = boolean | null;

/** NOT of three-valued logic. */
export function not(value: Truth): Truth {
  return value === null ? null : !value;
}

/** AND of three-valued logic, of any number of values. */
export function and(values: readonly Truth[]): Truth {
  return values.includes(false) ? false : values.includes(null) ? null : true;
}

/** OR of three-valued logic, of any number of values. */
export function or(values: readonly Truth[]): Truth {
  return values.includes(true) ? true : values.includes(null) ? null : false;
}

/** All pairs of two lists. */
export function pairs<A, B>(left: readonly A[], right: readonly B[]): readonly (readonly [A, B])[] {
  return left.flatMap((a) => right.map((b) => [a, b] as const));
}
