/** Requests as the command `bq` 2.1.18 sends them, recorded from its calls of this service. */
import { expect } from "vitest";
import { privateToken, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

const root = "/bigquery/v2/projects/bqcommand";

let service: Service;

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  const events = Array.from({ length: 1_200 }, (_, index) => ({
    id: `e${index}`,
    project: "bqcommand",
    event_message: "m",
  }));
  await service.ingest("edge", events);
}, 60_000);

async function send(method: string, path: string, body?: object) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${privateToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const get = (path: string) => send("GET", path).then(({ body }) => body);

let count = 0;

/** Starts a job as `bq query` does, and answers its id. */
async function insert(query: object, more: object = {}) {
  const jobId = `bqjob_r46c8da8e8cc3eb45_${count++}_1`;
  const configuration = { query: { useLegacySql: false, continuous: false, ...query }, ...more };
  const jobReference = { jobId, projectId: "bqcommand" };
  return { jobId, ...(await send("POST", `${root}/jobs?alt=json`, { configuration, jobReference })) };
}

it("lists datasets, tables and jobs, as many as are asked for, and goes on behind them", async () => {
  const names = ({ datasets }: { datasets: { datasetReference: { datasetId: string } }[] }) =>
    datasets.map(({ datasetReference }) => datasetReference.datasetId);
  const all = names(await get(`${root}/datasets?alt=json`));
  expect(all).toContain("logs_all");
  const first = await get(`${root}/datasets?maxResults=1&alt=json`);
  const next = await get(`${root}/datasets?maxResults=1000&pageToken=${first.nextPageToken}&alt=json`);
  expect([...names(first), ...names(next)]).toEqual(all);
  expect([names(first).length, next.nextPageToken]).toEqual([1, undefined]);
  const tables = await get(`${root}/datasets/logs_all/tables?maxResults=2&alt=json`);
  expect(tables.tables.map(({ tableReference }: { tableReference: object }) => tableReference)).toEqual([
    { projectId: "bqcommand", datasetId: "logs_all", tableId: "edge_logs" },
    { projectId: "bqcommand", datasetId: "logs_all", tableId: "db_logs" },
  ]);
  expect(tables).toMatchObject({ nextPageToken: "2", totalItems: expect.any(Number) });
  const ids = [await insert({ query: "SELECT 1" }), await insert({ query: "SELECT 2" })].map(({ jobId }) => jobId);
  const jobs = await get(`${root}/jobs?maxResults=1&projection=full&alt=json`);
  expect(jobs.jobs.map(({ jobReference }: { jobReference: { jobId: string } }) => jobReference.jobId)).toEqual([
    ids[1],
  ]);
  await get(`${root}/jobs/${ids[1]}?alt=json`);
  const running = await get(`${root}/jobs?stateFilter=running&alt=json`);
  expect(running.jobs.map(({ jobReference }: { jobReference: { jobId: string } }) => jobReference.jobId)).toEqual([
    ids[0],
  ]);
  const refused = await send("GET", `${root}/datasets?maxResults=x`);
  expect([refused.status, refused.body.error.message]).toEqual([400, "maxResults must be an integer of 0 or more"]);
});

it("runs a query with parameters", async () => {
  const { jobId, body } = await insert({
    query: "SELECT @s + 1 AS n, @ts AS t, @a AS a",
    queryParameters: [
      { name: "s", parameterType: { type: "INT64" }, parameterValue: { value: "500" } },
      { name: "ts", parameterType: { type: "TIMESTAMP" }, parameterValue: { value: "2026-01-01 00:00:00" } },
      {
        name: "a",
        parameterType: { type: "ARRAY", arrayType: { type: "STRING" } },
        parameterValue: { arrayValues: [{ value: "x" }] },
      },
    ],
  });
  expect(body.jobReference).toEqual({ jobId, projectId: "bqcommand", location: "logweir" });
  expect((await get(`${root}/jobs/${jobId}?location=logweir&alt=json`)).status.state).toBe("DONE");
  const path = `${root}/queries/${jobId}?location=logweir&maxResults=100&timeoutMs=0&startIndex=0&alt=json`;
  expect((await get(path)).rows).toEqual([{ f: [{ v: "501" }, { v: "1767225600.000000" }, { v: [{ v: "x" }] }] }]);
});

it("runs a query with ranges as parameters", async () => {
  const range = (name: string, element: string, rangeValue: object | null) => ({
    name,
    parameterType: { type: "RANGE", rangeElementType: { type: element } },
    parameterValue: { rangeValue },
  });
  const ask = async (queryParameters: readonly object[]) => {
    const names = "SELECT @d AS d, @t AS t, RANGE_CONTAINS(@d, DATE '2026-08-20') AS c, @n IS NULL AS n";
    return send("POST", `${root}/queries`, { query: names, queryParameters, useLegacySql: false });
  };
  const found = await ask([
    range("d", "DATE", { start: { value: "2026-08-01" }, end: { value: "2026-09-01" } }),
    range("t", "TIMESTAMP", { start: { value: "1970-01-01 00:00:01" }, end: { value: null } }),
    range("n", "DATETIME", null),
  ]);
  const cells = ["[2026-08-01, 2026-09-01)", "[1.000000, UNBOUNDED)", "true", "true"].map((v) => ({ v }));
  expect(found.body.rows).toEqual([{ f: cells }]);
  const refused = await ask([range("d", "TIME", {})]);
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining("The query parameter d is a range, whose elements must be of type DATE, DATETIME or"),
  ]);
});

it("reads a result in pages", async () => {
  const { jobId } = await insert({ query: "SELECT id FROM logs_all.edge_logs LIMIT 1500" });
  await get(`${root}/jobs/${jobId}?location=logweir&alt=json`);
  const path = `${root}/queries/${jobId}?location=logweir&timeoutMs=0`;
  const first = await get(`${path}&maxResults=1500&startIndex=0&alt=json`);
  const more = await get(`${path}&maxResults=${1500 - first.rows.length}&pageToken=${first.pageToken}&alt=json`);
  expect(first.rows.length + more.rows.length).toBe(1_200);
});

it("reads rows and the schema of a table, and checks a query without running it", async () => {
  const table = `${root}/datasets/logs_all/tables/edge_logs`;
  expect((await get(`${table}/data?maxResults=2&startIndex=0&alt=json`)).rows).toHaveLength(2);
  expect((await get(`${table}?alt=json`)).schema.fields.map(({ name }: { name: string }) => name)).toContain("id");
  const { status, body } = await insert({ query: "SELECT id FROM logs_all.edge_logs" }, { dryRun: true });
  expect([status, body.statistics.query.schema.fields.length]).toEqual([200, 1]);
});

it.each([
  ["mk a dataset", "POST", "/datasets?accessPolicyVersion=3&alt=json", { datasetReference: { datasetId: "x" } }, 405],
  ["mk a view", "POST", "/datasets/logs_all/tables?alt=json", { view: { query: "SELECT 1" } }, 405],
  ["rm", "DELETE", "/datasets/logs_all/tables/edge_logs", undefined, 405],
  ["insert", "POST", "/datasets/logs_all/tables/edge_logs/insertAll?alt=json", { rows: [{ json: { a: 1 } }] }, 404],
  ["ls --models", "GET", "/datasets/logs_all/models?alt=json", undefined, 404],
  ["extract", "POST", "/jobs?alt=json", { configuration: { extract: { destinationUris: ["gs://b/x"] } } }, 400],
  ["cp", "POST", "/jobs?alt=json", { configuration: { copy: { operationType: "COPY" } } }, 400],
])("refuses bq %s in BigQuery's form", async (_, method, path, sent, status) => {
  const { body, ...answer } = await send(method, `${root}${path}`, sent);
  expect(answer.status).toBe(status);
  expect(body.error).toMatchObject({ code: status, message: expect.any(String), errors: [{ domain: "global" }] });
});

it("refuses bq load in BigQuery's form", async () => {
  const { status, body } = await send("POST", `/upload${root}/jobs?alt=json&uploadType=resumable`, {});
  expect([status, body.error.code, body.error.errors[0].reason]).toEqual([404, 404, "notFound"]);
});
