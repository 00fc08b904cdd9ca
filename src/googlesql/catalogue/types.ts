/**
 * One row of the catalogue is one function of the published reference. The catalogue is the allow-list: what it does
 * not hold cannot be called. How an engine computes a function stands in that engine's own table.
 */

export type FunctionKind =
  | "scalar"
  | "aggregate"
  /** Needs OVER: navigation and numbering functions. */
  | "window";

export interface FunctionDefinition {
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
  /** Each call gives another value, also within a query: RAND, GENERATE_UUID. */
  readonly isRandom?: boolean;
  /** Published, but refused here by name, with the reason a caller reads. Then `signatures` may be empty. */
  readonly refused?: string;
  /** A category of the reference: "string", "date", "json" ... */
  readonly area: string;
  /** One line for the documentation, in our words. */
  readonly summary: string;
}
