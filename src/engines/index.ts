/** The engines that there are. Whatever is outside this room opens one here, and names none. */
import type { Engine } from "./contract/query-engine.ts";
import type { ScratchEngine } from "./contract/scratch-engine.ts";
import { type DuckDbEngineOptions, openDuckDbEngine } from "./duckdb/index.ts";

export type EngineOptions = DuckDbEngineOptions;

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

/** Rows by source of a store's file that nobody has open. Throws `EngineError` where the file is damaged. */
export async function countStoredRows(path: string): Promise<ReadonlyMap<string, number>> {
  const { countStoredRows: count } = await import("./duckdb/count-rows.ts");
  return count(path);
}
