import { join } from "node:path";
import type { TokenStore } from "../access/token.ts";
import { watchStore } from "../drains/watched-store.ts";
import { describeWeakPromises } from "../engines/contract/capabilities.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import { openEngine } from "../engines/index.ts";
import { type MetadataDatabase, openMetadata } from "../metadata/database.ts";
import { createDrainStore } from "../metadata/drain-store.ts";
import { readSecretKey } from "../metadata/secret-key.ts";
import { createSourceStore } from "../metadata/source-store.ts";
import { createTokenStore } from "../metadata/token-store.ts";
import { startRetention } from "../sources/retention.ts";
import type { Source } from "../sources/source.ts";
import { openSources, type SourceRegistry } from "../sources/source-registry.ts";
import { loadAllSources } from "./all-sources.ts";
import { drainDirectory, metadataPath, storeDirectory } from "./data-folder.ts";
import { type OpenedDrains, openDrains } from "./open-drains.ts";
import type { Start } from "./start.ts";

/** What is on disk: metadata, events, and where they are drained to. */
export interface Storage {
  readonly metadata: MetadataDatabase;
  /** Whose store tells drains of what it stored. */
  readonly engine: Engine;
  readonly plainEngine: Engine;
  readonly tokens: TokenStore;
  readonly sourceStore: ReturnType<typeof createSourceStore>;
  readonly sources: SourceRegistry;
  /** All sources, as files and store say them now. */
  readonly readSources: () => Promise<readonly Source[]>;
  /** What the service seals and signs with. */
  readonly serviceKey: Uint8Array;
  readonly draining: OpenedDrains;
}

/** Opens what is on disk, and begins to forget events that are older than their source keeps them. */
export async function openStorage(start: Start, sourcesOfFiles: readonly Source[]): Promise<Storage> {
  const { settings, logger, closers } = start;
  // First of what is stored: where it is damaged, nothing else is touched.
  const metadata = await openMetadata(metadataPath(settings));
  closers.push(() => metadata.close());
  const plainEngine = await openStore(start);
  const tokens = createTokenStore(metadata, Date.now);
  const sourceStore = createSourceStore(metadata, Date.now);
  const readSources = (files?: readonly Source[]) =>
    loadAllSources(settings, sourceStore, (message) => logger.warn(message), files);
  const sources = await openSources(await readSources(sourcesOfFiles), plainEngine.store);
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
  const again = () => readSources();
  return { metadata, engine, plainEngine, tokens, sourceStore, sources, readSources: again, serviceKey, draining };
}

async function openStore({ settings, engineSizes, logger, closers }: Start): Promise<Engine> {
  const engine = await openEngine({
    ...engineSizes,
    directory: storeDirectory(settings),
    ...(settings.engineMemoryMb === undefined ? {} : { memoryLimitBytes: settings.engineMemoryMb * 1_000_000 }),
    tenantColumns: { max: settings.maxTenantColumns, percent: settings.maxTenantColumnPercent },
    maxQueries: settings.maxConcurrentQueries,
    unstoppableAfterMs: settings.unstoppableAfterMs,
    log: (level, message) => logger[level](message),
  });
  closers.push(() => engine.close());
  for (const promise of describeWeakPromises(engine.capabilities)) logger.warn(`${engine.name}: ${promise}`);
  return engine;
}
