import { createServer } from "node:http";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Authenticator } from "../access/authenticator.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { ResultCache } from "../endpoints/cache/result-cache.ts";
import type { DataThrough } from "../endpoints/data-through.ts";
import type { EndpointRegistry } from "../endpoints/endpoint-registry.ts";
import type { EndpointRunner } from "../endpoints/run-endpoint.ts";
import type { SourceRegistry } from "../sources/source-registry.ts";
import type { Drain } from "./drain.ts";
import { createKeptReplies } from "./kept-replies.ts";
import { createMetrics } from "./metrics.ts";
import { addAccessLog } from "./plugins/access-log.ts";
import { addAudit } from "./plugins/audit.ts";
import { addBodySize } from "./plugins/body-size.ts";
import { addCors } from "./plugins/cors.ts";
import { addDraining } from "./plugins/draining.ts";
import { addErrors, answerClientError, answerFrameworkError } from "./plugins/errors.ts";
import { addMetrics } from "./plugins/metrics.ts";
import { chooseRequestId } from "./plugins/request-id.ts";
import { addTraces } from "./plugins/traces.ts";
import { parseQueryText } from "./query-text.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { addCacheRoute } from "./routes/cache.ts";
import { addEndpointsRoutes } from "./routes/endpoints.ts";
import { addHealthRoute } from "./routes/health.ts";
import { addIngestRoutes } from "./routes/ingest.ts";
import { addMetricsRoute } from "./routes/metrics.ts";
import { addOpenApiRoute } from "./routes/openapi.ts";
import { addQueryRoutes } from "./routes/query.ts";
import { addRunEndpointRoutes } from "./routes/run-endpoint.ts";
import { addSourcesRoutes } from "./routes/sources.ts";

/** What the HTTP side works with. */
export interface AppDependencies {
  readonly runner: EndpointRunner;
  readonly cache: ResultCache;
  readonly dataThrough: DataThrough;
  readonly endpoints: EndpointRegistry;
  readonly sources: SourceRegistry;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  readonly logger: FastifyBaseLogger;
  /** Of endpoint calls, by token. */
  readonly rates: RateLimiter;
  readonly maxBodyBytes: number;
  /** True where `/metrics` asks for no token. */
  readonly isMetricsOpen: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly drain: Drain;
}

/** URLs of 256 KB and some headers fit. */
const maxHeaderBytes = 512 * 1024;
/** How long a connection that says nothing is kept open. */
const keepAliveMs = 72_000;

/** The service's HTTP side, not yet listening; tests talk to it with `inject`. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const metrics = createMetrics(dependencies);
  const replies = createKeptReplies(dependencies, metrics);
  const app = fastify({
    serverFactory: (handle) =>
      createServer(
        { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
        (request, response) => {
          // Most calls of a busy service were answered before: they need nothing of what follows.
          if (!replies.answer(request, response)) handle(request, response);
        },
      ),
    loggerInstance: dependencies.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: chooseRequestId,
    requestIdHeader: false,
    bodyLimit: dependencies.maxBodyBytes,
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    routerOptions: { maxParamLength: maxHeaderBytes, querystringParser: parseQueryText, ignoreTrailingSlash: true },
  });
  app.addHook("onClose", async () => replies.flush());
  // A GET may bring a body along; what a body is, each route tells by itself.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", async (request) => {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    // Clients announce JSON and then send none: without a body its type says nothing.
    if (length === "0" && encoding === undefined) delete request.raw.headers["content-type"];
  });
  addErrors(app);
  await addCors(app);
  addAccessLog(app);
  addMetrics(app, metrics);
  addTraces(app);
  addAudit(app, dependencies.audit);
  addDraining(app, dependencies.drain);
  addBodySize(app, dependencies.maxBodyBytes);
  addHealthRoute(app, dependencies);
  addMetricsRoute(app, dependencies, metrics);
  addRunEndpointRoutes(app, dependencies, replies);
  addEndpointsRoutes(app, dependencies);
  addQueryRoutes(app, dependencies);
  addSourcesRoutes(app, dependencies);
  addCacheRoute(app, dependencies);
  addIngestRoutes(app, dependencies);
  addOpenApiRoute(app, dependencies);
  return app;
}
