/*---
id: 9b1b1d6e-2f3c-4a53-9a07-3f0a9d0c2b14
name: service-health
description: Log lines of each service of a project over time, by whether they report an error, a warning or neither
max_rows: 10000
cache_seconds: 60
sandbox: false
redact_pii: false
parameters:
  project:
    type: string
    required: true
    description: Reference of the project
  iso_timestamp_start:
    type: timestamp
    required: true
    description: The first moment that counts
  iso_timestamp_end:
    type: timestamp
    required: true
    description: The moment before which lines count
  granularity:
    type: string
    default: hour
    allowed: [minute, hour, day]
    description: Size of a bucket
tenant_parameter: project
---*/
WITH
  -- What each service says of its lines: an HTTP status, a level, both or neither.
  told AS (
    SELECT t.timestamp, t.project, 'edge' AS service, response.status_code AS status, CAST(NULL AS STRING) AS level
    FROM edge AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    UNION ALL
    SELECT t.timestamp, t.project, 'postgres', NULL, parsed.error_severity
    FROM db AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.parsed) AS parsed
    UNION ALL
    SELECT t.timestamp, t.project, 'auth', m.status, m.level
    FROM auth AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    UNION ALL
    SELECT t.timestamp, m.project_ref, 'function_edge', response.status_code, NULL
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    UNION ALL
    SELECT t.timestamp, m.project_ref, 'function', NULL, m.level
    FROM function AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    UNION ALL
    SELECT t.timestamp, m.project, 'storage', res.statusCode, m.level
    FROM storage AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.res) AS res
    UNION ALL
    SELECT t.timestamp, m.project, 'realtime', NULL, m.level
    FROM realtime AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    UNION ALL
    SELECT t.timestamp, t.project, 'postgrest', NULL, NULL
    FROM rest AS t
    UNION ALL
    SELECT t.timestamp, t.project, 'supavisor', NULL, m.level
    FROM pooler AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    UNION ALL
    SELECT t.timestamp, t.project, 'etl_replication', NULL, NULL
    FROM etl_replication AS t
  ),

  lines AS (
    SELECT
      timestamp,
      service,
      CASE
        WHEN status >= 500 OR LOWER(level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN status >= 400 OR LOWER(level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM told
    WHERE project = @project AND timestamp >= @iso_timestamp_start AND timestamp < @iso_timestamp_end
  ),

  -- The state of a line stands in the column of its service.
  states AS (
    SELECT
      timestamp,
      IF(service = 'edge', state, NULL) AS edge,
      IF(service = 'postgres', state, NULL) AS postgres,
      IF(service = 'auth', state, NULL) AS auth,
      IF(service = 'function_edge', state, NULL) AS function_edge,
      IF(service = 'function', state, NULL) AS function,
      IF(service = 'storage', state, NULL) AS storage,
      IF(service = 'realtime', state, NULL) AS realtime,
      IF(service = 'postgrest', state, NULL) AS postgrest,
      IF(service = 'supavisor', state, NULL) AS supavisor,
      IF(service = 'etl_replication', state, NULL) AS etl_replication
    FROM lines
  )

SELECT
  FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%SZ', CASE @granularity
    WHEN 'minute' THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN 'hour' THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END) AS timestamp,
  STRUCT(
    COUNTIF(edge = 'ok') AS ok,
    COUNTIF(edge = 'warning') AS warning,
    COUNTIF(edge = 'error') AS error,
    COUNT(edge) AS total
  ) AS edge_logs,
  STRUCT(
    COUNTIF(postgres = 'ok') AS ok,
    COUNTIF(postgres = 'warning') AS warning,
    COUNTIF(postgres = 'error') AS error,
    COUNT(postgres) AS total
  ) AS postgres_logs,
  STRUCT(
    COUNTIF(auth = 'ok') AS ok,
    COUNTIF(auth = 'warning') AS warning,
    COUNTIF(auth = 'error') AS error,
    COUNT(auth) AS total
  ) AS auth_logs,
  STRUCT(
    COUNTIF(function_edge = 'ok') AS ok,
    COUNTIF(function_edge = 'warning') AS warning,
    COUNTIF(function_edge = 'error') AS error,
    COUNT(function_edge) AS total
  ) AS function_edge_logs,
  STRUCT(
    COUNTIF(function = 'ok') AS ok,
    COUNTIF(function = 'warning') AS warning,
    COUNTIF(function = 'error') AS error,
    COUNT(function) AS total
  ) AS function_logs,
  STRUCT(
    COUNTIF(storage = 'ok') AS ok,
    COUNTIF(storage = 'warning') AS warning,
    COUNTIF(storage = 'error') AS error,
    COUNT(storage) AS total
  ) AS storage_logs,
  STRUCT(
    COUNTIF(realtime = 'ok') AS ok,
    COUNTIF(realtime = 'warning') AS warning,
    COUNTIF(realtime = 'error') AS error,
    COUNT(realtime) AS total
  ) AS realtime_logs,
  STRUCT(
    COUNTIF(postgrest = 'ok') AS ok,
    COUNTIF(postgrest = 'warning') AS warning,
    COUNTIF(postgrest = 'error') AS error,
    COUNT(postgrest) AS total
  ) AS postgrest_logs,
  STRUCT(
    COUNTIF(supavisor = 'ok') AS ok,
    COUNTIF(supavisor = 'warning') AS warning,
    COUNTIF(supavisor = 'error') AS error,
    COUNT(supavisor) AS total
  ) AS supavisor_logs,
  STRUCT(
    COUNTIF(etl_replication = 'ok') AS ok,
    COUNTIF(etl_replication = 'warning') AS warning,
    COUNTIF(etl_replication = 'error') AS error,
    COUNT(etl_replication) AS total
  ) AS etl_replication_logs
FROM states
GROUP BY 1
ORDER BY 1
