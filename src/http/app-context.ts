import type { FastifyBaseLogger } from "fastify";
import type { Authenticator } from "../access/authenticator.ts";
import type { KeyGrants } from "../access/key-grants.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Drains } from "../drains/drains.ts";
import type { ResultCache } from "../endpoints/cache/result-cache.ts";
import type { DataThrough } from "../endpoints/call/run/data-through.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { SourceScopes } from "../endpoints/explore/source-scopes.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import type { TailHub } from "../endpoints/tail/tail-hub.ts";
import type { IngestQuotas } from "../ingest/quotas/ingest-quotas.ts";
import type { NodeState } from "../metadata/nodes.ts";
import type { AutoSource } from "../sources/auto-source.ts";
import type { Forgetting } from "../sources/forgetting.ts";
import type { SourceRegistry } from "../sources/source-registry.ts";
import type { IntakeTally } from "./ingest/intake-tally.ts";
import type { WarnOfTenantless } from "./ingest/warn-of-tenantless.ts";
import type { SignIn } from "./request/find-person.ts";
import type { RateLimiter } from "./request/rate-limiter.ts";
import type { BodyTimes } from "./request/read-body.ts";
import type { Shutdown } from "./request/shutdown.ts";
import type { ConnectionTimes } from "./server.ts";
import type { TailLimits } from "./tail/tail-limits.ts";

/** The dependencies of the HTTP side. */
export interface AppDependencies {
  readonly runner: EndpointRunner;
  readonly cache: ResultCache;
  readonly dataThrough: DataThrough;
  readonly endpoints: EndpointRegistry;
  readonly sources: SourceRegistry;
  /** Makes a source that events are sent to under a name that nothing has; undefined where it may not. */
  readonly autoSource?: AutoSource;
  /** Messages that came over syslog; undefined where nothing listens for them. */
  readonly syslogCounts?: () => { readonly stored: number; readonly dropped: number } | undefined;
  /** Where events are drained to; undefined where they are not. */
  readonly drains?: Drains;
  /** Queries that are run by schedule; undefined where none are. */
  readonly alerts?: Alerts;
  /** Deletes events; absent where nothing does. */
  readonly forgetting?: Forgetting;
  readonly authenticator: Authenticator;
  /** How people sign in without a token; absent where they do not. */
  readonly signIn?: SignIn | undefined;
  /** Gives access tokens to holders of key files. */
  readonly keyGrants: Pick<KeyGrants, "exchange">;
  readonly audit: Pick<AuditLog, "level" | "record" | "droppedCount">;
  readonly logger: FastifyBaseLogger;
  /** The rates of endpoint calls, by token. */
  readonly rates: RateLimiter;
  /** The quotas of events, by token and by tenant. */
  readonly quotas: IngestQuotas;
  readonly maxBodyBytes: number;
  readonly maxBodyEvents: number;
  readonly times: ConnectionTimes & BodyTimes;
  /** Folder of the built console; absent where there is none, or it is turned off. */
  readonly consoleFolder?: string | undefined;
  /** True where `/metrics` asks for no token. */
  readonly isMetricsOpen: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly shutdown: Shutdown;
  /** How well tokens and endpoints are known where others change them too; absent where none do. */
  readonly nodeState?: () => NodeState;
  /** Has other services on the same metadata drop their cached answers; absent where there are none. */
  readonly clearElsewhere?: () => Promise<void>;
  /** Queries that are followed, which learn of events from the store; without it by asking for them. */
  readonly tails?: TailHub;
}

/** The dependencies of the routes. */
export interface AppContext extends AppDependencies {
  /** Sources as owners call them. */
  readonly scopes: SourceScopes;
  /** Queries that are followed. */
  readonly tails: TailHub;
  /** Bounds the tails of each token. */
  readonly tailLimits: TailLimits;
  /** Changes with the endpoints and sources. */
  readonly revision: () => number;
  /** Counts of received bodies and events by outcome. */
  readonly intake: IntakeTally;
  readonly warnOfTenantless: WarnOfTenantless;
}
