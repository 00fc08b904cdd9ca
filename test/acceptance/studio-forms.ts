/** The forms of queries that a self-hosted Studio sends to `logs.all`. */
import type { Row } from "./service.ts";

/** When the first of a table's three events happened. */
export const start = "2026-08-20T09:00:00Z";

/** Names of tables, the source behind each, and where an event of it carries its project. */
export const tables = [
  ["edge_logs", "cloudflare.logs.prod", "top"],
  ["postgres_logs", "postgres.logs", "top"],
  ["function_edge_logs", "deno-relay-logs", "project_ref"],
  ["function_logs", "deno-subhosting-events", "project_ref"],
  ["auth_logs", "gotrue.logs.prod", "top"],
  ["realtime_logs", "realtime.logs.prod", "project"],
  ["storage_logs", "storage.logs.prod.2", "project"],
  ["postgrest_logs", "postgREST.logs.prod", "top"],
  ["pgbouncer_logs", "pgbouncer.logs.prod", "top"],
  ["auth_audit_logs", "auth_audit", "top"],
  ["pg_upgrade_logs", "pg_upgrade", "top"],
  ["etl_replication_logs", "etl_replication", "top"],
  ["multigres_logs", "multigres", "top"],
  ["workflow_run_logs", "workflow_run", "top"],
  ["supamonitor_logs", "supamonitor", "top"],
] as const;

/** A query, how many rows it answers, and the values of its first row that are known. */
export type Form = readonly [sql: string, rows: number, first?: Row];

/** One per table and WHERE clause that holds for `matched` of its three events. */
export function previews(table: string): readonly Form[] {
  const clauses: readonly (readonly [clause: string, matched: number])[] = [
    ["", 3],
    ["where timestamp > '2026-08-20T09:00:30.000Z'", 2],
    [`where t.id = '${table}-1'`, 1],
    [`where (regexp_contains(event_message, 'broken'))`, 1],
    ["where event_message like '%it''s broken%'", 1],
    [`where starts_with(event_message, "fine") and strpos(lower(event_message), 'fine') > 0`, 2],
  ];
  return clauses.flatMap(([clause, matched]): Form[] => [
    [
      `select id, t.timestamp, event_message, metadata, from ${table} as t ${clause} order by timestamp desc limit 100`,
      matched,
    ],
    [`SELECT count(*) as count FROM ${table} t ${clause};`, 1, { count: matched }],
    [
      "SELECT timestamp_trunc(t.timestamp, minute) as timestamp, count(t.timestamp) as count " +
        `FROM ${table} t ${clause} GROUP BY timestamp ORDER BY timestamp ASC`,
      matched,
      { count: 1 },
    ],
  ]);
}

/** The filters that Studio applies to the metadata of each service, and how many of the three events pass. */
const services: readonly (readonly [from: string, filters: readonly (readonly [filter: string, matched: number])[]])[] =
  [
    [
      "edge_logs as t cross join unnest(metadata) as m cross join unnest(m.request) as request cross join " +
        "unnest(m.response) as response",
      [
        ["response.status_code >= 500", 1],
        ["(status_code between 200 and 299)", 2],
        ["request.method IN ('GET', 'HEAD')", 2],
        ["path like '/rest/v1%'", 2],
        ["(request.path = '/auth/v1/token' or request.path like '%/logout')", 1],
        ["cast(status_code as string) = '500'", 1],
      ],
    ],
    [
      "`postgres_logs` as t cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed",
      [
        ["parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')", 1],
        ["error_severity = 'LOG'", 2],
        ["parsed.user_name is null", 3],
        ["regexp_contains(event_message, '(?i)BROKEN') or parsed.query is not null", 1],
      ],
    ],
    [
      "auth_logs as t left join unnest(metadata) as m",
      [
        ["m.level in ('error', 'fatal')", 1],
        ["cast(m.status as int64) between 200 and 299", 2],
        ["json_value(event_message, '$.level') is null", 3],
        ["m.path = '/token' and metadata[0].level = 'info'", 2],
      ],
    ],
    [
      "storage_logs t cross join unnest(t.metadata) m",
      [
        ["level = 'error'", 1],
        ["m.project = 'studio' and m is not null", 3],
      ],
    ],
    [
      "realtime_logs t cross join unnest(t.metadata) m",
      [
        ["m.level = 'info'", 2],
        ["m.external_id = 'r' and not m.level = 'info'", 1],
      ],
    ],
  ];

/** Aggregates of reports, each over the rows that a filter leaves. */
const aggregates = [
  ["count(*) as n", (matched: number) => matched],
  ["countif(t.timestamp is not null) as n", (matched: number) => matched],
  ["count(distinct if(true, t.id, null)) as n", (matched: number) => matched],
  ["cast(safe_divide(count(t.id), 1) as int64) as n", (matched: number) => matched],
  ["array_length(array_agg(struct(t.id as id))) as n", (matched: number) => matched],
  ["case when any_value(t.id) is null then 0 else approx_quantiles(1, 100)[offset(95)] end as n", () => 1],
] as const;

export function reports(): readonly Form[] {
  return services.flatMap(([from, filters]) =>
    filters.flatMap(([filter, matched]): Form[] => [
      ...aggregates.map(
        ([aggregate, n]): Form => [`select ${aggregate} from ${from} where ${filter}`, 1, { n: n(matched) }],
      ),
      [
        `select t.id, cast(t.timestamp as datetime) as timestamp from ${from} where ${filter} order by t.timestamp`,
        matched,
      ],
      [
        `with a as (select timestamp_trunc(t.timestamp, hour) as bucket, count(1) as n from ${from} where ` +
          `${filter} group by 1) select bucket as timestamp, n from a order by 1`,
        1,
        { n: matched },
      ],
    ]),
  );
}

/** Forms that are not generated. */
export const others: readonly Form[] = [
  ["select a.id from edge_logs a join edge_logs b using (id)", 3],
  ["select x.id from (edge_logs x join auth_logs y on x.timestamp = y.timestamp)", 3],
  [
    "select id, null as code from edge_logs union all select id, m.status from auth_logs cross join unnest(metadata) m",
    6,
  ],
  [
    "select datetime(timestamp) as d, unix_millis(timestamp) as ms from edge_logs order by 2",
    3,
    { ms: Date.parse(start) },
  ],
  [
    "select timestamp_add(timestamp_sub(timestamp, interval 1 hour), interval 60 minute) as t from edge_logs " +
      "order by 1",
    3,
    { t: Date.parse(start) * 1000 },
  ],
  [
    "select parse_timestamp('%Y-%m-%dT%H:%M:%E*S%Ez', m.parsed[0].timestamp) as t from postgres_logs cross " +
      "join unnest(metadata) m limit 1",
    1,
    { t: Date.parse(start) * 1000 },
  ],
  ["select coalesce(safe_cast(event_message as int64), -1) as n from edge_logs limit 1", 1, { n: -1 }],
  ["select json_query('{\"a\": [1]}', '$.a') as j, concat(id, '-', 'x') as c from edge_logs limit 1", 1, { j: "[1]" }],
  ["select t from edge_logs t limit 2", 2],
  [
    "select s.c[offset(0)].host as h from (select array_length(coalesce(m.context, [])) as n, m.context as c " +
      "from storage_logs cross join unnest(metadata) m) s limit 1",
    1,
    { h: "s" },
  ],
  [
    "select id, identifier, m.nothing.such as none from edge_logs cross join unnest(metadata) as m limit 1",
    1,
    { identifier: null, none: null },
  ],
  [
    "select case m.level when 'error' then 'bad' else 'good' end as state from auth_logs cross join " +
      "unnest(metadata) m order by timestamp",
    3,
    { state: "bad" },
  ],
  [
    "select timestamp_trunc(t.timestamp, hour) as timestamp, cast(q.query as string) as query, q.query_id, " +
      "sum(q.calls) as calls, case when sum(q.calls) > 0 then sum(q.total_exec_time) / sum(q.calls) else 0 end as mean, " +
      "approx_quantiles(q.total_exec_time, 100)[offset(95)] as p95, min(nullif(q.total_plan_time, 0)) as plan " +
      "from supamonitor_logs as t cross join unnest(t.metadata) as m cross join unnest(m.supamonitor) as q " +
      "where starts_with(t.event_message, 'fine') group by timestamp, query, query_id order by timestamp desc",
    1,
    { query: "SELECT 1", query_id: 7, calls: 4, mean: 1.5, p95: 3.5, plan: null },
  ],
];
