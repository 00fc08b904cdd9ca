/** The engines that there are. Whatever is outside this room opens one here, and names none. */
import { statSync } from "node:fs";
import { clickHouseCapabilities } from "./clickhouse/capabilities.ts";
import type {
  ClickHouseServer,
  RefusedGroup,
  ServerCheck,
  SpooledStore,
  SpooledStoreOptions,
} from "./clickhouse/index.ts";
import type { EngineCapabilities } from "./contract/capabilities.ts";
import type { ByteChecker, FileCheck } from "./contract/file-check.ts";
import type { ParquetFile } from "./contract/parquet-file.ts";
import type { Engine } from "./contract/query-engine.ts";
import type { ScratchEngine } from "./contract/scratch-engine.ts";
import { storePaths } from "./duckdb/host/store/store-paths.ts";
import {
  createResidualEngine,
  type DuckDbEngineOptions,
  duckDbCapabilities,
  openDuckDbEngine,
} from "./duckdb/index.ts";

/** A server that keeps the events, instead of a folder of this machine. */
type EngineServer = ClickHouseServer;

export interface EngineOptions extends DuckDbEngineOptions {
  /** Then only the limits and the log of the other options count. */
  readonly server?: EngineServer;
}

/** Returns the capabilities of the engine that `openEngine` opens, before it is open. */
export function engineCapabilities(server?: EngineServer): EngineCapabilities {
  return server === undefined ? duckDbCapabilities : clickHouseCapabilities(server.cluster);
}

/**
 * Options that only tests set: when the engine makes checkpoints and compacts, what its host is, and how long others
 * wait for it.
 */
export type EngineSizes = Pick<
  EngineOptions,
  "checkpointBytes" | "compaction" | "hostPath" | "lockPatienceMs" | "readyPatienceMs"
>;

/**
 * Opens the store in a folder, or on a server. Rejects with `EngineError` `unavailable` where the folder is used by
 * another service, holds something else, or is damaged, and where the server does not answer or was not made ready.
 */
export async function openEngine({ server, ...options }: EngineOptions): Promise<Engine> {
  if (server === undefined) return openDuckDbEngine(options);
  const { directory: _, ...hosted } = options;
  const { openClickHouseEngine } = await import("./clickhouse/index.ts");
  const { tenantColumns, repeatWindowMs, log } = options;
  return openClickHouseEngine({
    ...server,
    ...(tenantColumns === undefined ? {} : { tenantColumns }),
    repeatWindowMs,
    ...(log === undefined ? {} : { log }),
    residual: createResidualEngine(hosted),
  });
}

/** The statements that make a server ready; none where nothing is missing. Throws `EngineError`. */
export async function planMigration(server: EngineServer): Promise<readonly string[]> {
  return (await import("./clickhouse/index.ts")).planMigration(server);
}

/** Makes a server ready, and answers the statements. Throws `EngineError`. */
export async function migrateServer(server: EngineServer): Promise<readonly string[]> {
  return (await import("./clickhouse/index.ts")).migrate(server);
}

/** Returns the problems of a server, and the limits of its users, by their settings. Throws `EngineError`. */
export async function checkServer(server: EngineServer): Promise<ServerCheck> {
  return (await import("./clickhouse/index.ts")).checkServer(server);
}

/**
 * A server's store with a spool in a folder of this node, for events that come while the server does not answer. Throws
 * `UserError` where another service has the folder.
 */
export async function openSpooledStore(options: SpooledStoreOptions): Promise<SpooledStore> {
  return (await import("./clickhouse/index.ts")).openSpooledStore(options);
}

/** The events in a spool's folder that the server refused. */
export async function listRefused(folder: string): Promise<readonly RefusedGroup[]> {
  return (await import("./clickhouse/index.ts")).listRefused(folder);
}

/** Has a spool's service send refused events again, and returns the number of files. */
export async function retryRefused(folder: string): Promise<number> {
  return (await import("./clickhouse/index.ts")).retryRefused(folder);
}

/** Whether a spool's service has taken the refused events that it is to send again. */
export async function isRetryTaken(folder: string): Promise<boolean | "no service"> {
  return (await import("./clickhouse/index.ts")).isRetryTaken(folder);
}

/** An engine in memory and in this process, for commands: nothing survives it. */
export async function openMemoryEngine(options: { readonly threads?: number } = {}): Promise<Engine> {
  const { openMemoryEngine: open } = await import("./duckdb/index.ts");
  return open(options);
}

/** The address of a ClickHouse server, and the user. */
export interface ScratchServer {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** An engine over tables that queries make: in this process, or on a ClickHouse server. */
export async function openScratchEngine(server?: ScratchServer): Promise<ScratchEngine> {
  if (server !== undefined) {
    const { openClickHouseScratch } = await import("./clickhouse/scratch-engine.ts");
    const { url, ...access } = server;
    return openClickHouseScratch({ ...access, urls: [url] }, await openMemoryEngine({ threads: 1 }));
  }
  const { openScratchEngine: open } = await import("./duckdb/scratch-engine.ts");
  return open();
}

/**
 * Reads a store's file that no process has open to the last byte. Throws `EngineError` where it cannot be opened for
 * another reason than damage.
 */
export async function verifyStoreFile(path: string): Promise<FileCheck> {
  const { verifyStoreFile: verify } = await import("./duckdb/file/verify-file.ts");
  return verify(path);
}

/** The same for the store in a folder; undefined where there is none. */
export async function verifyStore(directory: string): Promise<FileCheck | undefined> {
  const { verifyStore: verify } = await import("./duckdb/file/verify-file.ts");
  return verify(directory);
}

/** Whether there is a store in a folder of this machine, or one that this user may not see. Changes nothing. */
export function hasStore(directory: string): boolean {
  try {
    return statSync(storePaths(directory).file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Makes checkers of the blocks of a store's file that comes in pieces, from its begin or from a block of it. */
export async function loadByteChecker(): Promise<(start?: number) => ByteChecker> {
  const { BlockChecker } = await import("./duckdb/file/block-checker.ts");
  return (start) => new BlockChecker(start);
}

/** Opens a Parquet file to read it in this process. Throws `EngineError` where it is none, or damaged. */
export async function openParquetFile(path: string): Promise<ParquetFile> {
  const { openParquetFile: open } = await import("./duckdb/driver/parquet-file.ts");
  return open(path);
}
