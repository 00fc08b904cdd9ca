/** The program as shipped, over a server: ingest, operations, and outages. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildIfStale } from "../../bin/build.mjs";
import type { NodeProcess, TestNode } from "../nodes/start-node.ts";
import { type ClickHouseNodeOptions, runCommand, startClickHouseNode } from "./clickhouse-nodes.ts";
import { type ServerProcess, startServer } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-service-"));
let server: ServerProcess;
let node: NodeProcess;

/** Options of a node with a folder of its own. */
const optionsOf = (name: string, environment: Record<string, string> = {}): ClickHouseNodeOptions => {
  mkdirSync(join(folder, name), { recursive: true });
  return { serverUrl: server.url, folder: join(folder, name), environment };
};
const start = (name: string, environment?: Record<string, string>) => startClickHouseNode(optionsOf(name, environment));
const send = (to: TestNode, ids: readonly string[], more: object = {}, source = "edge") =>
  to.call(
    "POST",
    `/api/logs?source_name=${source}`,
    ids.map((id) => ({ id, event_message: id, project: "p", ...more })),
  );

interface SourceState {
  readonly name: string;
  readonly rows: number;
  readonly fields: number;
}

async function stateOf(of: TestNode, source: string): Promise<SourceState | undefined> {
  const { body } = await of.call("GET", "/api/store");
  return (body.sources as readonly SourceState[]).find(({ name }) => name === source);
}

const restartServer = async () => {
  server = await startServer({ folder: join(folder, "server"), port: Number(new URL(server.url).port) });
};

beforeAll(async () => {
  await buildIfStale();
  mkdirSync(join(folder, "server"));
  server = await startServer({ folder: join(folder, "server") });
  node = await start("first");
}, 300_000);
afterAll(async () => {
  await node.kill();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("a node on ClickHouse", () => {
  it("imports files idempotently, and reports its contents", async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) =>
      JSON.stringify({
        id: `i${n}`,
        event_message: `n ${n}`,
        project: `p${n % 3}`,
        timestamp: 1_700_000_000_000_000 + n,
      }),
    );
    const file = join(folder, "events.ndjson.gz");
    writeFileSync(file, gzipSync(lines.join("\n")));
    for (let time = 0; time < 2; time++) {
      const { code, output } = await runCommand(["import", file, "--source", "auth"], optionsOf("first"), node.url);
      expect(output).toContain("3,000");
      expect(code).toBe(0);
    }
    expect(await stateOf(node, "auth")).toMatchObject({ rows: 3_000 });
    const doctor = await runCommand(["doctor"], optionsOf("first"), node.url);
    expect(doctor).toMatchObject({ code: 0, output: expect.stringMatching(/auth +3,000 +2023-11-14T22:13:20\.000Z/) });
  });

  it("refuses to make a backup, and names ClickHouse's own means", async () => {
    const { code, output } = await runCommand(["backup", join(folder, "copy")], optionsOf("first"), node.url);
    expect(code).toBe(1);
    expect(output).toMatch(/such as its BACKUP statement/);
    const restored = await runCommand(["restore", join(folder, "copy")], optionsOf("first"));
    expect(restored.code).toBe(1);
    const deep = await runCommand(["doctor", "--deep"], optionsOf("first"), node.url);
    expect(deep).toMatchObject({ code: 1, output: expect.stringContaining("by its own means") });
  });

  it("creates and drops sources together with their events", async () => {
    const made = await node.call("POST", "/api/sources", { name: "passing" });
    expect(made.status).toBe(201);
    await send(node, ["a", "b"], { x: 1 }, "passing");
    expect(await stateOf(node, "passing")).toMatchObject({ rows: 2 });
    expect((await node.call("DELETE", `/api/sources/${String(made.body.id ?? made.body.token)}`)).status).toBe(204);
    expect(await stateOf(node, "passing")).toBeUndefined();
    expect((await node.call("POST", "/api/sources", { name: "passing" })).status).toBe(201);
    expect((await send(node, ["a"], {}, "passing")).status).toBe(200);
    expect(await stateOf(node, "passing")).toMatchObject({ rows: 1 });
  });

  it("stores and acknowledges unusual ids, texts, times and fields", async () => {
    const ids = ["'", "\\", "a\0b", "é\u{1f600}", `${"x".repeat(200)}`, "'); DROP TABLE x; --", "{id:String}", "\n\t"];
    const project = "'\"`\\{x:String}";
    const wide = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`w${n}`, n]));
    const bodies = [
      ids.map((id) => ({ id, event_message: id, project })),
      [{ id: "old", event_message: "old", project, timestamp: "0001-01-01T00:00:00Z" }],
      [{ id: "late", event_message: "late", project, timestamp: "9999-12-31T23:59:59.999999Z" }],
      [{ id: "huge", event_message: "h".repeat(3_000_000), project }],
      [{ id: "wide", event_message: "wide", project, ...wide }],
      [
        {
          id: "names",
          event_message: "n",
          project,
          "a`b": 1,
          "'; --": 2,
          __proto__x: 3,
          timestamp_: 4,
          lw_batch: 5,
          c1: 6,
        },
      ],
    ];
    let count = 0;
    for (const body of bodies) {
      const { status, body: answer } = await node.call("POST", "/api/logs?source_name=function", body);
      expect([status, answer.accepted]).toEqual([200, body.length]);
      count += body.length;
    }
    expect((await node.call("POST", "/api/logs?source_name=function", [])).status).toBe(200);
    expect(await stateOf(node, "function")).toMatchObject({ rows: count });
    const again = await node.call("POST", "/api/logs?source_name=function", bodies[0]);
    expect(again.status).toBe(200);
    expect(await stateOf(node, "function")).toMatchObject({ rows: count });
  });
});

describe("while the server is unavailable, an event", { timeout: 90_000 }, () => {
  it("is refused with a retry time, and stored afterwards", async () => {
    await server.kill();
    const refused = await send(node, ["r1"]);
    expect([refused.status, Number(refused.headers.get("Retry-After"))]).toEqual([503, 2]);
    await restartServer();
    expect((await send(node, ["r1"])).status).toBe(200);
    expect((await send(node, ["r1"])).status).toBe(200);
    expect(await stateOf(node, "edge")).toMatchObject({ rows: 1 });
  });

  it("is spooled to the node's disk if so configured, survives kills of the node, and is stored once", async () => {
    const environment = { LOGWEIR_CLICKHOUSE_SPOOL_MB: "1" };
    let spooling = await start("spooling", environment);
    await send(spooling, ["s0"]);
    await server.kill();
    for (let n = 1; n <= 20; n++) {
      expect((await send(spooling, [`s${n}`, `t${n}`], { [`f${n}`]: n })).status).toBe(200);
    }
    // Events without ids of their own too.
    const nameless = await spooling.call("POST", "/api/logs?source_name=edge", [{ event_message: "nameless" }]);
    expect(nameless.status).toBe(200);
    const long = await send(spooling, ["long"], { text: "x".repeat(1_200_000) });
    expect([long.status, long.headers.get("Retry-After")]).toEqual([503, "5"]);
    await spooling.kill();
    expect(readdirSync(join(folder, "spooling", "data", "spool")).some((name) => name.endsWith(".events"))).toBe(true);
    await restartServer();
    spooling = await start("spooling", environment);
    await expect.poll(async () => (await stateOf(spooling, "edge"))?.rows, { timeout: 30_000 }).toBe(1 + 1 + 40 + 1);
    expect((await send(spooling, ["s1", "t20", "new"])).status).toBe(200);
    expect(await stateOf(spooling, "edge")).toMatchObject({ rows: 44 });
    await spooling.kill();
  });
});
