import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import type { EventValue, LogEvent } from "../contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "./index.ts";

type Fields = { readonly [field: string]: EventValue };

const signal = new AbortController().signal;

/** Events whose fields take every form that the store knows. */
const events: readonly Fields[] = [
  {
    project: "p",
    metadata: { status: 200, request: { path: "/a", tags: ["x", "y"] }, mixed: 1, spans: [{ n: 1 }, { n: 2 }] },
  },
  { project: "p", metadata: { status: "200", request: { path: "/b" }, mixed: true, spans: [{ n: 3 }] } },
  { project: "q", metadata: { status: 404, mixed: 1.5, large: 9007199254740993n, shape: "text" } },
  { project: 7, level: { name: "info" }, metadata: { mixed: "text", shape: { deep: { er: "yes" } }, spans: { n: 4 } } },
  { level: "plain" },
];

describe("the embedded engine", () => {
  let engine: DuckDbEngine;
  beforeAll(async () => {
    engine = await openMemoryEngine({ threads: 2 });
    await engine.store.ensureSource({ name: "edge", knownFields: [] });
    // One by one, so that each widens the table that holds those before it.
    for (const [i, fields] of events.entries()) {
      const event: LogEvent = { id: `${i}`, hasGeneratedId: true, timestampUs: BigInt(i), eventMessage: null, fields };
      await engine.store.append("edge", [event], signal);
    }
  });
  afterAll(() => engine.close());

  async function query(text: string): Promise<unknown[]> {
    const tables = { findTable: (name: string) => engine.store.describe(name), tableNames: () => ["edge"] };
    const compiled = engine.compile(resolveQuery(parseQuery(text), text, { tables, parameters: new Map() }), { text });
    const limits = { timeoutMs: 10_000, maxRows: 1000, maxResultBytes: 1_000_000 };
    const { batches } = await engine.run({ query: compiled, values: [], encoding: "objects", limits, signal });
    const rows: unknown[] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return rows;
  }

  /** Ids of the events that a condition holds for. */
  async function ids(from: string): Promise<string> {
    const rows = (await query(`SELECT t.id ${from} ORDER BY t.id`)) as { readonly id: string }[];
    return rows.map(({ id }) => id).join(" ");
  }

  it.each([
    [
      "a field that was sent as number and as text matches both",
      "FROM edge t, UNNEST(metadata) m WHERE m.status = '200'",
      "0 1",
    ],
    ["a path below a record", "FROM edge t, UNNEST(metadata) m, UNNEST(m.request) r WHERE r.path = '/b'", "1"],
    ["an array of scalars", "FROM edge t, UNNEST(metadata) m, UNNEST(m.request) r WHERE 'y' IN UNNEST(r.tags)", "0"],
    ["a record that only some events carry", "FROM edge t, UNNEST(metadata) m, UNNEST(m.request) r", "0 1"],
    [
      "every element of an array of objects",
      "FROM edge t, UNNEST(metadata) m, UNNEST(m.spans) s WHERE s.n > 1",
      "0 1 3",
    ],
    [
      "a record where earlier events sent text",
      "FROM edge t, UNNEST(metadata) m, UNNEST(m.shape) s, UNNEST(s.deep) d WHERE d.er = 'yes'",
      "3",
    ],
    [
      "a field of four types, as text",
      "FROM edge t, UNNEST(metadata) m WHERE m.mixed IN ('1', 'true', '1.5', 'text')",
      "0 1 2 3",
    ],
    ["a top-level field that was text and number", "FROM edge t WHERE project = '7'", "3"],
    ["a field that no event has carried", "FROM edge t, UNNEST(metadata) m WHERE m.never IS NULL", "0 1 2 3"],
    [
      "an integer beyond the exactness of doubles",
      "FROM edge t, UNNEST(metadata) m WHERE m.large = 9007199254740993",
      "2",
    ],
  ])("finds events by %s", async (_name, from, expected) => {
    expect(await ids(from)).toBe(expected);
  });

  it("answers records as arrays of one object, with every value as it was sent", async () => {
    const rows = (await query("SELECT metadata, level FROM edge ORDER BY id")) as Record<string, unknown>[];
    expect(rows.map(({ level }) => level)).toEqual([null, null, null, [{ name: "info" }], "plain"]);
    expect(rows[0]?.metadata).toEqual([
      { status: 200, request: [{ path: "/a", tags: ["x", "y"] }], mixed: 1, spans: [{ n: 1 }, { n: 2 }] },
    ]);
    expect(rows[3]?.metadata).toEqual([{ mixed: "text", shape: [{ deep: [{ er: "yes" }] }], spans: [{ n: 4 }] }]);
    expect(rows[4]?.metadata).toEqual([]);
  });

  it("aggregates integers and floats of one field together", async () => {
    await engine.store.ensureSource({ name: "numbers", knownFields: [] });
    for (const [i, n] of [1, 2.5, 3].entries()) {
      const event: LogEvent = {
        id: `${i}`,
        hasGeneratedId: true,
        timestampUs: 0n,
        eventMessage: null,
        fields: { m: { n } },
      };
      await engine.store.append("numbers", [event], signal);
    }
    expect(await query("SELECT SUM(m.n) AS total, COUNT(*) AS c FROM numbers, UNNEST(m) m")).toEqual([
      { total: 6.5, c: 3 },
    ]);
  });

  describe("over integers beyond 64 bits", () => {
    const wide = 123456789012345678901234567890n;
    beforeAll(async () => {
      await engine.store.ensureSource({ name: "wide", knownFields: [] });
      const sent: readonly Fields[] = [
        { n: wide, m: { n: wide, list: [wide, 1] }, u: 2n ** 64n - 1n },
        { n: 5, m: { n: 5, list: [2] }, u: 7 },
      ];
      for (const [i, fields] of sent.entries()) {
        const event: LogEvent = { id: `${i}`, hasGeneratedId: true, timestampUs: 0n, eventMessage: null, fields };
        await engine.store.append("wide", [event], signal);
      }
    });

    it.each([
      ["the top level", "n", `${wide}`, "5"],
      ["a record", "m[0].n", `${wide}`, "5"],
      ["a list", "m[0].list", `[${wide},1]`, "[2]"],
      ["the last of 64 bits without a sign", "u", `${2n ** 64n - 1n}`, "7"],
    ])("is exact at %s", async (_, path, first, second) => {
      const texts = `SELECT TO_JSON_STRING(${path}) AS text FROM wide ORDER BY id`;
      expect(await query(texts)).toEqual([{ text: first }, { text: second }]);
      const tables = { findTable: (name: string) => engine.store.describe(name), tableNames: () => ["wide"] };
      const text = `SELECT ${path} AS value FROM wide ORDER BY id`;
      const compiled = engine.compile(resolveQuery(parseQuery(text), text, { tables, parameters: new Map() }), {
        text,
      });
      const limits = { timeoutMs: 10_000, maxRows: 10, maxResultBytes: 10_000 };
      const { batches } = await engine.run({ query: compiled, values: [], encoding: "objects", limits, signal });
      let answered = "";
      for await (const { json } of batches) answered += json;
      expect(answered).toBe(`{"value":${first}},{"value":${second}}`);
    });

    it.each([
      [`CAST(n AS BIGNUMERIC) = BIGNUMERIC '${wide}'`, "0"],
      [`n = BIGNUMERIC '${wide}'`, "0"],
      [`n = BIGNUMERIC '${wide + 1n}'`, ""],
      [`m[0].n > BIGNUMERIC '${wide - 1n}'`, "0"],
      ["n > 9223372036854775807", "0"],
      ["n < 9223372036854775807", "1"],
      ["u = NUMERIC '18446744073709551615'", "0"],
      ["u = '18446744073709551615'", "0"],
      ["u = 7 AND n = 5", "1"],
      ["SAFE_CAST(n AS INT64) IS NULL", "0"],
    ])("is compared exactly: %s", async (condition, expected) => {
      const rows = (await query(`SELECT id FROM wide WHERE ${condition} ORDER BY id`)) as { readonly id: string }[];
      expect(rows.map(({ id }) => id).join(" ")).toBe(expected);
    });
  });
});
