import { ResultCache } from "../endpoints/cache/result-cache.ts";
import { createOwnRefresh, createSharedRefresh, type RefreshAnswer } from "../endpoints/cache/shared-refreshes.ts";
import { PlanningThread } from "../endpoints/call/plan/apart/planning-thread.ts";
import type { Planner } from "../endpoints/call/plan/plan.ts";
import { createPlanner } from "../endpoints/call/plan/planner.ts";
import { createDataThrough, type DataThrough } from "../endpoints/call/run/data-through.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import type { EndpointStore } from "../endpoints/management/endpoint-store.ts";
import type { ManagedEndpoints } from "../endpoints/management/managed-endpoints.ts";
import { openServiceEndpoints } from "../endpoints/management/open-endpoints.ts";
import { readNewestOfTenant } from "../endpoints/tenants/newest-of-tenant.ts";
import { createEndpointStore } from "../metadata/endpoint-store.ts";
import type { Storage } from "./open-storage.ts";
import type { Start } from "./start.ts";

/** Endpoints, and what their calls are answered with. */
export interface OpenEndpoints {
  readonly endpoints: EndpointRegistry;
  readonly managed: ManagedEndpoints;
  /** Applies changes of other nodes. */
  readonly noteStore: () => Promise<void>;
  readonly endpointStore: EndpointStore;
  readonly planner: Planner;
  readonly cache: ResultCache;
  readonly dataThrough: DataThrough;
}

/** Opens the endpoints of files and store, and logs those that cannot run. */
export async function openEndpoints(start: Start, storage: Storage): Promise<OpenEndpoints> {
  const { settings, nowMs, logger } = start;
  const { engine, metadata, sources, nodes } = storage;
  const endpointStore = createEndpointStore(metadata, nowMs);
  const folders = settings.endpointFolders;
  // The store is asked while endpoints are compiled, which takes longer.
  const [dataThrough, opened] = await Promise.all([
    openDataThrough(start, storage),
    openServiceEndpoints({
      engine,
      tables: sources,
      store: endpointStore,
      folders,
      exclusively: nodes.exclusively.bind(nodes),
    }),
  ]);
  const { registry: endpoints, managed } = opened;
  for (const { definition, problem, dataProblem, warnings: doubts = [] } of endpoints.endpoints) {
    for (const doubt of doubts) logger.warn(`The endpoint ${definition.name}, ${doubt}`);
    if (problem !== undefined) logger.error(`The endpoint ${definition.name} cannot run: ${problem}`);
    if (dataProblem !== undefined)
      logger.warn(`The endpoint ${definition.name} does not run for all events: ${dataProblem}`);
  }
  sources.onChange((changed) => void opened.noteSources(changed).catch((error: Error) => logger.error(error.message)));
  const planner = createPlanner({
    engine,
    tables: sources,
    endpoints,
    nowMs,
    thread: openThread(start, storage, endpoints),
  });
  const cache = openCache(start, storage, endpoints);
  return { endpoints, managed, noteStore: opened.noteStore, endpointStore, planner, cache, dataThrough };
}

/** For engines whose queries can be compiled apart. */
function openThread(
  { logger, closers }: Start,
  { engine, sources }: Storage,
  endpoints: EndpointRegistry,
): PlanningThread | undefined {
  const { layoutOf } = engine;
  if (layoutOf === undefined) return undefined;
  const thread = new PlanningThread({
    ...{ engine: engine.name, tables: sources, endpoints, layoutOf },
    log: (level, message) => logger[level](message),
  });
  closers.push(() => thread.close());
  return thread;
}

/** Cached answers are cleared with their endpoint. */
function openCache(start: Start, storage: Storage, endpoints: EndpointRegistry): ResultCache {
  const { settings, nowMs, steadyMs, closers } = start;
  const refresh = openRefresh(start, storage);
  const cache = new ResultCache({ maxBytes: settings.cacheMaxBytes, nowMs, steadyMs, random: Math.random, refresh });
  endpoints.onChange((ids) => {
    for (const id of ids) cache.clear(id);
  });
  const ticking = setInterval(() => cache.tick(), 1_000).unref();
  closers.push(async () => {
    clearInterval(ticking);
    await cache.close();
  });
  return cache;
}

/** Nodes that share an engine run the query of a due answer once. */
function openRefresh({ isEngineShared, nowMs }: Start, { metadata, nodes }: Storage): RefreshAnswer {
  const store = metadata.warmAnswers;
  if (store === undefined || !isEngineShared) return createOwnRefresh(nowMs);
  const isShared = () => nodes.state() === "current";
  return createSharedRefresh({ store, alone: nodes.alone.bind(nodes), isShared, nowMs });
}

async function openDataThrough({ closers }: Start, { engine, sources }: Storage): Promise<DataThrough> {
  const reading = new AbortController();
  closers.push(async () => reading.abort());
  const dataThrough = await createDataThrough(
    engine.store,
    (of) => readNewestOfTenant(engine, sources, of, reading.signal),
    AbortSignal.timeout(30_000),
  );
  sources.onChange(() => dataThrough.noteSources(sources.sources.map(({ name }) => name)));
  return dataThrough;
}
