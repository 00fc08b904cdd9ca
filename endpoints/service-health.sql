/*---
id: 9b1b1d6e-2f3c-4a53-9a07-3f0a9d0c2b14
name: service-health
description: Log lines of each service of a project over time, by whether they tell of an error, a warning or neither
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
  lines AS (
    SELECT t.timestamp, 'edge_logs' AS service,
      CASE
        WHEN response.status_code >= 500 THEN 'error'
        WHEN response.status_code >= 400 THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM edge AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'postgres_logs' AS service,
      CASE
        WHEN LOWER(parsed.error_severity) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(parsed.error_severity) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM db AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.parsed) AS parsed
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'auth_logs' AS service,
      CASE
        WHEN m.status >= 500 OR LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN m.status >= 400 OR LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM auth AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'function_edge_logs' AS service,
      CASE
        WHEN response.status_code >= 500 THEN 'error'
        WHEN response.status_code >= 400 THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.response) AS response
    WHERE m.project_ref = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'function_logs' AS service,
      CASE
        WHEN LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM function AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project_ref = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'storage_logs' AS service,
      CASE
        WHEN res.statusCode >= 500 OR LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN res.statusCode >= 400 OR LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM storage AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.res) AS res
    WHERE m.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'realtime_logs' AS service,
      CASE
        WHEN LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM realtime AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'postgrest_logs' AS service, 'ok' AS state
    FROM rest AS t
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'supavisor_logs' AS service,
      CASE
        WHEN LOWER(m.level) IN ('error', 'critical', 'fatal', 'panic') THEN 'error'
        WHEN LOWER(m.level) IN ('warn', 'warning') THEN 'warning'
        ELSE 'ok'
      END AS state
    FROM pooler AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
    UNION ALL
    SELECT t.timestamp, 'etl_replication_logs' AS service, 'ok' AS state
    FROM etl_replication AS t
    WHERE t.project = @project
      AND t.timestamp >= @iso_timestamp_start AND t.timestamp < @iso_timestamp_end
  )

SELECT
  FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%SZ', CASE @granularity
    WHEN 'minute' THEN TIMESTAMP_TRUNC(timestamp, MINUTE)
    WHEN 'hour' THEN TIMESTAMP_TRUNC(timestamp, HOUR)
    ELSE TIMESTAMP_TRUNC(timestamp, DAY)
  END) AS timestamp,
  STRUCT(
    COUNTIF(service = 'edge_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'edge_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'edge_logs' AND state = 'error') AS error,
    COUNTIF(service = 'edge_logs') AS total
  ) AS edge_logs,
  STRUCT(
    COUNTIF(service = 'postgres_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'postgres_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'postgres_logs' AND state = 'error') AS error,
    COUNTIF(service = 'postgres_logs') AS total
  ) AS postgres_logs,
  STRUCT(
    COUNTIF(service = 'auth_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'auth_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'auth_logs' AND state = 'error') AS error,
    COUNTIF(service = 'auth_logs') AS total
  ) AS auth_logs,
  STRUCT(
    COUNTIF(service = 'function_edge_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'function_edge_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'function_edge_logs' AND state = 'error') AS error,
    COUNTIF(service = 'function_edge_logs') AS total
  ) AS function_edge_logs,
  STRUCT(
    COUNTIF(service = 'function_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'function_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'function_logs' AND state = 'error') AS error,
    COUNTIF(service = 'function_logs') AS total
  ) AS function_logs,
  STRUCT(
    COUNTIF(service = 'storage_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'storage_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'storage_logs' AND state = 'error') AS error,
    COUNTIF(service = 'storage_logs') AS total
  ) AS storage_logs,
  STRUCT(
    COUNTIF(service = 'realtime_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'realtime_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'realtime_logs' AND state = 'error') AS error,
    COUNTIF(service = 'realtime_logs') AS total
  ) AS realtime_logs,
  STRUCT(
    COUNTIF(service = 'postgrest_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'postgrest_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'postgrest_logs' AND state = 'error') AS error,
    COUNTIF(service = 'postgrest_logs') AS total
  ) AS postgrest_logs,
  STRUCT(
    COUNTIF(service = 'supavisor_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'supavisor_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'supavisor_logs' AND state = 'error') AS error,
    COUNTIF(service = 'supavisor_logs') AS total
  ) AS supavisor_logs,
  STRUCT(
    COUNTIF(service = 'etl_replication_logs' AND state = 'ok') AS ok,
    COUNTIF(service = 'etl_replication_logs' AND state = 'warning') AS warning,
    COUNTIF(service = 'etl_replication_logs' AND state = 'error') AS error,
    COUNTIF(service = 'etl_replication_logs') AS total
  ) AS etl_replication_logs
FROM lines
GROUP BY 1
ORDER BY 1
