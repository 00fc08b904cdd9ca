import type { Backend, DrainedEvent } from "../backend.ts";
import type { DrainRequest } from "./send-request.ts";

/** Events of a source in the form of the backend's destination. */
export function makeRequest({ type, config }: Backend, source: string, events: readonly DrainedEvent[]): DrainRequest {
  const { url, headers, gzip: isPacked } = config;
  switch (type) {
    case "webhook":
      return { url, headers: { ...headers, "x-logweir-source": source }, body: JSON.stringify(events), isPacked };
    case "logweir": {
      const target = new URL("api/logs", url.endsWith("/") ? url : `${url}/`);
      target.searchParams.set("source_name", config.source ?? source);
      const token = config.token === undefined ? {} : { "x-api-key": config.token };
      return { url: target.href, headers: { ...headers, ...token }, body: JSON.stringify(events), isPacked };
    }
    case "loki":
      return {
        url: lokiAddress(url),
        headers: { ...headers, ...basicAuthentication(config) },
        body: JSON.stringify({ streams: toStreams(source, events) }),
        isPacked,
      };
  }
}

function lokiAddress(url: string): string {
  const target = new URL(url);
  if (target.pathname === "/") target.pathname = "/loki/api/v1/push";
  return target.href;
}

function basicAuthentication({ username, password = "" }: Backend["config"]): Record<string, string> {
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}` };
}

/** A stream for each project of the source; the line is the event without its time. */
function toStreams(source: string, events: readonly DrainedEvent[]): readonly object[] {
  const streams = new Map<string, { readonly stream: Record<string, string>; readonly values: [string, string][] }>();
  for (const { timestamp, ...rest } of events) {
    const project = typeof rest.project === "string" ? rest.project : undefined;
    const key = project ?? "";
    const stream = streams.get(key) ?? {
      stream: { source, ...(project === undefined ? {} : { project }) },
      values: [],
    };
    streams.set(key, stream);
    stream.values.push([`${String(timestamp)}000`, JSON.stringify(rest)]);
  }
  return [...streams.values()];
}
