import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { Admission } from "../../shared/concurrency/admission.ts";
import { ServiceError } from "../../shared/errors.ts";
import { openSources } from "../../sources/source-registry.ts";
import { createPlanner } from "../call/plan/planner.ts";
import { noPins } from "../call/prepare/query-call.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { toDefinition } from "../definition/to-definition.ts";
import { createCursorSealer } from "../paging/cursor.ts";
import { askTail } from "./ask-tail.ts";

let engine: DuckDbEngine;
let runner: EndpointRunner;

const startUs = BigInt(Date.parse("2026-08-20T09:00:00Z")) * 1_000n;
const never = new AbortController().signal;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  const source = { kind: "x", description: "", retentionDays: undefined, knownFields: [], aliases: [] };
  const tables = await openSources([{ ...source, name: "edge" }], engine.store);
  const events = ["a", "b", "c"].map((id, second) => ({
    ...{ id, hasGeneratedId: false, eventMessage: `from 10.0.0.${second} at ${id}`, fields: {} },
    timestampUs: startUs + BigInt(second) * 1_000_000n,
  }));
  await engine.store.append("edge", events, never);
  runner = {
    engine,
    planner: createPlanner({ engine, tables, nowMs: () => Number(startUs / 1_000n) }),
    admission: new Admission({ maxRunning: 1, maxWaiting: 0 }),
    cursors: createCursorSealer(new Uint8Array(32)),
    timeoutMs: 60_000,
    maxResultBytes: 1_000_000,
    now: () => 0,
  };
});

afterAll(() => engine.close());

interface More {
  readonly redactsPii?: boolean;
  readonly ids?: readonly string[];
  readonly toSecond?: number;
}

const secondUs = (second: number) => startUs + BigInt(second) * 1_000_000n;

async function ask(query: string, seconds: number, more: More = {}) {
  const header = { id: "00000000-0000-4000-8000-00000000000a" };
  const target = draftEndpoint(toDefinition(header, "tailed", query).definition);
  // What pages an answer is nothing to a tail.
  const parameters = new Map(Object.entries({ limit: "1", cursor: "x", since: "y" }));
  const call = { target, parameters, pinned: noPins, redactsPii: more.redactsPii ?? false };
  const { ids, toSecond = 1_000 } = more;
  const period = { fromUs: secondUs(seconds), toUs: secondUs(toSecond), ...(ids === undefined ? {} : { ids }) };
  return askTail(runner, call, period, never);
}

describe("a look at a followed query", () => {
  it("brings the rows at or after a time, newest first, as the endpoint answers them", async () => {
    const query = "SELECT id, timestamp FROM edge ORDER BY timestamp DESC LIMIT 1";
    const { rows, isFull, tables } = await ask(query, 1);
    expect(rows.map(({ timeUs }) => timeUs)).toEqual([startUs + 2_000_000n, startUs + 1_000_000n]);
    expect(rows.map(({ json }) => (JSON.parse(json) as { readonly id: string }).id)).toEqual(["c", "b"]);
    expect(Object.keys(JSON.parse(rows[0]?.json ?? "{}") as object)).toEqual(["id", "timestamp"]);
    expect(rows[0]?.place[0]).toBe(String(startUs + 2_000_000n));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
    expect((await ask(query, 1)).rows).toEqual(rows);
    expect([isFull, tables]).toEqual([false, ["edge"]]);
    expect((await ask(query, 3)).rows).toEqual([]);
  });

  it("brings the rows of a period, or of the events with some ids in it, where a row is an event", async () => {
    const shown = async (...asked: Parameters<typeof ask>) =>
      (await ask(...asked)).rows.map(({ json }) => Object.values(JSON.parse(json) as object)[0] as string);
    const queries = [
      "SELECT id FROM edge ORDER BY timestamp DESC",
      "WITH e AS (SELECT id AS i, timestamp AS t FROM edge WHERE event_message IS NOT NULL) SELECT i, t FROM e ORDER BY t",
    ];
    for (const query of queries) {
      expect(await shown(query, 0, { toSecond: 1 })).toEqual(["b", "a"]);
      expect(await shown(query, 0, { ids: ["c", "a", "x"] })).toEqual(["c", "a"]);
      expect(await shown(query, 1, { ids: ["c", "a"] })).toEqual(["c"]);
      expect(await shown(query, 0, { ids: ["c", "a"], toSecond: 0 })).toEqual(["a"]);
      expect((await ask(query, 0)).isOfEvents).toBe(true);
    }
    for (const query of [
      "SELECT timestamp FROM edge UNION ALL SELECT timestamp FROM edge ORDER BY timestamp DESC",
      "SELECT a.timestamp FROM edge AS a JOIN edge AS b USING (id) ORDER BY timestamp DESC",
      "SELECT id, TIMESTAMP_ADD(timestamp, INTERVAL 1 DAY) AS t FROM edge ORDER BY t DESC",
    ]) {
      expect((await ask(query, 0)).isOfEvents).toBe(false);
      await expect(ask(query, 0, { ids: ["a"] })).rejects.toMatchObject({ code: "not_followable" });
    }
  });

  it("hides what only tells the place of a row", async () => {
    const query = "SELECT event_message AS m FROM edge ORDER BY timestamp DESC";
    const { rows } = await ask(query, 0);
    expect(rows.map(({ json }) => json)).toEqual(
      ["c", "b", "a"].map((id, index) => JSON.stringify({ m: `from 10.0.0.${2 - index} at ${id}` })),
    );
  });

  it("is redacted as the call is, in rows and in errors", async () => {
    const { rows } = await ask("SELECT event_message AS m FROM edge ORDER BY timestamp DESC", 2, { redactsPii: true });
    expect(rows.map(({ json }) => json)).toEqual(['{"m":"from REDACTED at c"}']);
    const broken = "SELECT ERROR(event_message) AS m, timestamp FROM edge ORDER BY timestamp DESC";
    const refusalOf = async (redactsPii: boolean) => {
      const error: unknown = await ask(broken, 2, { redactsPii }).catch((problem: unknown) => problem);
      expect(error).toBeInstanceOf(ServiceError);
      return String(error);
    };
    expect(await refusalOf(false)).toContain("from 10.0.0.2 at c");
    expect(await refusalOf(true)).toContain("from REDACTED at c");
  });

  it("is refused for a query whose rows have no order in time", async () => {
    await expect(ask("SELECT id FROM edge", 0)).rejects.toMatchObject({ code: "not_followable" });
  });
});
