import { gzipSync } from "node:zlib";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { EventCount } from "../event-count.ts";
import { parseEvents } from "../parse-events.ts";
import { protocols } from "./index.ts";

const repeat = (count: number, text: string, separator = "") =>
  Array.from({ length: count }, () => text).join(separator);
const list = (count: number, item = "{}") => `[${repeat(count, item, ",")}]`;
const [json, ndjson, protobuf] = ["application/json", "application/x-ndjson", "application/x-protobuf"] as const;
const signal =
  (name: string, items: string) =>
  (count: number, item = "{}") =>
    `{"resource${name}":[{"scope${name}":[{"${items}":${list(count, item)}}]}]}`;
const points = (count: number) =>
  `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":${list(count)}}}]}]}]}`;
/** Empty parts of a message, repeated in the last of the fields, which is in the one before it, and so on. */
const nested = (count: number, ...fields: readonly number[]) => {
  const [last = 1, ...outer] = fields.toReversed();
  let bytes: Uint8Array = Buffer.from(repeat(count, String.fromCharCode(last * 8 + 2, 0)), "latin1");
  for (const field of outer) bytes = new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
  return Buffer.from(bytes);
};

type Row = [protocol: string, type: string, make: (count: number) => string | Buffer, form?: string];

/** The smallest events that each protocol has, in each of its forms. */
const rows: readonly Row[] = [
  ["events", json, (count) => list(count)],
  ["events", json, (count) => `{"batch":${list(count)}}`, "batch"],
  ["events", json, (count) => list(count, "[]"), "lists in a list"],
  ["events", ndjson, (count) => repeat(count, "{}\n")],
  ["otlp_logs", json, signal("Logs", "logRecords")],
  ["otlp_logs", protobuf, (count) => nested(count, 1, 2, 2)],
  ["otlp_traces", json, signal("Spans", "spans")],
  ["otlp_traces", protobuf, (count) => nested(count, 1, 2, 2)],
  ["otlp_metrics", json, points],
  ["otlp_metrics", protobuf, (count) => nested(count, 1, 2, 2, 5, 1)],
  ["loki", json, (count) => `{"streams":[{"stream":{},"values":${list(count, '["1","x"]')}}]}`],
  ["elastic", ndjson, (count) => repeat(count, '{"index":{}}\n{"a":1}\n')],
  ["elastic", ndjson, (count) => repeat(count, '{"delete":{}}\n'), "deletions"],
  ["splunk_events", json, (count) => repeat(count, '{"event":1}')],
  ["splunk_events", json, (count) => list(count, '{"event":1}')],
  ["splunk_raw", "text/plain", (count) => repeat(count, "x\n")],
  ["datadog", json, (count) => list(count, '{"a":1}')],
  ["datadog", "text/plain", (count) => repeat(count, "x\n")],
  ["journald", "", (count) => repeat(count, "A=1\n\n")],
  ["syslog", "text/plain", (count) => repeat(count, "x\n")],
  ["syslog", "text/plain", (count) => repeat(count, "4 <1>x"), "frames"],
  ["logplex", "text/plain", (count) => repeat(count, "x\n")],
  ["browser_reports", "application/reports+json", (count) => list(count)],
  ["cloudflare", "", (count) => repeat(count, "{}\n")],
  ["cloudflare", "", (count) => list(count), "list"],
  ...["json", "vector", "typecasts", "vercel", "netlify", "cloud_event"].flatMap((name): readonly Row[] => [
    [name, json, (count) => list(count, '{"type":"t"}')],
    [name, ndjson, (count) => repeat(count, '{"type":"t"}\n')],
  ]),
];

const body = (protocol: string, contentType: string, content: string | Buffer, maxEvents: number) => ({
  ...{ protocol, contentType, bytes: Buffer.from(content), maxEvents },
  ...{ contentEncoding: undefined, nowUs: 0n, maxBytes: 12_000_000 },
});

describe("the limit of a body's events", () => {
  it("has a row for each protocol; a webhook of GitHub is one event", () => {
    expect(new Set(rows.map(([name]) => name)).add("github")).toEqual(new Set(protocols.keys()));
  });

  it.each(rows)("of %s as %s is refused one beyond, and not before", async (protocol, type, make) => {
    const { events, rejected } = await parseEvents(body(protocol, type, make(500), 500));
    expect(events.length + rejected.length).toBe(500);
    await expect(parseEvents(body(protocol, type, make(501), 500))).rejects.toMatchObject({
      code: "too_many_events",
      message: "The body holds more events than max_body_events, 500; send its events in smaller bodies",
    });
  });

  it.each(rows)("of %s as %s is noticed while the body is read, whatever follows", (protocol, type, make) => {
    const count = new EventCount(500);
    const read = () =>
      protocols.get(protocol)?.read({
        ...{ bytes: Buffer.from(make(20_000)), mediaType: type, count, details: {} },
        ...{ contentEncoding: undefined, nowUs: 0n, maxBytes: 12_000_000 },
      });
    expect(read).toThrow("max_body_events");
    // A list of JSON is counted as a whole, everything else one by one; the lines of `_bulk` before their pairs.
    expect(protocol === "elastic" ? [0] : [501, 20_000]).toContain(count.events);
  });

  it("holds for what surrounds events, of which there may be ten times as many", async () => {
    const empty = (count: number) => body("otlp_logs", protobuf, nested(count, 1), 100);
    expect((await parseEvents(empty(1_000))).events).toEqual([]);
    await expect(parseEvents(empty(1_001))).rejects.toMatchObject({ code: "too_many_events" });
  });

  it("costs no more than unpacking where a few bytes hold a million", async () => {
    const bytes = gzipSync(list(1_000_000));
    expect(bytes.length).toBeLessThan(10_000);
    const packed = { ...body("events", json, "", 100_000), bytes, contentEncoding: "gzip" };
    await expect(parseEvents(packed)).rejects.toMatchObject({ code: "too_many_events" });
    await expect(parseEvents({ ...packed, maxBytes: 2_000_000 })).rejects.toMatchObject({ code: "body_too_large" });
  });
});
