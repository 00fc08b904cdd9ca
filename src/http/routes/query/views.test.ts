import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import type { Identity } from "../../../access/scope.ts";
import type { MetadataDatabase } from "../../../metadata/database.ts";
import { openMetadata } from "../../../metadata/open-metadata.ts";
import { createViewStore } from "../../../metadata/view-store.ts";
import { addViewRoutes } from "./views.ts";

const plain = { pins: {}, budget: {}, redaction: "fixed" } as const;
const identities: Readonly<Record<string, Identity>> = {
  owner: { ...plain, tokenId: "t-owner", scopes: ["private"] },
  other: { ...plain, tokenId: "t-other", scopes: ["query"] },
  one: { ...plain, tokenId: "t-one", scopes: ["query:endpoint:open"], pins: { project: "a" } },
  sender: { ...plain, tokenId: "t-sender", scopes: ["ingest"] },
};

let test: TestApp;
let metadata: MetadataDatabase;

beforeEach(async () => {
  test = await createTestApp({
    parts: { authenticator: { authenticate: async (secret) => identities[secret], recall: () => undefined } },
  });
  metadata = await openMetadata(":memory:");
  addViewRoutes(test.app, {
    views: createViewStore(metadata, () => Date.parse("2026-08-20T09:00:00Z")),
    endpoints: test.endpoints,
    sources: { find: (name) => (name === "edge" ? ({ name } as never) : undefined) },
    audit: { record: (event) => void test.audited.push(event) },
  });
});

afterEach(() => metadata.close());

async function ask(key: string, method: "GET" | "POST" | "DELETE", path = "", payload?: object) {
  const headers = { "x-api-key": key, ...(payload === undefined ? {} : { "content-type": "application/json" }) };
  const response = await test.app.inject({ method, url: `/api/views${path}`, headers, ...(payload && { payload }) });
  return { status: response.statusCode, body: response.body === "" ? undefined : response.json() };
}

const names = async (key: string) =>
  (await ask(key, "GET")).body.views.map(({ name }: { name: string }) => name) as string[];
const view = { name: "errors", endpoint: "open", state: "q=error" };

describe("a saved view", () => {
  it("is listed only for the token that saved it", async () => {
    const { status, body } = await ask("other", "POST", "", view);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...view, is_shared: false, is_own: true, created_at: "2026-08-20T09:00:00.000Z" });
    expect(await names("other")).toEqual(["errors"]);
    expect([await names("owner"), await names("one")]).toEqual([[], []]);
    expect((await ask("owner", "DELETE", `/${body.id}`)).body.error.code).toBe("unknown_view");
    expect((await ask("other", "DELETE", `/${body.id}`)).status).toBe(204);
    expect(await names("other")).toEqual([]);
    expect(test.audited.map(({ action }) => action)).toEqual(["view.create", "view.delete"]);
  });

  it("is visible to others once an owner shares it, if they may run its endpoint", async () => {
    await ask("owner", "POST", "", { ...view, is_shared: true });
    await ask("owner", "POST", "", { ...view, name: "closed", endpoint: "closed", is_shared: true });
    await ask("owner", "POST", "", { ...view, name: "source", endpoint: "source:edge", is_shared: true });
    expect(await names("owner")).toEqual(["closed", "errors", "source"]);
    expect(await names("other")).toEqual(["closed", "errors"]);
    expect(await names("one")).toEqual(["errors"]);
    const { body } = await ask("one", "GET");
    expect(body.views[0]).toMatchObject({ is_shared: true, is_own: false });
    expect((await ask("one", "DELETE", `/${body.views[0].id}`)).status).toBe(404);
    expect((await ask("owner", "DELETE", `/${body.views[0].id}`)).status).toBe(204);
  });

  it.each([
    ["no name", { ...view, name: " " }, "validation_failed"],
    ["a name that is too long", { ...view, name: "x".repeat(121) }, "validation_failed"],
    ["a state that is too long", { ...view, state: "x".repeat(16_385) }, "validation_failed"],
    ["a state that is not a text", { ...view, state: { q: 1 } }, "validation_failed"],
    ["a field that views do not have", { ...view, color: "red" }, "validation_failed"],
    ["sharing by a token that is not an owner's", { ...view, is_shared: true }, "insufficient_scope"],
    ["an endpoint that it may not run", { ...view, endpoint: "closed" }, "unknown_endpoint"],
    ["a source", { ...view, endpoint: "source:edge" }, "unknown_endpoint"],
  ])("is not saved with %s", async (_, payload, code) => {
    expect((await ask("one", "POST", "", payload)).body.error.code).toBe(code);
    expect(await names("one")).toEqual([]);
  });

  it("is unavailable to tokens that may run no endpoint", async () => {
    expect((await ask("sender", "GET")).status).toBe(401);
    expect((await ask("sender", "POST", "", view)).status).toBe(401);
  });
});

it("a token can save only a limited number of views", async () => {
  const store = createViewStore(metadata, () => 0);
  const add = (name: string) => store.add({ name, endpoint: "open", state: "s", author: "a", isShared: false }, 2);
  expect([await add("1"), await add("2")].every((each) => each !== undefined)).toBe(true);
  expect(await add("3")).toBeUndefined();
  expect((await store.listFor("a")).map(({ name }) => name)).toEqual(["1", "2"]);
});
