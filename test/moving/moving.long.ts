/** A service with events is moved to a ClickHouse server and PostgreSQL and back, by commands that are killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type ServerProcess } from "../clickhouse/start.ts";
import { hasPostgres, type PostgresCluster, startPostgres } from "../support/postgres-cluster.ts";
import { waitUntil } from "../support/wait-until.ts";

const token = "private-token-0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "logweir-moving-"));
const startOfEvents = Date.UTC(2026, 7, 20);
const everything = "from_us=-2305843009213693952&to_us=2305843009213693952";

interface Run {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

interface Summary {
  readonly passes: number;
  readonly state: { readonly outcome: string };
  readonly days: readonly { events: number; moved: number; changed: number; missing: number; others: number }[];
}

let server: ServerProcess;
let cluster: PostgresCluster;
let metadataUrl: string;
const running = new Set<ChildProcess>();

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, ["bin/logweir.mjs", ...args], {
    env: {
      ...{ PATH: process.env.PATH, LOGWEIR_PRIVATE_TOKEN: token, LOGWEIR_TOKEN: token, LOGWEIR_LOG_LEVEL: "warn" },
      ...{ LOGWEIR_DATA_DIR: join(folder, "old"), LOGWEIR_HOST: "127.0.0.1", LOGWEIR_PORT: "0" },
      ...{ LOGWEIR_CLICKHOUSE_URL: server.url, LOGWEIR_CLICKHOUSE_DATABASE: "moved" },
      LOGWEIR_METADATA_URL: metadataUrl,
      ...more,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let text = "";
  const read = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  const ended = new Promise<number | null>((resolve) =>
    child.once("exit", (code) => {
      running.delete(child);
      resolve(code);
    }),
  );
  return { process: child, ended, output: () => text };
}

/** A service and its address. */
async function serve(more: Readonly<Record<string, string>>): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const run = start(["serve"], more);
  const urlOf = () => /http:\/\/127\.0\.0\.1:\d+/.exec(run.output())?.[0];
  await waitUntil(() => urlOf() !== undefined || run.process.exitCode !== null);
  const url = urlOf();
  if (url === undefined) throw new Error(run.output());
  return { url, stop: () => stop(run) };
}

async function stop({ process: child, ended }: Run): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { "x-api-key": token, "content-type": "application/json" };
  return fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

const odd = [1, 2 ** 53, "1", "", 1.5, true, [1, "a"], [{ a: 1 }, { b: 2 }], { a: { b: null, "c-d": [] } }, "\u2028"];

function makeEvents(from: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const time = new Date(startOfEvents + n * 79_190)
      .toISOString()
      .replace("Z", `${String(n % 1000).padStart(3, "0")}Z`);
    const timestamp = n % 13 === 0 ? { timestamp: "not a time" } : { timestamp: time };
    const value = odd[n % odd.length];
    return {
      id: `event-${n}`,
      ...timestamp,
      message: `m${n}`,
      project: `p${n % 3}`,
      x: value,
      metadata: { x: value, n },
    };
  });
}

let sent = 0;

/** Sends events until stopped; all of them are acknowledged. */
async function send(url: string, count: number): Promise<void> {
  const response = await call(url, "POST", "/api/logs?source_name=moved_logs", makeEvents(sent, count));
  expect([response.status, await response.json()]).toMatchObject([200, { accepted: count }]);
  sent += count;
}

/** Every event of a service in its stored form. */
async function linesOf(url: string): Promise<readonly string[]> {
  const text = await (await call(url, "GET", `/api/store/events?source=moved_logs&${everything}`)).text();
  const lines = text.trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ events: lines.length - 1 });
  return lines.slice(0, -1).sort();
}

async function move(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Summary> {
  const run = start(["migrate-data", ...args, "--json"], more);
  expect(await run.ended, run.output()).toBe(0);
  const text = run.output();
  return JSON.parse(text.slice(text.indexOf("{\n"), text.lastIndexOf("}") + 1)) as Summary;
}

/** Starts moves and kills each at a different moment. Returns how many were killed before they ended. */
async function killMoves(
  times: number,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  between: () => Promise<void>,
): Promise<number> {
  let killed = 0;
  for (let round = 0; round < times; round++) {
    const run = start(["migrate-data", ...args], more);
    const timer = setTimeout(() => run.process.kill("SIGKILL"), 500 + (round * 7_000) / times);
    if ((await run.ended) === null) killed++;
    clearTimeout(timer);
    await between();
  }
  return killed;
}

describe.runIf(hasPostgres())("a store moved between engines by commands that are killed", { timeout: 600_000 }, () => {
  beforeAll(async () => {
    [server, cluster] = await Promise.all([openServer({ folder: join(folder, "clickhouse") }), startPostgres()]);
    metadataUrl = cluster.createDatabase();
    const made = start(["engine", "migrate", "--yes"], { LOGWEIR_ENGINE: "clickhouse" });
    expect(await made.ended, made.output()).toBe(0);
  });

  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await Promise.all([server.kill(), cluster.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it("has every event once and unchanged after the move to the server and after the move back", async () => {
    const old = await serve({ LOGWEIR_METADATA_URL: "" });
    await call(old.url, "POST", "/api/sources", {
      name: "moved_logs",
      tenant: "project",
      fields: { project: "STRING" },
    });
    const made = await call(old.url, "POST", "/api/endpoints", {
      ...{ name: "counted", query: "SELECT COUNT(*) AS v FROM moved_logs", cache_seconds: 0 },
    });
    expect(made.status, await made.text()).toBe(201);
    for (let batch = 0; batch < 20; batch++) await send(old.url, 500);
    const towards = { LOGWEIR_URL: old.url };
    const killed = await killMoves(12, ["--to", "clickhouse"], towards, () => send(old.url, 100));
    await send(old.url, 50);
    expect((await move(["--to", "clickhouse"], towards)).state.outcome).toMatch(/same|moved/);
    await send(old.url, 50);
    const expected = await linesOf(old.url);
    expect(expected).toHaveLength(sent);
    await old.stop();
    const last = await move(["--to", "clickhouse", "--verify"]);
    expect(last.days.reduce((sum, { changed, missing, others }) => sum + changed + missing + others, 0)).toBe(0);

    const node = await serve({ LOGWEIR_ENGINE: "clickhouse", LOGWEIR_DATA_DIR: join(folder, "nothing") });
    expect(await linesOf(node.url)).toEqual(expected);
    const { result } = (await (await call(node.url, "GET", "/api/endpoints/query/counted")).json()) as {
      readonly result: readonly { readonly v: number }[];
    };
    expect(result).toEqual([{ v: sent }]);

    // Moves the store back while the node accepts events.
    const back = { LOGWEIR_DATA_DIR: join(folder, "back") };
    const killedBack = await killMoves(8, ["--to", "duckdb"], back, () => send(node.url, 50));
    const all = await linesOf(node.url);
    await node.stop();
    const end = await move(["--to", "duckdb", "--verify"], back);
    expect(end.days.reduce((sum, { changed, missing, others }) => sum + changed + missing + others, 0)).toBe(0);
    const again = await serve({ ...back, LOGWEIR_METADATA_URL: "" });
    expect(await linesOf(again.url)).toEqual(all);
    expect(all).toHaveLength(sent);
    const counted = await call(again.url, "GET", "/api/endpoints/query/counted");
    expect(await counted.json()).toMatchObject({ result: [{ v: sent }] });
    await again.stop();
    process.stdout.write(
      `${sent} events moved there and back; ${killed} of 12 and ${killedBack} of 8 moves were killed\n`,
    );
  });
});
