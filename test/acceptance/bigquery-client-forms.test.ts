/**
 * Requests in the forms of clients that are not run here, taken from their sources: the Python client
 * (googleapis/python-bigquery, January 2026) and the Go client under Grafana's data source
 * (grafana/google-bigquery-datasource, July 2026). What they need of the answers is written as a reader of each.
 */
import { describe, expect } from "vitest";
import { toErrorProto } from "../../src/bigquery/error-body.ts";
import { ServiceError } from "../../src/shared/errors.ts";
import { create } from "./manage.ts";
import { privateToken, type Service, stoppedMs } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

const root = "/bigquery/v2/projects/bqclients";
const firstUs = BigInt(stoppedMs - 600_000) * 1_000n;

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  const events = Array.from({ length: 30 }, (_, n) => ({
    ...{ id: `e${String(n).padStart(2, "0")}`, project: "bqclients", event_message: `m${n}` },
    timestamp: new Date(stoppedMs - 600_000 + n * 1_000).toISOString(),
  }));
  await service.ingest("edge", events);
  // Its results go on behind ten rows.
  await create(service, {
    ...{
      name: "client_pages",
      sandbox: true,
      max_rows: 10,
      parameters: { project: { type: "string", required: true } },
    },
    query: "WITH logs AS (SELECT * FROM edge WHERE project = @project) SELECT id FROM logs",
  });
}, 60_000);

interface Field {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
}

interface Cell {
  readonly v: unknown;
}

/** Everything that these clients read of answers. */
interface Body {
  readonly jobReference: { readonly projectId: string; readonly jobId: string; readonly location: string };
  readonly status: { readonly state: string; readonly errorResult?: Failure };
  readonly statistics: { readonly totalBytesProcessed: string; readonly query: { readonly statementType: string } };
  readonly configuration: { readonly query: { readonly destinationTable: object } };
  readonly schema: { readonly fields: readonly Field[] };
  readonly jobComplete: boolean;
  readonly totalRows?: string;
  readonly pageToken?: string;
  readonly nextPageToken?: string;
  readonly rows?: readonly { readonly f: readonly Cell[] }[];
  readonly error: { readonly code: number; readonly message: string; readonly errors: readonly Failure[] };
  readonly [field: string]: unknown;
}

interface Failure {
  readonly reason: string;
  readonly message: string;
}

async function send(method: string, path: string, body?: object) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...{ authorization: `Bearer ${privateToken}`, accept: "application/json", "accept-encoding": "gzip" },
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) as Body };
}

async function ok(method: string, path: string, body?: object): Promise<Body> {
  const answer = await send(method, path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body;
}

let count = 0;
const newId = () => `0d1f6c7e-2a1b-4c3d-8e9f-${String(count++).padStart(12, "0")}`;

describe("the Python client", () => {
  const plain = "prettyPrint=false";
  /** Python writes booleans of an address so. */
  const int64 = "formatOptions.useInt64Timestamp=True";

  const insert = (query: object, more: object = {}, jobId = newId()) => {
    const jobReference = { jobId, projectId: "bqclients" };
    const configuration = { query: { useLegacySql: false, ...query }, ...more };
    return send("POST", `${root}/jobs?${plain}`, { jobReference, configuration });
  };

  /** Values as its `CellDataParser` makes them: it takes whole microseconds for a TIMESTAMP, and nothing else. */
  function toPython({ type }: Field, { v }: Cell): unknown {
    if (v === null) return null;
    if (type === "TIMESTAMP" || type === "INTEGER" || type === "INT64") return BigInt(String(v));
    return v;
  }

  /** `client.query(...).result()`, to its last page. */
  async function resultOf(query: object, pageSize?: number): Promise<readonly (readonly unknown[])[]> {
    const started = await insert(query);
    expect(started.status).toBe(200);
    const { jobId, location } = started.body.jobReference;
    const place = `location=${location}`;
    const job = await ok("GET", `${root}/jobs/${jobId}?projection=full&${place}&${plain}`);
    expect(job.status).toEqual({ state: "DONE" });
    expect(job.configuration.query.destinationTable).toMatchObject({ tableId: jobId });
    const polled =
      pageSize === undefined ? "maxResults=0" : `maxResults=${pageSize}&formatOptions.useInt64Timestamp=True`;
    const first = await ok("GET", `${root}/queries/${jobId}?${polled}&${place}&${plain}`);
    expect(first.jobComplete).toBe(true);
    // Without a number it makes an empty result.
    if (first.totalRows === undefined) return [];
    const { fields } = first.schema;
    const found: (readonly unknown[])[] = [];
    const take = ({ rows = [] }: Body) => {
      for (const { f } of rows)
        found.push(f.map((cell, index) => toPython(fields[index] ?? { name: "", type: "" }, cell)));
    };
    // An answer that has a list of rows is its first page.
    let page = first.rows === undefined ? undefined : first;
    const listed = "fields=jobReference%2CtotalRows%2CpageToken%2Crows";
    const size = pageSize === undefined ? "" : `maxResults=${pageSize}&`;
    page ??= await ok("GET", `${root}/queries/${jobId}?${listed}&${place}&${int64}&${size}${plain}`);
    take(page);
    while (page.pageToken !== undefined) {
      const token = `pageToken=${page.pageToken}`;
      page = await ok("GET", `${root}/queries/${jobId}?${listed}&${place}&${int64}&${size}${token}&${plain}`);
      take(page);
    }
    return found;
  }

  const ids = Array.from({ length: 30 }, (_, n) => `e${String(29 - n).padStart(2, "0")}`);

  it("gets every row of query().result(), with times as microseconds", async () => {
    const query = "SELECT id, timestamp FROM logs_all.edge_logs ORDER BY timestamp LIMIT 2";
    expect(await resultOf({ query })).toEqual([
      ["e00", firstUs],
      ["e01", firstUs + 1_000_000n],
    ]);
    expect(await resultOf({ query: "SELECT 1 AS n, CAST(NULL AS TIMESTAMP) AS t" })).toEqual([[1n, null]]);
    expect(await resultOf({ query: "SELECT id FROM logs_all.edge_logs WHERE id = 'none'" })).toEqual([]);
  });

  it("gets every row in pages, also where it is not known how many there are", async () => {
    const query = "SELECT id FROM client_pages.logs ORDER BY timestamp DESC LIMIT 30";
    expect((await resultOf({ query })).flat()).toEqual(ids);
    expect((await resultOf({ query }, 7)).flat()).toEqual(ids);
  });

  it("sends parameters", async () => {
    const queryParameters = [
      { parameterType: { type: "STRING" }, parameterValue: { value: "e03" }, name: "id" },
      { parameterType: { type: "TIMESTAMP" }, parameterValue: { value: "2026-08-20 10:00:00+00:00" }, name: "since" },
      {
        ...{ parameterType: { type: "ARRAY", arrayType: { type: "INT64" } }, name: "list" },
        parameterValue: { arrayValues: [{ value: "1" }, { value: "2" }] },
      },
    ];
    const query = "SELECT id, ARRAY_LENGTH(@list) AS n FROM logs_all.edge_logs WHERE id = @id AND timestamp >= @since";
    expect(await resultOf({ query, parameterMode: "NAMED", queryParameters })).toEqual([["e03", 2n]]);
    const positional = [{ parameterType: { type: "STRING" }, parameterValue: { value: "e04" } }];
    const byPlace = "SELECT id FROM logs_all.edge_logs WHERE id = ?";
    expect(await resultOf({ query: byPlace, parameterMode: "POSITIONAL", queryParameters: positional })).toEqual([
      ["e04"],
    ]);
  });

  it("gets the rows of query_and_wait() in the first answer", async () => {
    const sent = {
      ...{ useLegacySql: false, formatOptions: { useInt64Timestamp: true } },
      ...{ query: "SELECT timestamp FROM logs_all.edge_logs ORDER BY timestamp LIMIT 3", requestId: newId() },
    };
    const { jobComplete, rows, totalRows, pageToken } = await ok("POST", `${root}/queries?${plain}`, sent);
    expect([jobComplete, totalRows, pageToken]).toEqual([true, "3", undefined]);
    expect(rows?.map(({ f: [cell] }) => cell?.v)).toEqual([0n, 1n, 2n].map((n) => String(firstUs + n * 1_000_000n)));
    const optional = { ...sent, requestId: newId(), jobCreationMode: "JOB_CREATION_OPTIONAL", maxResults: 2 };
    const cut = await ok("POST", `${root}/queries?${plain}`, optional);
    expect([cut.rows?.length, typeof cut.pageToken, typeof cut.jobReference.jobId]).toEqual([2, "string", "string"]);
  });

  it("lists projects, datasets and tables, and gets a table", async () => {
    expect(await ok("GET", `/bigquery/v2/projects?${plain}`)).toMatchObject({
      projects: [{ id: "logweir", projectReference: { projectId: "logweir" } }],
    });
    const named = (body: Body, key: string, reference: string) =>
      (body[key] as Record<string, Record<string, string>>[]).map((each) => each[reference]);
    const all = await ok("GET", `${root}/datasets?all=True&${plain}`);
    expect(named(all, "datasets", "datasetReference")).toContainEqual({
      projectId: "bqclients",
      datasetId: "client_pages",
    });
    const page = await ok("GET", `${root}/datasets?maxResults=1&${plain}`);
    const rest = await ok("GET", `${root}/datasets?pageToken=${page.nextPageToken}&${plain}`);
    expect([...named(page, "datasets", "datasetReference"), ...named(rest, "datasets", "datasetReference")]).toEqual(
      named(all, "datasets", "datasetReference"),
    );
    expect(await ok("GET", `${root}/datasets/client_pages?${plain}`)).toMatchObject({
      datasetReference: { projectId: "bqclients", datasetId: "client_pages" },
    });
    const tables = await ok("GET", `${root}/datasets/client_pages/tables?${plain}`);
    const reference = { projectId: "bqclients", datasetId: "client_pages", tableId: "logs" };
    expect(named(tables, "tables", "tableReference")).toEqual([reference]);
    const table = await ok("GET", `${root}/datasets/client_pages/tables/logs?${plain}`);
    expect(table).toMatchObject({ tableReference: reference, type: "TABLE" });
    expect(table.schema.fields.find(({ name }) => name === "timestamp")).toMatchObject({ type: "TIMESTAMP" });
  });

  it("lists the rows of a table, of chosen fields and from an index, as to_dataframe() without the storage API", async () => {
    const path = `${root}/datasets/client_pages/tables/logs/data`;
    const pages: Body[] = [await ok("GET", `${path}?selectedFields=id,timestamp&${int64}&${plain}`)];
    for (let token = pages[0]?.pageToken; token !== undefined; token = pages.at(-1)?.pageToken) {
      pages.push(await ok("GET", `${path}?selectedFields=id,timestamp&${int64}&pageToken=${token}&${plain}`));
    }
    const rows = pages.flatMap((page) => page.rows ?? []);
    expect(new Set(rows.map(({ f: [id] }) => id?.v))).toEqual(new Set(ids));
    for (const { f } of rows) expect(String(f[1]?.v)).toMatch(/^\d{16}$/);
    const some = await ok("GET", `${path}?maxResults=2&startIndex=3&${int64}&${plain}`);
    expect(some.rows).toHaveLength(2);
    const iso = "formatOptions.timestampOutputFormat=ISO8601_STRING";
    const [text] = (await ok("GET", `${path}?maxResults=1&selectedFields=timestamp&${iso}&${plain}`)).rows ?? [];
    expect(text?.f[0]?.v).toMatch(/^2026-08-20T\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it("checks a query by a dry run, and makes, finds, lists and cancels jobs", async () => {
    const query = "SELECT id FROM logs_all.edge_logs";
    const dry = await insert({ query, useQueryCache: false }, { dryRun: true });
    expect([dry.status, dry.body.statistics.totalBytesProcessed]).toEqual([200, "0"]);
    expect(dry.body.statistics.query.statementType).toBe("SELECT");
    const { body: job } = await insert({ query, priority: "INTERACTIVE" }, { labels: { team: "a" } });
    const { jobId, location } = job.jobReference;
    const found = await ok("GET", `${root}/jobs/${jobId}?fields=id&location=${location}&${plain}`);
    expect(found.id).toBe(`bqclients:logweir.${jobId}`);
    const since = `minCreationTime=${stoppedMs - 1_000}`;
    const listed = await ok("GET", `${root}/jobs?projection=full&stateFilter=done&${since}&${plain}`);
    expect((listed.jobs as Body[]).map(({ jobReference }) => jobReference.jobId)).toContain(jobId);
    const cancel = `${root}/jobs/${jobId}/cancel?projection=full&location=${location}&${plain}`;
    expect((await ok("POST", cancel)).job).toMatchObject({ jobReference: { jobId } });
    const again = await insert({ query }, {}, jobId);
    expect([again.status, again.body.error.errors[0]?.reason]).toEqual([409, "duplicate"]);
  });

  it("is told why, by reasons that it knows: what it may send again, and what not", async () => {
    const wrong = await insert({ query: "SELECT nope FROM logs_all.edge_logs" });
    expect([wrong.status, wrong.body.error.errors[0]?.reason]).toEqual([400, "invalidQuery"]);
    const missing = await send("GET", `${root}/datasets/client_pages/tables/none?${plain}`);
    expect([missing.status, missing.body.error.errors[0]?.reason]).toEqual([404, "notFound"]);
    const absent = await send("GET", `${root}/jobs/none?projection=full&${plain}`);
    expect([absent.status, absent.body.error.errors[0]?.reason]).toEqual([404, "notFound"]);
    const failed = await insert({ query: "SELECT ERROR('wrong') FROM logs_all.edge_logs" });
    const { jobId } = failed.body.jobReference;
    const job = await ok("GET", `${root}/jobs/${jobId}?projection=full&${plain}`);
    expect(job.status).toMatchObject({ state: "DONE", errorResult: { message: expect.stringContaining("wrong") } });
    const results = await send("GET", `${root}/queries/${jobId}?maxResults=0&${plain}`);
    expect([results.status, results.body.error.errors[0]?.reason]).toEqual([400, job.status.errorResult?.reason]);
    // Jobs and requests are sent again for these alone.
    const again = ["rateLimitExceeded", "backendError", "internalError", "badGateway", "jobRateLimitExceeded"];
    expect(again).not.toContain(job.status.errorResult?.reason);
    for (const code of ["rate_limited", "too_many_queries", "engine_unavailable", "internal"] as const) {
      expect([code, again]).toEqual([code, expect.arrayContaining([toErrorProto(new ServiceError(code, "x")).reason])]);
    }
    expect(again).not.toContain(toErrorProto(new ServiceError("timeout", "x")).reason);
  });
});

describe("Grafana's data source", () => {
  const plain = "alt=json&prettyPrint=false";

  const insert = (query: object, more: object = {}) => {
    const jobReference = { jobId: newId(), projectId: "bqclients" };
    const configuration = { ...more, query: { useLegacySql: false, ...query } };
    return send("POST", `${root}/jobs?${plain}`, { configuration, jobReference });
  };

  it("tests the connection by a dry run of SELECT 1, and checks what is typed the same way", async () => {
    const { status, body } = await insert({ query: "SELECT 1" }, { dryRun: true });
    expect([status, body.status.state]).toEqual([200, "DONE"]);
    const typed = await insert({ query: "SELECT nope(1)" }, { dryRun: true });
    expect([typed.status, typed.body.error.message]).toEqual([400, expect.stringContaining("[1:8]")]);
  });

  it("fills its lists of datasets, tables and columns", async () => {
    const datasets = await ok("GET", `${root}/datasets?${plain}`);
    expect((datasets.datasets as Body[]).map(({ id }) => id)).toContain("bqclients:client_pages");
    const tables = await ok("GET", `${root}/datasets/client_pages/tables?${plain}`);
    expect((tables.tables as Body[]).map(({ id }) => id)).toEqual(["bqclients:client_pages.logs"]);
    const table = await ok("GET", `${root}/datasets/client_pages/tables/logs?${plain}`);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(expect.arrayContaining(["id", "timestamp"]));
  });

  it.each([
    ["the builder's", "SELECT id, timestamp FROM `bqclients.logs_all.edge_logs` WHERE id = 'e05' LIMIT 50", 1],
    [
      "one by $__timeGroup and $__timeFilter",
      "SELECT TIMESTAMP_MILLIS(DIV(UNIX_MILLIS(timestamp), 10000) * 10000) AS time, COUNT(*) AS n " +
        "FROM `bqclients.logs_all.edge_logs` WHERE timestamp >= '2026-08-20T10:00:00Z' AND timestamp <= '2026-08-20T11:00:00Z' " +
        "GROUP BY 1 ORDER BY 1",
      3,
    ],
    [
      "one by months",
      "SELECT TIMESTAMP((PARSE_DATE(\"%Y-%m-%d\",CONCAT( CAST((EXTRACT(YEAR FROM timestamp)) AS STRING),'-'," +
        "CAST((EXTRACT(MONTH FROM timestamp)) AS STRING),'-','01')))) AS time, COUNT(*) AS n FROM `bqclients`.`client_pages`.`logs` GROUP BY 1",
      1,
    ],
  ])("runs %s query: starts, waits, asks how it went, and reads", async (_, query, rowCount) => {
    const labels = { "x-dashboard-uid": "d1", "x-panel-id": "2" };
    const started = await insert({ query, maximumBytesBilled: "5242880" }, { labels });
    expect(started.status).toBe(200);
    const { jobId, location } = started.body.jobReference;
    const place = `location=${location}`;
    const waited = await ok("GET", `${root}/queries/${jobId}?${plain}&${place}&maxResults=0`);
    expect([waited.jobComplete, waited.rows]).toEqual([true, undefined]);
    const job = await ok("GET", `${root}/jobs/${jobId}?${plain}&fields=status%2Cstatistics&${place}`);
    expect(job.status).toEqual({ state: "DONE" });
    const format = "formatOptions.useInt64Timestamp=true";
    const page = await ok("GET", `${root}/queries/${jobId}?${plain}&${format}&${place}`);
    expect([page.rows?.length, page.totalRows, page.pageToken]).toEqual([rowCount, String(rowCount), undefined]);
    const time = page.schema.fields.findIndex(({ type }) => type === "TIMESTAMP");
    for (const { f } of page.rows ?? []) expect(String(f[time]?.v)).toMatch(/^\d{16}$/);
  });
});
