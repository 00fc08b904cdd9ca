import type { Server } from "node:net";
import { join } from "node:path";
import { createAuthenticator } from "../access/authenticator.ts";
import { createKeyGrants } from "../access/key-grants.ts";
import { createKeyTokenSealer } from "../access/key-tokens.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Settings } from "../config/settings.ts";
import { createEndpointTester } from "../endpoint-tests/endpoint-tester.ts";
import { createHoldBack } from "../endpoints/call/run/hold-back.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { loadEndpoints } from "../endpoints/definition/load-endpoints.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import { findBroken } from "../endpoints/management/endpoint-set.ts";
import { reloadFiles } from "../endpoints/management/reload-files.ts";
import { createCursorSealer } from "../endpoints/paging/cursor.ts";
import { buildApp } from "../http/app.ts";
import { createRateLimiter } from "../http/request/rate-limiter.ts";
import { createShutdown, type Shutdown } from "../http/request/shutdown.ts";
import type { Management } from "../http/routes/index.ts";
import { openSyslog } from "../ingest/syslog-port/open-syslog.ts";
import { createViewStore } from "../metadata/view-store.ts";
import { Admission } from "../shared/concurrency/admission.ts";
import { createAutoSource } from "../sources/auto-source.ts";
import type { Forgetting } from "../sources/forgetting.ts";
import { createManagedSources, type ManagedSources } from "../sources/managed-sources.ts";
import { type OpenedAlerts, openAlerts } from "./open-alerts.ts";
import type { OpenEndpoints } from "./open-endpoints.ts";
import { openSignIn } from "./open-sign-in.ts";
import { openSignedTokens } from "./open-signed-tokens.ts";
import type { Storage } from "./open-storage.ts";
import { createReload } from "./reload.ts";
import { openQuotas, serviceBudget } from "./service-limits.ts";
import type { Start } from "./start.ts";

/** All that the HTTP side works with. */
export interface Opened extends Storage, OpenEndpoints {
  readonly audit: AuditLog;
  readonly forgetting: Forgetting;
}

/** The HTTP side, which does not listen yet. */
export interface OpenHttp {
  readonly app: Awaited<ReturnType<typeof buildApp>>;
  readonly shutdown: Shutdown;
  readonly reload: ReturnType<typeof createReload>;
  readonly managedSources: ManagedSources;
  readonly alerting: OpenedAlerts;
}

/** Builds the HTTP side, listens for syslog where a port is set, and begins to drain events. */
export async function openHttp(start: Start, opened: Opened): Promise<OpenHttp> {
  const { settings, nowMs, steadyMs, logger, closers } = start;
  const { engine, endpoints, sources, planner, cache, dataThrough, draining, serviceKey, audit, nodes } = opened;
  const shutdown = createShutdown();
  const { authenticator, keyGrants } = await openAuthenticator(start, opened);
  const signIn = await openSignIn(start, { tokens: opened.tokens, authenticator });
  const managedSources = manageSources(opened);
  const quotas = openQuotas(start);
  const syslog = await openSyslog({
    host: settings.host,
    port: settings.syslogPort,
    store: engine.store,
    quotas,
    tenantField: () => sources.find("syslog")?.tenantField,
    onStored: dataThrough.note,
    nowMs,
    logger,
  });
  closers.push(async () => syslog?.close());
  const runner = createRunner(settings, { engine, planner, cursorKey: serviceKey });
  const alerting = await openAlerts(start, opened, runner);
  const reload = createServiceReload(start, opened, { managedSources, alerting });
  closers.push(() => alerting.close());
  const app = await buildApp({
    runner,
    drains: draining.drains,
    alerts: alerting.alerts,
    forgetting: opened.forgetting,
    tails: opened.tails,
    cache,
    dataThrough,
    endpoints,
    sources,
    autoSource: createAutoSource({ registry: sources, managedSources, audit, maxCount: settings.autoSources }),
    syslogCounts: () => syslog?.counts,
    authenticator,
    signIn,
    keyGrants,
    audit,
    logger,
    rates: createRateLimiter(settings.maxRequestsPerMinute, steadyMs),
    quotas,
    maxBodyBytes: settings.maxBodyBytes,
    maxBodyEvents: settings.maxBodyEvents,
    times: settings,
    isMetricsOpen: settings.isMetricsOpen,
    consoleFolder: settings.consoleFolder,
    nowMs,
    shutdown,
    ...(settings.metadataUrl === undefined
      ? {}
      : { nodeState: () => nodes.state(), clearElsewhere: () => nodes.announce("cache") }),
    management: openManagement(start, opened, { managedSources, reload }),
  });
  draining.start(runner, () => addressOf(app.server));
  alerting.start();
  closers.push(() => app.close());
  return { app, shutdown, reload, managedSources, alerting };
}

/** Accepts tokens of the store and the settings, what key files sign, and what others sign where a setting says so. */
async function openAuthenticator(start: Start, { tokens, nodes, serviceKey }: Opened) {
  const { settings, fixedTokens, nowMs } = start;
  const sealer = createKeyTokenSealer(serviceKey);
  const stored = createAuthenticator(tokens, fixedTokens, nowMs, () => nodes.state() !== "outdated", sealer);
  const keyGrants = createKeyGrants({ keys: stored, sealer, now: nowMs });
  return { authenticator: keyGrants.acceptSigned(await openSignedTokens(settings, stored, start)), keyGrants };
}

/** Undefined while it does not listen. */
function addressOf(server: Server): URL | undefined {
  const address = server.address();
  if (typeof address !== "object" || address === null) return undefined;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return new URL(`http://${host}:${address.port}`);
}

/** Opens the dependencies of the owners' routes. */
function openManagement(
  { settings, nowMs }: Start,
  opened: Opened,
  parts: Pick<Management, "managedSources" | "reload">,
): Management {
  const { metadata, managed, endpointStore, tokens, findProblems } = opened;
  return {
    ...parts,
    tokens,
    managed,
    store: endpointStore,
    tester: createEndpointTester(settings.sourceFolders, nowMs),
    views: createViewStore(metadata, nowMs),
    metadata,
    findProblems,
    sizeBounds: settings.sizeBounds,
    metadataCopyPath: join(settings.dataDir, "metadata.copy.db"),
  };
}

function manageSources({ engine, sources, sourceStore, endpoints, nodes }: Opened): ManagedSources {
  return createManagedSources({
    registry: sources,
    events: engine.store,
    documents: sourceStore,
    isEndpoint: (name) => endpoints.findByName(name) !== undefined,
    findBroken: (tables, changed) => findBroken(endpoints.endpoints, changed, { engine, tables, endpoints }),
    amongServices: nodes.exclusively.bind(nodes),
  });
}

function createServiceReload(
  { settings, logger }: Start,
  { engine, sources, endpoints, managed, endpointStore, readSources, audit, nodes }: Opened,
  { managedSources, alerting }: Pick<OpenHttp, "managedSources" | "alerting">,
): OpenHttp["reload"] {
  const folders = settings.endpointFolders;
  const reload = createReload({
    sources,
    managedSources,
    loadSources: () => readSources(),
    checkEndpoints: (tables) => loadEndpoints(folders, { engine, tables, stored: ownEndpoints(endpoints) }),
    reloadEndpoints: (tables) =>
      reloadFiles({ engine, tables, folders, registry: endpoints, store: endpointStore }, managed),
    findBroken: (tables, changed) => findBroken(ownEndpoints(endpoints), changed, { engine, tables, endpoints }),
    loadAlerts: () => alerting.loadFiles(),
    takeAlerts: (files) => alerting.takeFiles(files),
    audit,
    log: (level, message) => logger[level](message),
  });
  return (actor) => nodes.exclusively(() => reload(actor));
}

/** Endpoints that are in no file. */
function ownEndpoints({ endpoints }: EndpointRegistry): readonly Endpoint[] {
  return endpoints.filter(({ origin }) => origin.kind !== "file");
}

interface RunnerParts extends Pick<EndpointRunner, "engine" | "planner"> {
  readonly cursorKey: Uint8Array;
}

/** Runs queries within the limits of the settings. */
function createRunner(settings: Settings, { engine, planner, cursorKey }: RunnerParts): EndpointRunner {
  return {
    engine,
    planner,
    admission: new Admission({
      maxRunning: settings.maxConcurrentQueries,
      maxRunningPerCaller: settings.maxConcurrentQueriesPerToken,
      maxWaiting: settings.maxQueuedQueries,
    }),
    holdBack: createHoldBack(() => performance.now()),
    cursors: createCursorSealer(cursorKey),
    timeoutMs: settings.queryTimeoutMs,
    maxResultBytes: settings.maxResultBytes,
    budget: serviceBudget(settings),
    now: () => performance.now(),
  };
}
