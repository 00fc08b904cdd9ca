/** The filters of many rules of one source, whose queries are asked together, over ClickHouse. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildIfStale } from "../../bin/build.mjs";
import type { NodeProcess } from "../nodes/start-node.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { sampleSize } from "../support/sample-size.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startClickHouseNode } from "./clickhouse-nodes.ts";
import { type ServerProcess, startServer } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-shared-filters-"));
const eventCount = sampleSize(2, 12) * 500;
const filterCount = sampleSize(20, 300);
let server: ServerProcess;
let node: NodeProcess;
let destination: Destination;

const words = ["alpha", "beta", "gamma delta", 'quo"te', "50%", ""];
const single = fc.oneof(
  fc.tuple(fc.constantFrom(":", ":>", ":<=", ":>="), fc.integer({ min: -2, max: 30 })).map(([op, n]) => `m.n${op}${n}`),
  fc.constantFrom(...words).map((word) => `m.word:${JSON.stringify(word)}`),
  fc.constantFrom("a", "et", "^g", "a$", ".*l.*").map((pattern) => `m.word:~"${pattern}"`),
  fc.constantFrom("true", "false").map((value) => `m.flag:${value}`),
  fc.constantFrom("alpha", "event").map((word) => word),
  fc.constantFrom("a", "b").map((project) => `project:${project}`),
  fc.constantFrom("x", "y").map((tag) => `m.tags:@>${tag}`),
  fc.constantFrom("m.missing:NULL", "m.word:NULL"),
);
const filter = fc
  .array(fc.tuple(fc.constantFrom("", "-"), single), { minLength: 1, maxLength: 3 })
  .map((all) => all.map(([sign, each]) => `${sign}${each}`).join(" "));

const eventOf = (index: number) => ({
  // Two tenants have each id.
  id: `e${index >> 1}`,
  project: index % 2 === 0 ? "a" : "b",
  event_message: `event ${words[index % 5]}`,
  timestamp: new Date(Date.UTC(2026, 10, 20, 9) + index * 1_000).toISOString(),
  metadata: {
    ...(index % 7 === 0 ? {} : { n: index % 31 }),
    ...(index % 11 === 0 ? {} : { word: words[index % words.length] }),
    flag: index % 3 === 0,
    tags: index % 4 === 0 ? ["x", "y"] : ["x"],
  },
});

async function ok(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await node.call(method, path, body, { timeoutMs: 120_000 });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  await buildIfStale();
  mkdirSync(join(folder, "server"));
  [server, destination] = await Promise.all([startServer({ folder: join(folder, "server") }), startDestination()]);
  node = await startClickHouseNode({
    ...{ serverUrl: server.url, folder },
    environment: { LOGWEIR_MAX_REQUESTS_PER_MINUTE: "1000000" },
  });
}, 300_000);

afterAll(async () => {
  await node.stop();
  await Promise.all([server.kill(), destination.close()]);
  rmSync(folder, { recursive: true, force: true });
});

it("rules of one source get what their filters select as queries, also beside one whose field has another type", {
  timeout: 600_000,
}, async () => {
  await ok("POST", "/api/sources", { name: "filtered", tenant: "project" });
  const send = (from: number, count: number) =>
    ok(
      "POST",
      "/api/logs?source_name=filtered",
      Array.from({ length: count }, (_, index) => eventOf(from + index)),
    );
  // So that the filters' fields are known.
  await send(-44, 44);
  const rules: { readonly lql: string; readonly path: string }[] = [];
  const add = async (lql: string) => {
    const path = `/rule-${rules.length}`;
    const config = { url: `${destination.url}${path}`, gzip: false };
    const { id } = await ok("POST", "/api/backends", { name: path, type: "webhook", config });
    await ok("POST", "/api/rules", { backend_id: id, source: "filtered", lql_string: lql });
    rules.push({ lql, path });
    return String(id);
  };
  // Not a number any longer once the events have come: it selects nothing, or fails alone.
  const failing = await add("m.turns:>5");
  for (const lql of new Set(fc.sample(filter, { numRuns: filterCount, seed: 7 }))) {
    const check = await node.call("POST", "/api/query", { lql: `f:filtered ${lql}` }, { timeoutMs: 120_000 });
    if (check.status === 200) await add(lql);
  }
  expect(rules.length).toBeGreaterThan(filterCount / 2);
  const bodies = Array.from({ length: eventCount / 500 }, (_, index) => send(index * 500, 500));
  await ok("POST", "/api/logs?source_name=filtered", [{ ...eventOf(2 * eventCount), metadata: { turns: "many" } }]);
  await Promise.all(bodies);

  const backends = async () =>
    (await ok("GET", "/api/backends")) as unknown as readonly {
      readonly id: string;
      readonly status: readonly { readonly waiting: number; readonly dropped: number }[];
    }[];
  await waitUntil(async () => {
    return (await backends()).every(({ id, status }) => id === failing || status[0]?.waiting === 0);
  }, 300_000);
  expect((await backends()).map(({ status }) => status[0]?.dropped ?? 0).filter((count) => count > 0)).toEqual([]);

  for (const { lql, path } of rules.slice(1)) {
    const taken = destination.requests
      .filter((request) => request.path === `/hook${path}`)
      .flatMap(({ body }) => JSON.parse(body) as { id: string; project: string }[]);
    const query = encodeURIComponent(`${lql} t:>2026-11-20T08:59:59Z s:id s:project`);
    const { result } = await ok("GET", `/api/endpoints/query/source:filtered?lql=${query}&limit=10000`);
    const nameOf = ({ id, project }: { id: string; project: string }) => `${project} ${id}`;
    const selected = (result as { id: string; project: string }[]).map(nameOf);
    expect(taken.map(nameOf).sort(), lql).toEqual(selected.sort());
  }
});
