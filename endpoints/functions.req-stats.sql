/*---
id: 3d5f6a52-5a0b-4d5e-9c1c-0f6f3b1c7a11
name: functions.req-stats
description: Calls of one function by outcome, with their times in milliseconds
max_rows: 10000
cache_seconds: 60
sandbox: false
redact_pii: false
parameters:
  project:
    type: string
    required: true
    description: Reference of the project
  function_id:
    type: string
    required: true
    description: Id of the function, or its name where only the gateway's paths name it
  interval:
    type: string
    required: true
    allowed: [15min, 30min, 1hr, 3hr, 1day, 3day, 7day]
    description: "Time up to now, and its buckets: 15min, 30min, 1hr by minute; 3hr, 1day, 3day by hour; 7day by day"
tenant_parameter: project
---*/
WITH
  told AS (
    SELECT
      t.timestamp,
      m.project_ref AS project,
      m.function_id,
      TRUE AS is_relayed,
      response.status_code,
      m.execution_time_ms
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.response) AS response
    UNION ALL
    SELECT
      t.timestamp,
      t.project,
      REGEXP_EXTRACT(request.path, '^/functions/v1/([^/?#]+)'),
      FALSE,
      response.status_code,
      response.origin_time
    FROM edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.request) AS request
    CROSS JOIN UNNEST(m.response) AS response
  ),

  calls AS (
    SELECT
      *,
      CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END AS minutes
    FROM told
    WHERE project = @project AND function_id = @function_id
  ),

  calls_of_interval AS (
    SELECT *
    FROM calls
    WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL minutes MINUTE)
  )

SELECT
  CASE
    WHEN minutes <= 60 THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN minutes <= 4320 THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END AS timestamp,
  COUNT(*) AS count,
  COUNT(*) AS requests_count,
  COUNTIF(status_code BETWEEN 200 AND 299) AS success_count,
  COUNTIF(status_code BETWEEN 300 AND 399) AS redirect_count,
  COUNTIF(status_code BETWEEN 400 AND 499) AS client_err_count,
  COUNTIF(status_code >= 500) AS server_err_count,
  AVG(execution_time_ms) AS avg_execution_time,
  MAX(execution_time_ms) AS max_execution_time
FROM calls_of_interval
-- The gateway's lines count only where the relay reports no calls, so that no call counts twice.
WHERE is_relayed OR NOT EXISTS (SELECT 1 FROM calls_of_interval WHERE is_relayed)
GROUP BY 1
ORDER BY 1
