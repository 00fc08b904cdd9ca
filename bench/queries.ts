/** The eight queries, each in every peer's own words. What they ask is the same, and so must the answers be. */
import { type EventPlan, makeBatch, projectReferences, rareWord } from "./events.ts";

/** The values that queries use: the largest project, at the end of the data. */
export interface QueryContext {
  readonly project: string;
  readonly endMs: number;
  /** The id of an event of that project, in the middle of the data. */
  readonly id: string;
}

/** An endpoint with its parameters. */
interface LogweirCall {
  readonly endpoint: "logs.all" | "bench.api-counts";
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * How answers are compared: rows by the order of their ids; numbers by value, the last column within a quarter (a
 * quantile, which each engine estimates its own way).
 */
export type Comparison = "ids" | "numbers" | "quantile";

export interface BenchQuery {
  readonly key: string;
  readonly title: string;
  readonly comparison: Comparison;
  /** Each call asks for another project and another end, as those of many users do. */
  readonly isVaried?: boolean;
  /** The maximum time, as a multiple of the peer's. */
  readonly targets: { readonly clickhouse: number; readonly postgres: number };
  logweir(context: QueryContext): LogweirCall;
  postgres(context: QueryContext): string;
  clickhouse(context: QueryContext): string;
}

const hourMs = 3_600_000;
/** The largest projects, which have some hundred events in an hour each, are asked for in turn. */
const variedProjects = 10;
const variedStepMs = 7 * 60_000;
const dayMs = 24 * hourMs;

/** Finds the values that the queries of a plan ask for. `call` numbers those that differ: their time ends earlier. */
export function contextOf(plan: EventPlan, call = 0): QueryContext {
  const projects = projectReferences(plan.seed);
  const [largest] = projects;
  const batch = makeBatch(plan, Math.floor(plan.eventCount / 2_000));
  const event = batch.find((candidate) => candidate.project === largest);
  if (event === undefined) throw new Error("A batch without an event of the largest project");
  const project = projects[call % variedProjects] ?? "";
  return { project, endMs: plan.endMs - call * variedStepMs, id: event.id };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const clickhouseTime = (ms: number) => `toDateTime64(${quote(iso(ms).slice(0, -1))}, 6, 'UTC')`;

interface NewestRows {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly postgres?: string;
  readonly clickhouse?: string;
}

function postgresRows(project: string, { sinceMs, untilMs, postgres }: NewestRows): string {
  const conditions = [`body->>'project' = ${quote(project)}`];
  if (sinceMs !== undefined) conditions.push(`timestamp > ${quote(iso(sinceMs))}`);
  if (untilMs !== undefined) conditions.push(`timestamp <= ${quote(iso(untilMs))}`);
  if (postgres !== undefined) conditions.push(postgres);
  return `SELECT id, timestamp, event_message, body->'metadata' AS metadata FROM events
    WHERE ${conditions.join(" AND ")} ORDER BY timestamp DESC LIMIT 100`;
}

function clickhouseRows(project: string, { sinceMs, untilMs, clickhouse }: NewestRows): string {
  const conditions = [`project = ${quote(project)}`];
  if (sinceMs !== undefined) conditions.push(`timestamp > ${clickhouseTime(sinceMs)}`);
  if (untilMs !== undefined) conditions.push(`timestamp <= ${clickhouseTime(untilMs)}`);
  if (clickhouse !== undefined) conditions.push(clickhouse);
  return `SELECT id, timestamp, event_message, metadata FROM events
    WHERE ${conditions.join(" AND ")} ORDER BY timestamp DESC LIMIT 100`;
}

function countsPostgres({ project, endMs }: QueryContext, unit: "day" | "minute", spanMs: number): string {
  const path = "body#>>'{metadata,request,path}'";
  const count = (area: string) => `count(*) FILTER (WHERE strpos(${path}, '/${area}') > 0)`;
  return `SELECT date_trunc('${unit}', timestamp), ${["rest", "storage", "auth", "realtime"].map(count).join(", ")}
    FROM events WHERE timestamp >= ${quote(iso(endMs - spanMs))}
    AND coalesce(body#>>'{metadata,request,url}', body->>'project') ~ ${quote(project)} GROUP BY 1 ORDER BY 1`;
}

function countsClickhouse({ project, endMs }: QueryContext, unit: "Day" | "Minute", spanMs: number): string {
  const count = (area: string) => `countIf(position(metadata.request.path.:String, '/${area}') > 0)`;
  return `SELECT toStartOf${unit}(timestamp) AS t, ${["rest", "storage", "auth", "realtime"].map(count).join(", ")}
    FROM events WHERE timestamp >= ${clickhouseTime(endMs - spanMs)}
    AND match(coalesce(metadata.request.url.:String, project), ${quote(project)}) GROUP BY t ORDER BY t`;
}

/** A client's own query of the newest rows. */
export const clientRows = "select id, timestamp, event_message, metadata from edge_logs";

export const benchQueries: readonly BenchQuery[] = [
  {
    key: "newest-1h",
    title: "newest 100, 1 h",
    comparison: "ids",
    targets: { clickhouse: 0.3, postgres: 1.2 },
    logweir: ({ project, endMs }) => ({
      endpoint: "logs.all",
      parameters: { project, iso_timestamp_start: iso(endMs - hourMs), iso_timestamp_end: iso(endMs) },
    }),
    postgres: ({ project, endMs }) => postgresRows(project, { sinceMs: endMs - hourMs, untilMs: endMs }),
    clickhouse: ({ project, endMs }) => clickhouseRows(project, { sinceMs: endMs - hourMs, untilMs: endMs }),
  },
  {
    key: "newest-all",
    title: "newest 100, all",
    comparison: "ids",
    targets: { clickhouse: 0.3, postgres: 1.2 },
    logweir: ({ project }) => ({ endpoint: "logs.all", parameters: { project } }),
    postgres: ({ project }) => postgresRows(project, {}),
    clickhouse: ({ project }) => clickhouseRows(project, {}),
  },
  {
    key: "counts-daily",
    title: "api-counts daily, project regex",
    comparison: "numbers",
    targets: { clickhouse: 0.9, postgres: 0.01 },
    logweir: ({ project }) => ({
      endpoint: "bench.api-counts",
      parameters: { project, interval: "daily" },
    }),
    postgres: (context) => countsPostgres(context, "day", 7 * dayMs),
    clickhouse: (context) => countsClickhouse(context, "Day", 7 * dayMs),
  },
  {
    key: "counts-minutely",
    title: "api-counts minutely",
    comparison: "numbers",
    targets: { clickhouse: 0.8, postgres: 0.15 },
    logweir: ({ project }) => ({
      endpoint: "bench.api-counts",
      parameters: { project, interval: "minutely" },
    }),
    postgres: (context) => countsPostgres(context, "minute", hourMs),
    clickhouse: (context) => countsClickhouse(context, "Minute", hourMs),
  },
  {
    key: "errors-24h",
    title: "5xx + path regex, 24 h, newest 100",
    comparison: "ids",
    targets: { clickhouse: 0.3, postgres: 0.1 },
    logweir: ({ project, endMs }) => ({
      endpoint: "logs.all",
      parameters: {
        project,
        iso_timestamp_start: iso(endMs - dayMs),
        sql: `select edge_logs.id, edge_logs.timestamp, event_message, metadata from edge_logs
          cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response
          where response.status_code >= 500 and regexp_contains(request.path, r'^/rest/v1/[a-z_]+')
          order by timestamp desc limit 100`,
      },
    }),
    postgres: ({ project, endMs }) =>
      postgresRows(project, {
        sinceMs: endMs - dayMs,
        postgres: `(body#>>'{metadata,response,status_code}')::int >= 500
          AND body#>>'{metadata,request,path}' ~ '^/rest/v1/[a-z_]+'`,
      }),
    clickhouse: ({ project, endMs }) =>
      clickhouseRows(project, {
        sinceMs: endMs - dayMs,
        clickhouse: `metadata.response.status_code.:Int64 >= 500
          AND match(metadata.request.path.:String, '^/rest/v1/[a-z_]+')`,
      }),
  },
  {
    key: "hourly-7d",
    title: "hourly count, errors, avg, p95, 7 d",
    comparison: "quantile",
    targets: { clickhouse: 0.6, postgres: 0.01 },
    logweir: ({ project, endMs }) => ({
      endpoint: "logs.all",
      parameters: {
        project,
        iso_timestamp_start: iso(endMs - 7 * dayMs),
        sql: `select timestamp_trunc(edge_logs.timestamp, hour) as hour, count(*) as requests,
          countif(response.status_code >= 500) as errors, avg(response.origin_time) as mean,
          approx_quantiles(response.origin_time, 100)[offset(95)] as p95 from edge_logs
          cross join unnest(metadata) as m cross join unnest(m.response) as response group by 1 order by 1`,
      },
    }),
    postgres: ({ project, endMs }) => `SELECT date_trunc('hour', timestamp), count(*),
      count(*) FILTER (WHERE (body#>>'{metadata,response,status_code}')::int >= 500),
      avg((body#>>'{metadata,response,origin_time}')::float8),
      percentile_disc(0.95) WITHIN GROUP (ORDER BY (body#>>'{metadata,response,origin_time}')::float8)
      FROM events WHERE body->>'project' = ${quote(project)} AND timestamp > ${quote(iso(endMs - 7 * dayMs))}
      GROUP BY 1 ORDER BY 1`,
    clickhouse: ({ project, endMs }) => `SELECT toStartOfHour(timestamp) AS hour, count(),
      countIf(metadata.response.status_code.:Int64 >= 500), avg(metadata.response.origin_time.:Int64),
      quantileExact(0.95)(metadata.response.origin_time.:Int64)
      FROM events WHERE project = ${quote(project)} AND timestamp > ${clickhouseTime(endMs - 7 * dayMs)}
      GROUP BY hour ORDER BY hour`,
  },
  {
    key: "rare-word",
    title: "rare word, all time, newest 100",
    comparison: "ids",
    targets: { clickhouse: 0.5, postgres: 0.6 },
    logweir: ({ project }) => ({
      endpoint: "logs.all",
      parameters: {
        project,
        sql: `${clientRows} where event_message like '%${rareWord}%' order by timestamp desc limit 100`,
      },
    }),
    postgres: ({ project }) => postgresRows(project, { postgres: `event_message LIKE '%${rareWord}%'` }),
    clickhouse: ({ project }) => clickhouseRows(project, { clickhouse: `event_message LIKE '%${rareWord}%'` }),
  },
  {
    key: "by-id",
    title: "by id",
    comparison: "ids",
    targets: { clickhouse: 0.3, postgres: 15 },
    logweir: ({ project, id }) => ({
      endpoint: "logs.all",
      parameters: { project, sql: `${clientRows} where id = '${id}'` },
    }),
    postgres: ({ id }) =>
      `SELECT id, timestamp, event_message, body->'metadata' AS metadata FROM events WHERE id = ${quote(id)}`,
    clickhouse: ({ id, project }) => clickhouseRows(project, { clickhouse: `id = ${quote(id)}` }),
  },
];

/** Those of them that ask for newest rows, with calls that all differ. */
export const variedQueries: readonly BenchQuery[] = benchQueries
  .filter(({ key, comparison }) => comparison === "ids" && key !== "by-id")
  .map((query) => ({ ...query, key: `${query.key}-varied`, title: `${query.title}, calls differ`, isVaried: true }));
