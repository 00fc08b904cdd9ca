import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { Backend } from "../backend.ts";
import { hopsHeader, writeHops } from "../hops.ts";
import { putObject } from "./put-object.ts";
import type { DrainRequest } from "./send-request.ts";
import { writeEvent, writeUntimed } from "./write-event.ts";
import { writeOtlp } from "./write-otlp.ts";

/** Events of one request. */
export interface Shipment {
  readonly source: string;
  readonly events: readonly LogEvent[];
  /** The services that drained them, this one last. */
  readonly hops: readonly string[];
}

/** Events in the form of the backend's destination: texts that were stored, joined, with every digit of theirs. */
export function makeRequest({ type, config }: Backend, { source, events, hops }: Shipment): DrainRequest {
  const { url, gzip: isPacked } = config;
  const headers = { ...config.headers, [hopsHeader]: writeHops(hops) };
  switch (type) {
    case "webhook":
      return { url, headers: { ...headers, "x-logweir-source": source }, body: writeList(events), isPacked };
    case "logweir": {
      const target = new URL("api/logs", url.endsWith("/") ? url : `${url}/`);
      target.searchParams.set("source_name", config.source ?? source);
      const token = config.token === undefined ? {} : { "x-api-key": config.token };
      return { url: target.href, headers: { ...headers, ...token }, body: writeList(events), isPacked };
    }
    case "loki":
      return {
        url: withPath(url, "/loki/api/v1/push"),
        headers: { ...headers, ...basicAuthentication(config) },
        body: `{"streams":[${writeStreams(source, events).join(",")}]}`,
        isPacked,
      };
    case "otlp":
      return { url: withPath(url, "/v1/logs"), headers, body: writeOtlp(source, events), isPacked };
    case "s3":
      return putObject(config, source, events);
  }
}

function writeList(events: readonly LogEvent[]): string {
  return `[${events.map(writeEvent).join(",")}]`;
}

/** The address with the protocol's usual path, where it has none of its own. */
export function withPath(url: string, path: string): string {
  const target = new URL(url);
  if (target.pathname === "/") target.pathname = path;
  return target.href;
}

function basicAuthentication({ username, password = "" }: Backend["config"]): Record<string, string> {
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}` };
}

/** A stream for each project of the source; the line is the event without its time. */
function writeStreams(source: string, events: readonly LogEvent[]): readonly string[] {
  const streams = groupBy(events, ({ fields: { project } }) => (typeof project === "string" ? project : undefined));
  return [...streams].map(([project, some]) => {
    const values = some.map((event) => `["${event.timestampUs}000",${JSON.stringify(writeUntimed(event))}]`);
    const labels = { source, ...(project === undefined ? {} : { project }) };
    return `{"stream":${JSON.stringify(labels)},"values":[${values.join(",")}]}`;
  });
}
