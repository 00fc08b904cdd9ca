import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { datadog } from "../../../ingest/protocols/datadog.ts";
import { elastic } from "../../../ingest/protocols/elastic.ts";
import { browserReports } from "../../../ingest/protocols/forms/browser-reports.ts";
import { cloudEvent } from "../../../ingest/protocols/forms/cloud-event.ts";
import { cloudflare } from "../../../ingest/protocols/forms/cloudflare.ts";
import { github } from "../../../ingest/protocols/forms/github.ts";
import { netlify, plainJson, typecasts, vector, vercel } from "../../../ingest/protocols/forms/json-forms.ts";
import { journald } from "../../../ingest/protocols/journald.ts";
import { loki } from "../../../ingest/protocols/loki.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "../../../ingest/protocols/otlp/index.ts";
import { ownForm } from "../../../ingest/protocols/own-form.ts";
import { splunkEvents, splunkParameters, splunkRaw } from "../../../ingest/protocols/splunk.ts";
import { logplex, syslog } from "../../../ingest/protocols/syslog/index.ts";
import { count, inQuery, reference, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { AppContext } from "../../app-context.ts";
import { addIngestRoute, type IngestRoute } from "../../ingest/add-ingest-route.ts";
import { addHandshakes } from "../../ingest/handshakes.ts";

const Accepted = Type.Object({ message: text, accepted: count });

export const ingestSchemas = { Accepted };
export const ingestRoutes = describeRoutes({
  sendEvents: {
    tag: "ingest",
    scope: "ingest",
    method: "post",
    path: "/api/logs",
    aliases: ["/logs", "/api/events"],
    summary: "Store events",
    parameters: [inQuery("source_name", "Name or alias of the source")],
    body: Type.Unsafe<unknown>({ description: 'An event, an array of events, or {"batch":[...]}' }),
    answer: reference("Accepted", Accepted),
    errors: [
      "invalid_body",
      "missing_parameter",
      "unknown_source",
      "unsupported_media_type",
      "body_too_large",
      "rate_limited",
      "tenant_limit",
      "overloaded",
      "disk_full",
      "engine_unavailable",
      "shutting_down",
    ],
  },
});

const bases = [ingestRoutes.sendEvents.path, ...ingestRoutes.sendEvents.aliases];
/** The same below each of the own routes, as the reference has them. */
const below = (...paths: string[]) => bases.flatMap((base) => paths.map((path) => `${base}${path}`));
const collector = (...paths: string[]) => paths.map((path) => `/services/collector${path}`);

/** Where each protocol's senders send to, and the source of events that name none. */
const routes: readonly IngestRoute[] = [
  { protocol: ownForm, urls: bases },
  { protocol: otlpLogs, urls: ["/v1/logs"], defaultSource: "otel" },
  { protocol: otlpTraces, urls: ["/v1/traces"], defaultSource: "otel_traces" },
  { protocol: otlpMetrics, urls: ["/v1/metrics"], defaultSource: "otel_metrics" },
  { protocol: loki, urls: ["/loki/api/v1/push", "/api/prom/push"], defaultSource: "loki" },
  { protocol: elastic, urls: ["/_bulk", "/:index/_bulk"], methods: ["POST", "PUT"], defaultSource: "elastic" },
  {
    protocol: splunkEvents,
    urls: collector("", "/event", "/event/1.0"),
    defaultSource: "splunk",
    ownParameters: splunkParameters,
  },
  {
    protocol: splunkRaw,
    urls: collector("/raw", "/raw/1.0"),
    defaultSource: "splunk",
    ownParameters: splunkParameters,
  },
  { protocol: datadog, urls: ["/api/v2/logs", "/v1/input", "/v1/input/:api_key"], defaultSource: "datadog" },
  { protocol: journald, urls: ["/upload", ...below("/journald")], defaultSource: "journald" },
  { protocol: syslog, urls: below("/syslogs", "/syslog"), defaultSource: "syslog" },
  { protocol: logplex, urls: below("/logplex"), defaultSource: "syslog" },
  { protocol: plainJson, urls: below("/json"), defaultSource: "webhooks" },
  { protocol: vector, urls: below("/vector"), defaultSource: "webhooks" },
  { protocol: typecasts, urls: below("/typecasts"), defaultSource: "webhooks" },
  { protocol: vercel, urls: below("/vercel", "/zeit"), defaultSource: "webhooks" },
  { protocol: netlify, urls: below("/netlify"), defaultSource: "webhooks" },
  { protocol: cloudEvent, urls: below("/cloud-event"), defaultSource: "webhooks" },
  { protocol: browserReports, urls: below("/browser/reports"), defaultSource: "webhooks" },
  { protocol: cloudflare, urls: [...below("/cloudflare"), "/webhooks/cloudflare/v1"], defaultSource: "webhooks" },
  { protocol: github, urls: below("/github"), defaultSource: "webhooks" },
  // Loggers of Elixir and Erlang send the own form; it names its source in the body.
  { protocol: ownForm, urls: below("/elixir/logger", "/erlang", "/erlang/logger", "/erlang/lager") },
];

/** The routes that take events. */
export function addIngestRoutes(app: FastifyInstance, dependencies: AppContext): void {
  app.decorateRequest("ingestSource");
  for (const route of routes) addIngestRoute(app, dependencies, route);
  addHandshakes(app);
}
