import { isObject, jsonOrLines, readValues, splitLines } from "./bodies.ts";
import { levelIn } from "./level.ts";
import { BadEvent, type IngestFailure, type Protocol, type ProtocolBody } from "./protocol.ts";

/** Parameters of the URL that are defaults for the fields of a log. */
const parameters = ["ddsource", "ddtags", "hostname", "service"] as const;

/** Datadog's intake: https://docs.datadoghq.com/api/latest/logs/#send-logs */
export const datadog: Protocol = {
  name: "datadog",
  isAtomic: true,
  mediaTypes: jsonOrLines,
  details: parameters.map((name) => `?${name}`),
  read: (body) => ({ items: readItems(body).map((item) => toEvent(item, body.details ?? {})) }),
  answer: () => ({ status: 202, body: {} }),
  answerFailure,
};

function readItems(body: ProtocolBody): readonly unknown[] {
  const { bytes, mediaType, count } = body;
  if (mediaType === "text/plain") {
    return splitLines(bytes, () => count.add()).map((line) => ({ message: line.replace(/\r$/, "") }));
  }
  // The agent probes the service with an empty object.
  return readValues(body).filter((item) => !isObject(item) || Object.keys(item).length > 0);
}

function toEvent(item: unknown, sent: Readonly<Record<string, string>>): unknown {
  if (item instanceof BadEvent) return item;
  if (!isObject(item)) return new BadEvent("a log must be a JSON object");
  const { message, timestamp, date, project, ...others } = item;
  const metadata: { [field: string]: unknown } = { ...others };
  for (const name of parameters) {
    const value = metadata[name] ?? sent[`?${name}`];
    if (value !== undefined) metadata[name] = value;
  }
  const tags = typeof metadata.ddtags === "string" ? readTags(metadata.ddtags) : {};
  if (Object.keys(tags).length > 0) metadata.tags = tags;
  const level = levelIn(metadata);
  if (level !== undefined) metadata.level = level;
  const time = timestamp ?? date;
  const owner = project ?? tags.project;
  return {
    ...(message === undefined ? {} : { event_message: message }),
    ...(time === undefined ? {} : { timestamp: time }),
    ...(owner === undefined ? {} : { project: owner }),
    metadata,
  };
}

/** `env:prod,team:web` as fields; a tag without a value is true, one that is repeated a list. */
function readTags(text: string): { [name: string]: string | boolean | readonly (string | boolean)[] } {
  const tags = new Map<string, (string | boolean)[]>();
  for (const tag of text.split(",")) {
    const [name = "", ...value] = tag.trim().split(":");
    if (name === "") continue;
    const values = tags.get(name) ?? [];
    values.push(value.length === 0 ? true : value.join(":"));
    tags.set(name, values);
  }
  const entries = [...tags].map(
    ([name, values]) => [name, values.length === 1 ? (values[0] ?? true) : values] as const,
  );
  return Object.fromEntries(entries);
}

/** Senders retry after 408, 429 and 5xx. */
function answerFailure({ status: sent, message: detail, code }: IngestFailure) {
  const status = sent === 401 ? 403 : sent === 507 ? 503 : sent;
  return { status, body: { errors: [{ status: String(status), title: code, detail }] } };
}
