import fc from "fast-check";
import { clickHouseSql } from "./clickhouse-queries.ts";
import { logqlCalls } from "./logql-queries.ts";
import { lql, openQuery, orderedQuery, unorderedQuery, wrongQuery } from "./tenant-queries.ts";

/** A request of a tenant's at one of the doors beside an endpoint's own address. */
export interface DoorRequest {
  readonly door: "loki" | "bigquery" | "mcp" | "clickhouse";
  readonly path: string;
  /** Sent as JSON by POST; a GET without. */
  readonly body?: object;
  /** False where the message of an error depends on which row fails first. */
  readonly isExact: boolean;
}

const loki = logqlCalls.map(({ path, sent }): DoorRequest => {
  const range = { start: "2026-08-20T00:00:00Z", end: "2026-08-22T00:00:00Z", ...sent };
  return { door: "loki", path: `/loki/api/v1/${path}?${new URLSearchParams(range)}`, isExact: true };
});

const clickhouse = clickHouseSql.map((sql): DoorRequest => {
  return {
    door: "clickhouse",
    path: `/api/endpoints/query/logs.all.otel?${new URLSearchParams({ sql })}`,
    isExact: true,
  };
});

const exactSql = fc.oneof({ arbitrary: orderedQuery, weight: 3 }, unorderedQuery, wrongQuery);
const anySql = fc.oneof(
  { arbitrary: exactSql.map((sql) => ({ sql, isExact: true })), weight: 5 },
  { arbitrary: openQuery.map((sql) => ({ sql, isExact: false })), weight: 1 },
);

const project = "/bigquery/v2/projects/any";
const datasetId = "logs_all";
const tableNames = fc.constantFrom("edge_logs", "function_logs", "auth_logs", "nothing_logs");
const bigquery = fc
  .oneof(
    {
      arbitrary: fc
        .tuple(anySql, fc.boolean())
        .map(([{ sql, isExact }, dryRun]) => [`${project}/queries`, { query: sql, dryRun }, isExact] as const),
      weight: 6,
    },
    anySql.map(({ sql, isExact }) => {
      return [`${project}/jobs`, { configuration: { query: { query: sql } } }, isExact] as const;
    }),
    fc
      .oneof(
        fc.constantFrom("/datasets", `/datasets/${datasetId}`, `/datasets/${datasetId}/tables`),
        tableNames.map((name) => `/datasets/${datasetId}/tables/${name}`),
        fc
          .tuple(tableNames, fc.constantFrom("", "?selectedFields=id,extra", "?maxResults=2"))
          .map(([name, selected]) => `/datasets/${datasetId}/tables/${name}/data${selected}`),
      )
      .map((path) => [`${project}${path}`, undefined, true] as const),
  )
  .map(([path, body, isExact]): DoorRequest => {
    const sent = body === undefined ? {} : { body: { defaultDataset: { datasetId }, ...withDataset(body) } };
    return { door: "bigquery", path, ...sent, isExact };
  });

/** A job names the dataset beside its query. */
function withDataset(body: object): object {
  const { configuration } = body as { readonly configuration?: { readonly query: object } };
  if (configuration === undefined) return body;
  return { configuration: { query: { ...configuration.query, defaultDataset: { datasetId } } } };
}

const endpoint = "logs.all";
const mcp = fc
  .oneof(
    {
      arbitrary: fc
        .tuple(anySql, fc.constantFrom("csv", "json"))
        .map(([{ sql, isExact }, format]) => [callTool("query", { endpoint, sql, format }), isExact] as const),
      weight: 6,
    },
    { arbitrary: lql.map((text) => [callTool("query", { endpoint, lql: text }), true] as const), weight: 2 },
    fc.constantFrom({}, { limit: 3 }, { format: "json" }).map((sent) => [callTool(endpoint, sent), true] as const),
    fc
      .tuple(tableNames, fc.constantFrom("event_message", "metadata.path", "metadata.a", "extra", "id"))
      .map(([table, field]) => [callTool("patterns", { endpoint, table, field }), true] as const),
    fc
      .constantFrom(
        callTool("query", { endpoint }),
        message("tools/list", {}),
        message("resources/list", {}),
        message("resources/read", { uri: `logweir://endpoint/${endpoint}/tables` }),
      )
      .map((body) => [body, true] as const),
  )
  .map(([body, isExact]): DoorRequest => ({ door: "mcp", path: "/mcp", body, isExact }));

function message(method: string, params: object): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

function callTool(name: string, sent: object): object {
  return message("tools/call", { name, arguments: sent });
}

/** Requests at all of these doors, the same for each. */
export const doorRequests: fc.Arbitrary<DoorRequest> = fc.oneof(loki, bigquery, mcp, clickhouse);
