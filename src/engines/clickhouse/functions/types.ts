import type { AggregateCall, CallExpr, WindowCall } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";

/** The context in which a row of the function tables prints one call. */
export interface CallContext<Call = CallExpr> {
  /** The printed arguments: complete ClickHouse expressions of the argument's physical type, safe to place anywhere. */
  readonly args: readonly string[];
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
  mask(sql: string): string;
  /** The value, unless the condition is true: then the query fails with the message, or the value is NULL for SAFE. */
  failIf(condition: string, message: string, value: string): string;
  /** A name for a lambda's parameter that nothing else has. */
  fresh(prefix: string): string;
  /** Computes expressions once and lets `body` use them by name. */
  bind(expressions: readonly string[], body: (...names: string[]) => string): string;
  /** Says why this call cannot be pushed: in words that follow "Function NAME: ". */
  refuse(reason: string): never;
  /** The same call with arguments given as SQL, for functions that are others of another name. */
  readonly print: (name: string, args: readonly string[], types: readonly SqlType[], type: SqlType) => string;
}

/** Prints one call as a ClickHouse expression, or refuses it. */
export type PrintCall<Call = CallExpr> = (context: CallContext<Call>) => string;

/** Upper-case catalogue name -> how ClickHouse computes it. */
export type FunctionTable = Readonly<Record<string, PrintCall>>;

export interface AggregateContext
  extends Pick<CallContext, "args" | "types" | "type" | "mask" | "bind" | "failIf" | "refuse"> {
  readonly call: AggregateCall | WindowCall;
  readonly isDistinct: boolean;
  /** The condition of rows that count; undefined for all. */
  readonly filter: string | undefined;
  /** Keys of ORDER BY within the call. */
  readonly order: readonly { readonly sql: string; readonly type: SqlType; readonly isDescending: boolean }[];
  readonly limit: bigint | undefined;
  /** `OVER (...)` behind each aggregate function of ClickHouse; empty for plain aggregates. */
  readonly over: string;
}

export type AggregateTable = Readonly<Record<string, (context: AggregateContext) => string>>;
