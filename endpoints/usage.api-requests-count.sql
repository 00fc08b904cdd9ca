/*---
id: 0c4d9b7e-9a1a-4f1e-8d53-2b8e6f7a9d16
name: usage.api-requests-count
description: How many requests a project's gateway took in the time up to now
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
SELECT COUNT(*) AS count
FROM edge AS t
WHERE t.project = @project
  AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
    WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN '1hr' THEN 60 WHEN '3hr' THEN 180
    WHEN '1day' THEN 1440 WHEN '3day' THEN 4320 ELSE 10080
  END MINUTE)
