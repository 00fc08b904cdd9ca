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
    description: Id of the function, or its name where only the gateway's paths name it
  interval:
    type: string
    required: true
    allowed: [15min, 30min, 1hr, 3hr, 1day, 3day, 7day]
    description: "Time up to now, and its buckets: 15min, 30min, 1hr by minute; 3hr, 1day, 3day by hour; 7day by day"
tenant_parameter: project
---*/
WITH
  runs AS (
    SELECT
      t.timestamp,
      m.event_type,
      m.level,
      m.cpu_time_used,
      memory.heap,
      memory.external,
      CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END AS minutes
    FROM function AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.memory_used) AS memory
    WHERE m.project_ref = @project AND m.function_id = @function_id
  ),

  runs_by_bucket AS (
    SELECT
      CASE
        WHEN minutes <= 60 THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
        WHEN minutes <= 4320 THEN TIMESTAMP_TRUNC(timestamp, HOUR)
        ELSE TIMESTAMP_TRUNC(timestamp, DAY)
      END AS timestamp,
      COUNTIF(event_type = 'Log') AS log_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) IN ('log', 'info', 'debug')) AS log_info_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) IN ('warn', 'warning')) AS log_warn_count,
      COUNTIF(event_type = 'Log' AND LOWER(level) = 'error') AS log_error_count,
      AVG(IF(event_type = 'Shutdown', cpu_time_used, NULL)) AS avg_cpu_time_used,
      MAX(IF(event_type = 'Shutdown', cpu_time_used, NULL)) AS max_cpu_time_used,
      AVG(IF(event_type = 'Shutdown', IFNULL(heap, 0) / 1048576, NULL)) AS avg_heap_memory_used,
      AVG(IF(event_type = 'Shutdown', IFNULL(external, 0) / 1048576, NULL)) AS avg_external_memory_used
    FROM runs
    WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL minutes MINUTE)
    GROUP BY 1
  )

SELECT
  COALESCE(q.timestamp, r.timestamp) AS timestamp,
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
FROM `functions.req-stats` AS q
FULL JOIN runs_by_bucket AS r ON r.timestamp = q.timestamp
ORDER BY 1
