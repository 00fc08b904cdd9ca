import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventValue } from "../../src/engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../src/engines/duckdb/index.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveQuery } from "../../src/googlesql/resolve.ts";

type Kind = "INT64" | "FLOAT64" | "BOOL" | "STRING";

const signal = new AbortController().signal;
const page = readFileSync("docs/event-model.md", "utf8");
const ROW = /^\| (INT64|FLOAT64|BOOL|STRING) \| `(.*)` \| `(.*)` \|$/gm;
const rows = [...page.matchAll(ROW)].map(([, type, sent, reads]) => ({
  type: type as Kind,
  sent: JSON.parse(sent ?? "") as EventValue,
  reads: JSON.parse(reads ?? "") as unknown,
}));

/** The inside of each cell but the first, which are JSON in backticks. */
function cellsOf(row: string): readonly EventValue[] {
  return [...row.matchAll(/ `(.*?)` \|/g)].map(([, json]) => JSON.parse(json ?? "") as EventValue);
}

const [, header = "", table = ""] = /^\| asked for \|(.*)\n\|[-|]*\n((?:\| .*\n)+)/m.exec(page) ?? [];
const sent = cellsOf(header);
const asked = table.split("\n").flatMap((row) => {
  const [first = "", expression = ""] = /^\| `(.*?)` \|/.exec(row) ?? [];
  return expression === "" ? [] : [[expression, cellsOf(row.slice(first.length))] as const];
});

describe("docs/event-model.md", () => {
  let engine: DuckDbEngine;
  beforeAll(async () => {
    engine = await openMemoryEngine({ threads: 1 });
    const kinds: readonly Kind[] = ["INT64", "FLOAT64", "BOOL", "STRING"];
    const knownFields = kinds.flatMap((kind) => [
      { path: `top_${kind}`, type: { kind } },
      { path: `m.${kind}`, type: { kind } },
    ]);
    await engine.store.ensureSource({ name: "s", knownFields });
  });
  afterAll(() => engine.close());

  it("has examples of declared fields", () => expect(rows.length).toBeGreaterThanOrEqual(20));

  async function answersOf(text: string): Promise<readonly unknown[]> {
    const tables = { findTable: (name: string) => engine.store.describe(name), tableNames: () => ["s", "shapes"] };
    const compiled = engine.compile(resolveQuery(parseQuery(text), text, { tables, parameters: new Map() }), { text });
    const limits = { timeoutMs: 60_000, maxRows: 10, maxResultBytes: 100_000 };
    const { batches } = await engine.run({ query: compiled, values: [], encoding: "objects", limits, signal });
    const found: unknown[] = [];
    for await (const { json } of batches) found.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return found;
  }

  it.each(rows)(
    "states correctly that $sent in a field declared $type reads as $reads",
    async ({ type, sent, reads }) => {
      const id = `${type} ${JSON.stringify(sent)}`;
      const fields = { [`top_${type}`]: sent, m: { [type]: sent } };
      const event = { id, hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields };
      const { mistyped = 0 } = await engine.store.append("s", [event], signal);
      expect(mistyped).toBe(reads === null ? 2 : 0);
      const text = `SELECT top_${type} AS top, m.${type} AS inner_value FROM s, UNNEST(m) m WHERE id = '${id}'`;
      expect(await answersOf(text)).toEqual([{ top: reads, inner_value: reads }]);
    },
  );

  describe("for a field with values of several types", () => {
    beforeAll(async () => {
      await engine.store.ensureSource({ name: "shapes", knownFields: [] });
      const events = sent.map((x, n) => {
        return {
          id: `${n}`,
          hasGeneratedId: false,
          timestampUs: 1n,
          eventMessage: null,
          fields: { metadata: { n, x } },
        };
      });
      await engine.store.append("shapes", events, signal);
    });

    it("has examples", () => expect([sent.length, asked.length]).toEqual([7, 12]));

    it.each(asked)("states correctly how %s reads", async (expression, reads) => {
      const sql = `SELECT ${expression} AS v FROM shapes CROSS JOIN UNNEST(metadata) AS m ORDER BY m.n`;
      expect(await answersOf(sql)).toEqual(reads.map((v) => ({ v })));
    });
  });
});
