import { gzipSync } from "node:zlib";
import fc from "fast-check";
import snappy from "snappyjs";
import { BodyError } from "../../src/engines/contract/query-engine.ts";
import { parseEvents } from "../../src/ingest/parse-events.ts";
import { protocols } from "../../src/ingest/protocols/index.ts";
import { pushRequest } from "../../src/ingest/protocols/loki.ts";
import { logsRequest, metricsRequest, tracesRequest } from "../../src/ingest/protocols/otlp/shapes.ts";
import { isTimestampInRange } from "../../src/values/calendar.ts";
import { encodeProtobuf } from "../support/encode-protobuf.ts";

interface Sample {
  readonly protocol: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const attributes = [
  { key: "a.b", value: { stringValue: "text" } },
  { key: "list", value: { arrayValue: { values: [{ intValue: "7" }, { boolValue: true }] } } },
  { key: "map", value: { kvlistValue: { values: [{ key: "k", value: { doubleValue: 1.5 } }] } } },
];
const resource = { attributes };
const times = { timeUnixNano: "1787216400123456789" };
const logs = {
  resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ ...times, body: { stringValue: "hi" }, attributes }] }] }],
};
const span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "s",
  kind: 2,
  attributes,
};
const spans = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
const points = { dataPoints: [{ ...times, asInt: "7", attributes }] };
const histogram = { dataPoints: [{ ...times, count: "2", bucketCounts: ["1", "1"], explicitBounds: [5] }] };
const metrics = {
  resourceMetrics: [
    {
      resource,
      scopeMetrics: [
        {
          metrics: [
            { name: "m", gauge: points },
            { name: "h", histogram },
          ],
        },
      ],
    },
  ],
};
const streams = [{ labels: '{app="web"}', entries: [{ timestamp: { seconds: 1787216400 }, line: "line" }] }];

const json = "application/json";
const text = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

/** A valid body of every protocol, in each of its formats. */
export const samples: readonly Sample[] = [
  { protocol: "events", contentType: json, bytes: text([{ id: "a", message: "m", metadata: { n: 1 } }]) },
  { protocol: "events", contentType: "application/x-ndjson", bytes: text('{"a":1}\n{"b":2}\n') },
  { protocol: "otlp_logs", contentType: json, bytes: text(logs) },
  { protocol: "otlp_logs", contentType: "application/x-protobuf", bytes: encodeProtobuf(logsRequest, logs) },
  { protocol: "otlp_traces", contentType: "application/x-protobuf", bytes: encodeProtobuf(tracesRequest, spans) },
  { protocol: "otlp_traces", contentType: json, bytes: text(spans) },
  { protocol: "otlp_metrics", contentType: "application/x-protobuf", bytes: encodeProtobuf(metricsRequest, metrics) },
  { protocol: "otlp_metrics", contentType: json, bytes: text(metrics) },
  {
    protocol: "loki",
    contentType: json,
    bytes: text({ streams: [{ stream: { app: "web" }, values: [["1787216400000000000", "line", { k: "v" }]] }] }),
  },
  {
    protocol: "loki",
    contentType: "application/x-protobuf",
    bytes: snappy.compress(encodeProtobuf(pushRequest, { streams })),
  },
  {
    protocol: "elastic",
    contentType: "application/x-ndjson",
    bytes: text('{"index":{"_id":"a"}}\n{"message":"m"}\n{"create":{}}\n{"a":1}\n'),
  },
  {
    protocol: "splunk_events",
    contentType: json,
    bytes: text('{"time":1787216400.5,"event":{"message":"m"}}{"event":"x","fields":{"a":1}}'),
  },
  { protocol: "splunk_raw", contentType: "text/plain", bytes: text("one\ntwo\n") },
  { protocol: "datadog", contentType: json, bytes: text([{ message: "m", ddtags: "a:b,c", status: "info" }]) },
  {
    protocol: "journald",
    contentType: "application/vnd.fdo.journal",
    bytes: Buffer.concat([
      text("__CURSOR=c\nMESSAGE\n"),
      Buffer.from([3, 0, 0, 0, 0, 0, 0, 0]),
      text("a\nb\nPRIORITY=3\n\n"),
    ]),
  },
  {
    protocol: "syslog",
    contentType: "text/plain",
    bytes: text(
      '<165>1 2026-08-20T09:00:00Z h a p m [id@1 a="b\\"c"] text\n11 <13>Aug 20 x\n<13>Aug 20 09:00:00 h a[1]: m\n',
    ),
  },
  {
    protocol: "logplex",
    contentType: "application/logplex-1",
    bytes: text("62 <40>1 2026-08-20T09:00:00+00:00 host app web.3 - State changed"),
  },
  { protocol: "json", contentType: json, bytes: text([{ a: { b: 1 } }]) },
  {
    protocol: "vector",
    contentType: json,
    bytes: text([{ message: "m", timestamp: "2026-08-20T09:00:00Z", host: "h" }]),
  },
  {
    protocol: "typecasts",
    contentType: json,
    bytes: text({
      batch: [
        { body: { metadata: { n: "1" } }, typecasts: [{ from: "string", path: ["metadata", "n"], to: "float" }] },
      ],
    }),
  },
  {
    protocol: "vercel",
    contentType: json,
    bytes: text([{ id: "v", timestamp: 1787216400123, proxy: { method: "GET", path: "/" } }]),
  },
  { protocol: "netlify", contentType: json, bytes: text([{ method: "GET", status_code: 200, url: "/x" }]) },
  {
    protocol: "cloud_event",
    contentType: "application/cloudevents+json",
    bytes: text({ id: "c", type: "t", source: "s", data: { a: 1 } }),
  },
  {
    protocol: "browser_reports",
    contentType: "application/reports+json",
    bytes: text([{ type: "csp", age: 5, body: { id: "x" } }]),
  },
  { protocol: "cloudflare", contentType: "text/plain", bytes: text('{"EdgeStartTimestamp":1787216400}\n{"a":1}\n') },
  {
    protocol: "github",
    contentType: "application/x-www-form-urlencoded",
    bytes: text(`payload=${encodeURIComponent('{"action":"x"}')}`),
  },
];

const nowUs = 1_787_216_400_000_000n;
const maxBytes = 1_000_000;

/**
 * The problem with the reading of a body, which must yield whole events or fail with `BodyError`, in little time;
 * undefined when there is none.
 */
export async function attack(
  protocol: string,
  contentType: string,
  bytes: Uint8Array,
  contentEncoding?: string,
): Promise<string | undefined> {
  const started = process.cpuUsage();
  try {
    const own = new Uint8Array(bytes);
    const { events, rejected } = await parseEvents({
      protocol,
      bytes: own,
      contentType,
      contentEncoding,
      nowUs,
      maxBytes,
    });
    if (rejected.length > 0 && protocols.get(protocol)?.isAtomic === true)
      return "half of a body was taken that goes whole or not at all";
    for (const { id, timestampUs, eventMessage, fields } of events) {
      if (typeof id !== "string" || typeof timestampUs !== "bigint" || Object.getPrototypeOf(fields) === null)
        return `an event that is none: ${id}`;
      if (!isTimestampInRange(timestampUs)) return `a time that cannot be stored: ${timestampUs}`;
      if (eventMessage !== null && typeof eventMessage !== "string") return "a message that is no text";
    }
  } catch (error) {
    if (!(error instanceof BodyError)) return `threw ${error instanceof Error ? error.stack : String(error)}`;
  }
  if (Object.hasOwn(Object.prototype, "polluted")) return "the prototype of objects was changed";
  const { user, system } = process.cpuUsage(started);
  const ms = (user + system) / 1_000;
  return ms > 10_000 ? `took ${ms} ms of a processor for ${bytes.length} bytes` : undefined;
}

const hostileValues = [
  "-5",
  '"-5"',
  "1e300",
  '"1e300"',
  "99999999999999999999",
  `"${"9".repeat(30)}"`,
  "9223372036854775808",
  "-9223372036854775809",
  "0.5",
  "0",
  '""',
  "true",
  "null",
  "{}",
  "[]",
  '{"a":[1]}',
  '"noon"',
  '"0001-01-01T00:00:00Z"',
];

/** The values after a colon, a comma or a bracket. */
const jsonValue = /(?<=[:,[]\s*)(?:"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null)/g;

/** The body with each hostile value in place of each of its own, as complete JSON. */
export function* replaceValues(bytes: Uint8Array): Generator<Uint8Array> {
  const body = Buffer.from(bytes).toString();
  for (const { 0: found, index } of body.matchAll(jsonValue)) {
    for (const value of hostileValues) {
      yield Buffer.from(body.slice(0, index) + value + body.slice(index + found.length));
    }
  }
}

/** A change to a body: bytes flipped, removed, repeated or inserted. */
interface Change {
  readonly at: number;
  readonly kind: "flip" | "cut" | "repeat" | "insert" | "end";
  readonly value: number;
  readonly insert: string;
}

const pieces = [
  "{",
  "[",
  '"',
  "\\",
  "}",
  "\n",
  "\0",
  "\x1e",
  "\ud800",
  "__proto__",
  '{"__proto__":{"polluted":1}}',
  "9".repeat(30),
  "[".repeat(500),
  "null",
  "<13>",
  "1e999",
  "\x0a\xff\xff\xff\xff\x0f",
];

export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom("flip", "cut", "repeat", "insert", "end"),
    value: fc.integer({ min: 1, max: 255 }),
    insert: fc.constantFrom(...pieces),
  }),
  { minLength: 1, maxLength: 6 },
);

export function change(bytes: Uint8Array, all: readonly Change[]): Uint8Array {
  let body = Buffer.from(bytes);
  for (const { at, kind, value, insert } of all) {
    const place = Math.floor(at * body.length);
    const [before, after] = [body.subarray(0, place), body.subarray(place)];
    if (kind === "flip") body[place] = (body[place] ?? 0) ^ value;
    else if (kind === "cut") body = Buffer.concat([before, after.subarray(value)]);
    else if (kind === "repeat") body = Buffer.concat([before, after.subarray(0, value), after]);
    else if (kind === "insert") body = Buffer.concat([before, Buffer.from(insert, "latin1"), after]);
    else body = Buffer.from(before);
  }
  return body;
}

/** Bodies that cost a careless reader much time or memory. */
export const huge: readonly (readonly [name: string, body: Uint8Array, encoding?: string])[] = [
  ["a million brackets", Buffer.alloc(1_000_000, "[")],
  ["objects without end", Buffer.from('{"a":'.repeat(150_000))],
  ["quotes alone", Buffer.alloc(1_000_000, '"')],
  ["escaped quotes", Buffer.from(`"${'\\"'.repeat(450_000)}`)],
  ["many empty objects", Buffer.from("{}".repeat(100_000))],
  ["many lines", Buffer.alloc(500_000, "\n")],
  ["commas", Buffer.from(`[${"0,".repeat(300_000)}0]`)],
  ["zero bytes", Buffer.alloc(1_000_000)],
  ["bytes of ones", Buffer.alloc(1_000_000, 0xff)],
  ["lengths that nest", Buffer.alloc(300_000, 0x0a)],
  ["a long line of digits", Buffer.alloc(900_000, "9")],
  ["priorities", Buffer.from("<13>".repeat(200_000))],
  ["structured data", Buffer.from(`<13>1 - - - - - ${'[a b="c"]'.repeat(90_000)}`)],
  ["tags", Buffer.from(JSON.stringify([{ message: "m", ddtags: "a,".repeat(200_000) }]))],
  [
    "labels",
    Buffer.from(JSON.stringify({ streams: [{ stream: {}, values: Array.from({ length: 50_000 }, () => ["1", ""]) }] })),
  ],
  ["a bomb", gzipSync(Buffer.alloc(50_000_000, " ")), "gzip"],
  ["a bomb of events", gzipSync(Buffer.from(`[${"{},".repeat(100_000)}{}]`)), "gzip"],
  ["no gzip", Buffer.from("plain"), "gzip"],
];
