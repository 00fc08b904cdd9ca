/*---
id: e7a52a0b-40d5-4f4c-9a6d-7d3f0b1e5c15
name: project.metrics
description: Log lines of a project's services by outcome, of the time up to now and of as much time before it
max_rows: 10000
cache_seconds: 60
sandbox: false
redact_pii: false
parameters:
  project:
    type: string
    required: true
    description: Reference of the project
  interval:
    type: string
    default: 1hr
    allowed: [15min, 30min, 1hr, 3hr, 1day, 3day, 7day]
    description: "Time up to now, and its buckets: 15min, 30min, 1hr by minute; 3hr, 1day, 3day by hour; 7day by day"
tenant_parameter: project
---*/
WITH
  -- What each service says of its lines: an HTTP status, a level, or both.
  told AS (
    SELECT t.timestamp, t.project, 'db' AS service, NULL AS status, parsed.error_severity AS level
    FROM db AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.parsed) AS parsed
    UNION ALL
    SELECT t.timestamp, t.project, 'auth', m.status, m.level
    FROM auth AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    UNION ALL
    SELECT t.timestamp, m.project_ref, 'functions', response.status_code, NULL
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    UNION ALL
    SELECT t.timestamp, m.project, 'storage', res.statusCode, m.level
    FROM storage AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.res) AS res
    UNION ALL
    SELECT t.timestamp, m.project, 'realtime', NULL, m.level
    FROM realtime AS t
    CROSS JOIN UNNEST(t.metadata) AS m
  ),

  lines AS (
    SELECT
      timestamp,
      service,
      CASE
        WHEN status >= 500 OR LOWER(level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN status >= 400 OR LOWER(level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state,
      CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END AS minutes
    FROM told
    WHERE project = @project
  )

SELECT
  CASE
    WHEN minutes <= 60 THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN minutes <= 4320 THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END AS timestamp,
  service,
  IF(timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL minutes MINUTE), 'current', 'previous') AS time_window,
  COUNTIF(state = 'ok') AS ok_count,
  COUNTIF(state = 'warning') AS warning_count,
  COUNTIF(state = 'error') AS error_count
FROM lines
WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * minutes MINUTE)
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
