/** Stops a running query: for its caller, its time, or its memory. */
import { EngineError } from "../../../contract/query-engine.ts";
import { toEngineError } from "../../driver/driver-error.ts";
import type { HostQuery } from "../protocol.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { ProcessWatch, WatchedQuery } from "./process-watch.ts";

/** The watch over the memory of all queries. */
export interface QueryMemory {
  readonly ofQueries: MemoryWatch;
  /** Absent where the process is not watched. */
  readonly ofProcess: ProcessWatch | undefined;
}

/** Stops one query, until `end`. The reason of its signal is the error that the caller gets. */
export class QueryStop {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #leave: () => void;
  readonly #endWatch: (() => void) | undefined;
  readonly #watched: WatchedQuery | undefined;
  readonly giveUp = (): void => this.stop(new EngineError("aborted", "The query was stopped"));

  constructor({ timeoutMs, maxMemoryBytes }: HostQuery["limits"], caller: AbortSignal, memory: QueryMemory) {
    const expire = () => this.stop(new EngineError("timeout", `The query ran longer than ${timeoutMs} ms`));
    const outgrow = () => this.stop(new EngineError("memory_exceeded", "The query needs more memory than it may use"));
    const exceed = () => {
      const limit = "maxMemoryBytes";
      this.stop(new EngineError("memory_exceeded", "The query took more memory than it may", { limit }));
    };
    this.#caller = caller;
    this.#timer = setTimeout(expire, timeoutMs);
    caller.addEventListener("abort", this.giveUp);
    this.#leave = memory.ofQueries.enter();
    this.#watched = memory.ofProcess?.watch(outgrow);
    this.#endWatch = maxMemoryBytes === undefined ? undefined : memory.ofQueries.watch(maxMemoryBytes, exceed);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: EngineError): void {
    this.#controller.abort(reason);
  }

  /** The error that the caller gets for an error of the query. */
  explain(error: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason;
    const failure = toEngineError(error);
    if (failure.code !== "memory_exceeded" || this.#watched?.isSmaller() !== true) return failure;
    // Another query took it: when that one is over, this one may have what it needs.
    return new EngineError(failure.code, failure.message, { cause: failure.cause, isLost: true });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.giveUp);
    this.#endWatch?.();
    this.#watched?.end();
    this.#leave();
  }
}
