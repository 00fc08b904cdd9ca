import type { Identity } from "../access/scope.ts";
import type { CachedRunner } from "../endpoints/cache/run-cached.ts";
import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import type { RunOptions } from "../endpoints/call/run/run-prepared.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";

/** One request of a client, as HTTP lets it call endpoints: there is no other way from here to any row. */
export interface BigQueryCaller extends CachedRunner {
  readonly identity: Identity;
  /** Every endpoint; which of them the caller may query is for this room to decide. */
  readonly endpoints: readonly Endpoint[];
  /** Opens a call of an endpoint as its address does. With `isRun` the audit records it. Throws `ServiceError`. */
  openCall(name: string, sent: ReadonlyMap<string, unknown>, isRun: boolean): Promise<QueryCall>;
  /** The options of running the opened call. */
  runOptions(): RunOptions;
  /** Notes whether the answer was cached. */
  noteCache(isHit: boolean): void;
}
