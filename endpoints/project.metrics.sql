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
  lines AS (
    SELECT t.timestamp, 'db' AS service,
      CASE
        WHEN LOWER(parsed.error_severity) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(parsed.error_severity) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM db AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.parsed) AS parsed
    WHERE t.project = @project
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
    UNION ALL
    SELECT t.timestamp, 'auth' AS service,
      CASE
        WHEN m.status >= 500 OR LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN m.status >= 400 OR LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM auth AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    WHERE t.project = @project
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
    UNION ALL
    SELECT t.timestamp, 'functions' AS service,
      CASE
        WHEN response.status_code >= 500 THEN 'error'
        WHEN response.status_code >= 400 THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    WHERE m.project_ref = @project
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
    UNION ALL
    SELECT t.timestamp, 'storage' AS service,
      CASE
        WHEN res.statusCode >= 500 OR LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN res.statusCode >= 400 OR LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM storage AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.res) AS res
    WHERE m.project = @project
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
    UNION ALL
    SELECT t.timestamp, 'realtime' AS service,
      CASE
        WHEN LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM realtime AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project = @project
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
  )

SELECT
  CASE
    WHEN @interval IN ('15min', '30min', '1hr') THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN @interval IN ('3hr', '1day', '3day') THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END AS timestamp,
  service,
  IF(timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
    WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
    WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
  END MINUTE), 'current', 'previous') AS time_window,
  COUNTIF(state = 'ok') AS ok_count,
  COUNTIF(state = 'warning') AS warning_count,
  COUNTIF(state = 'error') AS error_count
FROM lines
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
