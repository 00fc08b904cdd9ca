import type { Identity } from "../access/scope.ts";
import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import type { RunOptions } from "../endpoints/call/run/run-prepared.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import type { Source } from "../sources/source.ts";

/** One request of a client, as HTTP lets it call endpoints: there is no other way from here to any row. */
export interface LokiCaller {
  readonly runner: EndpointRunner;
  readonly identity: Identity;
  /** Every endpoint; which of them the caller may read is for this room to decide. */
  readonly endpoints: readonly Endpoint[];
  /** Every source, for owners. */
  readonly sources: readonly Source[];
  /** The tenant that the request names (`X-Scope-OrgID`). */
  readonly tenant: string | undefined;
  /** Opens a call of an endpoint, or for owners of `source:NAME`, as its address does. Throws `ServiceError`. */
  openCall(name: string, sent: ReadonlyMap<string, unknown>, isRun: boolean): Promise<QueryCall>;
  /** Has the audit record the run of a call. */
  noteRun(call: QueryCall): void;
  /** Throws `timeout` once the request has taken as long as a query may. */
  checkTime(): void;
  /** The options of running an opened call. */
  runOptions(): RunOptions;
}
