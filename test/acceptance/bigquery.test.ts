import { BigQuery, type Query } from "@google-cloud/bigquery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectBigQuery } from "../support/bigquery/connect.ts";
import { waitUntil } from "../support/wait-until.ts";
import { create, manage } from "./manage.ts";
import { privateToken, type Service, startService, stoppedMs } from "./service.ts";

let service: Service;
let owner: BigQuery;
let pinned: { readonly id: string; readonly client: BigQuery };

const at = (second: number) => new Date(stoppedMs - 600_000 + second * 1_000).toISOString();
const secret = /uuu/i;
const queries = "/bigquery/v2/projects/default/queries";

beforeAll(async () => {
  service = await startService({ isStopped: true });
  const events = (project: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ id: `${project}-${n}`, timestamp: at(n), project, message: `${project} message ${n}` },
      metadata: { request: { path: `/${project}/${n}` }, n, tags: ["a", "b"], [`${project}_key`]: true },
    }));
  await service.ingest("edge", [...events("default", 25), ...events("uuu", 5)]);
  const endpoint = {
    ...{ sandbox: true, parameters: { project: { type: "string", required: true } }, tenant_parameter: "project" },
    query: "WITH logs AS (SELECT * FROM edge WHERE project = @project) SELECT id FROM logs",
  };
  await create(service, { ...endpoint, name: "app.logs", max_rows: 10 });
  await create(service, { ...endpoint, name: "kept", cache_seconds: 60 });
  await create(service, { name: "closed", query: "SELECT 1 AS one" });
  owner = connectBigQuery(service.url, privateToken);
  pinned = await connectPinned();
}, 60_000);

afterAll(() => service.stop());

async function connectPinned(): Promise<{ readonly id: string; readonly client: BigQuery }> {
  const { body } = await manage(service, "POST", "/api/access-tokens", {
    scopes: ["query"],
    pins: { project: "default" },
  });
  return { id: String(body.id), client: connectBigQuery(service.url, String(body.token)) };
}

interface Failure {
  readonly code: number;
  readonly message: string;
  readonly errors: readonly { readonly reason: string; readonly location?: string; readonly debugInfo: string }[];
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) throw new Error("It did not fail");
  return error as Failure;
}

const rowsOf = async (client: BigQuery, query: string | Query): Promise<unknown[]> =>
  (await client.query(typeof query === "string" ? { query } : query))[0];

const ids = (rows: readonly unknown[]) => rows.map((row) => (row as { id: string }).id);

describe("values", () => {
  it.each<[string, unknown]>([
    ["1", 1],
    ["-9007199254740991", -9007199254740991],
    ["1.5", 1.5],
    ["-2e300", -2e300],
    ["TRUE", true],
    ["'text with \"quotes\" and \\n'", 'text with "quotes" and \n'],
    ["'\u{1F600}'", "\u{1F600}"],
    ["DATE '2026-08-20'", { value: "2026-08-20" }],
    ["TIME '01:02:03'", { value: "01:02:03" }],
    ["DATETIME '2026-08-20 01:02:03'", { value: "2026-08-20T01:02:03" }],
    ["TIMESTAMP '2026-08-20 01:02:03.123456'", { value: "2026-08-20T01:02:03.123456000Z" }],
    ["TIMESTAMP '1969-12-31 23:59:59'", { value: "1969-12-31T23:59:59.000Z" }],
    ["JSON '{\"a\": [1, null]}'", '{"a":[1,null]}'],
    ["INTERVAL 1 DAY", "0-0 1 0:0:0"],
    ["NULL", null],
    ["CAST(NULL AS STRING)", null],
    ["[1, 2]", [1, 2]],
    ["CAST([] AS ARRAY<INT64>)", []],
    ["CAST(NULL AS ARRAY<INT64>)", []],
    ["STRUCT(1 AS a, 'x' AS b)", { a: 1, b: "x" }],
    ["STRUCT(1, STRUCT(TRUE))", { _field_1: 1, _field_2: { _field_1: true } }],
    ["[STRUCT(1 AS a), STRUCT(2 AS a)]", [{ a: 1 }, { a: 2 }]],
    ["STRUCT([STRUCT(['x'] AS t)] AS r)", { r: [{ t: ["x"] }] }],
  ])("%s", async (expression, expected) => {
    const rows = await rowsOf(owner, `SELECT ${expression} AS v`);
    expect(JSON.parse(JSON.stringify(rows))).toEqual([{ v: expected }]);
  });

  it("are ranges with bounds of their type", async () => {
    const [rows] = await owner.query("SELECT RANGE<TIMESTAMP> '[2026-08-20 00:00:00.000001, UNBOUNDED)' AS r");
    const [{ r }] = rows as [{ readonly r: { readonly start: unknown; readonly end: unknown } }];
    expect(JSON.parse(JSON.stringify([r.start, r.end]))).toEqual([{ value: "2026-08-20T00:00:00.000001000Z" }, null]);
  });

  it("are not rounded", async () => {
    const query = "SELECT 9007199254740993 AS i, NUMERIC '12345678901234567890.123456789' AS n, JSON '[1.50]' AS j";
    const [rows] = await owner.query({ query, wrapIntegers: true });
    expect(JSON.parse(JSON.stringify(rows))).toEqual([
      { i: { type: "BigQueryInt", value: "9007199254740993" }, n: "12345678901234567890.123456789", j: "[1.5]" },
    ]);
    const [bytes] = await owner.query("SELECT b'\\x00\\xff' AS b");
    expect((bytes as { b: Buffer }[])[0]?.b).toEqual(Buffer.from([0, 255]));
  });
});

describe("parameters", () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ["@a + 1", { a: 2 }, 3],
    ["@a", { a: -2 }, -2],
    ["@a / 2", { a: 1.5 }, 0.75],
    ["@A", { a: true }, true],
    ["@a", { a: "'; DROP TABLE x; -- \\ \n \"" }, "'; DROP TABLE x; -- \\ \n \""],
    ["@a", { a: "@b ? `x`" }, "@b ? `x`"],
    ["ARRAY_LENGTH(@a)", { a: ["x", "y"] }, 2],
    ["@a.x || @a.y.z", { a: { x: "1", y: { z: "2" } } }, "12"],
    ["EXTRACT(YEAR FROM @a)", { a: BigQuery.date("2026-08-20") }, 2026],
    ["EXTRACT(HOUR FROM @a)", { a: BigQuery.timestamp("2026-08-20T05:00:00Z") }, 5],
    ["EXTRACT(MINUTE FROM @a)", { a: BigQuery.datetime("2026-08-20T05:06:00") }, 6],
    ["'@a' || @a", { a: "x" }, "@ax"],
  ])("%s", async (expression, params, expected) => {
    expect(await rowsOf(owner, { query: `SELECT ${expression} AS v`, params })).toEqual([{ v: expected }]);
  });

  it("are positional too, and typed where they are NULL or empty", async () => {
    expect(await rowsOf(owner, { query: "SELECT ? AS a, '?' AS q, ? AS b", params: [1, "x"] })).toEqual([
      { a: 1, q: "?", b: "x" },
    ]);
    const query = "SELECT @a IS NULL AS a, ARRAY_LENGTH(@b) AS b, TO_HEX(@c) AS c";
    const params = { a: null, b: [], c: "Af8=" };
    expect(await rowsOf(owner, { query, params, types: { a: "INT64", b: ["STRING"], c: "BYTES" } })).toEqual([
      { a: true, b: 0, c: "01ff" },
    ]);
  });

  it("limit rows", async () => {
    const query = "SELECT id FROM app_logs.logs ORDER BY timestamp LIMIT @n";
    expect(ids(await rowsOf(owner, { query, params: { n: 2 } }))).toEqual(["default-0", "default-1"]);
  });

  it("of the endpoint are the caller's, if no pin says otherwise", async () => {
    const query = "SELECT DISTINCT @project AS p, project FROM app_logs.logs";
    expect(await rowsOf(owner, { query, params: { project: "uuu" } })).toEqual([{ p: "uuu", project: "uuu" }]);
    expect(await rowsOf(pinned.client, { query })).toEqual([{ p: "default", project: "default" }]);
    const failed = await failureOf(pinned.client.query({ query, params: { project: "uuu" } }));
    expect([failed.code, failed.errors[0]?.debugInfo]).toEqual([403, "pinned_parameter"]);
  });

  it("without a value are named, with their place", async () => {
    const { message } = await failureOf(owner.query({ query: "SELECT\n @nope", params: { other: 1 } }));
    expect(message).toBe("Query parameter 'nope' has no value at [2:2]");
  });
});

describe("names of tables", () => {
  it.each([
    "app_logs.logs",
    "prod.app_logs.logs",
    "`app_logs.logs`",
    "`default.app_logs.logs`",
    "`app_logs`.`logs` AS l",
    "my-project.app_logs.logs",
    "app_logs.LOGS",
  ])("%s", async (table) => {
    expect(await rowsOf(owner, `SELECT COUNT(*) AS n FROM ${table}`)).toEqual([{ n: 25 }]);
  });

  it("may come of the default dataset, WITH and fields of records", async () => {
    const defaultDataset = { datasetId: "app_logs" };
    expect(await rowsOf(owner, { query: "SELECT COUNT(*) AS n FROM logs", defaultDataset })).toEqual([{ n: 25 }]);
    const query =
      "WITH w AS (SELECT * FROM app_logs.logs) SELECT r.path FROM w, w.metadata AS m, m.request AS r WHERE m.n = 3";
    expect(await rowsOf(owner, query)).toEqual([{ path: "/default/3" }]);
    const correlated = "SELECT m.n FROM app_logs.logs, logs.metadata AS m WHERE m.n > 23";
    expect(await rowsOf(owner, correlated)).toEqual([{ n: 24 }]);
  });

  it.each<[string, number, string, string]>([
    [
      "SELECT * FROM logs",
      404,
      "notFound",
      'Table "logs" must be qualified with a dataset (e.g. dataset.table) at [1:15]',
    ],
    ["SELECT * FROM app_logs.nope", 404, "notFound", "Not found: Table app_logs.nope at [1:15]"],
    ["SELECT * FROM closed.x", 404, "notFound", "Not found: Table closed.x at [1:15]"],
    [
      "SELECT * FROM app_logs.logs, kept.logs",
      400,
      "invalidQuery",
      "A query reads the tables of one dataset; this one reads a second at [1:30]",
    ],
    ["SELECT *\nFROM edge, app_logs.logs", 404, "notFound", "The table edge is not one of this endpoint's at [2:6]"],
    ["SELECT nope FROM app_logs.logs", 400, "invalidQuery", "Unrecognized name: nope at [1:8]"],
    ["SELECT 1 FROM app_logs.logs WHERE nope", 400, "invalidQuery", "Unrecognized name: nope at [1:35]"],
    ["SELECT FROM", 400, "invalidQuery", expect.stringContaining("Syntax error") as unknown as string],
  ])("%s is refused", async (query, code, reason, message) => {
    const failed = await failureOf(owner.query(query));
    expect(failed).toMatchObject({ code, message, errors: [{ reason, location: "query" }] });
  });
});

describe("what would write or read elsewhere is refused by name", () => {
  it.each([
    "INSERT x (a) VALUES (1)",
    "DELETE FROM x WHERE TRUE",
    "CREATE TABLE x (a INT64)",
    "EXPORT DATA AS SELECT 1",
  ])("%s", async (query) => {
    const { code, message } = await failureOf(owner.query(query));
    expect([code, message]).toEqual([400, expect.stringContaining(query.split(" ")[0] ?? "")]);
  });

  it.each<[string, object]>([
    ["load", { configuration: { load: {} } }],
    ["extract", { configuration: { extract: {} } }],
    ["copy", { configuration: { copy: {} } }],
    ["destinationTable", { configuration: { query: { query: "SELECT 1", destinationTable: { tableId: "x" } } } }],
    ["Legacy SQL", { configuration: { query: { query: "SELECT 1", useLegacySql: true } } }],
  ])("%s", async (name, options) => {
    const { code, message } = await failureOf(owner.createJob(options));
    expect([code, message]).toEqual([400, expect.stringContaining(name)]);
  });
});

describe("jobs", () => {
  const query = "SELECT id FROM app_logs.logs ORDER BY timestamp DESC";
  const every = Array.from({ length: 25 }, (_, n) => `default-${24 - n}`);

  it("give pages up to the last row, beyond the endpoint's max_rows", async () => {
    expect(ids(await rowsOf(owner, query))).toEqual(every);
    const [job] = await owner.createQueryJob(query);
    const seen: string[] = [];
    for (let next: object | null | undefined = { maxResults: 4, autoPaginate: false }; next; ) {
      const answer: readonly unknown[] = await job.getQueryResults(next);
      const [rows, more] = answer as [unknown[], object | null | undefined];
      expect(rows.length).toBeLessThanOrEqual(4);
      seen.push(...ids(rows));
      next = more;
    }
    expect(seen).toEqual(every);
  });

  it("stream", async () => {
    const rows: unknown[] = [];
    for await (const row of owner.createQueryStream(query)) rows.push(row);
    expect(ids(rows)).toEqual(every);
  });

  it("never give a part for the whole", async () => {
    const failed = await failureOf(owner.query("SELECT n FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS n"));
    expect(failed.errors).toMatchObject([{ reason: "responseTooLarge", debugInfo: "result_too_large" }]);
  });

  it("are dry: a query is checked and its schema told", async () => {
    const [job] = await owner.createQueryJob({ query: "SELECT id, timestamp FROM app_logs.logs", dryRun: true });
    expect(job.metadata.statistics.query.schema.fields).toEqual([
      { name: "id", type: "STRING", mode: "NULLABLE" },
      { name: "timestamp", type: "TIMESTAMP", mode: "NULLABLE" },
    ]);
    expect((await failureOf(owner.createQueryJob({ query: "SELECT nope", dryRun: true }))).code).toBe(400);
  });

  it("are cancelled before they run", async () => {
    const [job] = await owner.createQueryJob(query);
    expect((await job.cancel())[0]).toMatchObject({ job: { status: { errorResult: { reason: "stopped" } } } });
    expect((await failureOf(job.getQueryResults())).message).toContain("cancelled");
  });

  it("fail with the error of their query", async () => {
    const [job] = await owner.createQueryJob("SELECT ERROR('broken') AS e");
    const [{ status }] = await job.getMetadata();
    expect(status).toMatchObject({ state: "DONE", errorResult: { message: expect.stringContaining("broken") } });
    expect((await failureOf(job.getQueryResults())).code).toBe(400);
  });

  it("show no value in their error that is redacted by now", async () => {
    const query = "WITH logs AS (SELECT 'ada@example.com' AS m FROM edge LIMIT 1) SELECT m FROM logs";
    const name = "redacted.later";
    const made = await create(service, { name, query, sandbox: true });
    const [job] = await owner.createQueryJob({ query: "SELECT ERROR(m) AS e FROM redacted_later.logs", jobId: "raw" });
    expect((await failureOf(job.getQueryResults())).message).toContain("ada@example.com");
    const listed = async () => JSON.stringify((await owner.getJobs())[0].map(({ metadata }) => metadata));
    expect(await listed()).not.toContain("ada@");
    await manage(service, "PATCH", `/api/endpoints/${made.id}`, { redact_pii: true });
    const reads = [
      async () => JSON.stringify((await job.getMetadata())[0]),
      async () => JSON.stringify((await job.cancel())[0]),
      async () => (await failureOf(job.getQueryResults())).message,
    ];
    for (const read of reads) {
      const text = await read();
      expect([text.includes("ada@"), text.includes("REDACTED")]).toEqual([false, true]);
    }
    await manage(service, "DELETE", `/api/endpoints/${made.id}`);
    expect((await failureOf(job.getMetadata())).code).toBe(404);
  });

  it("have the names that clients give them, once", async () => {
    const [job] = await owner.createQueryJob({ query: "SELECT 1 AS one", jobId: "mine" });
    expect(job.id).toBe("mine");
    expect((await failureOf(owner.createQueryJob({ query: "SELECT 1", jobId: "mine" }))).code).toBe(409);
    expect((await owner.getJobs())[0].map(({ id }) => id)).toContain("mine");
  });

  it("of another token are not found, nor listed, nor cancelled", async () => {
    await owner.createQueryJob({ query, jobId: "private" });
    const job = pinned.client.job("private");
    for (const work of [job.getMetadata(), job.cancel(), job.getQueryResults()]) {
      expect((await failureOf(work)).code).toBe(404);
    }
    expect((await pinned.client.getJobs())[0].map(({ id }) => id)).not.toContain("private");
    const [, next] = await owner.job("private").getQueryResults({ maxResults: 1, autoPaginate: false });
    const token = (next as { pageToken: string }).pageToken;
    const [other] = await pinned.client.createQueryJob(query);
    expect((await failureOf(other.getQueryResults({ pageToken: token }))).errors).toMatchObject([
      { reason: "invalid", location: "pageToken" },
    ]);
  });

  it("hold no row of an event that is deleted", async () => {
    await service.ingest("edge", [{ id: "gone-0", timestamp: at(0), project: "gone", message: "gone" }]);
    const client = connectBigQuery(service.url, privateToken);
    client.projectId = "gone";
    const [job] = await client.createQueryJob("SELECT id FROM app_logs.logs");
    expect((await job.getQueryResults())[0]).toEqual([{ id: "gone-0" }]);
    await manage(service, "DELETE", "/api/sources/edge/events?tenant=gone");
    expect((await job.getQueryResults())[0]).toEqual([]);
  });

  it("are answered from the cache of the endpoint unless they ask for no cache", async () => {
    const isHit = async (useQueryCache?: boolean) => {
      const [job] = await owner.createQueryJob({
        query: "SELECT COUNT(*) AS n FROM kept.logs",
        ...(useQueryCache === undefined ? {} : { useQueryCache }),
      });
      return (await job.getMetadata())[0].statistics.query.cacheHit as boolean;
    };
    expect([await isHit(), await isHit(), await isHit(false), await isHit()]).toEqual([false, true, false, true]);
  });
});

describe("bodies that no client sends", () => {
  const ask = async (query: string, queryParameters: readonly object[]) => {
    const { status, body } = await manage(service, "POST", queries, { query, queryParameters });
    const { errors = [] } = (body.error ?? {}) as { errors?: readonly { debugInfo: string; location: string }[] };
    return [status, errors[0]?.debugInfo, errors[0]?.location];
  };
  const struct = (count: number) => ({
    type: "STRUCT",
    structTypes: Array.from({ length: count }, (_, index) => ({ name: `f${index}`, type: { type: "INT64" } })),
  });

  it("have names that are no texts", async () => {
    for (const name of [5, true, ["a"], {}]) {
      const sent = { name, parameterType: { type: "INT64" }, parameterValue: { value: "1" } };
      expect(await ask("SELECT @a", [sent])).toEqual([400, "invalid_parameter", "queryParameters"]);
    }
    const unnamed = { name: null, parameterType: { type: "INT64" }, parameterValue: { value: "1" } };
    expect(await ask("SELECT ?", [unnamed])).toEqual([200, undefined, undefined]);
  });

  it.each<[string, string, object]>([
    [
      "a value in very many places",
      `SELECT ${Array(5_000).fill("@a").join(", ")}`,
      { parameterType: { type: "STRING" }, parameterValue: { value: "x".repeat(1_000_000) } },
    ],
    [
      "very many elements of a long type",
      "SELECT @a",
      {
        parameterType: { type: "ARRAY", arrayType: struct(5_000) },
        parameterValue: { arrayValues: Array(10_000).fill({}) },
      },
    ],
  ])("describe queries that are too long: %s", async (_, query, value) => {
    expect(await ask(query, [{ name: "a", ...value }])).toEqual([413, "query_too_long", "queryParameters"]);
  });

  it("hold longer texts than are read", async () => {
    const text = (length: number) => "SELECT 1 AS one".padEnd(length);
    expect((await ask(text(100_000), []))[0]).toBe(200);
    expect(await ask(text(100_001), [])).toEqual([413, "query_too_long", "query"]);
  });
});

describe("a job whose endpoint is changed", () => {
  const withColumns = (columns: string) =>
    `WITH logs AS (SELECT ${columns} FROM edge WHERE project = 'default') SELECT 1 AS one`;
  const change = async (columns: string) => {
    const { status } = await manage(service, "PATCH", "/api/endpoints/changed", { query: withColumns(columns) });
    expect(status).toBe(204);
  };

  it("has the columns that it had when it ran, or fails", async () => {
    await create(service, { name: "changed", sandbox: true, query: withColumns("id, project") });
    const [job] = await owner.createQueryJob("SELECT * FROM changed.logs ORDER BY id LIMIT 1");
    await change("project, id");
    const row = [{ project: "default", id: "default-0" }];
    expect((await job.getQueryResults())[0]).toEqual(row);
    expect(Object.keys((await job.getQueryResults())[0][0])).toEqual(["project", "id"]);
    await change("project, id, event_message");
    expect(await failureOf(job.getQueryResults())).toMatchObject({
      code: 400,
      message: expect.stringContaining("The columns of the job's tables have changed since it ran"),
    });
    await change("project, id");
    expect((await job.getQueryResults())[0]).toEqual(row);
  });
});

describe("a token that is pinned to a project", () => {
  it("is told of its datasets, tables and fields only", async () => {
    const { client } = pinned;
    const names = (await client.getDatasets())[0].map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(["app_logs", "kept", "logs_all"]));
    expect(names).not.toContain("closed");
    const table = client.dataset("app_logs").table("logs");
    expect((await client.dataset("app_logs").getTables())[0].map(({ id }) => id)).toEqual(["logs"]);
    const texts = [
      (await table.getMetadata())[0],
      await rowsOf(client, "SELECT * FROM app_logs.logs ORDER BY timestamp DESC"),
    ];
    expect(JSON.stringify(texts)).toContain("default_key");
    expect(JSON.stringify(texts)).not.toMatch(secret);
    expect((await failureOf(client.dataset("closed").getMetadata())).code).toBe(404);
  });

  it("reads its own rows whatever project it names", async () => {
    for (const from of ["uuu.app_logs.logs", "`uuu.app_logs.logs`"]) {
      expect(await rowsOf(pinned.client, `SELECT DISTINCT project FROM ${from}`)).toEqual([{ project: "default" }]);
    }
    pinned.client.projectId = "uuu";
    const rows = await rowsOf(pinned.client, "SELECT DISTINCT project FROM app_logs.logs");
    pinned.client.projectId = "default";
    expect(rows).toEqual([{ project: "default" }]);
  });

  it("lists a table's rows in pages", async () => {
    const table = pinned.client.dataset("kept").table("logs");
    const [first, next] = await table.getRows({ maxResults: 20, autoPaginate: false });
    const [rest] = await table.getRows({ ...next, autoPaginate: false });
    expect([first.length, rest.length]).toEqual([20, 5]);
    expect(new Set(ids([...first, ...rest])).size).toBe(25);
  });

  it("is redacted where the caller asks for it", async () => {
    const { body } = await manage(service, "POST", "/api/access-tokens", { scopes: ["query"], redaction: "required" });
    const client = connectBigQuery(service.url, String(body.token));
    const [row] = await rowsOf(client, "SELECT 'someone@example.com' AS m FROM app_logs.logs LIMIT 1");
    expect(JSON.stringify(row)).not.toContain("someone@");
  });

  it("leaves its runs in the audit", async () => {
    const other = await connectPinned();
    await other.client.query("SELECT id FROM app_logs.logs ORDER BY timestamp LIMIT 3");
    const sql =
      "select m.surface, m.endpoint, m.outcome, m.rows from `logweir.audit` cross join unnest(metadata) as m " +
      `where m.surface = 'bigquery' and m.actor = '${other.id}'`;
    const read = async () => ((await (await service.get("/api/query", { sql })).json()) as { result: object[] }).result;
    await waitUntil(async () => (await read()).length > 0);
    expect(await read()).toEqual([{ surface: "bigquery", endpoint: "app.logs", outcome: "ok", rows: 3 }]);
  });
});

it("a token that is not valid is refused in BigQuery's form", async () => {
  const failed = await failureOf(connectBigQuery(service.url, "wrong").getDatasets());
  expect(failed).toMatchObject({ code: 401, errors: [{ reason: "authError" }] });
});

it("a request is one call of the token's rate, however it is answered", async () => {
  const limited = await startService({ isStopped: true, env: { LOGWEIR_MAX_REQUESTS_PER_MINUTE: "12" } });
  try {
    const endpoint = { name: "app", sandbox: true, query: "WITH t AS (SELECT 1 AS one) SELECT one FROM t" };
    await create(limited, endpoint);
    const ask = async () => (await manage(limited, "POST", queries, { query: "SELECT one FROM app.t" })).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
  } finally {
    await limited.stop();
  }
});
