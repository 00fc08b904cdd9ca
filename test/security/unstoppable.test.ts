import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { readConfiguration } from "../../src/config/config.ts";
import type { DuckDbEngine } from "../../src/engines/duckdb/index.ts";
import { type RunningService, startService } from "../../src/service/service.ts";

const token = "unstoppable-private-token-0123456789";
const unstoppableAfterMs = 600;
/** Machine load extends the grace period up to eight times. */
const maxPatienceMs = 8 * unstoppableAfterMs;
const watchStepMs = 50;
const queryTimeoutMs = 100;

let dataDir: string;
let service: RunningService;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-unstoppable-"));
  const text = await readFile("endpoints/logs.all.sql", "utf8");
  await writeFile(join(dataDir, "logs.all.sql"), text);
  const hasty = text
    .replace(/^id: .*$/m, "id: 00000000-0000-4000-8000-000000000001")
    .replace(/^name: .*$/m, `name: hasty\nquery_timeout_ms: ${queryTimeoutMs}`);
  await writeFile(join(dataDir, "hasty.sql"), hasty);
  // The watchdog of the engine host uses this clock; the deadlines of calls use the real one.
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  const configuration = readConfiguration(
    { workingDir: dataDir, packageDir: process.cwd() },
    {
      LOGWEIR_HOST: "127.0.0.1",
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: join(dataDir, "data"),
      LOGWEIR_ENDPOINTS_DIR: dataDir,
      LOGWEIR_PRIVATE_TOKEN: token,
      LOGWEIR_LOG_LEVEL: "silent",
      LOGWEIR_UNSTOPPABLE_AFTER_MS: String(unstoppableAfterMs),
    },
  );
  service = await startService(configuration, {
    engineSizes: { hostPath: fileURLToPath(new URL("./stubborn-host.mjs", import.meta.url)) },
  });
}, 30_000);

afterAll(async () => {
  await service?.stop();
  vi.useRealTimers();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

const headers = { "x-api-key": token, "content-type": "application/json" };

interface Asking {
  readonly endpoint?: string;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

async function ask(sql: string, { endpoint = "logs.all", key = token, signal }: Asking = {}) {
  const response = await fetch(`${service.url}/api/endpoints/query/${endpoint}`, {
    method: "POST",
    headers: { ...headers, "x-api-key": key },
    body: JSON.stringify({ project: "p", sql }),
    signal: signal ?? null,
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: string } };
  return { status: response.status, result, code: error?.code, retryAfter: response.headers.get("retry-after") };
}

function enginePid(): number | undefined {
  return (service.engine as DuckDbEngine).hostPid;
}

async function health(): Promise<number> {
  const response = await fetch(`${service.url}/health`);
  await response.arrayBuffer();
  return response.status;
}

async function ingest(id: string): Promise<number> {
  const body = JSON.stringify([{ id, timestamp: "2026-08-20T09:00:00Z", project: "p", event_message: id }]);
  const response = await fetch(`${service.url}/api/logs?source_name=edge`, { method: "POST", headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Advances the clock in steps of the watchdog, letting pending work run after each, `until` a condition holds. */
async function pass(ms: number, until = () => false): Promise<void> {
  for (let passed = 0; passed < ms && !until(); passed += watchStepMs) {
    vi.advanceTimersByTime(watchStepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("the service ends an engine that does not stop, retries other calls, and retains acknowledged events", {
  timeout: 60_000,
}, async () => {
  const count = "select count(*) as n from edge_logs";
  expect(await ingest("before")).toBe(200);
  expect(await ask(count)).toMatchObject({ status: 200, result: [{ n: 1 }] });
  const firstPid = enginePid();

  // Two queries that never end: one soon exceeds its deadline, the other is a bystander.
  const patient = new AbortController();
  const other = ask("select 'unstoppable' as other from edge_logs", { signal: patient.signal });
  let isOtherAnswered = false;
  const answered = () => {
    isOtherAnswered = true;
  };
  other.then(answered, answered);
  const { secret: key } = await service.tokens.create({
    description: "hasty",
    scopes: ["query"],
    pins: {},
    expiresAt: undefined,
  });
  const timed = await ask("select 'unstoppable' as v from edge_logs", { endpoint: "hasty", key });
  expect(timed).toMatchObject({ status: 504, code: "timeout" });
  expect(await health()).toBe(200);

  // The engine continues during the grace period; other calls are answered and events are stored.
  await pass(unstoppableAfterMs - 2 * watchStepMs);
  expect(enginePid()).toBe(firstPid);
  expect(await ask(count)).toMatchObject({ status: 200, result: [{ n: 1 }] });
  expect(await ingest("during")).toBe(200);

  // No further than to its end: from there on the hold-back of the caller also runs on this clock.
  await pass(queryTimeoutMs + maxPatienceMs, () => enginePid() !== firstPid);
  // A call that arrives while the engine starts waits for it, and so does one that was running.
  expect(await ask(count)).toMatchObject({ status: 200, result: [{ n: 2 }] });
  expect(enginePid()).not.toBe(firstPid);
  expect(isOtherAnswered).toBe(false);
  patient.abort();
  await expect(other).rejects.toThrow();
  // Only the token of the query that forced the restart is held back.
  expect(await ask(count, { key })).toMatchObject({ status: 429, code: "held_back", retryAfter: "5" });
  expect(await ingest("after")).toBe(200);
  expect(await ask(count)).toMatchObject({ status: 200, result: [{ n: 3 }] });
  expect(await health()).toBe(200);
});
