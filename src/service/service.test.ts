import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import type { FixedToken } from "../access/authenticator.ts";
import { readConfiguration } from "../config/config.ts";
import type { EngineOptions } from "../engines/index.ts";
import { type RunningService, startService } from "./service.ts";

const tokens = {
  private: "the-private-token-0123456789abcdef",
  public: "the-public-token-0123456789abcdef",
  key: "the-api-key-0123456789abcdefghij",
};

let folder: string;
let running: RunningService | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-service-"));
  for (const name of ["sources", "endpoints"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "sources", "web.yaml"), "name: web\nkind: x\n");
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const endpoint = (last: string) =>
  `/*---\nid: 00000000-0000-4000-8000-0000000000a${last}\n---*/\nselect ${last} as n\n`;

/** Starts a service over an engine that is none, and says what the engine was opened with and that it was closed. */
async function start(env: Record<string, string> = {}, extraTokens: readonly FixedToken[] = []) {
  const places = { workingDir: folder, packageDir: process.cwd() };
  const configuration = readConfiguration(places, {
    LOGWEIR_LOG_LEVEL: "silent",
    LOGWEIR_SHIPPED: "off",
    LOGWEIR_SOURCES_DIR: join(folder, "sources"),
    LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"),
    LOGWEIR_HOST: "127.0.0.1",
    LOGWEIR_PORT: "0",
    LOGWEIR_DATA_DIR: join(folder, "data"),
    LOGWEIR_PRIVATE_TOKEN: tokens.private,
    LOGWEIR_PUBLIC_TOKEN: tokens.public,
    LOGWEIR_API_KEY: tokens.key,
    ...env,
  });
  const engine = createFakeEngine();
  const seen = { options: [] as EngineOptions[], closed: 0, storedWhenClosed: 0 };
  const openEngine = async (options: EngineOptions) => {
    seen.options.push(options);
    const close = async () => {
      seen.closed++;
      seen.storedWhenClosed = engine.appended.length;
    };
    return { ...engine, close };
  };
  const started = startService(configuration, { extraTokens, openEngine });
  return { started, seen, engine };
}

const statusOf = async (path: string, token: string, init: RequestInit = {}) => {
  const headers = { "x-api-key": token, "content-type": "application/json" };
  return (await fetch(`${running?.url}${path}`, { ...init, headers })).status;
};

describe("a service", () => {
  it("accepts the tokens of its settings, each for its own, and those of this run", async () => {
    await write("endpoints/one.sql", endpoint("1"));
    const extra = { id: "extra", secret: "an-extra-token-0123456789abcdef", scopes: ["query"] as const };
    running = await (await start({}, [extra])).started;
    const may = async (token: string) => ({
      query: await statusOf("/api/endpoints/query/one", token),
      ingest: await statusOf("/api/logs?source=web", token, { method: "POST", body: '[{"message":"m"}]' }),
      manage: await statusOf("/api/access-tokens", token),
    });
    expect(await may(tokens.private)).toEqual({ query: 200, ingest: 200, manage: 200 });
    expect(await may(tokens.key)).toEqual({ query: 200, ingest: 200, manage: 401 });
    expect(await may(tokens.public)).toEqual({ query: 401, ingest: 200, manage: 401 });
    expect(await may(extra.secret)).toEqual({ query: 200, ingest: 401, manage: 401 });
    expect(await may("none-of-these-0123456789abcdef")).toEqual({ query: 401, ingest: 401, manage: 401 });
  });

  it("reads its files again on request, and keeps what it had when one has an error", async () => {
    await write("endpoints/one.sql", endpoint("1"));
    running = await (await start()).started;
    const names = () => running?.endpoints.endpoints.map(({ definition }) => definition.name);
    await write("endpoints/two.sql", endpoint("2"));
    expect(names()).toEqual(["one"]);
    await running.reload();
    expect(names()).toEqual(["one", "two"]);
    await write("endpoints/two.sql", "no endpoint");
    await running.reload();
    expect(names()).toEqual(["one", "two"]);
    await rm(join(folder, "endpoints/two.sql"));
    await write("sources/carts.yaml", "name: carts\nkind: x\n");
    await running.reload();
    expect(names()).toEqual(["one"]);
    expect(await statusOf("/api/logs?source=carts", tokens.key, { method: "POST", body: "[{}]" })).toBe(200);
  });

  it.each(["drains", "spool"])("refuses a folder %s that a later version wrote, and opens nothing", async (name) => {
    await mkdir(join(folder, "data", name), { recursive: true });
    await write(join("data", name, "format"), "2\n");
    const { started, seen } = await start();
    await expect(started).rejects.toThrow(
      `${name} has format 2; this version reads format 1. Use the version of Logweir`,
    );
    expect([seen.options, await readdir(join(folder, "data"))]).toEqual([[], [name]]);
    await write(join("data", name, "format"), "1\n");
    running = await (await start()).started;
  });

  it("opens its engine in the data folder with the limits of its settings", async () => {
    const { started, seen } = await start({
      LOGWEIR_ENGINE_MEMORY_MB: "512",
      LOGWEIR_MAX_TENANT_COLUMNS: "7",
      LOGWEIR_MAX_TENANT_COLUMN_PERCENT: "11",
      LOGWEIR_MAX_CONCURRENT_QUERIES: "3",
    });
    running = await started;
    expect(seen.options).toEqual([
      {
        directory: join(folder, "data", "store"),
        memoryLimitBytes: 512_000_000,
        tenantColumns: { max: 7, percent: 11 },
        maxQueries: 3,
        repeatWindowMs: 48 * 3_600_000,
        unstoppableAfterMs: expect.any(Number),
        log: expect.any(Function),
      },
    ]);
    await running.stop();
    const usual = await start();
    running = await usual.started;
    expect(usual.seen.options[0]).not.toHaveProperty("memoryLimitBytes");
  });

  it("stores who changed what before it closes its engine, with its fixed tokens by name", async () => {
    const tokensOfOne = { LOGWEIR_PUBLIC_TOKEN: "", LOGWEIR_API_KEY: "" };
    const { started, seen, engine } = await start({ ...tokensOfOne, LOGWEIR_AUDIT: "changes" });
    const service = await started;
    running = service;
    expect(await statusOf("/api/reload", tokens.private, { method: "POST" })).toBe(200);
    await service.reload();
    await service.stop();
    const entries = engine.appended.filter(({ source }) => source === "logweir.audit").flatMap(({ events }) => events);
    expect(entries.map(({ fields }) => fields.metadata)).toMatchObject([
      { action: "reload", actor: "private_token" },
      { action: "reload", actor: "files" },
    ]);
    expect(seen).toMatchObject({ closed: 1, storedWhenClosed: engine.appended.length });
    running = undefined;
  });

  it("answers nobody once it has stopped, and has closed its engine", async () => {
    const { started, seen } = await start();
    const service = await started;
    await service.stop();
    expect(seen.closed).toBe(1);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow();
  });

  it("names the metadata where what they hold is damaged", async () => {
    await write("endpoints/one.sql", endpoint("1"));
    await (await (await start()).started).stop();
    const path = join(folder, "data", "metadata.db");
    const database = new Database(path);
    database.prepare("UPDATE endpoint_versions SET document = substr(document, 2)").run();
    database.close();
    await expect((await start()).started).rejects.toThrow(`${path} is damaged: what it holds cannot be read (`);
  });

  it("leaves nothing running when it cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((listens) => taken.once("listening", listens));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { started, seen } = await start({ LOGWEIR_PORT: String(port) });
    await expect(started).rejects.toThrow("EADDRINUSE");
    expect(seen.closed).toBe(1);
    taken.close();
    await write("sources/bad.yaml", "name: bad\n");
    const other = await start();
    await expect(other.started).rejects.toThrow("bad.yaml");
    // The sources are read before anything is opened.
    expect(other.seen.closed).toBe(0);
    await rm(join(folder, "sources/bad.yaml"));
    await write("endpoints/bad.sql", "no endpoint");
    const third = await start();
    await expect(third.started).rejects.toThrow("bad.sql");
    expect(third.seen.closed).toBe(1);
    await rm(join(folder, "endpoints/bad.sql"));
    running = await (await start()).started;
  });
});
