import { describe, expect, it } from "vitest";
import { EngineError, type EngineErrorCode } from "../../../engines/contract/query-engine.ts";
import { fromEngineError } from "./engine-error.ts";

describe("fromEngineError", () => {
  it.each<[EngineErrorCode, string, string, object]>([
    ["query_failed", "query_failed", "m", {}],
    ["timeout", "timeout", "The query took longer than its deadline", { limit: "query_timeout_ms" }],
    [
      "result_too_large",
      "result_too_large",
      "The result is larger than max_result_bytes allows",
      { limit: "max_result_bytes" },
    ],
    ["memory_exceeded", "memory_exceeded", "The query needs more memory than engine_memory_mb allows", {}],
    ["limit_exceeded", "limit_exceeded", "m", {}],
    ["residual_too_large", "residual_too_large", "m", {}],
    ["unavailable", "engine_unavailable", "The engine is not available right now", { retryAfterSeconds: 2 }],
    ["disk_full", "disk_full", "m", { retryAfterSeconds: 30 }],
    ["overloaded", "overloaded", "m", { retryAfterSeconds: 2 }],
    ["unknown_source", "unknown_source", "m", {}],
    ["refused", "query_refused", "The engine refused the query", {}],
    ["damaged", "internal", "A part of the store is damaged: `logweir doctor --deep` names it", {}],
    ["aborted", "internal", "The engine failed", {}],
    ["internal", "internal", "The engine failed", {}],
  ])("converts the code %s to %s", (code, answered, message, details) => {
    const cause = new EngineError(code, "m");
    const error = fromEngineError(cause);
    expect(error).toMatchObject({ code: answered, message, cause });
    expect(error?.details).toEqual({ ...details, cause });
  });

  it("says in its own words that a server is short of memory, which is no limit of this service", () => {
    const cause = new EngineError("memory_exceeded", "The server is short of memory", { retryAfterSeconds: 2 });
    expect(fromEngineError(cause)?.message).toBe("The server is short of memory");
  });

  it.each(["unavailable", "disk_full", "overloaded"] as const)("retains the retry time of the code %s", (code) => {
    const cause = new EngineError(code, "m", { retryAfterSeconds: 7 });
    expect(fromEngineError(cause)?.details).toMatchObject({ retryAfterSeconds: 7 });
  });

  it.each([
    ["maxMemoryBytes", "max_query_memory_mb"],
    ["maxArrayElements", "max_array_elements"],
    ["maxStringBytes", "max_string_bytes"],
  ] as const)("names the limit for %s: %s", (limit, name) => {
    const memory = fromEngineError(new EngineError("memory_exceeded", "m", { limit }));
    expect(memory).toMatchObject({
      message: `The query needs more memory than ${name} allows`,
      details: { limit: name },
    });
    expect(fromEngineError(new EngineError("limit_exceeded", "m", { limit }))?.details).toMatchObject({ limit: name });
  });

  it("returns undefined for other errors", () => {
    expect(fromEngineError(new Error("timeout"))).toBeUndefined();
  });
});
