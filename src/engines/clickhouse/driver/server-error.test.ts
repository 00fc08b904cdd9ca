import { describe, expect, it } from "vitest";
import { EngineError } from "../../contract/query-engine.ts";
import { isConnectionError, toEngineError } from "./server-error.ts";

/** An error as the driver throws it: the code as a text, and not part of the message. */
function thrown(code: number, message: string): Error {
  return Object.assign(new Error(message), { code: String(code), type: "SOME_NAME" });
}

const SECRET = "events_secret_table";

describe("a server error", () => {
  it.each([
    [159, "timeout", "timeoutMs"],
    [241, "memory_exceeded", "maxMemoryBytes"],
    [396, "result_too_large", "maxResultBytes"],
    [153, "query_failed", undefined],
    [497, "refused", undefined],
    [516, "unavailable", undefined],
    [60, "unknown_source", undefined],
    [252, "overloaded", undefined],
    [243, "disk_full", undefined],
    [1002, "internal", undefined],
  ] as const)("with code %i is %s, names the limit %s, and shows none of its own text", (code, expected, limit) => {
    const told = toEngineError(thrown(code, `${SECRET}: while executing 'FUNCTION ...'`));
    expect([told.code, told.limit]).toEqual([expected, limit]);
    expect(told.message).not.toContain(SECRET);
  });

  it.each([394, 734])("with code %i, of a server that ends, asks to try again unless the caller has left", (code) => {
    const error = thrown(code, "Query was cancelled");
    expect(toEngineError(error)).toMatchObject({ code: "unavailable", retryAfterSeconds: 2, isLost: false });
    expect(toEngineError(error, AbortSignal.abort()).code).toBe("aborted");
  });

  it("from a query that fails on purpose carries its message, and names the limit of the call", () => {
    const failing = (text: string) => toEngineError(thrown(395, `lw!${text}lw!: while executing 'FUNCTION ${SECRET}'`));
    expect([failing("division by zero: 1 / 0").code, failing("division by zero: 1 / 0").message]).toEqual([
      "query_failed",
      "division by zero: 1 / 0",
    ]);
    const limited = failing("REPEAT would make a longer text than max_string_bytes allows");
    expect([limited.code, limited.limit]).toEqual(["limit_exceeded", "maxStringBytes"]);
    expect(toEngineError(thrown(395, `Value passed to 'throwIf' in ${SECRET}`)).message).not.toContain(SECRET);
  });

  it("from a sum beyond INT64 names the overflow, and any other failed conversion is generic", () => {
    const failing = (type: string) =>
      toEngineError(
        thrown(70, `Value in column Int128 cannot be safely converted into type ${type}: In scope ${SECRET}`),
      );
    expect([failing("Int64"), failing("Nullable(Int64)"), failing("Date")].map(({ message }) => message)).toEqual([
      "INT64 overflow",
      "INT64 overflow",
      "A value cannot be converted to its type",
    ]);
  });

  it("about memory is the query's own, or lost and worth a retry if other queries use the memory", () => {
    const own = toEngineError(thrown(241, "Query memory limit exceeded: would use 1.2 GiB"));
    const others = toEngineError(thrown(241, "(total) memory limit exceeded: would use 9 GiB"));
    expect([own.isLost, own.limit, others.isLost, others.limit]).toEqual([false, "maxMemoryBytes", true, undefined]);
  });

  it("is recognised in the text of an answer too", () => {
    const text = "\r\n__exception__\r\nTAG\r\nCode: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)\n70 TAG";
    expect(toEngineError(new Error(text)).code).toBe("timeout");
  });
});

describe("a connection error", () => {
  it("is unavailable and can be retried, and is not a server error", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:8123"), { code: "ECONNREFUSED" });
    const told = toEngineError(refused);
    expect([told.code, told.isLost, told.retryAfterSeconds]).toEqual(["unavailable", true, 2]);
    expect(told.message).not.toContain("10.0.0.1");
    expect([isConnectionError(refused), isConnectionError(thrown(60, "x")), isConnectionError(told)]).toEqual([
      ...[true, false, false],
    ]);
  });

  it("means aborted if the caller has left, and an EngineError stays unchanged", () => {
    expect(toEngineError(new Error("socket hang up"), AbortSignal.abort()).code).toBe("aborted");
    const own = new EngineError("disk_full", "full");
    expect(toEngineError(own)).toBe(own);
  });
});
