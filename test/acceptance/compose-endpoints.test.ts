import { describe, expect } from "vitest";
import { codeOf, create, fieldsOf, manage } from "./manage.ts";
import type { Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;
const at = (second: number) => `2026-08-20T09:00:0${second}.000000Z`;

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  await service.ingest("edge", [
    { id: "1", timestamp: at(1), project: "compose-a", event_message: "GET /x from 10.1.2.3", metadata: { n: 1 } },
    { id: "2", timestamp: at(2), project: "compose-a", event_message: "GET /y from 10.1.2.4", metadata: { n: 2 } },
    { id: "3", timestamp: at(3), project: "compose-b", event_message: "SECRET of b", metadata: { n: 3 } },
  ]);
  await create(service, {
    name: "requests",
    query: "SELECT timestamp, id, event_message, metadata FROM edge WHERE project = @project AND timestamp > @since",
    parameters: { project: { required: true }, since: { type: "timestamp", default: "2026-01-01" } },
  });
});

const rowsOf = (name: string, parameters: Record<string, string> = { project: "compose-a" }) =>
  service.rows(name, parameters);

describe("an endpoint that reads another as a table", () => {
  it("sees its rows and columns, including nested ones, joins with itself and several levels of endpoints", async () => {
    await create(service, {
      name: "by.id",
      query: "SELECT r.id, m.n FROM requests r, UNNEST(r.metadata) m ORDER BY id",
    });
    await create(service, {
      name: "joined",
      query:
        "SELECT a.id, b.n FROM `by.id` a JOIN `by.id` b ON a.id = b.id WHERE a.id IN (SELECT id " +
        "FROM requests) ORDER BY 1",
    });
    await create(service, { name: "deep", query: "SELECT COUNT(*) AS n, MAX(id) AS last FROM joined" });
    expect(await rowsOf("by.id")).toEqual([
      { id: "1", n: 1 },
      { id: "2", n: 2 },
    ]);
    expect(await rowsOf("joined")).toEqual([
      { id: "1", n: 1 },
      { id: "2", n: 2 },
    ]);
    expect(await rowsOf("deep")).toEqual([{ n: 2, last: "2" }]);
    expect(await rowsOf("deep", { project: "compose-a", since: at(1) })).toEqual([{ n: 1, last: "2" }]);
  });

  it("inherits its parameters with their types, defaults and rules", async () => {
    const { contract } = await create(service, { name: "inherits", query: "SELECT id, @project AS p FROM requests" });
    expect((contract as { parameters: object[] }).parameters).toMatchObject([
      { name: "project", type: "string", required: true },
      { name: "since", type: "timestamp", default: "2026-01-01T00:00:00.000000Z" },
    ]);
    expect(await rowsOf("inherits")).toEqual([
      { id: "1", p: "compose-a" },
      { id: "2", p: "compose-a" },
    ]);
    expect((await service.get("/api/endpoints/query/inherits")).status).toBe(400);
    expect((await service.get("/api/endpoints/query/inherits", { project: "compose-a", since: "noon" })).status).toBe(
      400,
    );
  });

  it("may redeclare an inherited parameter only with the same type", async () => {
    const query = "SELECT id FROM requests ORDER BY id";
    await create(service, { name: "fixed", query, parameters: { project: { default: "compose-b" } } });
    expect(await rowsOf("fixed", {})).toEqual([{ id: "3" }]);
    const parameters = { since: { type: "string" } };
    const refused = fieldsOf(await manage(service, "POST", "/api/endpoints", { name: "clash", query, parameters }));
    expect(refused.query?.[0]).toContain(
      "line 1, column 16: The parameter @since is STRING here and TIMESTAMP in requests",
    );
  });

  it("resolves the other endpoint's tables in that endpoint's own scope, and prefers a source to an endpoint", async () => {
    await create(service, {
      name: "scoped",
      query: "WITH edge AS (SELECT 'mine' AS id) SELECT requests.id, edge.id AS own FROM requests, edge ORDER BY 1",
    });
    expect(await rowsOf("scoped")).toEqual([
      { id: "1", own: "mine" },
      { id: "2", own: "mine" },
    ]);
    expect((await manage(service, "POST", "/api/sources", { name: "both" })).status).toBe(201);
    await create(service, { name: "both", query: "SELECT 'endpoint' AS id" });
    await create(service, { name: "reads.both", query: "SELECT COUNT(*) AS n FROM both" });
    expect(await rowsOf("reads.both", {})).toEqual([{ n: 0 }]);
  });

  it("sees rows redacted when the other endpoint redacts, for every caller and in conditions too", async () => {
    await create(service, {
      name: "private.requests",
      query: "SELECT id, event_message FROM edge WHERE project = @project ORDER BY timestamp DESC",
      parameters: { project: { required: true } },
      redact_pii: true,
    });
    await create(service, {
      name: "messages",
      query: "WITH m AS (SELECT id, event_message FROM `private.requests`) SELECT event_message FROM m ORDER BY id",
      sandbox: true,
    });
    const hidden = [{ event_message: "GET /x from REDACTED" }, { event_message: "GET /y from REDACTED" }];
    expect(await rowsOf("messages")).toEqual(hidden);
    expect(await service.rows("messages", { project: "compose-a" }, { "LF-ENDPOINT-REDACT-PII": "false" })).toEqual(
      hidden,
    );
    const sql = "SELECT COUNT(*) AS n FROM m WHERE event_message LIKE '%10.1.2.%'";
    expect(await rowsOf("messages", { project: "compose-a", sql })).toEqual([{ n: 0 }]);
    const owner = await manage(service, "POST", "/api/query", {
      sql: "SELECT event_message FROM `private.requests` ORDER BY id",
      parameters: { project: "compose-a" },
    });
    expect(owner.body).toEqual({ result: hidden });
  });

  it("is paginated when its rows can be told apart", async () => {
    await create(service, {
      name: "paged",
      query: "SELECT timestamp, id FROM requests ORDER BY timestamp DESC LIMIT 1",
    });
    const ids: unknown[] = [];
    let path: string | undefined = "/api/endpoints/query/paged?project=compose-a";
    while (path !== undefined) {
      const response: Response = await service.get(path);
      const { result } = (await response.json()) as { result: { id: string }[] };
      ids.push(...result.map(({ id }) => id));
      path = /<(.*)>/.exec(response.headers.get("link") ?? "")?.[1];
    }
    expect(ids).toEqual(["2", "1"]);
  });
});

describe("the sandbox of an endpoint that reads another", () => {
  it.each([
    "SELECT * FROM requests",
    "SELECT * FROM `requests`",
    "SELECT * FROM REQUESTS",
    "SELECT * FROM edge",
    "SELECT * FROM `guarded`",
    "SELECT * FROM `requests@1`",
    "SELECT (SELECT ANY_VALUE(event_message) FROM requests) FROM own",
    "WITH x AS (SELECT * FROM requests) SELECT * FROM x",
    "SELECT * FROM own WHERE id IN (SELECT id FROM requests)",
    "FROM requests |> SELECT id",
    "SELECT * FROM own UNION ALL SELECT id FROM requests",
    "SELECT * FROM own JOIN requests USING (id)",
  ])("denies a consumer access to the endpoint below: %s", async (sql) => {
    if ((await manage(service, "GET", "/api/endpoints/guarded")).status === 404) {
      await create(service, {
        name: "guarded",
        query: "WITH own AS (SELECT id FROM requests) SELECT id FROM own",
        sandbox: true,
      });
    }
    const refused = await service.get("/api/endpoints/query/guarded", { project: "compose-a", sql });
    const text = await refused.text();
    expect([refused.status, text.includes("sandbox_table_denied")]).toEqual([403, true]);
    expect(text).not.toContain("did you mean requests");
  });

  it("limits a consumer to the caller's project and the reader's own tables", async () => {
    await create(service, {
      name: "open",
      query: "WITH own AS (SELECT * FROM requests) SELECT id FROM own",
      sandbox: true,
    });
    expect(await rowsOf("open", { project: "compose-a", sql: "SELECT id FROM own ORDER BY id" })).toEqual([
      { id: "1" },
      { id: "2" },
    ]);
    const sql = "SELECT COUNT(*) AS n FROM own WHERE event_message LIKE '%SECRET%' OR TRUE";
    expect(await rowsOf("open", { project: "compose-a", sql })).toEqual([{ n: 2 }]);
    expect(await rowsOf("open", { project: "compose-a", lql: "f:own c:count(*) c:group_by(t::hour)" })).toHaveLength(1);
  });
});

describe("a change to an endpoint that others read", () => {
  it("is refused with the cycle's path when it would make endpoints read each other in a cycle", async () => {
    await create(service, { name: "c1", query: "SELECT 1 AS a" });
    await create(service, { name: "c2", query: "SELECT a FROM c1" });
    await create(service, { name: "c3", query: "SELECT a FROM c2" });
    const query = "SELECT\n  a FROM c3";
    const refused = fieldsOf(await manage(service, "PATCH", "/api/endpoints/c1", { query }));
    expect(refused).toEqual({ query: ["line 2, column 10: Endpoints read each other in a circle: c1 → c3 → c2 → c1"] });
    const self = fieldsOf(
      await manage(service, "POST", "/api/endpoints", { name: "self", query: "SELECT 1 FROM self" }),
    );
    expect(self.query?.[0]).toContain("in a circle: self → self");
  });

  it("is refused with the reader's name when it would break a reader; so is a removal", async () => {
    await create(service, { name: "base", query: "SELECT 1 AS a, 2 AS b" });
    await create(service, { name: "user", query: "SELECT a + 1 AS c FROM base" });
    await create(service, { name: "user.2", query: "SELECT c FROM user" });
    for (const [fields, field] of [
      [{ query: "SELECT 2 AS b" }, "query"],
      [{ query: "SELECT 'x' AS a" }, "query"],
      [{ name: "base.2" }, "name"],
    ] as const) {
      const refused = fieldsOf(await manage(service, "PATCH", "/api/endpoints/base", fields));
      expect(Object.keys(refused)).toEqual([field]);
      expect(refused[field]?.[0]).toContain("the endpoint user reads this one: ");
    }
    const inUse = await manage(service, "DELETE", "/api/endpoints/base");
    expect(codeOf(inUse)).toBe("409 endpoint_in_use");
    expect(JSON.stringify(inUse.body)).toContain("is read by user, user.2");
    expect(await rowsOf("user.2", {})).toEqual([{ c: 2 }]);
  });

  it("takes effect immediately in its readers' plans, cached responses and contracts", async () => {
    await create(service, { name: "below", query: "SELECT 1 AS a" });
    await create(service, { name: "above", query: "SELECT * FROM below", cache_seconds: 600 });
    for (let call = 0; call < 3; call++) expect(await rowsOf("above", {})).toEqual([{ a: 1 }]);
    const parameters = { x: { type: "int64", required: true } };
    await manage(service, "PATCH", "/api/endpoints/below", { query: "SELECT @x AS a, 'new' AS b", parameters });
    expect((await manage(service, "GET", "/api/endpoints/above")).body).toMatchObject({
      version: 1,
      contract: {
        parameters: [{ name: "x", required: true }],
        columns: [{ name: "a" }, { name: "b", type: "STRING" }],
      },
    });
    expect((await service.get("/api/endpoints/query/above")).status).toBe(400);
    expect(await rowsOf("above", { x: "5" })).toEqual([{ a: 5, b: "new" }]);
  });
});
