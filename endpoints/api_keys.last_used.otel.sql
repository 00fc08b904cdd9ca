/*---
id: 2b7d5e90-6c1f-4a58-9e37-41c8d0f6ab25
name: api_keys.last_used.otel
description: "api_keys.last_used, under the name that newer clients ask for"
max_rows: 10000
cache_seconds: 60
sandbox: false
redact_pii: false
tenant_parameter: project
---*/
SELECT timestamp, role, signature_prefix, key_id
FROM `api_keys.last_used`
ORDER BY role, signature_prefix, key_id
