import { setTimeout as pause } from "node:timers/promises";
import type { TokenStore } from "../access/token.ts";
import { createFileLog, type DrainLog } from "../drains/drain-log.ts";
import { SharedLog } from "../drains/shared-log.ts";
import { watchStore } from "../drains/watched-store.ts";
import { createTailHub, type TailHub } from "../endpoints/tail/tail-hub.ts";
import { describeWeakPromises } from "../engines/contract/capabilities.ts";
import type { Engine, EventStore, StoreProblem } from "../engines/contract/query-engine.ts";
import { openSpooledStore } from "../engines/index.ts";
import type { MetadataDatabase } from "../metadata/database.ts";
import { createDrainStore } from "../metadata/drain-store.ts";
import type { Nodes } from "../metadata/nodes.ts";
import { openMetadata } from "../metadata/open-metadata.ts";
import { createSourceStore } from "../metadata/source-store.ts";
import { createTokenStore } from "../metadata/token-store.ts";
import { checkFormat } from "../shared/journal/check-format.ts";
import { splitList } from "../shared/network/private-networks.ts";
import type { Source } from "../sources/source.ts";
import { openSources, type SourceRegistry } from "../sources/source-registry.ts";
import { loadAllSources } from "./all-sources.ts";
import { drainDirectory, metadataPlace, spoolDirectory, storeDirectory } from "./data-folder.ts";
import { findDamagedFiles, findMissingStore } from "./find-problems.ts";
import { type OpenedDrains, openDrains } from "./open-drains.ts";
import type { Start } from "./start.ts";

/** The service's stores: metadata, events, and drains. */
export interface Storage {
  readonly metadata: MetadataDatabase;
  /** The nodes that share the metadata. */
  readonly nodes: Nodes;
  /** Whose store notifies drains of what it stored. */
  readonly engine: Engine;
  readonly plainEngine: Engine;
  readonly tokens: TokenStore;
  readonly sourceStore: ReturnType<typeof createSourceStore>;
  readonly sources: SourceRegistry;
  /** All sources, as files and store say them now. */
  readonly readSources: (sourcesOfFiles?: readonly Source[]) => Promise<readonly Source[]>;
  /** The key that the service encrypts and signs with. */
  readonly serviceKey: Uint8Array;
  readonly draining: OpenedDrains;
  readonly tails: TailHub;
  /** The problems of the data folder, besides the engine's own. */
  readonly findProblems: () => Promise<readonly StoreProblem[]>;
}

/** Opens everything on disk. */
export async function openStorage(start: Start, sourcesOfFiles: readonly Source[]): Promise<Storage> {
  const { settings, nowMs, steadyMs, logger, closers } = start;
  for (const folder of [drainDirectory(settings), spoolDirectory(settings)]) await checkFormat(folder);
  // First among the stored data: when it is damaged, nothing else is touched.
  const metadata = await openMetadata(metadataPlace(settings), (message) => logger.warn(message));
  closers.push(() => metadata.close());
  const nodes = await metadata.join({
    isEngineShared: start.isEngineShared,
    nowMs: () => performance.now(),
    log: (level, message) => logger[level](message),
  });
  const missing = findMissingStore(settings);
  for (const { message } of missing) logger.warn(message);
  const plainEngine = await openStore(start);
  const tokens = createTokenStore(metadata, nowMs);
  const sourceStore = createSourceStore(metadata, nowMs);
  const readSources = (files?: readonly Source[]) =>
    loadAllSources(settings, sourceStore, (message) => logger.warn(message), files);
  const sources = await openSources(await readSources(sourcesOfFiles), plainEngine.store);
  const serviceKey = await metadata.readKey();
  const draining = await openDrains({
    log: openDrainLog(start, metadata, nodes),
    store: createDrainStore(metadata),
    serviceKey,
    findSource: (name) => sources.find(name),
    nodes,
    ...{ nowMs, steadyMs },
    privateDestinations: splitList(settings.privateDestinations ?? ""),
    isStoreSynchronous: plainEngine.capabilities.isSchemaSynchronous,
    warn: (message) => logger.warn(message),
  });
  closers.push(() => draining.close());
  const tails = createTailHub({ nowMs, steadyMs }, plainEngine.capabilities.hasLocalFiles);
  const watched = watchStore(watchStore(plainEngine.store, draining.drains), tails);
  const store = await spoolWhereSet(start, watched);
  const engine: Engine = { ...plainEngine, store };
  return {
    metadata,
    nodes,
    engine,
    plainEngine,
    tokens,
    sourceStore,
    sources,
    readSources,
    serviceKey,
    draining,
    tails,
    findProblems: async () => [...missing, ...(await findDamagedFiles(settings))],
  };
}

/** Nodes that share an engine share undelivered keys too, and one of them delivers. */
function openDrainLog(
  { settings, isEngineShared, logger }: Start,
  { drainKeys }: MetadataDatabase,
  nodes: Nodes,
): DrainLog {
  const maxBytes = settings.drainMaxMb * 1_000_000;
  const common = { folder: drainDirectory(settings), maxBytes, warn: (message: string) => logger.warn(message) };
  if (drainKeys === undefined || !isEngineShared) return createFileLog(common);
  return new SharedLog({ ...common, keys: drainKeys, isSender: () => nodes.isLeader() });
}

/** Events of an unreachable server are spooled to this machine's disk, if the settings provide space for them. */
async function spoolWhereSet({ settings, logger, closers }: Start, store: EventStore): Promise<EventStore> {
  if (settings.engineServer === undefined || settings.spoolMaxMb === 0) return store;
  const spooled = await openSpooledStore({
    folder: spoolDirectory(settings),
    maxBytes: settings.spoolMaxMb * 1_000_000,
    store,
    sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
    log: (level, message) => logger[level](message),
  });
  closers.push(() => spooled.close());
  return spooled.store;
}

async function openStore({ settings, engineSizes, openEngine: open, logger, closers }: Start): Promise<Engine> {
  const engine = await open({
    ...engineSizes,
    directory: storeDirectory(settings),
    ...(settings.engineServer === undefined ? {} : { server: settings.engineServer }),
    ...(settings.engineMemoryMb === undefined ? {} : { memoryLimitBytes: settings.engineMemoryMb * 1_000_000 }),
    tenantColumns: { max: settings.maxTenantColumns, percent: settings.maxTenantColumnPercent },
    maxQueries: settings.maxConcurrentQueries,
    repeatWindowMs: settings.repeatWindowHours * 3_600_000,
    unstoppableAfterMs: settings.unstoppableAfterMs,
    log: (level, message) => logger[level](message),
  });
  closers.push(() => engine.close());
  for (const promise of describeWeakPromises(engine.capabilities)) logger.warn(`${engine.name}: ${promise}`);
  return engine;
}
