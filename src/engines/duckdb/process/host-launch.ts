/** Starts the engine host's process, within a bound on its memory. */
import { type ChildProcess, spawn } from "node:child_process";
import { findScript } from "../../contract/find-script.ts";
import type { CoreOptions } from "../host/protocol.ts";

/** The bytes counted for a thread's stack, however much of it is used. */
const STACK_BYTES = 8 * 1024 ** 2;
/** Freed memory is returned to the system at once if it is large, and otherwise after a second. */
const GIVE_BACK = "retain:false,oversize_threshold:8388608,dirty_decay_ms:1000,muzzy_decay_ms:0";

export interface LaunchOptions {
  readonly core: CoreOptions;
  /** Resident memory of the host beyond which it is ended. Watched on Linux. */
  readonly maxResidentBytes: number;
  /** The host's script; by default the bundle beside this one, or of the checkout. */
  readonly hostPath?: string;
}

/**
 * Threads that the host's driver waits in: one for each query, some for what the host does beside them. libuv has no
 * more than 1,024.
 */
function poolThreads({ core: { maxQueries = 0 } }: LaunchOptions): number {
  return Math.min(1024, Math.max(32, maxQueries + 16));
}

/**
 * The command, with a bound on the memory that the process may ask for. DuckDB's own limit does not hold for the
 * texts and lists that expressions make: a query that makes too many of them then fails for want of memory, and the
 * host goes on. Some of what is asked for is never touched, so the bound is met before the limit of resident memory
 * at which the host would be ended.
 */
function limited(options: LaunchOptions, command: readonly string[]): readonly string[] {
  if (process.platform !== "linux") return command;
  const stacks = (poolThreads(options) + options.core.threads) * STACK_BYTES;
  const kibibytes = Math.floor((options.maxResidentBytes + stacks) / 1024);
  return ["/bin/sh", "-c", 'ulimit -d "$0" 2>/dev/null; exec "$@"', String(kibibytes), ...command];
}

/** The host's process; frames go through its file descriptor 3. */
export function launchHost(options: LaunchOptions): ChildProcess {
  const { hostPath = findScript("engine-host.js") } = options;
  const [command = "", ...args] = limited(options, [process.execPath, hostPath]);
  return spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    // No secrets of the service; every query and commit holds one thread of the pool while it waits. Each of these
    // threads would keep a heap of its own for what it freed.
    env: {
      UV_THREADPOOL_SIZE: String(poolThreads(options)),
      TZ: "UTC",
      MALLOC_ARENA_MAX: "2",
      DUCKDB_JE_MALLOC_CONF: GIVE_BACK,
    },
  });
}
