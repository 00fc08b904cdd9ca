/*---
id: 5d1f7a36-8b0e-4c52-9e6f-2a94c7b3d081
name: auth.metrics
description: A project's users, sign-ups and requests for authentication, of the time up to now and of as much time before it
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
    default: 1day
    allowed: [15min, 30min, 1hr, 3hr, 1day, 3day, 7day]
    description: "Time up to now"
tenant_parameter: project
---*/
WITH
  lines AS (
    SELECT
      t.timestamp,
      t.project,
      'auth' AS service,
      auth_event.actor_id AS user,
      auth_event.action,
      m.status IS NOT NULL AS is_request,
      m.status >= 400 OR LOWER(m.level) IN ('error', 'fatal', 'panic') AS is_error
    FROM auth AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.auth_event) AS auth_event
    UNION ALL
    SELECT t.timestamp, t.project, 'api', NULL, NULL, TRUE, response.status_code >= 400
    FROM edge AS t
    LEFT JOIN UNNEST(t.metadata) AS m
    LEFT JOIN UNNEST(m.request) AS request
    LEFT JOIN UNNEST(m.response) AS response
    WHERE STARTS_WITH(request.path, '/auth/v1')
  ),

  timed AS (
    SELECT
      *,
      CASE @interval
        WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
        WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
      END AS minutes
    FROM lines
    WHERE project = @project
  ),

  parts AS (
    SELECT
      *,
      IF(timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL minutes MINUTE), 'current', 'previous') AS period
    FROM timed
    WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 * minutes MINUTE)
      AND timestamp <= CURRENT_TIMESTAMP()
  )

SELECT
  period,
  COUNT(DISTINCT user) AS active_users,
  COUNTIF(service = 'api' AND is_error) AS api_error_requests,
  COUNTIF(service = 'api') AS api_total_requests,
  COUNTIF(service = 'auth' AND is_error) AS auth_total_errors,
  COUNTIF(service = 'auth' AND is_request) AS auth_total_requests,
  COUNTIF(action = 'user_recovery_requested') AS password_reset_requests,
  COUNTIF(action = 'user_signedup') AS sign_up_count
FROM (
  SELECT period, service, user, action, is_request, is_error FROM parts
  -- Each period has a row, also where nothing happened in it.
  UNION ALL SELECT 'current', NULL, NULL, NULL, FALSE, FALSE
  UNION ALL SELECT 'previous', NULL, NULL, NULL, FALSE, FALSE
)
GROUP BY period
ORDER BY period
