/** How rows of the function tables print calls. */

import type { AggregateCall, CallExpr, WindowCall } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Sql } from "../sql/sql.ts";

/** The context in which a row of the function tables prints one call. */
export interface CallContext<Call = CallExpr | AggregateCall | WindowCall> {
  /**
   * The call's printed arguments: complete DuckDB expressions of the argument's type, safe to place anywhere
   * (parenthesised where needed). Undefined for a skipped named argument.
   */
  readonly args: readonly Sql[];
  readonly types: readonly SqlType[];
  readonly type: SqlType;
  /** For values that the printer must know: date parts, literals. */
  readonly call: Call;
  /** IANA name of the session's time zone; `UTC` by default. */
  readonly timeZone: string;
}

/**
 * Prints one call as a DuckDB expression. An argument printed twice is computed twice: wrap it with `computeOnce` where
 * it may be more than a column or literal.
 */
export type PrintCall<Call = CallExpr> = (context: CallContext<Call>) => Sql;

/** Upper-case catalogue name -> how DuckDB computes it. */
export type FunctionTable<Call = CallExpr> = Readonly<Record<string, PrintCall<Call>>>;

/** The text of an argument that is a STRING literal other than NULL; undefined for any other expression. */
export function literalOf({ call }: CallContext, index: number): string | undefined {
  const argument = "arguments" in call ? call.arguments[index] : undefined;
  return argument?.kind === "Literal" && argument.type.kind === "STRING" ? (argument.value ?? undefined) : undefined;
}
