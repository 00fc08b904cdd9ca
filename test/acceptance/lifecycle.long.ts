import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServiceProcess, startService, startServiceProcess } from "./service.ts";

/** Child processes of a process, by the kernel's list. */
function childrenOf(pid: number): number[] {
  return execFileSync("ps", ["-o", "pid=,ppid=", "-A"], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child ?? 0);
}

function engineHostOf(pid: number): number {
  const host = childrenOf(pid).find((child) => {
    const command = execFileSync("ps", ["-o", "args=", "-p", String(child)], { encoding: "utf8" });
    return command.includes("engine-host");
  });
  if (host === undefined) throw new Error("The service has no engine host");
  return host;
}

const event = (id: string) => ({ id, project: "life", timestamp: "2026-08-20T09:00:00Z" });

describe("the service", () => {
  it("is healthy without a token, drains on SIGTERM, exits with 0 and has its events after a restart", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "logweir-life-"));
    const first = await startServiceProcess({ dataDir });
    const health = await first.get("/health", {}, {});
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: "ok" });
    await first.ingest("edge", [event("kept")]);
    expect(await first.stop()).toBe(0);
    const second = await startService({ dataDir });
    expect((await second.rows("logs.all", { project: "life" })).map((row) => row.id)).toEqual(["kept"]);
    await second.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

describe("a running service", () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startServiceProcess();
  });

  afterAll(() => service.stop());

  it("survives kill -9 of its engine host without losing an acknowledged event", async () => {
    await service.ingest("edge", [event("before")]);
    process.kill(engineHostOf(service.process.pid ?? 0), "SIGKILL");
    await expect
      .poll(async () => (await service.get("/api/endpoints/query/logs.all", { project: "life" })).status)
      .toBe(200);
    expect((await service.rows("logs.all", { project: "life" })).map((row) => row.id)).toEqual(["before"]);
  });

  it("refuses a second service on its data folder", async () => {
    const second = startService({ dataDir: service.dataDir, engineSizes: { lockPatienceMs: 0 } });
    await expect(second).rejects.toThrow(/^Another process .*uses the store/);
    expect((await service.get("/health", {}, {})).status).toBe(200);
  });

  it("continues when the reader of its log goes away", async () => {
    const service = await startServiceProcess();
    service.process.stdout?.destroy();
    service.process.stderr?.destroy();
    for (let call = 0; call < 3; call++) expect((await service.get("/nothing")).status).toBe(404);
    expect((await service.get("/health", {}, {})).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it("logs neither tokens nor event contents", async () => {
    await service.ingest("edge", [{ id: "secret-id", event_message: "secret message 203.0.113.77", project: "life" }]);
    await service.rows("logs.all", {
      project: "life",
      sql: "select id from edge_logs where event_message like '%203.0.113.77%'",
    });
    await service.get("/api/endpoints/query/logs.all", { project: "life", api_key: "a-wrong-token" }, {});
    await service.stop();
    expect(service.output()).toContain("/api/endpoints/query/logs.all");
    expect(service.output()).not.toMatch(/secret|203\.0\.113\.77|a-wrong-token|acceptance-private/);
  });
});

it("a command whose output is closed exits silently as if by SIGPIPE", async () => {
  const command = spawn(process.execPath, ["dist/logweir.js", "sql", "--batch"], { stdio: "pipe" });
  const ended = once(command, "exit");
  const said: unknown[] = [];
  command.stderr.on("data", (text) => said.push(String(text)));
  command.stdout.destroy();
  command.stdin.on("error", () => undefined).write('{"query": "SELECT 1"}\n');
  expect(await ended).toEqual([141, null]);
  expect(said).toEqual([]);
});
