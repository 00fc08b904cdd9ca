/** Opens what `logweir migrate-data` moves between: the data folder, and the server with its database. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readClientDefaults, readServerConfiguration } from "../../config/config.ts";
import type { Settings } from "../../config/settings.ts";
import { type Engine, EngineError, type StoredEvents } from "../../engines/contract/query-engine.ts";
import { openEngine, openMemoryEngine } from "../../engines/index.ts";
import { storeDirectory } from "../../service/data-folder.ts";
import type { StoreState } from "../../sources/store-state.ts";
import type { SourceStore, TargetStore } from "../../transfer/stores.ts";
import { type CliContext, CliError, type CommandContext, print } from "../context.ts";
import { createServiceClient, isServiceThere, readAnswer } from "../service-call.ts";
import { createServiceEvents } from "./service-events.ts";

/** A side that events come from or go to. */
export interface OpenStore {
  /** Shown in reports, and identifies the progress of a move. */
  readonly name: string;
  readonly source: SourceStore;
  /** Absent when events can only be read, as from a running service. */
  readonly engine?: Engine;
  close(): Promise<void>;
}

/** The settings of both sides. Throws `ConfigError` where those of the server are missing. */
export function readBothSettings(context: CliContext): Settings {
  return readServerConfiguration(context, context.environment).settings;
}

/** The server. It has to be made ready before, unless the settings say otherwise. */
export async function openServerStore(settings: Settings, isDry: boolean): Promise<OpenStore> {
  const { engineServer } = settings;
  if (engineServer === undefined) throw new CliError("LOGWEIR_CLICKHOUSE_URL names no server");
  const server = isDry ? { ...engineServer, migrates: false } : engineServer;
  const engine = await openEngine({ directory: storeDirectory(settings), server });
  return openedStore(engine, `${engineServer.urls[0] ?? ""}/${engineServer.database}`);
}

/** The data folder; its store is created if missing, unless nothing may be changed. */
async function openFolderStore(settings: Settings): Promise<OpenStore> {
  const directory = resolve(storeDirectory(settings));
  return openedStore(await openEngine({ directory }), directory);
}

/** The same as a target. A dry run sees an empty store if there is none. */
export async function openFolderTarget(settings: Settings, isDry: boolean): Promise<OpenStore> {
  const directory = resolve(storeDirectory(settings));
  if (!isDry || existsSync(directory)) return openFolderStore(settings);
  return openedStore(await openMemoryEngine({ threads: 1 }), directory);
}

/** The store of the data folder, read from the service that runs on it, or from the folder where none does. */
export async function openFolderSource(settings: Settings, context: CommandContext): Promise<OpenStore> {
  const directory = resolve(storeDirectory(settings));
  const isNamed = context.url !== undefined || readClientDefaults(context.environment).isUrlNamed;
  if (!isNamed) {
    if (!existsSync(directory))
      throw new CliError(`There is no store in ${directory}: LOGWEIR_DATA_DIR names the folder`);
    try {
      return await openFolderStore(settings);
    } catch (error) {
      const isTaken = error instanceof EngineError && error.code === "unavailable";
      if (!isTaken || !(await isServiceThere(context))) throw error;
    }
  }
  return openServiceSource(directory, context);
}

async function openServiceSource(directory: string, context: CommandContext): Promise<OpenStore> {
  const client = createServiceClient(context);
  const state = await readAnswer<StoreState>(context, "/api/store");
  if (state.directory === null) {
    throw new CliError(`The service at ${client.url} keeps its events elsewhere; --url names the one that is moved`);
  }
  if (resolve(state.directory) !== directory) {
    print(
      context.errors,
      `The service at ${client.url} has its store in ${state.directory}; the state is read beside ${directory}`,
    );
  }
  const sourceNames = state.sources.filter(({ rows }) => rows > 0).map(({ name }) => name);
  return {
    // The same store, whether it is read from the service or the folder.
    name: directory,
    source: { events: createServiceEvents(client), sourceNames },
    close: async () => undefined,
  };
}

async function openedStore(engine: Engine, name: string): Promise<OpenStore> {
  try {
    const statistics = await engine.store.statistics(AbortSignal.timeout(600_000));
    const sourceNames = statistics.filter(({ rowCount }) => rowCount > 0).map((source) => source.name);
    return { name, engine, source: { events: eventsOf(engine), sourceNames }, close: () => engine.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function eventsOf(engine: Engine): StoredEvents {
  if (engine.storedEvents === undefined) throw new CliError(`Events cannot be moved from or to ${engine.name}`);
  return engine.storedEvents;
}

/** A side as the one that events go to. */
export function targetOf({ engine }: OpenStore): TargetStore {
  if (engine === undefined) throw new CliError("A service that runs cannot be moved to: stop it");
  return {
    events: eventsOf(engine),
    has: (name) => engine.store.describe(name) !== undefined,
    async append(name, events, signal) {
      await engine.store.append(name, events, signal);
    },
  };
}
