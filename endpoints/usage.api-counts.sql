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
    allowed: [hourly, daily, minutely, 15min, 30min, 1hr, 3hr, 1day, 3day, 7day, weekly]
    description: "Window and bucket: minutely = 60 minutes by minute, hourly = 1 hour by hour, daily = 7 days by day; 15min, 30min, 1hr by minute; 3hr, 1day, 3day by hour; 7day, weekly by day"
  project:
    type: string
    required: true
    description: Regular expression (RE2) that the request's URL must match
tenant_parameter: project
---*/
WITH
  api_requests AS (
    SELECT
      CASE
        WHEN @interval IN ('minutely', '15min', '30min', '1hr') THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
        WHEN @interval IN ('hourly', '3hr', '1day', '3day') THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
        ELSE TIMESTAMP_TRUNC(t.timestamp, DAY)
      END AS bucket,
      request.path AS path
    FROM edge AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.request) AS request
    WHERE t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
        WHEN '15min' THEN 15
        WHEN '30min' THEN 30
        WHEN 'minutely' THEN 60
        WHEN '1hr' THEN 60
        WHEN 'hourly' THEN 60
        WHEN '3hr' THEN 3 * 60
        WHEN '1day' THEN 24 * 60
        WHEN '3day' THEN 72 * 60
        ELSE 7 * 24 * 60
      END MINUTE)
      -- A gateway that logs no URL still names the project.
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
