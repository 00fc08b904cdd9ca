import { datadog } from "./datadog.ts";
import { elastic } from "./elastic.ts";
import { browserReports } from "./forms/browser-reports.ts";
import { cloudEvent } from "./forms/cloud-event.ts";
import { cloudflare } from "./forms/cloudflare.ts";
import { github } from "./forms/github.ts";
import { netlify, plainJson, typecasts, vector, vercel } from "./forms/json-forms.ts";
import { journald } from "./journald.ts";
import { loki } from "./loki.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "./otlp/index.ts";
import { ownForm } from "./own-form.ts";
import type { Protocol } from "./protocol.ts";
import { splunkEvents, splunkRaw } from "./splunk.ts";
import { logplex, syslog } from "./syslog/index.ts";

const all: readonly Protocol[] = [
  ownForm,
  ...[otlpLogs, otlpTraces, otlpMetrics],
  ...[loki, elastic, splunkEvents, splunkRaw, datadog, journald],
  ...[syslog, logplex],
  ...[plainJson, vector, typecasts, vercel, netlify, cloudEvent, browserReports, cloudflare, github],
];

/** Every way to send events over HTTP, by name. */
export const protocols: ReadonlyMap<string, Protocol> = new Map(all.map((protocol) => [protocol.name, protocol]));
