import { createServer } from "node:http";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Authenticator } from "../access/authenticator.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Drains } from "../drains/drains.ts";
import type { ResultCache } from "../endpoints/cache/result-cache.ts";
import type { DataThrough } from "../endpoints/call/run/data-through.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import { createSourceScopes, type SourceScopes } from "../endpoints/explore/source-scopes.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import { createTailHub, type TailHub } from "../endpoints/tail/tail-hub.ts";
import type { IngestQuotas } from "../ingest/quotas/ingest-quotas.ts";
import type { NodeState } from "../metadata/nodes.ts";
import type { AutoSource } from "../sources/auto-source.ts";
import type { SourceRegistry } from "../sources/source-registry.ts";
import { CachedReplies } from "./cached-replies/cached-replies.ts";
import { createIntakeTally, type IntakeTally } from "./ingest/intake-tally.ts";
import { createTenantlessWarnings, type WarnOfTenantless } from "./ingest/warn-of-tenantless.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { addAccessLog } from "./plugins/access-log.ts";
import { addAudit } from "./plugins/audit.ts";
import { addBodySize } from "./plugins/body-size.ts";
import { addBodyTime } from "./plugins/body-time.ts";
import { addCors } from "./plugins/cors.ts";
import { addDraining } from "./plugins/draining.ts";
import { addErrors, addUnknownRoutes, answerClientError, answerFrameworkError } from "./plugins/errors.ts";
import { addMetadataState } from "./plugins/metadata-state.ts";
import { addMetrics } from "./plugins/metrics.ts";
import { chooseRequestId } from "./plugins/request-id.ts";
import { addTraces } from "./plugins/traces.ts";
import type { Drain } from "./request/drain.ts";
import { parseQueryText } from "./request/query-text.ts";
import type { RateLimiter } from "./request/rate-limiter.ts";
import { addRoutes, type Management } from "./routes/index.ts";

/** What the HTTP side works with. */
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
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  readonly logger: FastifyBaseLogger;
  /** Of endpoint calls, by token. */
  readonly rates: RateLimiter;
  /** Of events, by token and by tenant. */
  readonly quotas: IngestQuotas;
  readonly maxBodyBytes: number;
  /** So long nothing more of a body may come before its request is ended. */
  readonly bodyTimeoutMs: number;
  /** Folder of the built console; absent where there is none, or it is turned off. */
  readonly consoleFolder?: string | undefined;
  /** True where `/metrics` asks for no token. */
  readonly isMetricsOpen: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly drain: Drain;
  /** How well tokens and endpoints are known where others change them too; absent where none do. */
  readonly nodeState?: () => NodeState;
  /** Has other services on the same metadata drop their cached answers; absent where there are none. */
  readonly clearElsewhere?: () => Promise<void>;
  /** What owners change and look after; without it there are no routes for that. */
  readonly management?: Management;
}

/** What the routes work with. */
export interface AppContext extends AppDependencies {
  /** Sources as owners call them. */
  readonly scopes: SourceScopes;
  /** Queries that are followed. */
  readonly tails: TailHub;
  /** What came of what was sent. */
  readonly intake: IntakeTally;
  readonly warnOfTenantless: WarnOfTenantless;
}

/** URLs of 256 KB and some headers fit. */
export const maxHeaderBytes = 512 * 1024;
/** How long a connection that says nothing is kept open. */
const keepAliveMs = 72_000;

/** The service's HTTP side, not yet listening; tests talk to it with `inject`. */
export async function buildApp(given: AppDependencies): Promise<FastifyInstance> {
  const tails = createTailHub(given.nowMs);
  const dependencies: AppContext = {
    ...given,
    scopes: createSourceScopes(given.sources),
    tails,
    intake: createIntakeTally(given.nowMs),
    warnOfTenantless: createTenantlessWarnings(given.nowMs),
    dataThrough: tellOfArrivals(given.dataThrough, tails),
  };
  const metrics = createMetrics(dependencies);
  const replies = new CachedReplies(dependencies, metrics);
  const app = createFastify(dependencies, replies);
  app.addHook("onClose", async () => {
    tails.close();
    await replies.flush();
  });
  takeBodies(app);
  await addPlugins(app, dependencies, metrics);
  addRoutes(app, { context: dependencies, metrics, replies });
  return app;
}

function createFastify({ logger, maxBodyBytes }: AppDependencies, replies: CachedReplies): FastifyInstance {
  return fastify({
    serverFactory: (handle) =>
      createServer(
        { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
        (request, response) => {
          // Most calls of a busy service were answered before: they need nothing of what follows.
          if (!replies.answer(request, response)) handle(request, response);
        },
      ),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Given here, the framework's own are not loaded: they take a tenth of a start.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    genReqId: chooseRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    routerOptions: { maxParamLength: maxHeaderBytes, querystringParser: parseQueryText, ignoreTrailingSlash: true },
  });
}

/** Handlers check by themselves what they read, and write JSON by themselves. */
function refuseSchema(): never {
  throw new Error("Routes have no schemas for the framework: their handlers check what they read");
}

/** Lets every body through as it came: what it is, each route tells by itself. */
function takeBodies(app: FastifyInstance): void {
  // A GET may bring a body along.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", async (request) => {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    // Clients announce JSON and then send none: without a body its type says nothing. An empty message is one, though.
    const type = request.raw.headers["content-type"] ?? "";
    const isEmpty = length === "0" && encoding === undefined;
    if (isEmpty && !type.includes("protobuf")) delete request.raw.headers["content-type"];
    // Some clients send the header twice.
    const [first, second] = type.split(",");
    if (second !== undefined && !isEmpty) request.raw.headers["content-type"] = first?.trim();
  });
}

/** What holds for all routes. */
async function addPlugins(app: FastifyInstance, dependencies: AppContext, metrics: Metrics): Promise<void> {
  addErrors(app);
  await addCors(app);
  addAccessLog(app);
  addMetrics(app, metrics);
  addTraces(app);
  addAudit(app, dependencies.audit);
  addDraining(app, dependencies.drain);
  if (dependencies.nodeState !== undefined) addMetadataState(app, dependencies.nodeState);
  addBodySize(app, dependencies.maxBodyBytes);
  addBodyTime(app, dependencies.bodyTimeoutMs);
  addUnknownRoutes(app);
}

/** Followers of a query learn of events as soon as they are on disk. */
function tellOfArrivals(dataThrough: DataThrough, tails: TailHub): DataThrough {
  return {
    ...dataThrough,
    note(...noted) {
      dataThrough.note(...noted);
      tails.note(noted[0]);
    },
  };
}
