/*---
id: 5a3e1d0c-7c36-4b0f-8a8e-1c9a46d6e212
name: functions.resource-usage
description: CPU time in milliseconds and memory in bytes that the runs of one function used until they ended
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
  )

SELECT
  CASE
    WHEN @interval IN ('15min', '30min', '1hr') THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN @interval IN ('3hr', '1day', '3day') THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END AS timestamp,
  AVG(cpu_time_used) AS avg_cpu_time_used,
  MAX(cpu_time_used) AS max_cpu_time_used,
  AVG(IFNULL(heap, 0) + IFNULL(external, 0)) AS avg_memory_used,
  AVG(IFNULL(heap, 0)) AS avg_heap_memory_used,
  AVG(IFNULL(external, 0)) AS avg_external_memory_used
FROM runs
WHERE event_type = 'Shutdown'
GROUP BY 1
ORDER BY 1
