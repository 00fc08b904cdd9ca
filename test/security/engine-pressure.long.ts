import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readConfiguration } from "../../src/config/config.ts";
import type { DuckDbEngine } from "../../src/engines/duckdb/index.ts";
import { type RunningService, startService } from "../../src/service/service.ts";
import { sampleOf, sampleSize } from "../support/sample-size.ts";
import { waitUntil } from "../support/wait-until.ts";

const owner = "pressure-private-token-0123456789";

let dataDir: string;
let service: RunningService;
let sandboxed: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-pressure-"));
  const configuration = readConfiguration(
    { workingDir: dataDir, packageDir: process.cwd() },
    {
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: join(dataDir, "data"),
      LOGWEIR_PRIVATE_TOKEN: owner,
      LOGWEIR_LOG_LEVEL: process.env.PRESSURE_LOG ?? "silent",
      // A query is refused for what it produces, however slow the machine is.
      LOGWEIR_QUERY_TIMEOUT_MS: "600000",
      // Small, so that the limits are reached quickly.
      LOGWEIR_ENGINE_MEMORY_MB: "128",
    },
  );
  // However slowly an engine starts, calls wait for it.
  service = await startService(configuration, { engineSizes: { readyPatienceMs: 300_000 } });
});

// A new token for each test: one that ended the engine is held back for a while.
beforeEach(async () => {
  const token = { description: "attacks", scopes: ["query"], pins: {}, expiresAt: undefined };
  sandboxed = (await service.tokens.create(token)).secret;
});

afterAll(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function ask(sql: string, token: string) {
  const body = JSON.stringify({ project: "p", sql });
  const headers = { "x-api-key": token, "content-type": "application/json" };
  const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, { method: "POST", headers, body });
  const text = await response.text();
  const code = response.ok ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { status: response.status, code, text, retryAfter: response.headers.get("retry-after") };
}

let sent = 0;
const acknowledged: string[] = [];

async function ingest() {
  const message = `event ${sent++}`;
  const body = JSON.stringify([{ project: "p", event_message: message }]);
  const headers = { "x-api-key": owner, "content-type": "application/json" };
  const response = await fetch(`${service.url}/api/logs?source_name=edge`, { method: "POST", headers, body });
  if (response.ok) acknowledged.push(message);
  return { status: response.status, text: await response.text() };
}

/** The messages that are stored; in one row, since rows of an answer have a limit. */
async function stored(): Promise<readonly string[]> {
  const { text } = await ask("select string_agg(event_message, ',') as messages from edge_logs", owner);
  return (JSON.parse(text) as { result: [{ messages: string }] }).result[0].messages.split(",");
}

async function runningCount(): Promise<number> {
  const response = await fetch(`${service.url}/metrics`, { headers: { "x-api-key": owner } });
  return Number(/^logweir_queries_running (\d+)$/m.exec(await response.text())?.[1]);
}

function hostPid(): number | undefined {
  return (service.engine as DuckDbEngine).hostPid;
}

/** Calls of others in the meantime, and those of them that failed; `work` can wait for more of them. */
async function beside(
  begin: (moreCalls: (count: number) => Promise<unknown>) => Promise<unknown>,
): Promise<{ readonly calls: number; readonly failures: readonly string[] }> {
  let isOver = false;
  let calls = 0;
  const work = begin((count) => {
    const wanted = calls + count;
    return waitUntil(() => calls >= wanted);
  }).finally(() => {
    isOver = true;
  });
  const failures: string[] = [];
  const count = ({ status, text }: { readonly status: number; readonly text: string }) => {
    calls++;
    if (status !== 200) failures.push(text);
  };
  const asker = async () => {
    while (!isOver) count(await ask("select count(*) as n from edge_logs", owner));
  };
  const sender = async () => {
    while (!isOver) count(await ingest());
  };
  await Promise.all([asker(), sender(), work]);
  return { calls, failures };
}

const series = (count: number) => `unnest(generate_array(1, ${count})) as n`;
/** Rows of long texts: several times what the engine may have. */
const many = sampleSize(500, 2000);
const text = "repeat('A', 16000000)";
const long = "repeat('A', 1000000 + n)";
const greedy: readonly (readonly [string, string])[] = [
  ["a long text a row", `select ${text} as x, n from ${series(50)}`],
  ["long texts of their own", `select ${long} as x from ${series(many)}`],
  ["lengths of long texts", `select length(${long}) as x from ${series(many)}`],
  ["texts joined", `select string_agg(${long}, ',') as x from ${series(many)}`],
  ["texts gathered", `select array_agg(${long}) as x from ${series(many)}`],
  ["texts side by side", `select ${text} as a, ${text} as b, ${text} as c, ${text} as d, n from ${series(40)}`],
  [
    "a text many times",
    `select concat(${Array.from({ length: 40 }, () => "x").join(", ")}) as y from (select ${long} as x from ` +
      `${series(100)})`,
  ],
  ["long arrays", `select generate_array(1, 1000000) as x, n from ${series(200)}`],
  ["arrays of texts", `select array(select ${long} from ${series(100)}) as x from ${series(40).replace(" n", " m")}`],
  ["large objects as JSON", `select to_json_string(struct(${text} as a, ${text} as b)) as x, n from ${series(50)}`],
  [
    "a text that doubles",
    "with recursive r as (select 'abcdefgh' as x, 1 as i union all select concat(x, x), i + 1 from r where i " +
      "< 40) select x from r",
  ],
  ["padded texts", `select lpad('', 4000000 + n, 'ab') as x from ${series(500)}`],
  ["texts split", `select split(${long}, '') as x from ${series(100)}`],
  ["texts replaced", `select replace(${long}, 'A', 'BBBBBBBBBB') as x from ${series(200)}`],
  ["groups of long keys", `select ${long} as x, count(*) as c from ${series(many)} group by x`],
  ["long keys in order", `select ${long} as x from ${series(many)} order by x desc`],
  [
    "long keys joined",
    `select a.x from (select ${long} as x from ${series(500)}) a join (select ${long} as x from ` +
      `${series(500)}) b on a.x = b.x`,
  ],
  ["texts formatted", `select format('%s%s%s%s', x, x, x, x) as y from (select ${long} as x from ${series(500)})`],
  ["BYTES", `select cast(${long} as bytes) as x, to_base64(cast(${long} as bytes)) as y from ${series(1000)}`],
];

describe("a query that produces too much", () => {
  it.each(sampleOf(greedy, 0.2))(
    "is refused without ending the engine: %s",
    async (_name, sql) => {
      const pid = hostPid();
      const { status, code, text: body } = await ask(sql, sandboxed);
      expect([status, code, body.slice(0, 300)]).toEqual([
        422,
        expect.stringMatching(/^(result_too_large|memory_exceeded|limit_exceeded|too_complex)$/),
        expect.anything(),
      ]);
      expect(hostPid()).toBe(pid);
      expect((await ask("select 1 as one", owner)).status).toBe(200);
    },
    120_000,
  );

  it("does not affect other callers, even when several run at once", async () => {
    const attack = async () => {
      for (const [, sql] of sampleOf(greedy.slice(0, 8), 0.25)) await ask(sql, sandboxed);
    };
    const { calls, failures } = await beside(() => Promise.all(Array.from({ length: sampleSize(2, 3) }, attack)));
    expect(calls).toBeGreaterThan(10);
    expect(failures.length / calls, failures.join("\n")).toBeLessThan(0.01);
  });
});

describe("an engine that is killed during calls", () => {
  it("is restarted, calls of others are retried, and each event is stored once", async () => {
    const killer = async (moreCalls: (count: number) => Promise<unknown>) => {
      for (let kills = 0; kills < 4; kills++) {
        await moreCalls(20);
        // A starting engine would be killed just the same, only later.
        await ask("select 1 as one", owner);
        const pid = hostPid();
        if (pid !== undefined) process.kill(pid, "SIGKILL");
      }
      await moreCalls(20);
    };
    const { failures } = await beside(killer);
    expect(failures).toEqual([]);
    const messages = await stored();
    const found = new Set(messages);
    expect(messages.filter((message, index) => messages.indexOf(message) !== index)).toEqual([]);
    expect(acknowledged.filter((message) => !found.has(message))).toEqual([]);
  });

  it("causes the token of the responsible query to be held back", async () => {
    const waits: number[] = [];
    const running = ask(
      "select count(*) as n from unnest(generate_array(1, 1000000)) a, unnest(generate_array(1, 1000000)) b " +
        "where mod(a * b, 7) = 9",
      sandboxed,
    );
    await expect.poll(runningCount).toBe(1);
    const pid = hostPid();
    if (pid !== undefined) process.kill(pid, "SIGABRT");
    const blamed = await running;
    expect([blamed.status, blamed.code]).toEqual([422, "memory_exceeded"]);
    const held = await ask("select 1 as one", sandboxed);
    expect([held.status, held.code]).toEqual([429, "held_back"]);
    waits.push(Number(held.retryAfter));
    expect(waits[0]).toBeGreaterThanOrEqual(4);
    expect((await ask("select 1 as one", owner)).status).toBe(200);
  });
});
