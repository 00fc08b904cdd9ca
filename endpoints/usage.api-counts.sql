/*---
id: 8e0c6a1d-3b94-4f0e-8a57-d2c1b76f9e38
name: usage.api-counts
description: Requests of one project to its REST, storage, auth and realtime areas, counted over time
max_rows: 1000
cache_seconds: 900
warm_every_seconds: 300
sandbox: true
redact_pii: false
parameters:
  interval:
    type: string
    required: true
    allowed: [hourly, daily, minutely]
    description: "Window and bucket: hourly = 1 hour by hour, daily = 7 days by day, minutely = 60 minutes by minute"
  project:
    type: string
    required: true
    description: Regular expression (RE2) that the request's URL must match
---*/
WITH
  api_requests AS (
    SELECT
      CASE @interval
        WHEN 'minutely' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
        WHEN 'hourly' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
        WHEN 'daily' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
      END AS bucket,
      request.path AS path
    FROM edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.request) AS request
    WHERE t.timestamp >= CASE @interval
        WHEN 'minutely' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE)
        WHEN 'hourly' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
        WHEN 'daily' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)
      END
      -- A gateway that logs no URL still tells the project.
      AND REGEXP_CONTAINS(COALESCE(request.url, t.project), @project)
  )

SELECT
  DATETIME(bucket) AS timestamp,
  COUNTIF(STRPOS(path, '/rest') > 0) AS total_rest_requests,
  COUNTIF(STRPOS(path, '/storage') > 0) AS total_storage_requests,
  COUNTIF(STRPOS(path, '/auth') > 0) AS total_auth_requests,
  COUNTIF(STRPOS(path, '/realtime') > 0) AS total_realtime_requests
FROM api_requests
GROUP BY 1
ORDER BY 1
