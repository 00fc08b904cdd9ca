import { join } from "node:path";
import { createAuthenticator, type FixedToken } from "../access/authenticator.ts";
import type { TokenStore } from "../access/token.ts";
import { createAuditLog } from "../audit/audit-log.ts";
import type { Configuration } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import { watchStore } from "../drains/watched-store.ts";
import { createEndpointTester } from "../endpoint-tests/endpoint-tester.ts";
import { ResultCache } from "../endpoints/cache/result-cache.ts";
import type { CompileDependencies } from "../endpoints/call/compile-endpoint.ts";
import { createDataThrough } from "../endpoints/call/data-through.ts";
import { createPlanner } from "../endpoints/call/planner.ts";
import { checkEndpoint } from "../endpoints/definition/check-endpoint.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { loadEndpoints } from "../endpoints/definition/load-endpoints.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import { openServiceEndpoints } from "../endpoints/management/open-endpoints.ts";
import { reloadFiles } from "../endpoints/management/reload-files.ts";
import { readNewestByTenant } from "../endpoints/tenants/newest-by-tenant.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import { type EngineSizes, openEngine } from "../engines/index.ts";
import { buildApp } from "../http/app.ts";
import { createLogger } from "../http/observe/logger.ts";
import { createDrain } from "../http/request/drain.ts";
import { createRateLimiter } from "../http/request/rate-limiter.ts";
import { addAccessTokenRoutes } from "../http/routes/access-tokens.ts";
import { addDrainRoutes } from "../http/routes/drains.ts";
import { addEndpointTestRoutes } from "../http/routes/endpoint-tests.ts";
import { addEndpointVersionRoutes } from "../http/routes/endpoint-versions.ts";
import { addManagedEndpointRoutes } from "../http/routes/managed-endpoints.ts";
import { addManagedSourceRoutes } from "../http/routes/managed-sources.ts";
import { addReloadRoute } from "../http/routes/reload.ts";
import { addStoreRoutes } from "../http/routes/store.ts";
import { addViewRoutes } from "../http/routes/views.ts";
import { createAuditOutbox } from "../metadata/audit-outbox.ts";
import { openMetadata } from "../metadata/database.ts";
import { createDrainStore } from "../metadata/drain-store.ts";
import { createEndpointStore } from "../metadata/endpoint-store.ts";
import { readSecretKey } from "../metadata/secret-key.ts";
import { createSourceStore } from "../metadata/source-store.ts";
import { createTokenStore } from "../metadata/token-store.ts";
import { createViewStore } from "../metadata/view-store.ts";
import { createAutoSource } from "../sources/auto-source.ts";
import { loadSources } from "../sources/load-sources.ts";
import { createManagedSources } from "../sources/managed-sources.ts";
import { startRetention } from "../sources/retention.ts";
import { openSources } from "../sources/source-registry.ts";
import { openSyslog } from "../syslog/open-syslog.ts";
import { loadAllSources } from "./all-sources.ts";
import { startCollecting } from "./collect-outbox.ts";
import { createRunner } from "./create-runner.ts";
import { drainDirectory, metadataPath, storeDirectory } from "./data-folder.ts";
import { demotePinnedOwners } from "./demote-pinned-owners.ts";
import { openDrains } from "./open-drains.ts";
import { createReload } from "./reload.ts";
import { openQuotas } from "./service-limits.ts";

/** A service that listens. */
export interface RunningService {
  /** Where it does, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly engine: Engine;
  readonly endpoints: EndpointRegistry;
  readonly tokens: TokenStore;
  /** Reads the files of endpoints and sources again. Problems are logged, and what was there stays. */
  reload(): Promise<unknown>;
  /** Stops taking calls, waits for those under way (no longer than `shutdown_timeout_ms`), and releases everything. */
  stop(): Promise<void>;
}

/**
 * Starts the service: reads and checks every file, opens the store, and listens. When anything is wrong it throws, and
 * nothing is left running. `extraTokens` are valid for this run only.
 */
export async function startService(
  { settings, warnings = [] }: Configuration,
  extraTokens: readonly FixedToken[] = [],
  engineSizes: EngineSizes = {},
): Promise<RunningService> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    return await openService(settings, { extraTokens, engineSizes, warnings }, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface StartOptions {
  readonly extraTokens: readonly FixedToken[];
  readonly engineSizes: EngineSizes;
  readonly warnings: readonly string[];
}

async function openService(
  settings: Settings,
  { extraTokens, engineSizes, warnings }: StartOptions,
  closers: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<RunningService> {
  const logger = createLogger(settings.logLevel);
  for (const warning of warnings) logger.warn(warning);
  // Before anything is opened: a file with an error stops the start.
  await loadSources(settings.sourceFolders);
  // First of what is stored: where it is damaged, nothing else is touched.
  const metadata = await openMetadata(metadataPath(settings));
  closers.push(() => metadata.close());
  const plainEngine = await openEngine({
    ...engineSizes,
    directory: storeDirectory(settings),
    ...(settings.engineMemoryMb === undefined ? {} : { memoryLimitBytes: settings.engineMemoryMb * 1_000_000 }),
    tenantColumns: { max: settings.maxTenantColumns, percent: settings.maxTenantColumnPercent },
    maxQueries: settings.maxConcurrentQueries,
    unstoppableAfterMs: settings.unstoppableAfterMs,
    log: (level, message) => logger[level](message),
  });
  closers.push(() => plainEngine.close());
  const tokens = createTokenStore(metadata, Date.now);
  const sourceStore = createSourceStore(metadata, Date.now);
  const readSources = () => loadAllSources(settings, sourceStore, (message) => logger.warn(message));
  const sources = await openSources(await readSources(), plainEngine.store);
  const serviceKey = await readSecretKey(join(settings.dataDir, "cursor.key"));
  const draining = await openDrains({
    folder: drainDirectory(settings),
    maxBytes: settings.drainMaxMb * 1_000_000,
    store: createDrainStore(metadata),
    serviceKey,
    findSource: (name) => sources.find(name),
    warn: (message) => logger.warn(message),
  });
  closers.push(() => draining.close());
  const engine: Engine = { ...plainEngine, store: watchStore(plainEngine.store, draining.drains) };
  const retention = startRetention({
    get sources() {
      return sources.sources;
    },
    store: engine.store,
    nowMs: Date.now,
    log: (level, message) => logger[level](message),
  });
  closers.push(() => retention.close());
  const endpointStore = createEndpointStore(metadata, Date.now);
  const folders = settings.endpointFolders;
  const opened = await openServiceEndpoints({ engine, tables: sources, store: endpointStore, folders });
  const { registry: endpoints, managed } = opened;
  for (const { definition, problem, dataProblem, warnings: doubts = [] } of endpoints.endpoints) {
    for (const doubt of doubts) logger.warn(`The endpoint ${definition.name}, ${doubt}`);
    if (problem !== undefined) logger.error(`The endpoint ${definition.name} cannot run: ${problem}`);
    if (dataProblem !== undefined)
      logger.warn(`The endpoint ${definition.name} does not run for all events: ${dataProblem}`);
  }
  sources.onChange(() => void opened.noteSources().catch((error: Error) => logger.error(error.message)));
  const planner = createPlanner({ engine, tables: sources, endpoints, nowMs: Date.now });
  const cache = new ResultCache({ maxBytes: settings.cacheMaxBytes, nowMs: Date.now, random: Math.random });
  endpoints.onChange((ids) => {
    for (const id of ids) cache.clear(id);
  });
  const ticking = setInterval(() => cache.tick(), 1_000).unref();
  closers.push(async () => {
    clearInterval(ticking);
    await cache.close();
  });
  const reading = new AbortController();
  closers.push(async () => reading.abort());
  const dataThrough = await createDataThrough(
    engine.store,
    (names) => readNewestByTenant(engine, sources, names, reading.signal),
    AbortSignal.timeout(30_000),
  );
  sources.onChange(() => dataThrough.forgetTenants());
  const audit = createAuditLog({
    level: settings.audit,
    store: engine.store,
    onStored: dataThrough.note,
    writeLine: (fields, message) => logger.info({ audit: fields }, message),
    warn: (message) => logger.warn(message),
    digestKey: serviceKey,
    secrets: [...fixedTokens(settings), ...extraTokens].map(({ secret }) => secret),
    nowMs: Date.now,
  });
  closers.push(() => audit.close());
  await demotePinnedOwners(tokens, audit, (message) => logger.warn(message));
  const outbox = createAuditOutbox(metadata, Date.now);
  const collecting = startCollecting(outbox, audit, (message) => logger.warn(message));
  closers.push(() => collecting.close());
  const drain = createDrain();
  const authenticator = createAuthenticator(tokens, [...fixedTokens(settings), ...extraTokens], Date.now);
  const managedSources = createManagedSources({
    registry: sources,
    events: engine.store,
    documents: sourceStore,
    isEndpoint: (name) => endpoints.findByName(name) !== undefined,
    findBroken: (tables) => findBroken(endpoints.endpoints, { engine, tables, endpoints }),
  });
  const { host, syslogPort } = settings;
  const quotas = openQuotas(settings);
  const syslog = await openSyslog({
    host,
    port: syslogPort,
    store: engine.store,
    quotas,
    tenantField: () => sources.find("syslog")?.tenantField,
    onStored: dataThrough.note,
    logger,
  });
  closers.push(async () => syslog?.close());
  const runner = createRunner(settings, { engine, planner, cursorKey: serviceKey });
  const app = await buildApp({
    runner,
    drains: draining.drains,
    cache,
    dataThrough,
    endpoints,
    sources,
    autoSource: createAutoSource({ registry: sources, managedSources, audit, maxCount: settings.autoSources }),
    syslogCounts: () => syslog?.counts,
    authenticator,
    audit,
    logger,
    rates: createRateLimiter(settings.maxRequestsPerMinute, Date.now),
    quotas,
    maxBodyBytes: settings.maxBodyBytes,
    bodyTimeoutMs: settings.bodyTimeoutMs,
    isMetricsOpen: settings.isMetricsOpen,
    consoleFolder: settings.consoleFolder,
    nowMs: Date.now,
    drain,
  });
  draining.start(runner);
  const { maxBodyBytes } = settings;
  addDrainRoutes(app, { authenticator, drains: draining.drains, audit, maxBodyBytes });
  addAccessTokenRoutes(app, { authenticator, tokens, audit, maxBodyBytes, nowMs: Date.now });
  addManagedEndpointRoutes(app, { authenticator, managed, audit, maxBodyBytes });
  addEndpointVersionRoutes(app, { authenticator, managed, endpoints, store: endpointStore, audit, maxBodyBytes });
  const tester = createEndpointTester(settings.sourceFolders, Date.now);
  addEndpointTestRoutes(app, { authenticator, endpoints, tester });
  const views = createViewStore(metadata, Date.now);
  addViewRoutes(app, { authenticator, views, endpoints, sources, audit, maxBodyBytes });
  addManagedSourceRoutes(app, { authenticator, managedSources, audit, maxBodyBytes });
  const reload = createReload({
    sources,
    managedSources,
    loadSources: readSources,
    checkEndpoints: (tables) => loadEndpoints(folders, { engine, tables, stored: ownEndpoints(endpoints) }),
    reloadEndpoints: (tables) =>
      reloadFiles({ engine, tables, folders, registry: endpoints, store: endpointStore }, managed),
    findBroken: (tables) => findBroken(ownEndpoints(endpoints), { engine, tables, endpoints }),
    audit,
    log: (level, message) => logger[level](message),
  });
  addReloadRoute(app, { authenticator, reload });
  addStoreRoutes(app, {
    engine,
    metadata,
    metadataCopyPath: join(settings.dataDir, "metadata.copy.db"),
    sources,
    audit,
    authenticator,
    logger,
    nowMs: Date.now,
    drain,
  });
  closers.push(() => app.close());
  const url = await app.listen({ host, port: settings.port });
  const stop = async () => {
    await drain.stop(settings.shutdownTimeoutMs);
    await closeAll();
  };
  return { url, engine: plainEngine, endpoints, tokens, reload: () => reload("files").catch(() => undefined), stop };
}

/** Endpoints that are in no file. */
function ownEndpoints({ endpoints }: EndpointRegistry): readonly Endpoint[] {
  return endpoints.filter(({ origin }) => origin.kind !== "file");
}

/** Names of endpoints that run now and would not with these tables. */
function findBroken(endpoints: readonly Endpoint[], dependencies: CompileDependencies): readonly string[] {
  const broken = endpoints.filter((endpoint) => {
    return endpoint.problem === undefined && checkEndpoint(endpoint, dependencies).problems !== undefined;
  });
  return broken.map(({ definition }) => definition.name);
}

function fixedTokens({ privateToken, publicToken, apiKey }: Settings): readonly FixedToken[] {
  const tokens: FixedToken[] = [];
  if (privateToken !== undefined) tokens.push({ id: "private_token", secret: privateToken, scopes: ["private"] });
  if (publicToken !== undefined) tokens.push({ id: "public_token", secret: publicToken, scopes: ["ingest"] });
  if (apiKey !== undefined) tokens.push({ id: "api_key", secret: apiKey, scopes: ["query", "ingest"] });
  return tokens;
}
