import { describe, expect } from "vitest";
import { postEvents, publicToken, type Service, stoppedMs } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

it.beforeAll(({ sharedService }) => {
  service = sharedService;
});

const statistics = { max_rows: 10_000, cache_seconds: 60, warm_every_seconds: null, sandbox: false, redact_pii: false };

const configured = {
  "api_keys.last_used": statistics,
  "api_keys.last_used.otel": statistics,
  "auth.metrics": statistics,
  "functions.combined-stats": statistics,
  "functions.req-stats": statistics,
  "functions.resource-usage": statistics,
  "logs.all": { max_rows: 1000, cache_seconds: 0, warm_every_seconds: null, sandbox: true, redact_pii: false },
  "project.metrics": statistics,
  "service-health": statistics,
  "usage.api-counts": { max_rows: 1000, cache_seconds: 900, warm_every_seconds: 300, sandbox: true, redact_pii: false },
  "usage.api-requests-count": statistics,
};

describe("the built-in endpoints", () => {
  it.each(Object.entries(configured))(
    "%s: its settings have the values of the specification",
    async (name, settings) => {
      const response = await service.get(`/api/endpoints/${name}`);
      expect(response.status).toBe(200);
      const endpoint = (await response.json()) as { id: string; query: string };
      expect(endpoint).toMatchObject({ name, ...settings });
      expect(endpoint.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      // In its own query, or through the endpoint that it reads.
      expect(endpoint.query).toMatch(/= @project|, @project\)|FROM `api_keys\.last_used`/);
      expect(await (await service.get(`/api/endpoints/${endpoint.id}`)).json()).toEqual(endpoint);
    },
  );

  it("are listed", async () => {
    const list = (await (await service.get("/api/endpoints")).json()) as { name: string; origin: string }[];
    const shipped = list.filter(({ origin }) => origin !== "api");
    expect(shipped.map(({ name }) => name)).toEqual(Object.keys(configured));
  });

  it("are visible only to tokens of the scope private", async () => {
    expect((await service.get("/api/endpoints", {}, { "x-api-key": publicToken })).status).toBe(401);
    expect((await service.get("/api/endpoints", {}, {})).status).toBe(401);
    expect((await service.get("/api/endpoints/none")).status).toBe(404);
  });
});

describe("the response cache", () => {
  const event = (id: string) => ({
    id,
    timestamp: new Date(stoppedMs).toISOString(),
    metadata: { request: { url: "https://kept", path: "/rest/v1" } },
  });
  const total = async (response: Response) => {
    const { result } = (await response.json()) as { result: { total_rest_requests: number }[] };
    return result.reduce((sum, row) => sum + row.total_rest_requests, 0);
  };
  const counts = (parameters: Record<string, string>, name = "usage.api-counts", headers = {}) =>
    service.get(
      `/api/endpoints/query/${name}`,
      { interval: "daily", ...parameters },
      {
        "x-api-key": "acceptance-private-token-0123456789abcdef",
        ...headers,
      },
    );

  it("serves usage.api-counts for 900 s, by UUID and name, whatever undeclared parameters are sent", async () => {
    await service.ingest("edge", [event("kept-1")]);
    const first = await counts({ project: "kept" });
    expect(first.headers.get("cache-control")).toBe("private, max-age=900, stale-while-revalidate=60");
    expect(first.headers.get("cache-status")).toContain("fwd=miss");
    expect(await total(first)).toBe(1);
    await service.ingest("edge", [event("kept-2")]);
    for (const again of [
      await counts({ project: "kept" }),
      await counts({ project: "kept", junk: "1" }),
      await counts({ project: "kept" }, "8e0c6a1d-3b94-4f0e-8a57-d2c1b76f9e38"),
    ]) {
      expect(again.headers.get("cache-status")).toContain("hit");
      expect(await total(again)).toBe(1);
    }
    expect(await total(await counts({ project: "^https://kept" }))).toBe(2);
  });

  it("answers 304 when the client already has the response", async () => {
    const etag = (await counts({ project: "kept" })).headers.get("etag") ?? "";
    const again = await counts({ project: "kept" }, "usage.api-counts", { "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });

  it("does not share responses between a redacted and a plain call", async () => {
    const redacted = await counts({ project: "kept" }, "usage.api-counts", { "LF-ENDPOINT-REDACT-PII": "true" });
    expect(redacted.headers.get("cache-status")).toContain("fwd=miss");
  });

  it("is not used for logs.all", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project: "kept" });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await postEvents(service.url, "edge", "[]")).status).toBe(200);
  });
});
