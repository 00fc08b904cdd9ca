/*---
id: c1f08a6f-7f0a-4a06-8b0e-6a1d0a3c9413
name: functions.combined-stats
description: Calls, log lines and resources of one function over time; times in milliseconds, memory in megabytes
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
    description: Id of the function, or its name where only the gateway's paths tell it
  interval:
    type: string
    required: true
    allowed: [15min, 30min, 1hr, 3hr, 1day, 3day, 7day]
    description: "Time up to now, and its buckets: 15min, 30min, 1hr by minute; 3hr, 1day, 3day by hour; 7day by day"
tenant_parameter: project
---*/
WITH
  relay_calls AS (
    SELECT t.timestamp, response.status_code, m.execution_time_ms
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.response) AS response
    WHERE m.project_ref = @project
      AND m.function_id = @function_id
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
  ),

  gateway_calls AS (
    SELECT t.timestamp, response.status_code, response.origin_time AS execution_time_ms
    FROM edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.request) AS request
    CROSS JOIN UNNEST(m.response) AS response
    WHERE t.project = @project
      AND REGEXP_EXTRACT(request.path, '^/functions/v1/([^/?#]+)') = @function_id
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
  ),

  -- The gateway's lines count only where the relay reports no calls, so that no call counts twice.
  calls AS (
    SELECT * FROM relay_calls
    UNION ALL
    SELECT * FROM gateway_calls WHERE NOT EXISTS (SELECT 1 FROM relay_calls)
  ),

  requests AS (
    SELECT
      CASE
        WHEN @interval IN ('15min', '30min', '1hr') THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
        WHEN @interval IN ('3hr', '1day', '3day') THEN TIMESTAMP_TRUNC(timestamp, HOUR)
        ELSE TIMESTAMP_TRUNC(timestamp, DAY)
      END AS bucket,
      COUNT(*) AS requests_count,
      COUNTIF(status_code BETWEEN 200 AND 299) AS success_count,
      COUNTIF(status_code BETWEEN 300 AND 399) AS redirect_count,
      COUNTIF(status_code BETWEEN 400 AND 499) AS client_err_count,
      COUNTIF(status_code >= 500) AS server_err_count,
      AVG(execution_time_ms) AS avg_execution_time,
      MAX(execution_time_ms) AS max_execution_time
    FROM calls
    GROUP BY 1
  ),

  runs AS (
    SELECT t.timestamp, m.event_type, m.level, m.cpu_time_used, memory.heap, memory.external
    FROM function AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.memory_used) AS memory
    WHERE m.project_ref = @project
      AND m.function_id = @function_id
      AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END MINUTE)
  ),

  runs_by_bucket AS (
    SELECT
      CASE
        WHEN @interval IN ('15min', '30min', '1hr') THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
        WHEN @interval IN ('3hr', '1day', '3day') THEN TIMESTAMP_TRUNC(timestamp, HOUR)
        ELSE TIMESTAMP_TRUNC(timestamp, DAY)
      END AS bucket,
      COUNTIF(event_type = 'Log') AS log_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) IN ('log', 'info', 'debug')) AS log_info_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) IN ('warn', 'warning')) AS log_warn_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) = 'error') AS log_error_count,
      AVG(IF(event_type = 'Shutdown', cpu_time_used, NULL)) AS avg_cpu_time_used,
      MAX(IF(event_type = 'Shutdown', cpu_time_used, NULL)) AS max_cpu_time_used,
      AVG(IF(event_type = 'Shutdown', IFNULL(heap, 0) / 1048576, NULL)) AS avg_heap_memory_used,
      AVG(IF(event_type = 'Shutdown', IFNULL(external, 0) / 1048576, NULL)) AS avg_external_memory_used
    FROM runs
    GROUP BY 1
  )

SELECT
  COALESCE(q.bucket, r.bucket) AS timestamp,
  IFNULL(q.requests_count, 0) AS requests_count,
  IFNULL(q.success_count, 0) AS success_count,
  IFNULL(q.redirect_count, 0) AS redirect_count,
  IFNULL(q.client_err_count, 0) AS client_err_count,
  IFNULL(q.server_err_count, 0) AS server_err_count,
  q.avg_execution_time,
  q.max_execution_time,
  IFNULL(r.log_count, 0) AS log_count,
  IFNULL(r.log_info_count, 0) AS log_info_count,
  IFNULL(r.log_warn_count, 0) AS log_warn_count,
  IFNULL(r.log_error_count, 0) AS log_error_count,
  r.avg_cpu_time_used,
  r.max_cpu_time_used,
  r.avg_heap_memory_used + r.avg_external_memory_used AS avg_memory_used,
  r.avg_heap_memory_used,
  r.avg_external_memory_used
FROM requests AS q
FULL JOIN runs_by_bucket AS r ON r.bucket = q.bucket
ORDER BY 1
