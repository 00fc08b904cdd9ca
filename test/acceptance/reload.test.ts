import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, publicToken, readError, type ServiceProcess, startServiceProcess } from "./service.ts";

let service: ServiceProcess;
let folder: string;

const endpointPath = () => join(folder, "endpoints", "greeting.sql");
const sourcePath = (name: string) => join(folder, "sources", `${name}.yaml`);

/** An endpoint whose answers are cached. */
const greeting = (query: string) => `/*---
id: 6a0f6c1e-8f0d-4d0e-9f52-6f1f6f3a1c01
cache_seconds: 600
---*/
${query}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-reload-"));
  await cp("endpoints", join(folder, "endpoints"), { recursive: true });
  await cp("sources", join(folder, "sources"), { recursive: true });
  await writeFile(endpointPath(), greeting("select 'one' as word"));
  service = await startServiceProcess({
    env: { LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"), LOGWEIR_SOURCES_DIR: join(folder, "sources") },
  });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const ask = async () => {
  const response = await service.get("/api/endpoints/query/greeting");
  const text = await response.text();
  return { status: response.status, word: (JSON.parse(text) as { result?: { word: string }[] }).result?.[0]?.word };
};

const reload = (token = privateToken) =>
  fetch(`${service.url}/api/reload`, { method: "POST", headers: { "x-api-key": token } });

/** How often the log reports that files were read again, or could not be. */
const outcomes = () => service.output().match(/the files were (?:read again|not taken over)/g)?.length ?? 0;

/** Sends SIGHUP, and waits for its outcome. */
async function signal(): Promise<void> {
  const before = outcomes();
  service.process.kill("SIGHUP");
  await expect.poll(outcomes).toBe(before + 1);
}

describe("SIGHUP", () => {
  it("reloads a changed endpoint, drops its cached responses, and keeps those of unchanged endpoints", async () => {
    expect(await ask()).toEqual({ status: 200, word: "one" });
    await service.rows("usage.api-counts", { project: "p", interval: "daily" });
    await writeFile(endpointPath(), greeting("select 'two' as word"));
    expect((await ask()).word).toBe("one");
    await signal();
    expect((await ask()).word).toBe("two");
    const other = await service.get("/api/endpoints/query/usage.api-counts", { project: "p", interval: "daily" });
    expect(other.headers.get("cache-status")).toContain("hit");
  });

  it("loads a new source together with an endpoint that reads it", async () => {
    await writeFile(sourcePath("carts"), "name: carts\nkind: shop\n");
    await writeFile(
      join(folder, "endpoints", "carts.all.sql"),
      "/*---\nid: 6a0f6c1e-8f0d-4d0e-9f52-6f1f6f3a1c02\n---*/\nselect id from carts\n",
    );
    await signal();
    await service.ingest("carts", [{ id: "c1" }]);
    expect(await service.rows("carts.all", {})).toEqual([{ id: "c1" }]);
  });

  it("changes nothing when any file has a problem, and logs every problem", async () => {
    await writeFile(endpointPath(), greeting("select 'three' as word"));
    await writeFile(
      join(folder, "endpoints", "bad.sql"),
      "/*---\nid: 6a0f6c1e-8f0d-4d0e-9f52-6f1f6f3a1c03\n---*/\nselect nope from edge_logs\n",
    );
    await writeFile(sourcePath("bad"), "name: edge\nkind: x\nnonsense: 1\n");
    await signal();
    expect((await ask()).word).toBe("two");
    await expect.poll(() => service.output()).toContain("bad.yaml:3:1: nonsense: there is no such key");
    await expect.poll(() => service.output()).toContain("bad.sql:4:");
    expect((await service.get("/health")).status).toBe(200);
  });
});

describe("POST /api/reload", () => {
  it("reports every problem by folder and leaves everything unchanged", async () => {
    const error = await readError(await reload());
    expect(error).toMatchObject({ code: "validation_failed", status: 422 });
    expect(Object.keys(error.fields as object).sort()).toEqual(["endpoints", "sources"]);
    expect((await ask()).word).toBe("two");
  });

  it("returns what it changed", async () => {
    await rm(join(folder, "endpoints", "bad.sql"));
    await rm(sourcePath("bad"));
    const response = await reload();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      sources: { added: [], changed: [], removed: [] },
      endpoints: { added: [], changed: ["greeting"], removed: [] },
      alerts: { added: [], changed: [], removed: [] },
    });
    expect((await ask()).word).toBe("three");
  });

  it("refuses to remove a source that an endpoint reads, unless the endpoint is removed too", async () => {
    const text = await readFile(sourcePath("carts"), "utf8");
    await rm(sourcePath("carts"));
    const error = await readError(await reload());
    expect(JSON.stringify(error.fields)).toContain("carts");
    expect(await service.rows("carts.all", {})).toEqual([{ id: "c1" }]);
    await rm(join(folder, "endpoints", "carts.all.sql"));
    expect(await (await reload()).json()).toMatchObject({
      sources: { removed: ["carts"] },
      endpoints: { removed: ["carts.all"] },
    });
    expect((await service.get("/api/endpoints/query/carts.all")).status).toBe(404);
    expect((await service.get("/api/sources/carts")).status).toBe(404);
    await writeFile(sourcePath("carts"), text);
    expect((await reload()).status).toBe(200);
    expect(await (await service.get("/api/sources/carts/recent")).json()).toMatchObject([{ id: "c1" }]);
  });

  it("is for owners only", async () => {
    expect(await readError(await reload(publicToken))).toMatchObject({ code: "insufficient_scope" });
    expect(await readError(await reload("nobody"))).toMatchObject({ code: "unauthorized" });
  });

  it("is audited with its outcome, as SIGHUP is", async () => {
    const read = async () => {
      const response = await service.get("/api/sources/logweir.audit/recent", { limit: "1000" });
      const events = (await response.json()) as { metadata: [{ action: string; actor: string; outcome: string }] }[];
      const reloads = events.map(({ metadata: [fields] }) => fields).filter(({ action }) => action === "reload");
      return new Set(reloads.map(({ actor, outcome }) => `${actor} ${outcome}`));
    };
    const expected = ["files ok", "files validation_failed", "private_token ok", "private_token validation_failed"];
    await expect.poll(async () => [...(await read())].sort()).toEqual(expected);
  });
});
