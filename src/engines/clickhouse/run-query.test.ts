import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileText } from "../../../test/support/engines/clickhouse/compile-text.ts";
import {
  type CompiledQuery,
  EngineError,
  type ParameterValue,
  type QueryLimits,
  type RowEncoding,
} from "../contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../duckdb/index.ts";
import type { ServerClient, ServerQuery } from "./driver/client.ts";
import { unanswered } from "./driver/server-error.ts";
import { SilentServer } from "./driver/silence.ts";
import { runQuery } from "./run-query.ts";

let residual: DuckDbEngine;
beforeAll(async () => {
  residual = await openMemoryEngine({ threads: 1 });
});
afterAll(() => residual.close());

/** A server that answers every statement with the lines, in pieces of some bytes, and records the queries. */
function serverOf(lines: readonly unknown[], pieceBytes = 7) {
  const asked: ServerQuery[] = [];
  const killed: string[] = [];
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const client: Pick<ServerClient, "stream" | "kill" | "isSilent"> = {
    async stream(query) {
      asked.push(query);
      return pieces();
    },
    async kill(queryId) {
      killed.push(queryId);
    },
    isSilent: async () => false,
  };
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return { client, asked, killed };
}

interface Asked {
  readonly values?: readonly ParameterValue[];
  readonly encoding?: RowEncoding;
  readonly limits?: Partial<QueryLimits>;
}

async function rowsOf(server: ReturnType<typeof serverOf>, query: CompiledQuery, asked: Asked = {}) {
  const limits = { timeoutMs: 60_000, maxRows: 100, maxResultBytes: 1_000_000, ...asked.limits };
  const running = await runQuery(
    { client: server.client, residual },
    {
      query,
      values: asked.values ?? [],
      encoding: asked.encoding ?? "cells",
      limits,
      signal: new AbortController().signal,
    },
  );
  let json = "";
  for await (const batch of running.batches) json += `${json === "" ? "" : ","}${batch.json}`;
  return { rows: JSON.parse(`[${json}]`) as unknown[], summary: running.summary() };
}

describe("a run on ClickHouse", () => {
  it("returns the server's rows in the contract's form", async () => {
    const server = serverOf([
      ["é", "1767261600000000", [["1", null]], [["2"]], "nan", 1, null],
      ["b", "0", [], [], -0, 0, "-9007199254740993"],
    ]);
    const text =
      "SELECT id, timestamp, [1] AS a, STRUCT(2 AS x) AS s, 1.5 AS f, TRUE AS b, LENGTH(id) AS n FROM edge_logs";
    const { rows, summary } = await rowsOf(server, compileText(text), { encoding: "objects" });
    expect(rows).toEqual([
      { id: "é", timestamp: 1767261600000000, a: [1, null], s: { x: 2 }, f: "NaN", b: true, n: null },
      { id: "b", timestamp: 0, a: [], s: null, f: 0, b: false, n: "-9007199254740993" },
    ]);
    expect(summary).toMatchObject({ rowCount: 2, isTruncated: false });
  });

  it("binds parameters on the server, and sends only those that it reads", async () => {
    const server = serverOf([["a"]]);
    const query = compileText("SELECT id FROM edge_logs WHERE project = @p AND timestamp > @t");
    await rowsOf(server, query, { values: ["it's {x}", "12"] });
    expect(server.asked[0]?.params).toMatchObject({ p1: "it's {x}", p2: 12n });
    expect(server.asked[0]?.sql).not.toContain("it's");
  });

  it("stops the server query once it has enough rows, and reports the truncation", async () => {
    const server = serverOf([["a"], ["b"], ["c"]]);
    const { rows, summary } = await rowsOf(server, compileText("SELECT id FROM edge_logs"), { limits: { maxRows: 2 } });
    expect(rows).toEqual([["a"], ["b"]]);
    expect(summary.isTruncated).toBe(true);
    expect(server.killed).toEqual([server.asked[0]?.queryId]);
  });

  it("rejects an answer beyond the byte limit", async () => {
    const server = serverOf(Array.from({ length: 50 }, () => ["x".repeat(50)]));
    const answer = rowsOf(server, compileText("SELECT id FROM edge_logs"), { limits: { maxResultBytes: 500 } });
    await expect(answer).rejects.toMatchObject({ code: "result_too_large", limit: "maxResultBytes" });
  });

  it("computes the remaining query over returned rows of every type", async () => {
    const server = serverOf([
      ["1767261600123456", [["x", null]], "-inf", "Robert"],
      ["-1", [], null, null],
    ]);
    const text = `SELECT SOUNDEX(id) AS s, timestamp, tags, time FROM (
      SELECT id, timestamp, m.tags, r.time FROM edge_logs, UNNEST(metadata) m, UNNEST(m.response) r)`;
    const { rows } = await rowsOf(server, compileText(text));
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.sql).toContain("`c_tags`");
    const [first, second] = rows as unknown[][];
    expect(first).toEqual(["R163", 1767261600123456, ["x", null], "-Infinity"]);
    expect(second).toEqual([null, -1, null, null]);
  });

  it("uses the same clock in both parts", async () => {
    const text = `SELECT UNIX_MICROS(CURRENT_TIMESTAMP()) + LENGTH(SOUNDEX(id)) AS late FROM edge_logs
      WHERE timestamp < CURRENT_TIMESTAMP()`;
    const server = serverOf([["Robert"]]);
    const { rows } = await rowsOf(server, compileText(text));
    expect(rows).toEqual([[Number(server.asked[0]?.params.now) + "R163".length]]);
  });

  it("distinguishes a query that takes too long from a server that does not respond", async () => {
    for (const [isSilent, told] of [
      [false, { code: "timeout", limit: "timeoutMs" }],
      [true, { code: "unavailable", retryAfterSeconds: 2, isLost: false }],
    ] as const) {
      const client: ReturnType<typeof serverOf>["client"] = {
        stream: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(new EngineError("aborted", "The query was stopped")));
          }),
        kill: async () => undefined,
        isSilent: async () => isSilent,
      };
      const server = { ...serverOf([]), client };
      const answer = rowsOf(server, compileText("SELECT id FROM edge_logs"), { limits: { timeoutMs: 1 } });
      await expect(answer).rejects.toMatchObject(told);
    }
  });

  it.each([
    ["reset its connection", new Error("ECONNRESET"), true],
    ["was waited for in vain", new SilentServer(), false],
  ])("is tried again at once, or not, where the server %s", async (_, cause, isLost) => {
    const server = serverOf([]);
    const client = { ...server.client, stream: () => Promise.reject(unanswered(cause)) };
    const answer = rowsOf({ ...server, client }, compileText("SELECT id FROM edge_logs"));
    await expect(answer).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 2, isLost });
  });

  it("names the part that could not be pushed, with its position, when too many rows come back", async () => {
    const server = serverOf(
      Array.from({ length: 2000 }, () => ["x".repeat(90)]),
      100_000,
    );
    const query = compileText("SELECT id FROM edge_logs\nWHERE SOUNDEX(id) = 'a'");
    await expect(rowsOf(server, query, { limits: { maxMemoryBytes: 1_000_000 } })).rejects.toMatchObject({
      code: "residual_too_large",
      message: expect.stringMatching(/Function SOUNDEX has no form in ClickHouse: .* \(line 2, column 7\)/),
    });
    expect(server.killed).toHaveLength(1);
  });
});
