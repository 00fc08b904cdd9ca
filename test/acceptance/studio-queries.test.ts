import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Row, type Service, startService } from "./service.ts";

/** The forms of queries that a self-hosted Studio sends to `logs.all`, over events in the shapes of its log shipper. */
let service: Service;
const project = "default";
const start = "2026-08-20T09:00:00Z";

/** Names of tables, the source behind each, and where an event of it carries its project. */
const tables = [
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
] as const;

/** What the shipper puts into `metadata`, by table; each has three events: the first fails, the others do not. */
function metadataOf(table: string, index: number): Record<string, unknown> {
  const isFirst = index === 0;
  switch (table) {
    case "edge_logs":
      return {
        request: {
          method: isFirst ? "POST" : "GET",
          path: isFirst ? "/auth/v1/token" : "/rest/v1/orders",
          protocol: "HTTP/1.1",
        },
        response: { status_code: isFirst ? 500 : 200 },
      };
    case "postgres_logs":
      return { host: "db-1", parsed: { error_severity: isFirst ? "ERROR" : "LOG", timestamp: start } };
    case "auth_logs":
      return {
        level: isFirst ? "error" : "info",
        status: isFirst ? 500 : 200,
        path: "/token",
        msg: "request completed",
      };
    case "storage_logs":
      return { level: isFirst ? "error" : "info", context: [{ host: "s", pid: 1 }] };
    case "realtime_logs":
      return { level: isFirst ? "error" : "info", external_id: "r" };
    default:
      return { host: "a" };
  }
}

beforeAll(async () => {
  service = await startService();
  for (const [table, source, place] of tables) {
    const events = [0, 1, 2].map((index) => ({
      id: `${table}-${index}`,
      timestamp: `2026-08-20T09:0${index}:00.000Z`,
      event_message: index === 0 ? `it's broken in ${table}` : `fine ${index}`,
      ...(place === "top" ? { project } : {}),
      metadata: { ...metadataOf(table, index), ...(place === "top" ? {} : { [place]: project }) },
    }));
    await service.ingest(source, events);
  }
});

afterAll(async () => {
  await service.stop();
});

/** A query, how many rows it answers, and the values of its first row that are known. */
type Form = readonly [sql: string, rows: number, first?: Row];

/** Runs all of them and gives what was not as expected. */
async function misses(forms: readonly Form[]): Promise<readonly string[]> {
  const found: string[] = [];
  const window = { iso_timestamp_start: "2026-08-20T08:00:00.000Z", iso_timestamp_end: "2026-08-20T10:00:00.000Z" };
  const run = async ([sql, count, first = {}]: Form) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, ...window, sql });
    const text = await response.text();
    const rows = response.status === 200 ? (JSON.parse(text) as { result: Row[] }).result : undefined;
    const isExpected = Object.entries(first).every(([key, value]) => rows?.[0]?.[key] === value);
    if (rows?.length !== count || !isExpected) found.push(`${sql}\n  ${text.slice(0, 300)}`);
  };
  for (let at = 0; at < forms.length; at += 8) await Promise.all(forms.slice(at, at + 8).map(run));
  return found;
}

/** One per table and WHERE clause that holds for `matched` of its three events. */
function previews(table: string): readonly Form[] {
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

/** What Studio selects out of the metadata of each service, and how many of the three events a filter leaves. */
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
        ["m.project = 'default' and m is not null", 3],
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

function reports(): readonly Form[] {
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

/** Forms that stand for themselves. */
const others: readonly Form[] = [
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
];

describe("queries as a self-hosted Studio sends them", () => {
  it("are nearly four hundred", () => {
    expect(tables.flatMap(([table]) => previews(table)).length + reports().length + others.length).toBeGreaterThan(390);
  });

  it.each(tables.map(([table]) => table))("preview, count, chart and filter %s", async (table) => {
    expect(await misses(previews(table))).toEqual([]);
  });

  it("report on the services by what their metadata says", async () => {
    expect(await misses(reports())).toEqual([]);
  });

  it("join, unite, convert and reach into records", async () => {
    expect(await misses(others)).toEqual([]);
  });
});
