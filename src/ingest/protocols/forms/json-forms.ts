import { type JsonObject, jsonOrLines, mapObjects, present, readValues, toJsonText } from "../bodies.ts";
import { levelIn } from "../level.ts";
import type { Protocol } from "../protocol.ts";

/**
 * Any JSON. A value with a message is an event; of other objects the text becomes the message, and the object
 * `metadata`.
 */
export const plainJson: Protocol = {
  name: "json",
  mediaTypes: jsonOrLines,
  read: (body) => ({
    items: mapObjects(readValues(body), (object) => {
      if (typeof (object.message ?? object.event_message) === "string") return gather(object);
      const { timestamp, project } = object;
      return present({ event_message: toJsonText(object), timestamp, project, metadata: object });
    }),
  }),
};

/** Events of Vector's HTTP sink: message, time and project are retained, all other fields go into `metadata`. */
export const vector: Protocol = {
  name: "vector",
  mediaTypes: jsonOrLines,
  read: (body) => ({
    items: mapObjects(readValues(body), gather),
  }),
};

/** The same event, with all fields except message, time and project gathered in `metadata`. */
function gather({ id, message, event_message, timestamp, project, ...rest }: JsonObject): object {
  const { metadata: inside, ...others } = rest;
  const metadata = typeof inside === "object" && inside !== null ? { ...others, ...inside } : rest;
  return present({ id, event_message: message ?? event_message, timestamp, project, metadata });
}

/** Events with a list of fields to convert, as Logflare's clients of typed languages send them. */
export const typecasts: Protocol = {
  name: "typecasts",
  mediaTypes: jsonOrLines,
  read: (body) => ({
    items: mapObjects(readValues(body), ({ body: inside, typecasts: casts, ...event }) => {
      const target = typeof inside === "object" && inside !== null ? structuredClone(inside) : event;
      for (const cast of Array.isArray(casts) ? casts : []) convert(target, cast);
      return target;
    }),
  }),
};

/** Converts the text at a path into a number; a text that is not a number is unchanged. */
function convert(event: object, cast: unknown): void {
  const { path, to } = (cast ?? {}) as { readonly path?: unknown; readonly to?: unknown };
  if (!Array.isArray(path) || path.length === 0 || (to !== "float" && to !== "integer")) return;
  let holder: unknown = event;
  for (const name of path.slice(0, -1)) holder = ownValue(holder, name);
  const last = path.at(-1);
  const value = ownValue(holder, last);
  if (typeof value !== "string" || value.trim() === "") return;
  const number = Number(value);
  if (Number.isFinite(number) && (to === "float" || Number.isSafeInteger(number))) {
    (holder as { [name: string]: unknown })[String(last)] = number;
  }
}

function ownValue(holder: unknown, name: unknown): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, String(name))) return undefined;
  return (holder as { [name: string]: unknown })[String(name)];
}

/** Log drains of Vercel: https://vercel.com/docs/drains/reference/logs. Each log has an id. */
export const vercel: Protocol = {
  name: "vercel",
  mediaTypes: jsonOrLines,
  read: (body) => ({
    items: mapObjects(readValues(body), ({ id, message, timestamp, project, ...metadata }) => {
      const { proxy } = metadata as { readonly proxy?: { readonly method?: unknown; readonly path?: unknown } };
      const request = proxy === undefined || proxy === null ? undefined : `${proxy.method} ${proxy.path}`;
      const level = levelIn(metadata);
      const kept = level === undefined ? metadata : { ...metadata, level };
      return present({ id, event_message: message ?? request, timestamp, project, metadata: kept });
    }),
  }),
};

/** Log drains of Netlify: https://docs.netlify.com/manage/monitoring/log-drains/ */
export const netlify: Protocol = {
  name: "netlify",
  mediaTypes: jsonOrLines,
  read: (body) => ({
    items: mapObjects(readValues(body), ({ message, timestamp, project, ...metadata }) => {
      const { method, status_code: status, client_ip: ip, url, user_agent: agent, log_type: type } = metadata;
      const parts = [method, status, ip, url, agent].filter((part) => part !== undefined);
      const text = message ?? (parts.length > 0 ? parts.join(" | ") : type);
      const level = levelIn({ level: metadata.level });
      const kept = level === undefined ? metadata : { ...metadata, level };
      return present({ event_message: text, timestamp, project, metadata: kept });
    }),
  }),
};
