import { describe, expect } from "vitest";
import { readError, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;
const project = "inside";

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  const event = (id: string, owner: string, path: string, status: number, origin: number) => ({
    id,
    timestamp: `2026-08-20T09:00:0${id.slice(-1)}Z`,
    project: owner,
    event_message: `GET ${path}`,
    metadata: {
      request: { method: "GET", path, headers: { user_agent: "curl" } },
      response: { status_code: status, origin_time: origin },
      tags: ["a", "b"],
      context: [
        { host: "h1", pid: 1 },
        { host: "h2", pid: 2 },
      ],
    },
  });
  await service.ingest("edge", [
    event("e1", project, "/rest/v1/a", 200, 10),
    event("e2", project, "/rest/v1/b", 500, 30),
    event("e3", project, "/auth/v1/token", 200, 20),
    { id: "e4", timestamp: "2026-08-20T09:00:04Z", project, event_message: "no metadata" },
    event("e5", "outside", "/rest/v1/secret", 200, 10),
  ]);
  await service.ingest("db", [{ id: "d1", timestamp: "2026-08-20T09:00:00Z", project, event_message: "db row" }]);
});

const rows = (sql: string) => service.rows("logs.all", { project, sql });

describe("a consumer's query", () => {
  it.each([
    ["WHERE and ORDER BY", "select id from edge_logs where event_message like '%rest%' order by id", [["e1"], ["e2"]]],
    [
      "a chain of UNNEST, which drops rows without the record",
      "select t.id, request.path from edge_logs t cross join unnest(metadata) as m cross join " +
        "unnest(m.request) as request order by t.id",
      [
        ["e1", "/rest/v1/a"],
        ["e2", "/rest/v1/b"],
        ["e3", "/auth/v1/token"],
      ],
    ],
    [
      "LEFT JOIN UNNEST, which keeps them",
      "select id, r.status_code from edge_logs left join unnest(metadata) as m left join unnest(m.response) " +
        "as r order by id desc limit 2",
      [
        ["e4", null],
        ["e3", 200],
      ],
    ],
    [
      "fields of an alias without its name",
      "select id from edge_logs cross join unnest(metadata) as m cross join unnest(request) as r where path = " +
        "'/rest/v1/b'",
      [["e2"]],
    ],
    [
      "GROUP BY with aggregates",
      "select r.status_code, count(*) as n, avg(r.origin_time) as ms from edge_logs cross join " +
        "unnest(metadata) as m cross join unnest(m.response) as r group by r.status_code order by n desc",
      [
        [200, 2, 15],
        [500, 1, 30],
      ],
    ],
    [
      "HAVING",
      "select event_message from edge_logs group by 1 having count(*) = 1 and event_message like '%auth%'",
      [["GET /auth/v1/token"]],
    ],
    [
      "a WITH of its own",
      "with slow as (select id from edge_logs, unnest(metadata) m, unnest(m.response) r where r.origin_time > " +
        "15) select count(*) from slow",
      [[2]],
    ],
    ["a CTE that shadows a table", "with edge_logs as (select 'mine' as id) select id from edge_logs", [["mine"]]],
    ["a sub-query in FROM", "select max(id) from (select id from edge_logs where id < 'e3')", [["e2"]]],
    [
      "scalar, EXISTS and IN sub-queries",
      "select (select count(*) from db_logs), exists(select 1 from auth_logs), 'e1' in (select id from edge_logs)",
      [[1, false, true]],
    ],
    [
      "a join of two tables",
      "select e.id, d.id from edge_logs e join db_logs d on d.timestamp < e.timestamp where e.id = 'e1'",
      [["e1", "d1"]],
    ],
    [
      "UNION ALL",
      "select id from edge_logs where id = 'e1' union all select id from db_logs order by id",
      [["d1"], ["e1"]],
    ],
    ["names in any letter case", "SELECT ID FROM EDGE_LOGS WHERE ID = 'e1'", [["e1"]]],
    ["a declared parameter", "select @project from edge_logs limit 1", [[project]]],
    [
      "fields by path and by subscript",
      "select metadata[0].request[0].path, metadata[offset(0)].response[offset(0)].status_code from edge_logs " +
        "where id = 'e1'",
      [["/rest/v1/a", 200]],
    ],
    [
      "an array of scalars",
      "select tag from edge_logs cross join unnest(metadata) m cross join unnest(m.tags) as tag where id = " +
        "'e1' order by tag",
      [["a"], ["b"]],
    ],
    [
      "an array of objects",
      "select c.host, c.pid from edge_logs cross join unnest(metadata) m cross join unnest(m.context) as c " +
        "where id = 'e1' order by c.pid desc",
      [
        ["h2", 2],
        ["h1", 1],
      ],
    ],
    [
      "a field that no event carried",
      "select m.nothing, m.request[0].nowhere from edge_logs cross join unnest(metadata) m where id = 'e1'",
      [[null, null]],
    ],
    [
      "a comparison across types",
      "select id from edge_logs cross join unnest(metadata) m cross join unnest(m.response) r where " +
        "r.status_code = '500'",
      [["e2"]],
    ],
    ["a trailing comma and a semicolon", "select id, from edge_logs where id = 'e1';", [["e1"]]],
  ])("may use %s", async (_, sql, expected) => {
    expect((await rows(sql)).map((row) => Object.values(row))).toEqual(expected);
  });

  it("returns an unnested alias as an object whose records are arrays", async () => {
    const [row] = await rows("select m as metadata from edge_logs cross join unnest(metadata) as m where id = 'e1'");
    expect(row?.metadata).toEqual({
      request: [{ method: "GET", path: "/rest/v1/a", headers: [{ user_agent: "curl" }] }],
      response: [{ status_code: 200, origin_time: 10 }],
      tags: ["a", "b"],
      context: [
        { host: "h1", pid: 1 },
        { host: "h2", pid: 2 },
      ],
    });
  });

  it("never sees rows of another project", async () => {
    expect(await rows("select id from edge_logs where event_message like '%secret%'")).toEqual([]);
    expect(await rows("select count(*) as n from edge_logs")).toEqual([{ n: 4 }]);
  });

  it("reads only the tables of usage.api-counts on that endpoint", async () => {
    const response = await service.get("/api/endpoints/query/usage.api-counts", {
      interval: "daily",
      project,
      sql: "select id from edge_logs",
    });
    expect(response.status).toBe(403);
    const result = await service.rows("usage.api-counts", {
      interval: "daily",
      project,
      sql: "select count(*) as n from api_requests",
    });
    expect(result).toEqual([{ n: 3 }]);
  });
});

describe("a query outside the sandbox", () => {
  it.each([
    ["a source", "select * from edge", "edge"],
    ["a source by its alias", "select * from `cloudflare.logs.prod`", "cloudflare.logs.prod"],
    ["a source in a join", "select e.id from edge_logs e join `postgres.logs` p on true", "postgres.logs"],
    ["a source behind a comma", "select 1 from edge_logs, `postgres.logs`", "postgres.logs"],
    ["a source in a sub-query", "select (select count(*) from edge) from edge_logs", "edge"],
    ["a source in a CTE", "with x as (select * from edge) select * from x", "edge"],
    ["a source in a set operation", "select id from edge_logs union all select id from edge", "edge"],
    ["an unknown table", "select * from nothing", "nothing"],
    ["the engine's catalogue", "select * from information_schema.tables", "information_schema.tables"],
    ["the engine's settings", "select * from duckdb_settings", "duckdb_settings"],
    ["a file", "select * from `/etc/passwd`", "/etc/passwd"],
    ["a file by its extension", "select * from 'data.csv'", undefined],
  ])("is refused: %s", async (_, sql, table) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, sql });
    const error = await readError(response);
    if (table === undefined) {
      expect(error.status).toBe(400);
    } else {
      expect(error).toMatchObject({ status: 403, code: "sandbox_table_denied" });
      expect(error.message).toContain(table);
      expect(error).toHaveProperty("line", 1);
    }
  });

  it.each([
    ["a table function", "select * from read_csv('/etc/passwd')"],
    ["a function of the engine", "select getenv('HOME') from edge_logs"],
    ["a setting of the engine", "select current_setting('threads') from edge_logs"],
    ["an insert", "insert into edge_logs values (1)"],
    ["two statements", "select 1; select 2"],
    ["a drop", "drop table edge"],
    ["a pragma", "pragma database_list"],
    ["an undeclared parameter", "select @nothing from edge_logs"],
    ["a misspelt column", "select idd from edge_logs"],
  ])("is refused with a position: %s", async (_, sql) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, sql });
    expect([400, 403]).toContain(response.status);
    expect(await readError(response)).toHaveProperty("line");
  });

  it("gets a refusal that names no other table", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, sql: "select * from edgee" });
    expect(await response.text()).not.toMatch(/cloudflare|postgres\.logs|gotrue/);
  });
});

describe("an LQL query", () => {
  it("filters, selects and orders newest first", async () => {
    const result = await service.rows("logs.all", {
      project,
      lql: "f:edge_logs m.response.status_code:200 s:id s:timestamp",
    });
    expect(result.map((row) => row.id)).toEqual(["e3", "e1"]);
  });

  it("reads the default query's table when it names none", async () => {
    const result = await service.rows("logs.all", { project, lql: "rest" });
    expect(result.map((row) => row.id)).toEqual(["e2", "e1"]);
    expect(Object.keys(result[0] ?? {})).toEqual(["id", "timestamp", "event_message", "metadata"]);
  });

  it("can bound the time", async () => {
    const result = await service.rows("logs.all", { project, lql: "t:>=2026-08-20T09:00:02Z t:<2026-08-20T09:00:04Z" });
    expect(result.map((row) => row.id)).toEqual(["e3", "e2"]);
  });

  it("is confined to the sandbox like SQL", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, lql: "f:edge secret" });
    expect(await readError(response)).toMatchObject({ status: 403, code: "sandbox_table_denied" });
  });

  it("gets the position where it does not parse", async () => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, lql: "error m.level:" });
    expect(await readError(response)).toMatchObject({ status: 400, column: expect.any(Number) });
  });
});
