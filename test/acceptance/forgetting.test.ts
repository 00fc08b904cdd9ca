import { describe, expect } from "vitest";
import { create, fieldsOf, manage } from "./manage.ts";
import { privateToken, type Service, stoppedMs } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  const fields = { tenant: "project", fields: { project: "STRING" } };
  for (const name of ["shop", "aged"]) {
    expect((await manage(service, "POST", "/api/sources", { name, aliases: [`${name}s`], ...fields })).status).toBe(
      201,
    );
  }
});

const at = (minute: number) => new Date(stoppedMs - 3_600_000 + minute * 60_000).toISOString();
const eventOf = (project: string, minute: number) => ({
  ...{ id: `${project}-${minute}`, timestamp: at(minute), message: `event ${minute}`, project },
});
const idsIn = async (source: string) => {
  const { body } = await manage(service, "GET", `/api/sources/${source}/recent?limit=100`);
  return (body as unknown as { id: string }[]).map(({ id }) => id).sort();
};
const forget = (source: string, parameters: Record<string, string>) =>
  manage(service, "DELETE", `/api/sources/${source}/events?${new URLSearchParams(parameters)}`);
const readCache = async (endpoint: string, parameters = "") => {
  const headers = { "x-api-key": privateToken };
  const response = await fetch(`${service.url}/api/endpoints/query/${endpoint}?${parameters}`, { headers });
  const { result } = (await response.json()) as { result: { id: string }[] };
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return { ids: result.map(({ id }) => id), cache: response.headers.get("cache-status") ?? "", next };
};

describe("DELETE /api/sources/{source}/events", () => {
  const minutes = Array.from({ length: 10 }, (_, minute) => minute);

  it("deletes what passes all filters, after a dry run that only counts it", async () => {
    await service.ingest("shop", [...minutes.map((each) => eventOf("a", each)), eventOf("b", 3), eventOf("b", 4)]);
    const filters = { tenant: "a", from: at(2), to: at(5) };
    expect((await forget("shop", { ...filters, dry_run: "true" })).body).toEqual({ matched: 3, deleted: 0 });
    expect(await idsIn("shop")).toHaveLength(12);
    expect((await forget("shops", filters)).body).toEqual({ matched: 3, deleted: 3 });
    expect((await forget("shop", filters)).body).toEqual({ matched: 0, deleted: 0 });
    expect((await forget("shop", { id: "a-9", dry_run: "false" })).body).toEqual({ matched: 1, deleted: 1 });
    expect(await idsIn("shop")).toEqual(["a-0", "a-1", "a-5", "a-6", "a-7", "a-8", "b-3", "b-4"]);
    // Deleted events may come again.
    await service.ingest("shop", [eventOf("a", 9), eventOf("a", 8)]);
    expect(await idsIn("shop")).toContain("a-9");
    expect((await forget("shop", { from: at(9) })).body).toEqual({ matched: 1, deleted: 1 });
  });

  it("takes effect in cached answers and on the next pages of those that were given", async () => {
    await service.ingest(
      "shop",
      minutes.map((each) => eventOf("c", each)),
    );
    const query = "SELECT id, timestamp FROM shop WHERE project = 'c' ORDER BY timestamp DESC LIMIT 4";
    await create(service, { name: "newest", query, cache_seconds: 600 });
    const first = await readCache("newest");
    expect(first.ids).toEqual(["c-9", "c-8", "c-7", "c-6"]);
    expect((await readCache("newest")).cache).toContain("hit");
    const cursor = new URL(first.next ?? "", service.url).search.slice(1);
    expect((await forget("shop", { tenant: "c", from: at(4), to: at(9) })).body).toEqual({ matched: 5, deleted: 5 });
    expect((await readCache("newest")).ids).toEqual(["c-9", "c-3", "c-2", "c-1"]);
    expect((await readCache("newest", cursor)).ids).toEqual(["c-3", "c-2", "c-1", "c-0"]);
    await readCache("newest");
    expect((await forget("shop", { id: "nobody" })).body).toEqual({ matched: 0, deleted: 0 });
    expect((await readCache("newest")).cache).toContain("hit");
  });

  it.each([
    ["no filter", "", undefined],
    ["a dry run of everything", "dry_run=true", undefined],
    ["a filter that does not exist", "id=x&project=a", "project"],
    ["two values", "id=x&id=y", "id"],
    ["an empty value", "tenant=", "tenant"],
    ["a time that is none", "from=yesterday", "from"],
    ["a day that does not exist", "to=2026-02-30", "to"],
    ["an end before the start", "from=2026-02-02&to=2026-02-01", "to"],
    ["an empty stretch of time", "from=2026-02-02&to=2026-02-02T00:00:00Z", "to"],
    ["a dry run that may be one", "id=x&dry_run=yes", "dry_run"],
  ])("refuses %s", async (_, query, parameter) => {
    const before = await idsIn("shop");
    const { status, body } = await manage(service, "DELETE", `/api/sources/shop/events?${query}`);
    expect([status, body]).toMatchObject([400, { error: { code: "invalid_parameter" } }]);
    expect((body.error as { parameter?: string }).parameter).toBe(parameter);
    expect(await idsIn("shop")).toEqual(before);
  });

  it("refuses a body, sources that are not there or the service's own, and tenants where there are none", async () => {
    const of = async (source: string, query: string, body?: object) => {
      const answer = await manage(service, "DELETE", `/api/sources/${source}/events?${query}`, body);
      return [answer.status, (answer.body.error as { code: string }).code];
    };
    expect(await of("shop", "from=2026-01-01", { tenant: "a" })).toEqual([400, "invalid_body"]);
    expect(await of("nowhere", "id=x")).toEqual([404, "unknown_source"]);
    expect(await of("logweir.audit", "to=2027-01-01")).toEqual([409, "source_read_only"]);
    expect((await manage(service, "POST", "/api/sources", { name: "plain" })).status).toBe(201);
    expect(await of("plain", "tenant=a")).toEqual([400, "invalid_parameter"]);
  });

  it("is recorded with the caller, the filters and the counts", async () => {
    await service.ingest("shop", [eventOf("d", 1)]);
    await forget("shop", { tenant: "d", to: at(2), dry_run: "true" });
    await forget("shop", { tenant: "d", to: at(2) });
    const query =
      "SELECT metadata.actor, metadata.target, metadata.details FROM `logweir.audit` WHERE metadata.action = 'events.delete'";
    const read = async () => {
      const { body } = await manage(service, "POST", "/api/query", { sql: query });
      const rows = (body.result as { actor: string; target: string; details: string }[] | undefined) ?? [];
      return rows.map(({ details, ...row }) => ({ ...row, ...(JSON.parse(details) as object) }));
    };
    const common = { actor: "private_token", target: "shop", tenant: "d", to: at(2), matched: 1 };
    await expect.poll(read).toEqual(
      expect.arrayContaining([
        { ...common, dry_run: true, deleted: 0 },
        { ...common, dry_run: false, deleted: 1 },
      ]),
    );
  });
});

describe("PUT /api/sources/{source}/retention", () => {
  const old = (project: string, days: number) => ({
    ...{ id: `${project}-${days}`, project, timestamp: new Date(stoppedMs - days * 86_400_000).toISOString() },
  });
  const put = (source: string, body: unknown) =>
    manage(service, "PUT", `/api/sources/${source}/retention`, JSON.stringify(body));

  it("deletes at once what is older, by tenant, and is shown with the source", async () => {
    const events = ["a", "b", "__proto__"].flatMap((project) => [1, 10, 40].map((days) => old(project, days)));
    await service.ingest("aged", [...events, { id: "none-40", timestamp: old("", 40).timestamp }]);
    const retention = JSON.parse('{"default":30,"tenants":{"a":7,"__proto__":100}}') as object;
    const { status, body } = await put("aged", retention);
    expect([status, body.retention_days]).toEqual([200, retention]);
    await expect
      .poll(() => idsIn("aged"))
      .toEqual(["__proto__-1", "__proto__-10", "__proto__-40", "a-1", "b-1", "b-10"]);
    expect((await put("aged", 5)).body).toMatchObject({ name: "aged", retention_days: 5 });
    await expect.poll(() => idsIn("aged")).toEqual(["__proto__-1", "a-1", "b-1"]);
    expect((await put("aged", null)).body).toMatchObject({ retention_days: null });
    await service.ingest("aged", [old("a", 400)]);
    expect((await put("aged", { tenants: { b: 1e300 } })).status).toBe(200);
    expect((await manage(service, "PATCH", "/api/sources/aged", { retention_days: { default: 500 } })).status).toBe(
      200,
    );
    expect((await manage(service, "GET", "/api/store")).body).toMatchObject({
      sources: expect.arrayContaining([expect.objectContaining({ name: "aged", retention_days: { default: 500 } })]),
    });
    expect(await idsIn("aged")).toContain("a-400");
  });

  it.each([[0], [-1], ["7"], [[7]], [{}], [{ default: 0 }], [{ tenants: { a: "7" } }], [{ days: 7 }], [true]])(
    "refuses %j by its field",
    async (body) => {
      expect(Object.keys(fieldsOf(await put("aged", body)))).toEqual(["retention_days"]);
    },
  );

  it("refuses tenants of a source without, sources of files, and the service's own", async () => {
    await manage(service, "POST", "/api/sources", { name: "flat" });
    expect(fieldsOf(await put("flat", { tenants: { a: 1 } })).retention_days).toEqual([
      "names tenants, and the source has none: add tenant, the field that tells them apart",
    ]);
    for (const name of ["edge", "logweir.audit"]) {
      expect((await put(name, 7)).body).toMatchObject({ error: { code: "source_read_only" } });
    }
    expect((await put("nowhere", 7)).status).toBe(404);
  });
});
