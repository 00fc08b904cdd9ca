import { BodyError } from "../../engines/contract/query-engine.ts";
import { closingQuote } from "../../values/json/json-tokens.ts";
import { counted, isJsonType, parseJsonBody } from "./bodies.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { decompressSnappy } from "./decompress-snappy.ts";
import { levelIn } from "./level.ts";
import { type DecodedMessage, setField, shapeOf } from "./message-shape.ts";
import { BadEvent, type IngestFailure, type Protocol, type ProtocolBody, TimedEvent } from "./protocol.ts";

/** `logproto.PushRequest` of grafana/loki, `pkg/push/push.proto`. */
const timestamp = shapeOf("Timestamp", [
  [1, "seconds", "int"],
  [2, "nanos", "int"],
]);
const labelPair = shapeOf("LabelPair", [
  [1, "name", "text"],
  [2, "value", "text"],
]);
const entry = shapeOf("Entry", [
  [1, "timestamp", timestamp],
  [2, "line", "text"],
  [3, "structuredMetadata", labelPair, "repeated"],
]);
const stream = shapeOf("Stream", [
  [1, "labels", "text"],
  [2, "entries", entry, "events"],
]);
export const pushRequest = shapeOf("PushRequest", [[1, "streams", stream, "repeated"]]);

/** Loki's push API: https://grafana.com/docs/loki/latest/reference/loki-http-api/#ingest-logs */
export const loki: Protocol = {
  name: "loki",
  isAtomic: true,
  mediaTypes: {
    pattern: /^(|application\/(json|x-protobuf)|text\/(json|plain))$/,
    advice: "application/x-protobuf or application/json",
  },
  read: (body) => ({ items: isJsonType(body.mediaType) ? readJson(body) : readProtobuf(body) }),
  answer: () => ({ status: 204 }),
  answerFailure: ({ status, message }: IngestFailure) => ({
    // Senders retry only after 429 and 5xx.
    status: status === 507 ? 503 : status,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: `${message}\n`,
  }),
};

function readProtobuf({ bytes, contentEncoding, maxBytes, count }: ProtocolBody): readonly unknown[] {
  // Senders compress with snappy whether or not a header says so; a declared encoding was decoded already.
  const isUndone = /snappy/i.test(contentEncoding ?? "");
  const message = decodeProtobuf(isUndone ? bytes : decompressSnappy(bytes, maxBytes), pushRequest, count);
  const streams = (message.streams ?? []) as readonly DecodedMessage[];
  return streams.flatMap(({ labels = "", entries = [] }) => {
    const parsed = parseLabels(labels as string);
    return (entries as readonly DecodedMessage[]).map((each) => {
      const { seconds = 0, nanos = 0 } = (each.timestamp ?? {}) as { seconds?: number; nanos?: number };
      const pairs = (each.structuredMetadata ?? []) as readonly { name?: string; value?: string }[];
      const structured: DecodedMessage = {};
      for (const { name = "", value = "" } of pairs) setField(structured, name, value);
      const ns = BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
      return toEvent(parsed, ns === 0n ? undefined : ns, each.line, structured);
    });
  });
}

const labelName = /\s*([A-Za-z_][\w.]*)\s*=\s*/y;
const labelEnd = /\s*(?:,|(?=\}\s*$))/y;

/** Where the quoted text ends that begins at `start`; there where it does not end, or none begins. */
function endOfQuoted(text: string, start: number): number {
  const end = text[start] === '"' ? closingQuote(text, start) : text[start] === "`" ? text.indexOf("`", start + 1) : -1;
  return end === -1 ? start : end + 1;
}

/** The labels of a stream, as PromQL writes them: `{app="web", env="prod"}`. Throws `invalid_body`. */
export function parseLabels(text: string): DecodedMessage {
  const labels: DecodedMessage = {};
  const begin = /^\s*\{/.exec(text)?.[0].length;
  const end = /\}\s*$/.exec(text)?.index;
  if (begin === undefined || end === undefined) throw noLabels(text);
  for (let at = begin; text.slice(at, end).trim() !== ""; ) {
    labelName.lastIndex = at;
    const [, name = ""] = labelName.exec(text) ?? [];
    const start = labelName.lastIndex;
    const quoted = text.slice(start, endOfQuoted(text, start));
    labelEnd.lastIndex = start + quoted.length;
    if (name === "" || quoted === "" || !labelEnd.test(text)) throw noLabels(text);
    setField(labels, name, unquote(quoted));
    at = labelEnd.lastIndex;
  }
  return labels;
}

function noLabels(text: string): BodyError {
  return new BodyError("invalid_body", `Labels must be written like {app="web"}, not ${text.slice(0, 100)}`);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  return quoted.startsWith("`") ? inner : inner.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
}

function readJson({ bytes, count }: ProtocolBody): readonly unknown[] {
  const value = parseJsonBody(bytes) as { readonly streams?: unknown } | null;
  const streams = value?.streams;
  if (!Array.isArray(streams)) throw new BodyError("invalid_body", 'The body must be {"streams":[...]}');
  return streams.flatMap((each: unknown) => {
    const { stream: labels = {}, values } = (each ?? {}) as { stream?: unknown; values?: unknown };
    if (!Array.isArray(values) || typeof labels !== "object" || labels === null) {
      throw new BodyError("invalid_body", "A stream must have labels in stream, and lines in values");
    }
    return counted(values, count).map((line: unknown) => {
      if (!Array.isArray(line) || typeof line[1] !== "string") {
        return new BadEvent("a line must be [nanoseconds, text] or [nanoseconds, text, fields]");
      }
      const [time, text, structured] = line as readonly unknown[];
      return toEvent(labels as DecodedMessage, readNanoseconds(time), text, structured);
    });
  });
}

/** As a bigint where it is one; anything else as it was sent. */
function readNanoseconds(time: unknown): unknown {
  if (typeof time === "bigint") return time;
  const digits = typeof time === "number" ? String(time) : time;
  return typeof digits === "string" && /^\d{1,20}$/.test(digits) ? BigInt(digits) : time;
}

function toEvent(labels: DecodedMessage, time: unknown, line: unknown, structured: unknown): TimedEvent {
  const isRead = typeof time === "bigint";
  const fields = typeof structured === "object" && structured !== null ? (structured as DecodedMessage) : {};
  const level = levelIn(labels) ?? levelIn(fields);
  const project = labels.project ?? fields.project;
  const event = {
    event_message: line,
    ...(project === undefined ? {} : { project }),
    ...(isRead || time === undefined ? {} : { timestamp: time }),
    metadata: {
      ...(level === undefined ? {} : { level }),
      labels,
      structured: fields,
      ...(isRead ? { time_unix_nano: time <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : time } : {}),
    },
  };
  return new TimedEvent(event, isRead ? time / 1000n : undefined);
}
