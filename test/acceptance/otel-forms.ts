/**
 * The forms of queries that the newest Studio builds for `logs.all.otel`, each with what its older builders ask of
 * `logs.all` for the same chart or table.
 */

/** A query in ClickHouse's SQL, and one in GoogleSQL that has the same rows; undefined where Studio has none. */
export interface OtelForm {
  readonly name: string;
  readonly otel: string;
  readonly googleSql?: string;
}

const attribute = (key: string) => `log_attributes['${key}']`;
const status = `toInt32OrZero(${attribute("response.status_code")})`;
const unnest = (table: string, ...records: readonly string[]) =>
  records.reduce(
    (from, record) => `${from} cross join unnest(${record === "m" ? "t.metadata" : `m.${record}`}) as ${record}`,
    `${table} as t`,
  );

/** Columns of the preview of each table, by key and alias; and how its rows are an error or a warning. */
const previews: readonly {
  readonly table: string;
  readonly records: readonly string[];
  readonly columns: readonly (readonly [key: string, alias: string])[];
  readonly error?: readonly [otel: string, googleSql: string];
  readonly warning?: readonly [otel: string, googleSql: string];
}[] = [
  {
    table: "edge_logs",
    records: ["m", "request", "response"],
    columns: [
      ["request.method", "method"],
      ["request.path", "path"],
      ["request.search", "search"],
      ["response.status_code", "status_code"],
    ],
    error: [`${status} >= 500`, "response.status_code >= 500"],
    warning: [`${status} BETWEEN 400 AND 499`, "response.status_code between 400 and 499"],
  },
  {
    table: "postgres_logs",
    records: ["m", "parsed"],
    columns: [
      ["parsed.error_severity", "error_severity"],
      ["parsed.detail", "detail"],
      ["parsed.hint", "hint"],
    ],
    error: [
      `${attribute("parsed.error_severity")} IN ('ERROR', 'FATAL', 'PANIC')`,
      "parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')",
    ],
    warning: [`${attribute("parsed.error_severity")} = 'WARNING'`, "parsed.error_severity = 'WARNING'"],
  },
  {
    table: "function_logs",
    records: ["m"],
    columns: [
      ["event_type", "event_type"],
      ["function_id", "function_id"],
      ["execution_id", "execution_id"],
      ["level", "level"],
    ],
    error: [`${attribute("level")} IN ('error', 'fatal')`, "m.level in ('error', 'fatal')"],
    warning: [`${attribute("level")} = 'warning'`, "m.level = 'warning'"],
  },
  {
    table: "function_edge_logs",
    records: ["m", "request", "response"],
    columns: [
      ["response.status_code", "status_code"],
      ["request.method", "method"],
      ["request.pathname", "pathname"],
      ["function_id", "function_id"],
      ["execution_time_ms", "execution_time_ms"],
    ],
    error: [`${status} >= 500`, "response.status_code >= 500"],
    warning: [`${status} BETWEEN 400 AND 499`, "response.status_code between 400 and 499"],
  },
  {
    table: "auth_logs",
    records: ["m"],
    columns: [
      ["level", "level"],
      ["status", "status"],
      ["path", "path"],
      ["msg", "msg"],
      ["error", "error"],
    ],
    error: [
      `${attribute("level")} IN ('error', 'fatal') OR toInt32OrZero(${attribute("status")}) >= 500`,
      "ifnull(m.level, '') in ('error', 'fatal') or ifnull(safe_cast(m.status as int64), 0) >= 500",
    ],
    warning: [
      `${attribute("level")} = 'warning' OR toInt32OrZero(${attribute("status")}) BETWEEN 400 AND 499`,
      "ifnull(m.level, '') = 'warning' or ifnull(safe_cast(m.status as int64), 0) between 400 and 499",
    ],
  },
  {
    table: "multigres_logs",
    records: [],
    columns: [],
    error: [
      "JSONExtractString(event_message, 'level') IN ('ERROR', 'FATAL', 'PANIC')",
      "json_value(event_message, '$.level') in ('ERROR', 'FATAL', 'PANIC')",
    ],
    warning: [
      "JSONExtractString(event_message, 'level') IN ('WARN', 'WARNING')",
      "json_value(event_message, '$.level') in ('WARN', 'WARNING')",
    ],
  },
  ...[
    ...["postgrest_logs", "supavisor_logs", "etl_replication_logs", "auth_audit_logs", "realtime_logs"],
    ...["storage_logs", "pgbouncer_logs", "pg_upgrade_logs"],
  ].map((table) => ({ table, records: [], columns: [] })),
];

function previewForms(): readonly OtelForm[] {
  return previews.flatMap(({ table, records, columns, error, warning }) => {
    const from = unnest(table, ...records);
    const keys = columns.map(([key, alias]) => `${attribute(key)} AS ${alias}`);
    const fields = columns.map(
      ([key, alias]) => `cast(${records.includes(key.split(".")[0] ?? "") ? key : `m.${key}`} as string) as ${alias}`,
    );
    const [otelError, sqlError] = error ?? ["0", "false"];
    const [otelWarning, sqlWarning] = warning ?? ["0", "false"];
    const chart = (bad: string, poor: string, countIf: string) =>
      `${countIf}(NOT ((${bad}) OR (${poor}))) AS ok_count, ${countIf}(${bad}) AS error_count, ${countIf}(${poor}) AS warning_count`;
    return [
      {
        name: `preview of ${table}`,
        otel: `-- preview ['${table}']\nSELECT ${["id", "timestamp", "event_message", ...keys].join(", ")}\nFROM logs\nWHERE source = '${table}'\nORDER BY timestamp DESC\nLIMIT 100`,
        googleSql: `select ${["t.id", "t.timestamp", "event_message", ...fields].join(", ")} from ${from} order by timestamp desc limit 100`,
      },
      {
        name: `count of ${table}`,
        otel: `SELECT count() AS count FROM logs WHERE source = '${table}' AND (event_message ILIKE '%BROKEN%')`,
        googleSql: `SELECT count(*) as count FROM ${from} where regexp_contains(event_message, '(?i)broken')`,
      },
      ...["Minute", "Hour", "Day"].map((unit) => ({
        name: `chart of ${table} by ${unit}`,
        otel: `SELECT\n  toStartOf${unit}(timestamp) AS timestamp,\n  ${chart(otelError, otelWarning, "countIf")}\nFROM logs\nWHERE source = '${table}'\nGROUP BY timestamp\nORDER BY timestamp ASC`,
        googleSql: `SELECT timestamp_trunc(t.timestamp, ${unit}) as timestamp, ${chart(sqlError, sqlWarning, "countif")} FROM ${from} GROUP BY timestamp ORDER BY timestamp ASC`,
      })),
    ];
  });
}

/** Filters of the previews' menus. */
const filters: readonly (readonly [table: string, records: readonly string[], otel: string, googleSql: string])[] = [
  [
    "edge_logs",
    ["m", "request", "response"],
    `${status} BETWEEN 500 AND 599`,
    "response.status_code between 500 and 599",
  ],
  [
    ...(["edge_logs", ["m", "request"]] as const),
    `(${attribute("request.path")} LIKE '/rest/%' OR ${attribute("request.path")} LIKE '/graphql/%')`,
    "(request.path like '/rest/%' or request.path like '/graphql/%')",
  ],
  ["edge_logs", ["m", "request"], `${attribute("request.method")} = 'POST'`, "request.method = 'POST'"],
  ["edge_logs", ["m"], `${attribute("identifier")} = 'otel'`, "identifier = 'otel'"],
  [
    ...(["postgres_logs", ["m", "parsed"]] as const),
    `${attribute("parsed.error_severity")} NOT IN ('ERROR', 'FATAL', 'PANIC')`,
    "parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC')",
  ],
  [
    ...(["postgres_logs", ["m", "parsed"]] as const),
    `(${attribute("parsed.application_name")} = 'pg_cron' OR event_message ILIKE '%cron job%')`,
    "(parsed.application_name = 'pg_cron' or regexp_contains(event_message, 'cron job'))",
  ],
  ["function_logs", ["m"], `${attribute("level")} != 'error'`, "m.level != 'error'"],
  [
    ...(["auth_logs", ["m"]] as const),
    `match(${attribute("path")}, '/token|/authorize|/callback|/otp|/magiclink')`,
    'regexp_contains(m.path, "/token|/authorize|/callback|/otp|/magiclink")',
  ],
  [
    "auth_logs",
    ["m"],
    `toInt32OrZero(${attribute("status")}) BETWEEN 400 AND 499 AND 1`,
    "cast(m.status as int64) between 400 and 499",
  ],
  ["supavisor_logs", ["m"], `${attribute("project")} LIKE 'otel%'`, "m.project like 'otel%'"],
  ["etl_replication_logs", ["m"], `${attribute("pipeline_id")} = '7'`, "cast(m.pipeline_id as string) = '7'"],
];

const filterForms = filters.map(
  ([table, records, otel, googleSql]): OtelForm => ({
    name: `filter ${otel} of ${table}`,
    otel: `SELECT id FROM logs WHERE source = '${table}' AND ${otel} ORDER BY timestamp DESC LIMIT 100`,
    googleSql: `select t.id from ${unnest(table, ...records)} where ${googleSql} order by t.timestamp desc limit 100`,
  }),
);

const httpStatus = `if(source = 'auth_logs', ${attribute("status")}, ${attribute("response.status_code")})`;
const logType = `CASE WHEN source = 'edge_logs' THEN 'edge' WHEN source = 'postgres_logs' THEN 'postgres' WHEN source = 'auth_logs' THEN 'auth' ELSE source END`;
const statusText = `CASE WHEN source = 'postgres_logs' THEN toString(${attribute("parsed.sql_state_code")}) ELSE toString((${httpStatus})) END`;
const level = `CASE
  WHEN (${httpStatus}) != '' AND toInt32OrZero((${httpStatus})) >= 500 THEN 'error'
  WHEN (${httpStatus}) != '' AND toInt32OrZero((${httpStatus})) BETWEEN 400 AND 499 THEN 'warning'
  WHEN (${httpStatus}) != '' AND toInt32OrZero((${httpStatus})) BETWEEN 200 AND 299 THEN 'success'
  WHEN severity_text IN ('ERROR','FATAL','CRITICAL','ALERT','EMERGENCY') THEN 'error'
  WHEN severity_text IN ('WARN','WARNING') THEN 'warning'
  ELSE 'success' END`;
const authUser = `nullIf(CASE WHEN source = 'auth_logs' THEN ${attribute("auth_event.actor_id")} WHEN source = 'edge_logs' THEN ${attribute("request.sb.jwt.authorization.payload.subject")} ELSE null END, '')`;
const sourcePriority =
  "CASE source\n      WHEN 'edge_logs' THEN 0\n      WHEN 'storage_logs' THEN 1\n      ELSE 2\n    END";
const tracedColumns = ["log_type", "status", "level", "pathname", "event_message", "method", "auth_user"];
const shown = "((source = 'edge_logs') OR (source = 'postgres_logs'))";
const noConnections =
  "((source != 'postgres_logs' OR (event_message NOT LIKE 'connection received%' AND event_message NOT LIKE 'connection authorized%')))";
const unified = `with u as (
  select t.id, t.timestamp, 'edge' as log_type, cast(response.status_code as string) as status,
    case when response.status_code >= 500 then 'error' when response.status_code between 400 and 499 then 'warning' else 'success' end as level,
    request.path as pathname, event_message, request.method as method from ${unnest("edge_logs", "m", "request", "response")}
  union all
  select t.id, t.timestamp, 'postgres', parsed.sql_state_code,
    case parsed.error_severity when 'WARNING' then 'warning' when 'FATAL' then 'error' when 'ERROR' then 'error' else 'success' end,
    null, event_message, null from ${unnest("postgres_logs", "m", "parsed")})`;

const unifiedForms: readonly OtelForm[] = [
  {
    name: "unified rows",
    otel: `-- unified logs\nSELECT\n id, null AS source_id, timestamp, ${logType} AS log_type, ${statusText} AS status, ${level} AS level, ${attribute("request.path")} AS pathname, event_message, ${attribute("request.method")} AS method, null AS log_count, null AS logs\nFROM logs\nWHERE ${shown} ORDER BY timestamp DESC LIMIT 50`,
    googleSql: `${unified} select id, null as source_id, timestamp, log_type, status, level, pathname, event_message, method, null as log_count, null as logs from u order by timestamp desc limit 50`,
  },
  {
    name: "unified rows by level, without connections",
    otel: `SELECT id FROM logs WHERE ${shown} AND (${level}) IN ('error','warning') AND ${noConnections} ORDER BY timestamp DESC`,
    googleSql: `${unified} select id from u where level in ('error', 'warning') and event_message not like 'connection %' order by timestamp desc`,
  },
  {
    name: "unified chart",
    otel: `SELECT toStartOfHour(timestamp) AS time_bucket, countIf((${level}) = 'success') AS success, countIf((${level}) = 'warning') AS warning, countIf((${level}) = 'error') AS error, count() AS total_per_bucket FROM logs WHERE ${shown} GROUP BY time_bucket ORDER BY time_bucket ASC`,
    googleSql: `${unified} select timestamp_trunc(timestamp, hour) as time_bucket, countif(level = 'success') as success, countif(level = 'warning') as warning, countif(level = 'error') as error, count(*) as total_per_bucket from u group by 1 order by 1`,
  },
  {
    name: "unified facets",
    otel: `SELECT arrayJoin(['total','level','method','status']) AS facet, multiIf(facet = 'total', 'all', facet = 'level', ${level}, facet = 'method', ${attribute("request.method")}, facet = 'status', ${statusText}, '') AS value, count() AS count FROM logs WHERE ${shown} GROUP BY facet, value HAVING value != '' UNION ALL (SELECT 'pathname' AS facet, (${attribute("request.path")}) AS value, count() AS count FROM logs WHERE ${shown} AND (${attribute("request.path")}) IS NOT NULL AND (${attribute("request.path")}) != '' GROUP BY value LIMIT 20)`,
    googleSql: `${unified} select facet, value, count(*) as count from (select 'total' as facet, 'all' as value from u union all select 'level', level from u union all select 'method', method from u union all select 'status', status from u union all select 'pathname', pathname from u) where value is not null and value != '' group by 1, 2`,
  },
  {
    name: "traced rows",
    otel: `SELECT ${attribute("request_id")} AS id, min(timestamp) AS timestamp, count() AS log_count, argMin((${logType}), (CASE source WHEN 'edge_logs' THEN 0 WHEN 'storage_logs' THEN 1 ELSE 2 END)) AS log_type, null AS logs FROM logs WHERE source IN ('edge_logs', 'auth_logs', 'storage_logs') AND ${attribute("request_id")} != '' GROUP BY id`,
    googleSql: `select m.request_id as id, min(t.timestamp) as timestamp, count(*) as log_count, 'auth' as log_type, null as logs from ${unnest("auth_logs", "m")} where m.request_id is not null group by 1`,
  },
  {
    name: "traced rows, whole",
    otel: `-- traced logs: request_id bundles across gateway/auth/storage\nSELECT\n  ${attribute("request_id")} AS id,\n  min(timestamp) AS timestamp,\n  count() AS log_count,\n  ${[
      ...[`(${logType})`, `(${statusText})`, `(${level})`, attribute("request.path"), "event_message"],
      ...[attribute("request.method"), `(${authUser})`],
    ]
      .map((each, index) => `argMin(${each}, (${sourcePriority})) AS ${tracedColumns[index]}`)
      .join(
        ",\n  ",
      )},\n  null AS logs\nFROM logs\nWHERE source IN ('edge_logs', 'auth_logs', 'storage_logs') AND ${attribute("request_id")} != '' AND (${statusText}) IN ('200')\nGROUP BY id\n`,
    googleSql: `select m.request_id as id, t.timestamp, 1 as log_count, 'auth' as log_type, '200' as status, 'success' as level, '' as pathname, event_message, '' as method, m.auth_event[safe_offset(0)].actor_id as auth_user, null as logs from ${unnest("auth_logs", "m")} where m.status = 200`,
  },
  {
    name: "timeline of a request",
    otel: `-- request timeline\nSELECT\n id, source, timestamp, ${logType} AS log_type, ${statusText} AS status, event_message, (${authUser}) AS auth_user, null AS log_count, null AS logs FROM logs WHERE (${attribute("request_id")} IN ('r1','it''s') OR ${attribute("request.headers.cf_ray")} IN ('r1','it''s') OR ${attribute("execution_id")} IN ('exec-1')) ORDER BY timestamp ASC LIMIT 500`,
    googleSql: `select t.id, 'auth_logs' as source, t.timestamp, 'auth' as log_type, cast(m.status as string) as status, event_message, m.auth_event[safe_offset(0)].actor_id as auth_user, null as log_count, null as logs from ${unnest("auth_logs", "m")} where m.request_id = 'r1' order by t.timestamp`,
  },
  {
    name: "metadata of a timeline",
    otel: `SELECT id, source, log_attributes AS metadata FROM logs WHERE source IN ('auth_logs') AND ${attribute("request_id")} IN ('r1') ORDER BY timestamp`,
  },
  {
    name: "attributes of a log",
    otel: "-- log attributes\nSELECT source, log_attributes FROM logs WHERE id = 'edge_logs-0' AND source = 'edge_logs' LIMIT 1",
  },
  {
    name: "rows of one user",
    otel: `SELECT id FROM logs WHERE ((source = 'auth_logs' AND (${attribute("auth_event.actor_id")} = 'u1' OR event_message ILIKE '%u1%')) OR (source = 'postgres_logs' AND event_message ILIKE '%u1%'))`,
    googleSql: `select t.id from auth_logs t where regexp_contains(event_message, 'u1')`,
  },
  {
    name: "one log",
    otel: "SELECT id, timestamp, event_message, source, severity_text, log_attributes\nFROM logs\nWHERE id = 'postgres_logs-0'\nLIMIT 1",
  },
  {
    name: "keys of a source",
    otel: "SELECT arrayJoin(mapKeys(log_attributes)) AS key, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY key ORDER BY n DESC LIMIT 500",
  },
];

const bucket = "toUnixTimestamp(toStartOfHour(logs.timestamp)) * 1000000";
const json = (...keys: readonly string[]) =>
  `JSONExtractString(event_message, ${keys.map((key) => `'${key}'`).join(", ")})`;
const authAction = json("auth_event", "action");
const duration = `toInt64OrZero(${json("duration")})`;
const authReport = (columns: string, where: string, group = "") =>
  `--auth (otel)\nselect ${bucket} as timestamp, ${columns}\nfrom logs\nwhere source = 'auth_logs' and ${where}\ngroup by ${bucket}${group}\norder by ${bucket} desc${group}`;
const authReportSql = (columns: string, where: string, group = "") =>
  `select unix_micros(timestamp_trunc(timestamp, hour)) as timestamp, ${columns} from auth_logs where ${where} group by timestamp${group} order by timestamp desc${group}`;
const value = (path: string) => `json_value(event_message, '$.${path}')`;
const edge = unnest("edge_logs", "m", "request", "response");
const hourly = (columns: string, where: string) =>
  `select formatDateTime(toStartOfHour(logs.timestamp), '%Y-%m-%dT%H:%i:%SZ', 'UTC') as timestamp, ${columns} from logs where source = 'edge_logs' ${where} group by toStartOfHour(logs.timestamp) order by timestamp asc limit 10000`;
const hourlySql = (columns: string, where: string) =>
  `select format_timestamp('%Y-%m-%dT%H:%M:%SZ', timestamp_trunc(t.timestamp, hour)) as timestamp, ${columns} from ${edge} where true ${where} group by timestamp order by timestamp`;
const route = `log_attributes['request.path'] as path, log_attributes['request.method'] as method, log_attributes['request.search'] as search, ${status} as status_code`;
const routeSql =
  "request.path as path, request.method as method, request.search as search, response.status_code as status_code";

const reportForms: readonly OtelForm[] = [
  ...(
    [
      [
        "active users",
        `count(distinct ${json("auth_event", "actor_id")}) as count`,
        `count(distinct ${value("auth_event.actor_id")}) as count`,
      ],
      ["sign-ups", "count() as count", "count(*) as count"],
      [
        "average time",
        `round(avg(${duration}) / 1000000, 2) as average, round(min(${duration}) / 1000000, 2) as least, round(max(${duration}) / 1000000, 2) as most`,
        `round(avg(cast(${value("duration")} as int64)) / 1000000, 2) as average, round(min(cast(${value("duration")} as int64)) / 1000000, 2) as least, round(max(cast(${value("duration")} as int64)) / 1000000, 2) as most`,
      ],
    ] as const
  ).map(([name, otel, googleSql]) => ({
    name: `report of auth: ${name}`,
    otel: authReport(otel, `${authAction} in ('login', 'user_signedup')`),
    googleSql: authReportSql(googleSql, `${value("auth_event.action")} in ('login', 'user_signedup')`),
  })),
  {
    name: "report of auth: sign-ins by provider",
    otel: authReport(
      `coalesce(nullIf(${json("provider")}, ''), 'unknown') as provider, case when ${json("provider")} != '' then concat(${json("login_method")}, ' (', ${json("provider")}, ')') else ${json("login_method")} end as login_type_provider, count() as count`,
      `${authAction} = 'login' and ${json("provider")} IN ('email')`,
      ", provider, login_type_provider",
    ),
    googleSql: authReportSql(
      `coalesce(${value("provider")}, 'unknown') as provider, concat(${value("login_method")}, ' (', ${value("provider")}, ')') as login_type_provider, count(*) as count`,
      `${value("auth_event.action")} = 'login' and ${value("provider")} in ('email')`,
      ", provider, login_type_provider",
    ),
  },
  {
    name: "report of auth: percentiles",
    otel: `select round(quantile(0.5)(${duration}) / 1000000, 2) as p50, round(quantile(0.95)(${duration}) / 1000000, 2) as p95, round(quantile(0.99)(${duration}) / 1000000, 2) as p99 from logs where source = 'auth_logs' and ${authAction} = 'login'`,
    googleSql: `select ${[50, 95, 99].map((at) => `round(approx_quantiles(cast(${value("duration")} as int64), 100)[offset(${at})] / 1000000, 2) as p${at}`).join(", ")} from auth_logs where ${value("auth_event.action")} = 'login'`,
  },
  {
    name: "report of auth: errors by status",
    otel: `select ${bucket} as timestamp, count() as count, ${status} as status_code from logs where source = 'edge_logs' and ${attribute("request.path")} like '%auth/v1%' and ${status} between 400 and 599 AND ${status} >= 500 group by ${bucket}, status_code order by ${bucket} desc`,
    googleSql: `select unix_micros(timestamp_trunc(t.timestamp, hour)) as timestamp, count(*) as count, response.status_code from ${edge} where request.path like '%auth/v1%' and response.status_code between 500 and 599 group by timestamp, status_code order by timestamp desc`,
  },
  {
    name: "report of requests: total",
    otel: hourly("toFloat64(count()) as count", `and match(${attribute("request.path")}, '/rest')`),
    googleSql: hourlySql("count(t.id) as count", "and regexp_contains(request.path, '/rest')"),
  },
  {
    name: "report of requests: errors",
    otel: hourly(
      "toFloat64(count()) as count",
      `and ${status} >= 400 and toFloat64OrZero(${attribute("response.status_code")}) != 404`,
    ),
    googleSql: hourlySql("count(t.id) as count", "and response.status_code >= 400 and response.status_code != 404"),
  },
  {
    name: "report of requests: speed",
    otel: hourly(`avg(toFloat64OrNull(${attribute("response.origin_time")})) as avg`, ""),
    googleSql: hourlySql("avg(response.origin_time) as avg", ""),
  },
  {
    name: "report of requests: traffic",
    otel: hourly(`sum(toFloat64OrZero(${attribute("response.headers.content_length")})) / 1000000 as egress_mb`, ""),
    googleSql: hourlySql("ifnull(sum(response.headers[safe_offset(0)].content_length), 0) / 1000000 as egress_mb", ""),
  },
  {
    name: "report of requests: routes",
    otel: `select ${route}, toFloat64(count()) as count, avg(toFloat64OrNull(${attribute("response.origin_time")})) as avg from logs where source = 'edge_logs' group by path, method, search, status_code order by count desc limit 10`,
    googleSql: `select ${routeSql}, count(t.id) as count, avg(response.origin_time) as avg from ${edge} group by path, method, search, status_code order by count desc limit 10`,
  },
  {
    name: "report of storage: hits of the cache",
    otel: `select toUnixTimestamp64Micro(toDateTime64(toStartOfHour(logs.timestamp), 6)) as timestamp, toFloat64(countIf(${attribute("response.headers.cf_cache_status")} in ('HIT', 'STALE'))) as hit_count from logs where source = 'edge_logs' and startsWith(${attribute("request.path")}, '/rest') and ${attribute("request.method")} = 'GET' group by toStartOfHour(logs.timestamp) order by timestamp desc limit 10000`,
    googleSql: `select unix_micros(timestamp_trunc(t.timestamp, hour)) as timestamp, countif(ifnull(response.headers[safe_offset(0)].cf_cache_status, '') in ('HIT', 'STALE')) as hit_count from ${edge} where starts_with(request.path, '/rest') and request.method = 'GET' group by timestamp`,
  },
  {
    name: "requests by country, now and before",
    otel: `select ${attribute("request.cf.country")} as country, sum(if(timestamp >= '2026-08-20T09:01:00.000Z', 1, 0)) as requests, sum(if(timestamp < '2026-08-20T09:01:00.000Z', 1, 0)) as previous_requests from logs where source = 'edge_logs' and notEmpty(${attribute("request.cf.country")}) and timestamp >= '2026-08-20T08:00:00.000Z' and timestamp < '2026-08-20T10:00:00.000Z' group by country order by requests desc limit 250`,
    googleSql: `select cf.country, countif(t.timestamp >= '2026-08-20T09:01:00.000Z') as requests, countif(t.timestamp < '2026-08-20T09:01:00.000Z') as previous_requests from ${edge} cross join unnest(request.cf) as cf where cf.country is not null group by 1 order by 2 desc`,
  },
  {
    name: "report of functions",
    otel: `select toUnixTimestamp(toStartOfHour(timestamp)) * 1000000 as timestamp, ${attribute("function_id")} as function_id, avg(toFloat64OrZero(${attribute("execution_time_ms")})) as avg_execution_time, count() as count from logs where source = 'function_edge_logs' AND ${attribute("function_id")} IN ('f1','f2') AND toFloat64OrZero(${attribute("execution_time_ms")}) >= 10 group by timestamp, function_id order by timestamp desc`,
    googleSql: `select unix_micros(timestamp_trunc(t.timestamp, hour)) as timestamp, m.function_id, avg(m.execution_time_ms) as avg_execution_time, count(*) as count from ${unnest("function_edge_logs", "m")} where m.function_id in ('f1', 'f2') and m.execution_time_ms >= 10 group by 1, 2 order by 1 desc`,
  },
  {
    name: "query insights",
    otel: `select toStartOfMinute(timestamp) as timestamp, sum(toUInt64OrZero(${attribute("supamonitor.calls")})) as calls, ${attribute("supamonitor.query")} as query, toInt64OrZero(${attribute("supamonitor.query_id")}) as query_id, if(sum(toUInt64OrZero(${attribute("supamonitor.calls")})) > 0, sum(toFloat64OrZero(${attribute("supamonitor.total_exec_time")})) / sum(toUInt64OrZero(${attribute("supamonitor.calls")})), 0) as mean, min(nullIf(toFloat64OrZero(${attribute("supamonitor.total_plan_time")}), 0)) as least, quantileTDigest(0.95)(toFloat64OrZero(${attribute("supamonitor.total_exec_time")})) as p95 from logs where source = 'supamonitor_logs' group by timestamp, query_id, query order by timestamp desc limit 10000`,
    googleSql: `select timestamp_trunc(t.timestamp, minute) as timestamp, sum(q.calls) as calls, q.query, q.query_id, case when sum(q.calls) > 0 then sum(q.total_exec_time) / sum(q.calls) else 0 end as mean, min(nullif(q.total_plan_time, 0)) as least, approx_quantiles(q.total_exec_time, 100)[offset(95)] as p95 from supamonitor_logs as t cross join unnest(t.metadata) as m cross join unnest(m.supamonitor) as q group by timestamp, query_id, query order by timestamp desc`,
  },
];

/** Queries that users write after Studio's guide, which its builders do not have. */
const written: readonly OtelForm[] = [
  {
    name: "a pattern with an escape",
    otel: "select timestamp, event_message from logs where source = 'edge_logs' and match(event_message, 'broken in\\.*') and not match(event_message, 'fine')",
    googleSql: "select timestamp, event_message from edge_logs where regexp_contains(event_message, r'broken in\\.*')",
  },
  {
    name: "part of a path",
    otel: `select splitByChar('/', ${attribute("request.path")})[2] as area, count() as reqs, countIf(${attribute("response.headers.content_length")} = '') as unknown from logs where source = 'edge_logs' group by area order by reqs desc`,
    googleSql: `select split(request.path, '/')[safe_ordinal(2)] as area, count(*) as reqs, countif(response.headers[safe_offset(0)].content_length is null) as unknown from ${edge} group by area order by reqs desc`,
  },
  {
    name: "a total beside groups",
    otel: `select 'TOTAL' as scope, count() as n, countIf(${status} = 500) as errors from logs where source = 'edge_logs' union all select if(${attribute("request.method")} = '', 'unknown', ${attribute("request.method")}) as scope, count() as n, countIf(${status} = 500) as errors from logs where source = 'edge_logs' group by scope`,
    googleSql: `select 'TOTAL' as scope, count(*) as n, countif(response.status_code = 500) as errors from ${edge} union all select request.method, count(*), countif(response.status_code = 500) from ${edge} group by 1`,
  },
];

export function otelForms(): readonly OtelForm[] {
  return [...previewForms(), ...filterForms, ...unifiedForms, ...reportForms, ...written];
}
