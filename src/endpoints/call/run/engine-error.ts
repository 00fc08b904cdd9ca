import { EngineError, type EngineLimit } from "../../../engines/contract/query-engine.ts";
import type { LimitName } from "../../../shared/budget.ts";
import { ServiceError } from "../../../shared/errors.ts";

/** An engine's limits by their names in a call's budget. */
const budgetNames: Readonly<Record<EngineLimit, LimitName>> = {
  timeoutMs: "query_timeout_ms",
  maxResultBytes: "max_result_bytes",
  maxMemoryBytes: "max_query_memory_mb",
  maxArrayElements: "max_array_elements",
  maxStringBytes: "max_string_bytes",
};

const defaultRetrySeconds = 2;
/** Space on the disk has to be freed first. */
const diskRetrySeconds = 30;

/** An engine's error in the form of the service; undefined for other errors. */
export function fromEngineError(error: unknown): ServiceError | undefined {
  if (!(error instanceof EngineError)) return undefined;
  const retryAfterSeconds = error.retryAfterSeconds ?? defaultRetrySeconds;
  switch (error.code) {
    case "query_failed":
      return new ServiceError("query_failed", error.message, { cause: error });
    case "timeout":
      return new ServiceError("timeout", "The query took longer than its deadline", {
        limit: "query_timeout_ms",
        cause: error,
      });
    case "result_too_large":
      return new ServiceError("result_too_large", "The result is larger than max_result_bytes allows", {
        limit: "max_result_bytes",
        cause: error,
      });
    case "memory_exceeded": {
      // Beyond a limit of its own, or with all others beyond what the engine has.
      const limit = error.limit === undefined ? undefined : budgetNames[error.limit];
      const isOfServer = error.retryAfterSeconds !== undefined;
      const message = isOfServer
        ? error.message
        : `The query needs more memory than ${limit ?? "engine_memory_mb"} allows`;
      return new ServiceError("memory_exceeded", message, { cause: error, ...(limit === undefined ? {} : { limit }) });
    }
    case "limit_exceeded": {
      const limit = error.limit === undefined ? {} : { limit: budgetNames[error.limit] };
      return new ServiceError("limit_exceeded", error.message, { cause: error, ...limit });
    }
    case "residual_too_large":
      return new ServiceError("residual_too_large", error.message, { cause: error });
    case "unavailable":
      return new ServiceError("engine_unavailable", "The engine is not available right now", {
        retryAfterSeconds,
        cause: error,
      });
    case "disk_full":
      // Events, deletions, backups and large queries all meet it: what it means for them is in the engine's words.
      return new ServiceError("disk_full", error.message, {
        retryAfterSeconds: error.retryAfterSeconds ?? diskRetrySeconds,
        cause: error,
      });
    case "overloaded":
      // The engines' own words: which work is too much, events or a second backup.
      return new ServiceError("overloaded", error.message, { retryAfterSeconds, cause: error });
    case "unknown_source":
      return new ServiceError("unknown_source", error.message, { cause: error });
    case "refused":
      return new ServiceError("query_refused", "The engine refused the query", { cause: error });
    case "damaged":
      // The log has the code of the cause alone.
      return new ServiceError("internal", "A part of the store is damaged: `logweir doctor --deep` names it", {
        cause: error,
      });
    case "aborted":
    case "internal":
      return new ServiceError("internal", "The engine failed", { cause: error });
  }
}
