/*---
id: 6f2b8f4c-1d7e-4c0b-9d0e-8e5a7c3b1f17
name: api_keys.last_used
description: When each API key of a project was last sent, in milliseconds since 1970
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
    description: Only requests at or after it; none or empty for no bound
  iso_timestamp_end:
    type: timestamp
    description: Only requests at or before it; none or empty for no bound
tenant_parameter: project
---*/
SELECT
  UNIX_MILLIS(MAX(t.timestamp)) AS timestamp,
  payload.role,
  payload.signature_prefix,
  payload.key_id
FROM edge AS t
CROSS JOIN UNNEST(t.metadata) AS m
CROSS JOIN UNNEST(m.request) AS request
CROSS JOIN UNNEST(request.sb) AS sb
CROSS JOIN UNNEST(sb.jwt) AS jwt
CROSS JOIN UNNEST(jwt.apikey) AS apikey
CROSS JOIN UNNEST(apikey.payload) AS payload
WHERE t.project = @project
  AND (@iso_timestamp_start IS NULL OR t.timestamp >= @iso_timestamp_start)
  AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
GROUP BY payload.role, payload.signature_prefix, payload.key_id
ORDER BY payload.role, payload.signature_prefix, payload.key_id
