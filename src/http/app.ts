import type { IncomingMessage } from "node:http";
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { createSourceScopes } from "../endpoints/explore/source-scopes.ts";
import { createTailHub } from "../endpoints/tail/tail-hub.ts";
import type { NodeState } from "../metadata/nodes.ts";
import { ServiceError } from "../shared/errors.ts";
import type { AppContext, AppDependencies } from "./app-context.ts";
import { CachedReplies } from "./cached-replies/cached-replies.ts";
import { createIntakeTally } from "./ingest/intake-tally.ts";
import { createTenantlessWarnings } from "./ingest/warn-of-tenantless.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { addAccessLog, whenAnswered } from "./plugins/access-log.ts";
import { addAudit } from "./plugins/audit.ts";
import { accessOf, addAuthentication } from "./plugins/authentication.ts";
import { addCors } from "./plugins/cors.ts";
import { addErrors, addUnknownRoutes, answerClientError, answerFrameworkError } from "./plugins/errors.ts";
import { chooseRequestId } from "./plugins/request-id.ts";
import { addTraces } from "./plugins/traces.ts";
import { addUnreadBodies } from "./plugins/unread-bodies.ts";
import { parseQueryText } from "./request/query-text.ts";
import { readBody } from "./request/read-body.ts";
import type { Shutdown } from "./request/shutdown.ts";
import { checkSingleHeaders } from "./request/single-headers.ts";
import { addRoutes, errorForms, type ServedContext } from "./routes/index.ts";
import { createHttpServer, maxHeaderBytes, Turns } from "./server.ts";
import { createTailLimits } from "./tail/tail-limits.ts";
import { addWebSockets } from "./tail/web-sockets.ts";

/** The service's HTTP side, not yet listening; tests talk to it with `inject`. */
export async function buildApp(given: AppDependencies & Pick<ServedContext, "management">): Promise<FastifyInstance> {
  const tails = given.tails ?? createTailHub({ nowMs: given.nowMs, steadyMs: () => performance.now() });
  const dependencies: ServedContext = {
    ...given,
    scopes: createSourceScopes(given.sources),
    tails,
    tailLimits: createTailLimits(),
    revision: countChanges(given),
    intake: createIntakeTally(given.nowMs),
    warnOfTenantless: createTenantlessWarnings(given.nowMs),
  };
  const metrics = createMetrics(dependencies);
  const replies = new CachedReplies(dependencies, metrics);
  const app = createFastify(dependencies);
  app.addHook("onClose", async () => {
    tails.close();
    await replies.flush();
  });
  app.decorate("maxBodyBytes", dependencies.maxBodyBytes);
  takeBodies(app, dependencies);
  // Most calls of a busy service were answered before: they need nothing of what the other hooks do.
  app.addHook("onRequest", (request, reply, done) => {
    if (replies.answer(request.raw, reply.raw)) reply.hijack();
    else done();
  });
  await addPlugins(app, dependencies, metrics);
  addRoutes(app, { context: dependencies, metrics, replies });
  return app;
}

function createFastify({ logger, maxBodyBytes, times }: AppDependencies): FastifyInstance {
  const turns = new Turns();
  return fastify({
    serverFactory: (handle) => createHttpServer(times, handle, turns),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Given here, the framework's own are not loaded: they take a tenth of a start.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    genReqId: chooseRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => turns.refuse(socket, () => answerClientError(error, socket)),
    frameworkErrors: answerFrameworkError,
    routerOptions: { maxParamLength: maxHeaderBytes, querystringParser: parseQueryText, ignoreTrailingSlash: true },
  });
}

/** Handlers check by themselves what they read, and write JSON by themselves. */
function refuseSchema(): never {
  throw new Error("Routes have no schemas for the framework: their handlers check what they read");
}

/** Reads the bodies of routes that have one, as they came: each route says what they are. */
function takeBodies(app: FastifyInstance, { maxBodyBytes, times }: AppDependencies): void {
  // A GET may bring a body along.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) =>
    accessOf(request).hasBody ? readBody(request, payload, { ...times, maxBodyBytes }) : undefined,
  );
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

/** Registers the plugins of all routes. */
async function addPlugins(app: FastifyInstance, dependencies: AppContext, metrics: Metrics): Promise<void> {
  addErrors(app);
  await addCors(app);
  addAccessLog(app);
  app.addHook("onRequest", async ({ logNotes }, reply) => {
    whenAnswered(reply, (status) => metrics.observe(logNotes, status, reply.elapsedTime / 1000));
  });
  addTraces(app);
  addHeaderCheck(app);
  addAudit(app, dependencies.audit);
  addShutdown(app, dependencies.shutdown);
  if (dependencies.nodeState !== undefined) addMetadataState(app, dependencies.nodeState);
  addUnreadBodies(app);
  addUnknownRoutes(app, errorForms);
  addAuthentication(app, dependencies);
  addWebSockets(app);
}

/** A number that grows with every change of an endpoint or a source, whichever node made it. */
function countChanges({ endpoints, sources }: Pick<AppDependencies, "endpoints" | "sources">): () => number {
  let count = 0;
  for (const { onChange } of [endpoints, sources]) onChange(() => count++);
  return () => count;
}

const retryAfterSeconds = 5;

/** Paths that report the service's state, and are always answered. */
const alwaysAnswered: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics"]);

/** Sends calls away where tokens and endpoints may long be others than those last known. */
function addMetadataState(app: FastifyInstance, nodeState: () => NodeState): void {
  app.addHook("onRequest", async (request) => {
    if (nodeState() !== "outdated" || alwaysAnswered.has(request.url.split("?")[0] ?? "")) return;
    throw new ServiceError("metadata_unavailable", "The database of the metadata has been away for too long", {
      retryAfterSeconds,
    });
  });
}

/** Refuses requests that others could read in another way, and reads nothing more of their connections. */
function addHeaderCheck(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    try {
      checkSingleHeaders(raw);
    } catch (error) {
      reply.header("Connection", "close");
      throw error;
    }
  });
}

/** Counts calls, and refuses new ones once the service stops. */
function addShutdown(app: FastifyInstance, shutdown: Shutdown): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.raw.once("close", shutdown.enter());
    if (!shutdown.stopping.aborted) return;
    reply.header("Connection", "close");
    throw new ServiceError("shutting_down", "The service is stopping", { retryAfterSeconds: 2 });
  });
}
