/** How a sender is set up, by the protocol that it speaks. */
export interface SenderSnippet {
  readonly protocol: string;
  readonly text: string;
}

/** For a source of the service at `origin`, which has no slash at its end. Tokens are left to be filled in. */
export function senderSnippets(origin: string, source: string): readonly SenderSnippet[] {
  const url = `${origin}/api/logs?source_name=${encodeURIComponent(source)}`;
  const { hostname, host, protocol } = new URL(origin);
  const event = '{"event_message": "GET /orders", "project": "default", "metadata": {"level": "info"}}';
  return [
    {
      protocol: "curl",
      text: `curl -H "X-API-KEY: $LOGWEIR_TOKEN" -H 'Content-Type: application/json' '${url}' \\\n  -d '[${event}]'`,
    },
    {
      protocol: "OpenTelemetry",
      text: `exporters:\n  otlphttp:\n    endpoint: ${origin}\n    headers: { X-API-KEY: "TOKEN", X-Source: "${source}" }`,
    },
    {
      protocol: "Vector",
      text: `[sinks.logweir]\ntype = "http"\ninputs = ["your_source"]\nuri = "${url}"\nencoding.codec = "json"\nrequest.headers.X-API-KEY = "TOKEN"`,
    },
    {
      protocol: "Loki (Promtail, Alloy)",
      text: `clients:\n  - url: ${origin}/loki/api/v1/push?source_name=${encodeURIComponent(source)}\n    basic_auth: { username: logweir, password: "TOKEN" }`,
    },
    {
      protocol: "Elasticsearch (Filebeat)",
      text: `output.elasticsearch:\n  hosts: ["${origin}"]\n  api_key: "logweir:TOKEN"\n  headers: { X-Source: "${source}" }\nsetup.ilm.enabled: false\nsetup.template.enabled: false`,
    },
    {
      protocol: "Splunk HEC",
      text: `exporters:\n  splunk_hec:\n    endpoint: ${origin}/services/collector?source_name=${encodeURIComponent(source)}\n    token: "TOKEN"`,
    },
    {
      protocol: "Datadog agent",
      text: `# events go to the source datadog\nlogs_config:\n  logs_dd_url: ${host}\n  logs_no_ssl: ${protocol === "http:"}\n  force_use_http: true\napi_key: "TOKEN"`,
    },
    {
      protocol: "syslog (rsyslog)",
      text: `# where LOGWEIR_SYSLOG_PORT=5514; events go to the source syslog\n*.* action(type="omfwd" target="${hostname}" port="5514" protocol="tcp")`,
    },
  ];
}
