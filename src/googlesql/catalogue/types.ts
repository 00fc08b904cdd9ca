/**
 * One row of the catalogue is one function of the published reference. The catalogue is the allow-list: what it does
 * not hold cannot be called. How an engine computes a function stands in that engine's own table.
 */

export type FunctionKind =
  | "scalar"
  | "aggregate"
  /** Needs OVER: navigation and numbering functions. */
  | "window";

/** Facts about a function for code that moves, copies or leaves out calls. Rows state differences from the default. */
export interface FunctionFacts {
  /**
   * For how long a value stands for the same arguments: `run`, throughout one run (the clock); `row`, for one call only
   * (RAND). Always, by default.
   */
  readonly volatility?: "run" | "row";
  /**
   * Which arguments may stay uncomputed, as earlier ones decide: those after one that is FALSE (`conjunction`), TRUE
   * (`disjunction`) or not NULL (`fallback`), or one of the second and the third (`choice`). None, by default.
   */
  readonly laziness?: "conjunction" | "disjunction" | "fallback" | "choice";
  /**
   * The arguments that decide whether a call fails: none where it never does. All of them, by default. Those that are
   * absent do not count.
   */
  readonly fallibility?: readonly Decisive[];
  /** Places of the arguments of which the value is one, or an element of one. None, by default. */
  readonly answers?: readonly number[] | "all";
  /** Compares its arguments: they are brought to one form, by collation and by shape. */
  readonly isComparison?: boolean;
  /** Its result does not depend on how strings compare. */
  readonly ignoresCollation?: boolean;
  /** The reading of a first argument of several shapes: its numbers, or the JSON of its texts. */
  readonly readsMixedAs?: "number" | "json";
}

/**
 * The place of an argument that decides whether a call fails. A literal or a parameter there was looked at before the
 * query runs; with `works`, only literals decide, and those of which it says so never fail.
 */
export type Decisive = number | { readonly place: number; readonly works: (literal: string) => boolean };

/** Fails for no argument, where the one at the place is left out. */
export const failsWith = (place: number): FunctionFacts => ({ fallibility: [{ place, works: () => false }] });

/** Fails for no other argument, where the one at the place is 0 or more. */
export const failsBelowZero = (place: number): FunctionFacts => ({
  fallibility: [{ place, works: (count) => !count.startsWith("-") }],
});

/** Fails for no other argument, where the divisor is a number that only makes a value smaller. */
export const FAILS_BY_DIVISOR: FunctionFacts = {
  fallibility: [{ place: 1, works: (divisor) => Math.abs(Number(divisor)) >= 1 && Number(divisor) !== -1 }],
};

/** The fact of functions that fail for no value. */
export const NEVER_FAILS = { fallibility: [] } as const satisfies FunctionFacts;

/** The fact of functions that return the time of the run. */
export const CLOCK = { volatility: "run" } as const satisfies FunctionFacts;

export interface FunctionDefinition extends FunctionFacts {
  /** Upper case; dotted for NET.*, HLL_COUNT.* and the like. Operators begin with `$`. */
  readonly name: string;
  /** Other published names of the same function, e.g. SUBSTRING. */
  readonly aliases?: readonly string[];
  readonly kind: FunctionKind;
  /**
   * In the order in which they are tried; the first that takes the arguments with the least coercion is used.
   * Written `(STRING, INT64, [INT64]) -> STRING`:
   * - types as GoogleSQL writes them; `T`, `T1`, `T2` any type (one and the same at each place, supertypes are taken);
   * `NUMBER` any numeric type (same rules as T); `ARRAY<T>`; `STRUCT` any struct; `ANY` any type without unification;
   * `RECORD`-typed values count as JSON-like `ANY`.
   * - `[X]` optional; `X...` repeated zero or more times (last argument; write `X, X...` for at least one); `name =>
   *   X` named argument, optional as `[name => X]`.
   * - `DATEPART` a date part (bare identifier, WEEK(MONDAY) allowed); `(T1, [INT64]) -> BOOL` a lambda; `LITERAL X`
   *   must be a literal or parameter.
   * - `T COMPARABLE`, `T ORDERABLE`, `T GROUPABLE` restrict T.
   */
  readonly signatures: readonly string[];
  /**
   * For aggregates: may they be called with OVER? Default true. May they take DISTINCT, ORDER BY, LIMIT,
   * IGNORE/RESPECT NULLS, HAVING MAX/MIN? Default none.
   */
  readonly allows?: readonly ("distinct" | "order" | "limit" | "nulls" | "having")[];
  readonly isWindowable?: boolean;
  /** For window functions: is ORDER BY in OVER required, is a frame allowed? */
  readonly window?: { readonly requiresOrder: boolean; readonly allowsFrame: boolean; readonly allowsNulls?: boolean };
  /** Published, but refused here by name, with the reason a caller reads. Then `signatures` may be empty. */
  readonly refused?: string;
  /** A category of the reference: "string", "date", "json" ... */
  readonly area: string;
  /** One line for the documentation, in our words. */
  readonly summary: string;
}

/** Makes rows of scalar functions of an area. */
export const scalarsOf =
  (area: string) =>
  (
    name: string,
    summary: string,
    signatures: readonly string[],
    more: Partial<FunctionDefinition> = {},
  ): FunctionDefinition => ({ name, kind: "scalar", signatures, area, summary, ...more });

/** Makes rows of aggregate functions of an area. */
export const aggregatesOf =
  (area: string) =>
  (
    name: string,
    summary: string,
    signatures: readonly string[],
    allows: FunctionDefinition["allows"] = [],
    more: Partial<FunctionDefinition> = {},
  ): FunctionDefinition => ({ name, kind: "aggregate", signatures, allows, area, summary, ...more });
