/** The embedded engine: DuckDB in a process of its own, or in this one for commands and tests that need no store. */

import { availableParallelism, totalmem } from "node:os";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { defaultCapabilities, type EngineCapabilities } from "../contract/capabilities.ts";
import { type Engine, EngineError } from "../contract/query-engine.ts";
import { BodyReaders } from "../encoder/body-readers.ts";
import { createStoredEvents } from "../schema/decode/stored-events.ts";
import { schemaLimitsFor, type TenantColumns } from "../schema/grant-entries.ts";
import { defaultStoreLimits, type StoreLimits } from "../schema/source/store-limits.ts";
import type { EncodedBatch } from "./batch/batch.ts";
import { compileQuery } from "./compile/compile.ts";
import type { CompactionSize } from "./host/maintenance/compaction.ts";
import type { CoreOptions, EngineHost } from "./host/protocol.ts";
import { HostProcess } from "./process/host-process.ts";
import { residentBytes } from "./process/machine.ts";
import { runQuery } from "./run-query.ts";
import { DuckDbStore } from "./store/store.ts";
import { describeLogLoss } from "./store/store-report.ts";
import { createStoredTables } from "./store/stored-tables.ts";

export interface DuckDbEngineOptions {
  /** Folder of the store, made when it is missing; nothing else may be in it. */
  readonly directory: string;
  /** Threads of DuckDB; by default those of the machine, up to 8. */
  readonly threads?: number;
  /** Queries that run at once, each on a connection of its own; 16 by default. */
  readonly maxQueries?: number;
  /** How long an event is recognised by its id alone, in milliseconds from its arrival; 48 hours by default. */
  readonly repeatWindowMs?: number;
  /** Memory that DuckDB's queries and tables may use; by default a quarter of the machine's, up to 512 MiB. */
  readonly memoryLimitBytes?: number;
  /** Resident memory at which the engine host is ended; by default twice the limit above and 512 MiB. */
  readonly maxResidentBytes?: number;
  /** Write-ahead log beyond which a checkpoint is made, for which commits wait; 64 MiB by default. */
  readonly checkpointBytes?: number;
  /** Rows at which appended rows are rewritten sorted, and how many at once. */
  readonly compaction?: CompactionSize;
  readonly limits?: StoreLimits;
  /** Unless `limits` says it. */
  readonly tenantColumns?: TenantColumns;
  /**
   * How long a query that was stopped may go on after its deadline before the engine host is ended; 600 ms by
   * default.
   */
  readonly unstoppableAfterMs?: number;
  /** How long to wait for a folder that another service is about to leave; three seconds by default. */
  readonly lockPatienceMs?: number;
  /** How long calls wait for an engine host that is being started again; five seconds by default. */
  readonly readyPatienceMs?: number;
  /** The engine host's script; by default the built one. */
  readonly hostPath?: string;
  readonly log?: (level: "info" | "warn" | "error", message: string) => void;
}

const GIBIBYTE = 1024 ** 3;
/**
 * The share of the resident memory at which the host is ended from which it may stop the query that it attributes it
 * to.
 */
const WATCHED_SHARE = 0.8;
/**
 * With what DuckDB does not count, Node.js and the ids, service and engine stay within 1.5 GB at ten million events.
 */
const MAX_DEFAULT_MEMORY = GIBIBYTE / 2;
/** Three row groups: sorting them takes some 350 megabytes and two to three seconds. */
const DEFAULT_COMPACTION = { minRows: 61_440, maxRows: 92_160 };
const DEFAULT_CHECKPOINT_BYTES = 64 * 1024 ** 2;

/** It interrupts its own threads, and its folder is on this machine. */
export const duckDbCapabilities: EngineCapabilities = {
  ...defaultCapabilities,
  cancelLatencyMs: 100,
  hasLocalFiles: true,
};

/** The engine that runs the parts of queries that another engine leaves, over rows that are passed as parameters. */
export type ResidualEngine = Pick<Engine, "compile" | "run" | "close">;

/** The embedded engine, with what only its tests and the doctor need to know. */
export interface DuckDbEngine extends Engine {
  /** Process id of the engine host; undefined in memory and while it restarts. */
  readonly hostPid: number | undefined;
}

function coreOptions(options: Partial<DuckDbEngineOptions>): CoreOptions {
  const { maxQueries, repeatWindowMs, directory } = options;
  return {
    threads: options.threads ?? Math.min(availableParallelism(), 8),
    memoryLimitBytes: options.memoryLimitBytes ?? Math.min(MAX_DEFAULT_MEMORY, Math.floor(totalmem() / 4)),
    checkpointBytes: options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES,
    compaction: options.compaction ?? DEFAULT_COMPACTION,
    ...omitUndefined({ maxQueries, repeatWindowMs, directory }),
  };
}

function createEngine(
  store: DuckDbStore,
  host: {
    readonly current: () => EngineHost;
    readonly ready?: () => Promise<void>;
    readonly cannotStart?: () => boolean;
  },
  close: () => Promise<void>,
  pid: () => number | undefined,
): DuckDbEngine {
  const run: Engine["run"] = async (request) => {
    await host.ready?.();
    return runQuery(host.current(), request);
  };
  return {
    name: "duckdb",
    capabilities: duckDbCapabilities,
    store,
    ...createStoredEvents({
      ...createStoredTables(run),
      stateOf: store.stateOf,
      // Nobody else has the file.
      refresh: async () => undefined,
    }),
    compile: (query, options) => compileQuery(query, store.layoutOf, options),
    layoutOf: store.layoutOf,
    explain: async ({ sql }) => [{ runsOn: "duckdb", sql }],
    run,
    async ping(signal) {
      signal.throwIfAborted();
      await Promise.race([
        host.current().ping(),
        new Promise<never>((_, reject) => {
          const onAbort = () => reject(new EngineError("unavailable", "The engine does not answer"));
          signal.addEventListener("abort", onAbort, { once: true });
        }),
      ]);
    },
    async memoryBytes() {
      const id = pid();
      return id === undefined ? undefined : residentBytes(id);
    },
    cannotStart: host.cannotStart ?? (() => false),
    close,
    get hostPid() {
      return pid();
    },
  };
}

/**
 * Opens the store in a folder and starts its engine host. Rejects with `EngineError` `unavailable` where the folder is
 * used by another service, holds something else, or is damaged. Afterwards the host is restarted whenever it ends.
 */
export function openDuckDbEngine(options: DuckDbEngineOptions): Promise<DuckDbEngine> {
  return openHostedEngine(options);
}

/** A store without a folder is in the memory of the host. */
async function openHostedEngine(
  options: Omit<DuckDbEngineOptions, "directory"> & { readonly directory?: string },
): Promise<DuckDbEngine> {
  const core = coreOptions(options);
  const log = options.log ?? (() => undefined);
  const limits = options.limits ?? {
    ...defaultStoreLimits,
    schema: schemaLimitsFor(core.memoryLimitBytes, options.tenantColumns),
  };
  const encoder = new BodyReaders<EncodedBatch>({ engine: "duckdb", log });
  const store = new DuckDbStore(() => hostProcess.client(), {
    limits,
    ...(options.directory === undefined ? {} : { directory: options.directory }),
    encoder,
    ready: () => hostProcess.ready(),
  });
  const maxResidentBytes = options.maxResidentBytes ?? core.memoryLimitBytes * 2 + GIBIBYTE / 2;
  const { hostPath, unstoppableAfterMs, lockPatienceMs, readyPatienceMs } = options;
  const hostProcess = new HostProcess({
    core: { ...core, maxProcessBytes: WATCHED_SHARE * maxResidentBytes },
    maxResidentBytes,
    ...omitUndefined({ hostPath, unstoppableAfterMs, lockPatienceMs, readyPatienceMs }),
    log,
    onReady: (opened) => {
      store.load(opened);
      if (opened.logLoss !== undefined) log("error", describeLogLoss(opened.logLoss));
    },
  });
  await hostProcess.start();
  return createEngine(
    store,
    {
      current: () => hostProcess.client(),
      ready: () => hostProcess.ready(),
      cannotStart: () => hostProcess.cannotStart,
    },
    async () => {
      await encoder.close();
      await hostProcess.close();
    },
    () => hostProcess.pid,
  );
}

/** An engine without tables, whose host is started when it is first asked to run something. */
export function createResidualEngine(options: Omit<DuckDbEngineOptions, "directory">): ResidualEngine {
  let opening: Promise<DuckDbEngine> | undefined;
  const open = () => {
    opening ??= openHostedEngine(options).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    compile: (query, compiling) => compileQuery(query, () => undefined, compiling),
    run: async (request) => (await open()).run(request),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** An engine in memory and in this process: nothing survives it, and a query that hangs hangs the process. */
export async function openMemoryEngine(options: { readonly threads?: number } = {}): Promise<DuckDbEngine> {
  // The driver comes along with it, which the service, whose engine is another process, has no memory for.
  const { openCore } = await import("./host/core.ts");
  let failure: EngineError | undefined;
  const { host } = await openCore(coreOptions(options), {
    onFatal: (cause) => {
      failure = new EngineError("unavailable", "The engine failed", { cause });
    },
    onProblem: () => undefined,
  });
  const current = () => {
    if (failure !== undefined) throw failure;
    return host;
  };
  return createEngine(
    new DuckDbStore(current),
    { current },
    () => host.close(),
    () => undefined,
  );
}
