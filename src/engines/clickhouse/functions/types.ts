import type { AggregateCall, CallExpr, WindowCall } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Refusal } from "../sql/refusal.ts";
import type { Sql } from "../sql/sql.ts";

/** The context in which a row of the function tables prints one call. */
export interface CallContext<Call = CallExpr> {
  /** The printed arguments: complete ClickHouse expressions of the argument's physical type, safe to place anywhere. */
  readonly args: readonly Sql[];
  readonly types: readonly SqlType[];
  readonly type: SqlType;
  readonly call: Call;
  /** IANA name of the session's time zone. */
  readonly timeZone: string;
  /** The caller wrote SAFE. before the function: its own errors are NULL. */
  readonly isSafe: boolean;
  /**
   * A value over which a ClickHouse function fails, or NULL where the call does not count. Every failing function of
   * the server stands around one.
   */
  mask(value: Sql): Sql;
  /** The value, unless the condition is true: then the query fails with the message, or the value is NULL for SAFE. */
  failIf(condition: Sql, message: string, value: Sql): Sql;
  /** A name for a lambda's parameter that nothing else has. */
  fresh(prefix: string): Sql;
  /** Computes expressions once and lets `body` use them by name. */
  bind(expressions: readonly Sql[], body: (...names: Sql[]) => Sql): Sql;
  /**
   * Marks the call as one that cannot be pushed, and says why in words that follow "Function NAME: ". The first reason
   * counts, and whatever the row prints afterwards is dropped.
   */
  refuse(reason: string): Refusal;
}

/** Prints one call as a ClickHouse expression, or refuses it. */
export type PrintCall<Call = CallExpr> = (context: CallContext<Call>) => Sql;

/** One that takes an interval apart itself: the server has no values of that type. */
interface TakesIntervals {
  readonly takesIntervals?: true;
}

export const takingIntervals = (print: PrintCall): PrintCall & TakesIntervals =>
  Object.assign(print, { takesIntervals: true } as const);

/** Upper-case catalogue name -> how ClickHouse computes it. */
export type FunctionTable = Readonly<Record<string, PrintCall & TakesIntervals>>;

export interface AggregateContext
  extends Pick<CallContext, "args" | "types" | "type" | "mask" | "bind" | "failIf" | "refuse"> {
  readonly call: AggregateCall | WindowCall;
  readonly isDistinct: boolean;
  /** The condition of rows that count; undefined for all. */
  readonly filter: Sql | undefined;
  /** Keys of ORDER BY within the call. */
  readonly order: readonly { readonly sql: Sql; readonly type: SqlType }[];
  readonly limit: bigint | undefined;
  /** ` OVER (...)` behind each aggregate function of ClickHouse; empty for plain aggregates. */
  readonly over: Sql;
  /** The same over the whole partition, whatever frame the call has. */
  readonly overPartition: Sql;
}

export type AggregateTable = Readonly<Record<string, (context: AggregateContext) => Sql>>;
