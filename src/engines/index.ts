/** The engines that there are. Whatever is outside this room opens one here, and names none. */
import type { EngineCapabilities } from "./contract/capabilities.ts";
import type { ByteChecker, FileCheck } from "./contract/file-check.ts";
import type { Engine } from "./contract/query-engine.ts";
import type { ScratchEngine } from "./contract/scratch-engine.ts";
import { type DuckDbEngineOptions, duckDbCapabilities, openDuckDbEngine } from "./duckdb/index.ts";

export type EngineOptions = DuckDbEngineOptions;

/** What may be relied on of the engine that `openEngine` opens, before it is open. */
export function engineCapabilities(): EngineCapabilities {
  return duckDbCapabilities;
}

/** What only tests set: when the engine makes checkpoints and compacts, and what its host is. */
export type EngineSizes = Pick<EngineOptions, "checkpointBytes" | "compaction" | "hostPath">;

/**
 * Opens the store in a folder. Rejects with `EngineError` `unavailable` where the folder is used by another service,
 * holds something else, or is damaged.
 */
export function openEngine(options: EngineOptions): Promise<Engine> {
  return openDuckDbEngine(options);
}

/** An engine in memory and in this process, for commands: nothing survives it. */
export async function openMemoryEngine(options: { readonly threads?: number } = {}): Promise<Engine> {
  const { openMemoryEngine: open } = await import("./duckdb/index.ts");
  return open(options);
}

/** An engine over tables that queries make. */
export async function openScratchEngine(): Promise<ScratchEngine> {
  const { openScratchEngine: open } = await import("./duckdb/scratch-engine.ts");
  return open();
}

/**
 * Reads a store's file that nobody has open to the last byte. Throws `EngineError` where it cannot be opened for
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

/** Checks the blocks of a store's file that comes in pieces. */
export async function createByteChecker(): Promise<ByteChecker> {
  const { BlockChecker } = await import("./duckdb/file/block-checker.ts");
  return new BlockChecker();
}
