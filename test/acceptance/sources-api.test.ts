import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, publicToken, readError, type Service, startService } from "./service.ts";

let service: Service;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-sources-"));
  service = await startService({ dataDir });
});

afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const api = (method: string, path: string, body?: unknown, token = privateToken) =>
  fetch(`${service.url}/api/sources${path}`, {
    method,
    headers: { "x-api-key": token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });

interface ShownSource {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly read_only: boolean;
}

async function make(document: object): Promise<ShownSource> {
  const response = await api("POST", "", document);
  expect(response.status, await response.clone().text()).toBe(201);
  return (await response.json()) as ShownSource;
}

const recent = async (name: string) => (await (await api("GET", `/${name}/recent`)).json()) as { id: string }[];

describe("sources defined in files", () => {
  it("are listed with ids, and can be read by name, alias or id", async () => {
    const sources = (await (await api("GET", "")).json()) as ShownSource[];
    expect(sources.map(({ name }) => name)).toContain("edge");
    const edge = sources.find(({ name }) => name === "edge");
    expect(edge).toMatchObject({ aliases: ["cloudflare.logs.prod"], kind: "edge", read_only: true });
    for (const name of ["edge", "cloudflare.logs.prod", edge?.id, edge?.id.toUpperCase()]) {
      expect(await (await api("GET", `/${name}`)).json()).toEqual(edge);
    }
    // Clients of the reference look up a source by name, and then send its id.
    const named = sources.find(({ name }) => name === "cloudflare.logs.prod");
    expect(named).toMatchObject({ id: edge?.id, token: edge?.token, alias_of: "edge" });
    expect(await readError(await api("GET", "/nobody"))).toMatchObject({ code: "unknown_source", status: 404 });
  });

  it("show their fields as a list or by dotted path", async () => {
    const { fields } = (await (await api("GET", "/edge/schema")).json()) as { fields: object[] };
    expect(fields).toContainEqual({ path: "metadata.response.status_code", type: "INT64" });
    const dotted = await (await api("GET", "/cloudflare.logs.prod/schema?variant=dot")).json();
    expect(dotted).toMatchObject({ timestamp: "TIMESTAMP", "metadata.response.status_code": "INT64" });
    expect(await readError(await api("GET", "/edge/schema?variant=tree"))).toMatchObject({ parameter: "variant" });
  });

  it("cannot be changed over the API; the answer names the file", async () => {
    for (const [method, body] of [
      ["PUT", { name: "edge" }],
      ["PATCH", { description: "x" }],
      ["DELETE", undefined],
    ] as const) {
      const error = await readError(await api(method, "/edge", body));
      expect(error).toMatchObject({ code: "source_read_only", status: 409 });
      expect(error.message).toContain("edge.yaml");
    }
    expect(await readError(await api("DELETE", "/logweir.audit"))).toMatchObject({ code: "source_read_only" });
  });
});

describe("a source created over the API", () => {
  it("accepts events immediately by name, alias and id, and shows the newest ones", async () => {
    const { id, token, ...shown } = await make({
      name: "shop",
      aliases: ["shop.logs"],
      favorite: true,
      fields: { tier: "INT64" },
    });
    expect(token).toBe(id);
    expect(shown).toEqual({
      name: "shop",
      aliases: ["shop.logs"],
      kind: "log",
      description: "",
      retention_days: null,
      fields: { tier: "INT64" },
      read_only: false,
    });
    expect(token).toBe(id);
    await service.ingest("shop", [{ id: "1", timestamp: "2026-08-20T09:00:00Z", message: "one" }]);
    await service.ingest("shop.logs", [{ id: "2", timestamp: "2026-08-20T09:00:01Z", metadata: { a: { b: 1 } } }]);
    await service.ingest(id, [{ id: "3", timestamp: "2026-08-20T09:00:02Z" }]);
    expect((await recent("shop.logs")).map((event) => event.id)).toEqual(["3", "2", "1"]);
    expect(await (await api("GET", "/shop")).json()).toMatchObject({ id, newest_event: "2026-08-20T09:00:02.000000Z" });
    const dotted = await (await api("GET", "/shop/schema?variant=dot")).json();
    expect(dotted).toMatchObject({ tier: "INT64", "metadata.a.b": "INT64" });
  });

  it("can be replaced and patched; a patch keeps omitted fields and clears those set to null", async () => {
    await make({ name: "changing", description: "d", retention_days: 3, aliases: ["old.name"] });
    const patch = async (body: object) => (await (await api("PATCH", "/changing", body)).json()) as object;
    expect(await patch({ retention_days: 4 })).toMatchObject({ description: "d", retention_days: 4 });
    expect(await patch({ retention_days: null })).toMatchObject({ description: "d", retention_days: null });
    expect(await patch({ aliases: ["new.name"] })).toMatchObject({ aliases: ["new.name"] });
    expect((await api("GET", "/old.name")).status).toBe(404);
    const put = await api("PUT", "/new.name", { name: "changing", kind: "other" });
    expect(await put.json()).toMatchObject({ kind: "other", description: "", aliases: [] });
  });

  it.each([
    [{}, "name"],
    [{ name: "a b" }, "name"],
    [{ name: 3 }, "name"],
    [{ name: "EDGE" }, "name"],
    [{ name: "logs.all" }, "name"],
    [{ name: "logweir.mine" }, "name"],
    [{ name: "fresh", aliases: ["Cloudflare.Logs.Prod"] }, "aliases"],
    [{ name: "fresh", aliases: ["a", "A"] }, "aliases"],
    [{ name: "fresh", retention_days: -1 }, "retention_days"],
    [{ name: "fresh", fields: { "a-b": "STRING" } }, "fields"],
    [{ name: "fresh", fields: { a: "TEXT" } }, "fields"],
    [{ name: "fresh", nonsense: 1 }, "nonsense"],
  ])("is refused as %j with an error for its field", async (document, field) => {
    const error = await readError(await api("POST", "", document));
    expect(error).toMatchObject({ code: "validation_failed", status: 422 });
    expect(Object.keys(error.fields as object)).toEqual([field]);
    expect((await api("GET", "/fresh")).status).toBe(404);
  });

  it("requires valid JSON, an owner's token and an unchanged name", async () => {
    expect(await readError(await api("POST", "", "{"))).toMatchObject({ code: "invalid_body" });
    expect(await readError(await api("POST", "", { name: "x" }, publicToken))).toMatchObject({
      code: "insufficient_scope",
    });
    expect(await readError(await api("PATCH", "/nobody", {}))).toMatchObject({ code: "unknown_source" });
    expect(await readError(await api("PATCH", "/shop", { name: "other" }))).toMatchObject({
      code: "validation_failed",
    });
  });

  it("is created only once by concurrent requests", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => api("POST", "", { name: "raced" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it("loses its events when it is deleted, and starts empty when it is created again", async () => {
    const { id } = await make({ name: "passing" });
    await service.ingest("passing", [{ id: "1", timestamp: "2026-08-20T09:00:00Z", left: 1 }]);
    expect((await api("DELETE", `/${id}`)).status).toBe(204);
    for (const path of ["/passing", `/${id}`, "/passing/recent"]) expect((await api("GET", path)).status).toBe(404);
    await make({ name: "passing" });
    expect(await recent("passing")).toEqual([]);
    expect(await (await api("GET", "/passing/schema?variant=dot")).json()).not.toHaveProperty("left");
    await service.ingest("passing", [{ id: "1", timestamp: "2026-08-20T09:00:00Z" }]);
    expect((await recent("passing")).map((event) => event.id)).toEqual(["1"]);
  });

  it("cannot be deleted, or lose the name that is used, while an endpoint reads it", async () => {
    await make({ name: "read.here", aliases: ["also.here"] });
    const endpoint = await fetch(`${service.url}/api/endpoints`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/json" },
      body: JSON.stringify({ name: "reader", query: "select id from `also.here`" }),
    });
    expect(endpoint.status).toBe(201);
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PATCH", { aliases: [] }],
    ] as const) {
      const error = await readError(await api(method, "/read.here", body));
      expect(error).toMatchObject({ code: "source_in_use", status: 409 });
      expect(error.message).toContain("reader");
    }
    await service.ingest("also.here", [{ id: "1" }]);
    expect((await service.rows("reader", {})).map((row) => row.id)).toEqual(["1"]);
  });

  it("survives a restart", async () => {
    await service.stop();
    service = await startService({ dataDir });
    expect((await recent("shop")).map((event) => event.id)).toEqual(["3", "2", "1"]);
    expect((await service.rows("reader", {})).length).toBe(1);
  });
});
