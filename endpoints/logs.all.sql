/*---
id: 1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690
name: logs.all
description: Raw log rows of one project from the log sources, newest first
max_rows: 1000
cache_seconds: 0
sandbox: true
redact_pii: false
parameters:
  project:
    type: string
    required: true
    description: Reference of the project whose logs are read
  iso_timestamp_start:
    type: timestamp
    description: Only rows strictly after it; none or empty for no bound
  iso_timestamp_end:
    type: timestamp
    description: Only rows at or before it; none or empty for no bound
tenant_parameter: project
table_aliases:
  postgres_logs: db_logs
  postgrest_logs: rest_logs
  pgbouncer_logs: pooler_logs
  supavisor_logs: pooler_logs
hidden_columns: [identifier]
---*/
WITH
  edge_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM edge AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  db_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM db AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  function_edge_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM function_edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project_ref = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  function_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM function AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project_ref = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  auth_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM auth AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  realtime_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM realtime AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  storage_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM storage AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  rest_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM rest AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  pooler_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM pooler AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  auth_audit_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM auth_audit AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  pg_upgrade_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM pg_upgrade AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  etl_replication_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM etl_replication AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  multigres_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM multigres AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  workflow_run_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM workflow_run AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  ),

  supamonitor_logs AS (
    SELECT t.timestamp, t.id, t.event_message, t.metadata, t.identifier
    FROM supamonitor AS t
    WHERE t.project = @project
      AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
      AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
    ORDER BY t.timestamp DESC
  )

SELECT id, timestamp, event_message, metadata
FROM edge_logs
ORDER BY timestamp DESC
LIMIT 100
