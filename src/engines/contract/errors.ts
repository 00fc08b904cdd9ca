/** Errors of engines, in the same words for all of them. */

export type EngineErrorCode =
  /**
   * The data made the query fail: division by zero, overflow, a bad cast. The message is safe to show and names no
   * column or table of the owner.
   */
  | "query_failed"
  | "timeout"
  | "aborted"
  | "result_too_large"
  | "memory_exceeded"
  /** A function would make a larger value than it may. */
  | "limit_exceeded"
  /** More rows would have to leave the server for what it cannot compute than may. */
  | "residual_too_large"
  /** The engine process is gone or restarting; retry later. */
  | "unavailable"
  /** The store's disk is full: reads go on. The message is safe to show, and says what was done where that is known. */
  | "disk_full"
  /** The store does not have the source, or it has been dropped. */
  | "unknown_source"
  /** The append queue is at its bound; retry later. */
  | "overloaded"
  /** The second check refused a statement: a defect of the compiler, or an attack. */
  | "refused"
  /** The query reads a part of the store that is damaged on the disk. */
  | "damaged"
  | "internal";

/** The limit of a run that was reached, by its name in `QueryLimits`. */
export type EngineLimit = "timeoutMs" | "maxResultBytes" | "maxMemoryBytes" | "maxArrayElements" | "maxStringBytes";

export interface EngineErrorOptions {
  readonly cause?: unknown;
  /** Seconds after which a retry makes sense, where one does. */
  readonly retryAfterSeconds?: number;
  /** The engine ended below work that is not to blame for it, or others took the memory: it may be tried again. */
  readonly isLost?: boolean;
  /** The caller's own limit that was reached, where it was one; the engine's own bounds have no name. */
  readonly limit?: EngineLimit;
}

export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly isLost: boolean;
  readonly limit: EngineLimit | undefined;

  constructor(code: EngineErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isLost = options.isLost ?? false;
    this.limit = options.limit;
  }
}

/** Adds to the error of a full disk what that means for the work that met it; other errors stay as they are. */
export function describeFullDisk(error: unknown, effect: string): unknown {
  if (!(error instanceof EngineError) || error.code !== "disk_full") return error;
  const reason = error.message.charAt(0).toLowerCase() + error.message.slice(1);
  const { retryAfterSeconds } = error;
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new EngineError("disk_full", `${effect}: ${reason}`, { cause: error, ...retry });
}
