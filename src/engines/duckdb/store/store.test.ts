import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INT64, type SqlType, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import type { EventValue, LogEvent, OutputColumn, ParameterValue, QueryLimits } from "../../contract/query-engine.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

function layoutOf(store: DuckDbStore) {
  const table = store.describe("edge");
  return table === undefined ? undefined : store.layoutOf(table);
}

const limits: QueryLimits = { timeoutMs: 60_000, maxRows: 1000, maxResultBytes: 1_000_000 };
const signal = new AbortController().signal;

function eventOf(id: string, fields: { readonly [field: string]: EventValue } = {}, timestampUs = 1n): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: `message ${id}`, fields };
}

describe("a store in memory", () => {
  let host: EngineHost;
  let store: DuckDbStore;
  beforeAll(async () => {
    const options = {
      threads: 2,
      memoryLimitBytes: 512 * 1024 ** 2,
      checkpointBytes: 1024 ** 2,
      compaction: { minRows: 1000, maxRows: 5000 },
    };
    ({ host } = await openCore(options, {
      onFatal: () => expect.unreachable(),
      onProblem: () => expect.unreachable(),
    }));
    store = new DuckDbStore(() => host);
    await store.ensureSource({ name: "edge", knownFields: [{ path: "metadata.known", type: INT64 }] });
  });
  afterAll(() => host.close());

  /** Runs DuckDB's own SQL, as the compiler would have printed it. */
  async function run(
    sql: string,
    columns: readonly OutputColumn[],
    options: {
      readonly limits?: Partial<QueryLimits>;
      readonly parameters?: readonly { readonly type: SqlType; readonly value: ParameterValue }[];
    } = {},
  ) {
    const parameters = options.parameters ?? [];
    const running = await runQuery(host, {
      query: {
        sql,
        parameters: parameters.map(({ type }, index) => ({ key: index + 1, type })),
        columns,
        tables: [],
      },
      values: parameters.map(({ value }) => value),
      encoding: "objects",
      limits: { ...limits, ...options.limits },
      signal,
    });
    const parts: string[] = [];
    for await (const batch of running.batches) parts.push(batch.json);
    return { rows: JSON.parse(`[${parts.join(",")}]`) as unknown[], summary: running.summary() };
  }

  it("returns appended events, with their records as stored JSON", async () => {
    const result = await store.append("edge", [eventOf("a", { project: "p", metadata: { x: 1 } }, 1_000_001n)], signal);
    expect(result).toEqual({ stored: 1, repeated: 0 });
    const table = store.describe("edge");
    expect(table?.columns.map(({ name }) => name)).toEqual(["timestamp", "id", "event_message", "metadata", "project"]);
    const { rows, summary } = await run(
      "SELECT id, timestamp, j1 FROM events_1 WHERE id = $1",
      [
        { name: "id", type: STRING },
        { name: "timestamp", type: TIMESTAMP },
        {
          name: "metadata",
          type: { kind: "ARRAY", element: { kind: "RECORD", fields: [], isRepeated: false, isOpen: false } },
        },
      ],
      { parameters: [{ type: STRING, value: "a" }] },
    );
    expect(rows).toEqual([{ id: "a", timestamp: 1_000_001, metadata: [{ x: 1 }] }]);
    expect(summary).toMatchObject({ rowCount: 1, isTruncated: false });
  });

  it("widens a field to values of several types and loses none", async () => {
    const values: EventValue[] = [1, "one", true, 1.5, [1, 2], { deep: "x" }];
    await Promise.all(
      values.map((v, i) => store.append("edge", [eventOf(`wide ${i}`, { top: v, rec: { v } })], signal)),
    );
    const type = store.describe("edge")?.columns.find(({ name }) => name === "top")?.type;
    expect(type).toMatchObject({ kind: "MIXED", record: { kind: "RECORD" } });
    const layout = layoutOf(store);
    const sql = `SELECT ${layout?.recordColumns.get("rec")} FROM events_1 WHERE id LIKE 'wide%' ORDER BY id`;
    const { rows } = await run(sql, [
      { name: "v", type: { kind: "RECORD", fields: [], isRepeated: true, isOpen: false } },
    ]);
    expect(rows).toEqual([1, "one", true, 1.5, [1, 2], [{ deep: "x" }]].map((v) => ({ v: [{ v }] })));
  });

  it("truncates a result at the row limit and reports it", async () => {
    const { rows, summary } = await run("SELECT unnest(range(5000))", [{ name: "n", type: INT64 }], {
      limits: { maxRows: 3000 },
    });
    expect(rows).toHaveLength(3000);
    expect(summary).toMatchObject({ rowCount: 3000, isTruncated: true });
    const exact = await run("SELECT unnest(range(2048))", [{ name: "n", type: INT64 }], { limits: { maxRows: 2048 } });
    expect(exact.summary).toMatchObject({ rowCount: 2048, isTruncated: false });
  });

  it.each([
    [
      "a result beyond its bytes",
      "SELECT repeat('x', 2000) FROM unnest(range(1000))",
      { maxResultBytes: 100_000 },
      "result_too_large",
    ],
    [
      "a query beyond its time",
      "SELECT count(*)::VARCHAR FROM unnest(range(30000)) a(i), unnest(range(30000)) b(j), " +
        "unnest(range(30000)) c(k) WHERE i + j * k = 7",
      { timeoutMs: 100 },
      "timeout",
    ],
    ["bad data", "SELECT CAST(id AS INTEGER)::VARCHAR FROM events_1", {}, "query_failed"],
    ["an unknown table", "SELECT path FROM lw_store", {}, "refused"],
    ["an unknown column", "SELECT nope FROM events_1", {}, "internal"],
  ] as const)("fails %s", async (_name, sql, some, code) => {
    await expect(run(sql, [{ name: "v", type: STRING }], { limits: some })).rejects.toMatchObject({ code });
  });

  it("reports a data error without naming columns", async () => {
    const failure = run("SELECT CAST(event_message AS INTEGER)::VARCHAR FROM events_1", [{ name: "v", type: STRING }]);
    await expect(failure).rejects.toThrow(/^Could not convert string 'message [^']*' to INT32$/);
  });

  it("interrupts a query within 100 ms of the abort", async () => {
    const controller = new AbortController();
    const running = runQuery(host, {
      query: {
        sql:
          "SELECT count(*)::VARCHAR FROM unnest(range(30000)) a(i), unnest(range(30000)) b(j), " +
          "unnest(range(9000)) c(k) WHERE i + j * k = 7",
        parameters: [],
        columns: [{ name: "n", type: STRING }],
        tables: [],
      },
      values: [],
      encoding: "cells",
      limits,
      signal: controller.signal,
    });
    setImmediate(() => controller.abort());
    await expect(running).rejects.toMatchObject({ code: "aborted" });
  });
});
