import { describe, expect, it } from "vitest";
import { encodeProtobuf } from "../../../../test/support/encode-protobuf.ts";
import { parseEvents } from "../../parse-events.ts";
import type { MessageShape } from "../message-shape.ts";
import { answerAs, answerFailure } from "./answers.ts";
import { logsRequest, metricsRequest, tracesRequest } from "./shapes.ts";

const nowUs = 1_790_000_000_000_000n;
const text = (stringValue: string) => ({ stringValue });
const traceId = "5b8efff798038103d269b633813fc60c";
const spanId = "eee19b7ec3c1b174";

async function read(protocol: string, body: object | Uint8Array | string, contentType = "application/json") {
  const isBytes = body instanceof Uint8Array;
  const bytes = isBytes ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return parseEvents({ protocol, bytes, contentType, contentEncoding: undefined, nowUs, maxBytes: 1_000_000 });
}

/** The events of a request in both of its forms, which must be the same but for ids that are made here. */
async function readBoth(protocol: string, shape: MessageShape, request: { readonly [field: string]: unknown }) {
  const strip = (events: Awaited<ReturnType<typeof read>>["events"]) =>
    events.map(({ id, ...event }) => (event.hasGeneratedId ? event : { id, ...event }));
  const fromJson = strip((await read(protocol, request)).events);
  const fromBytes = strip((await read(protocol, encodeProtobuf(shape, request), "application/x-protobuf")).events);
  expect(fromBytes).toEqual(fromJson);
  return fromJson;
}

function logs(...logRecords: object[]) {
  const resource = {
    attributes: [
      { key: "service.name", value: text("checkout") },
      { key: "project", value: text("p1") },
    ],
  };
  const scope = { name: "my.library", version: "1.0.0", attributes: [{ key: "a", value: text("b") }] };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] };
}

describe("OTLP logs", () => {
  it("become events with time, message, level, ids and attributes of every type", async () => {
    const attributes = [
      { key: "text", value: text("some text") },
      { key: "bool", value: { boolValue: true } },
      { key: "int", value: { intValue: "10" } },
      { key: "long", value: { intValue: "9007199254740993" } },
      { key: "negative", value: { intValue: "-3" } },
      { key: "double", value: { doubleValue: 637.704 } },
      { key: "bytes", value: { bytesValue: "AQID" } },
      { key: "array", value: { arrayValue: { values: [text("many"), { intValue: "2" }] } } },
      {
        key: "map",
        value: {
          kvlistValue: { values: [{ key: "k", value: { kvlistValue: { values: [{ key: "n", value: text("v") }] } } }] },
        },
      },
      { key: "__proto__", value: text("a field") },
    ];
    const record = {
      timeUnixNano: "1544712660300000123",
      observedTimeUnixNano: "1544712660300000999",
      severityNumber: 10,
      severityText: "Information",
      traceId,
      spanId,
      flags: 1,
      eventName: "checkout.done",
      body: text("Example log record"),
      attributes,
      droppedAttributesCount: 2,
    };
    const [event] = await readBoth("otlp_logs", logsRequest, logs(record));
    const kept = Object.fromEntries([
      ["text", "some text"],
      ["bool", true],
      ["int", 10],
      ["long", 9007199254740993n],
      ["negative", -3],
      ["double", 637.704],
      ["bytes", "AQID"],
      ["array", ["many", 2]],
      ["map", { k: { n: "v" } }],
    ]);
    Object.defineProperty(kept, "__proto__", { value: "a field", enumerable: true });
    expect(event).toEqual({
      hasGeneratedId: true,
      timestampUs: 1544712660300000n,
      eventMessage: "Example log record",
      fields: {
        project: "p1",
        metadata: {
          type: "otel_log",
          level: "information",
          severity_number: 10,
          severity_text: "Information",
          event_name: "checkout.done",
          trace_id: traceId,
          span_id: spanId,
          flags: 1,
          time_unix_nano: 1544712660300000123n,
          observed_time_unix_nano: 1544712660300000999n,
          dropped_attributes_count: 2,
          attributes: kept,
          resource: { _service_name: "checkout", project: "p1" },
          scope: { name: "my.library", version: "1.0.0", attributes: { a: "b" } },
        },
      },
    });
  });

  it.each([
    [1, "trace"],
    [8, "debug"],
    [9, "info"],
    [13, "warn"],
    [17, "error"],
    [24, "fatal"],
  ])("have the level of the severity number %i", async (severityNumber, level) => {
    const [event] = await readBoth("otlp_logs", logsRequest, logs({ severityNumber }));
    expect(event?.fields).toMatchObject({ metadata: { level, severity_number: severityNumber } });
  });

  it("retain a structured body as fields, and as the message's JSON", async () => {
    const body = { kvlistValue: { values: [{ key: "user", value: { intValue: "7" } }] } };
    const [event] = await readBoth("otlp_logs", logsRequest, logs({ body }));
    expect(event).toMatchObject({ eventMessage: '{"user":7}', fields: { metadata: { body: { user: 7 } } } });
  });

  it("fall back to the observed time, then to the server's time", async () => {
    const events = await readBoth(
      "otlp_logs",
      logsRequest,
      logs({ observedTimeUnixNano: "1000" }, { timeUnixNano: "0" }),
    );
    expect(events.map(({ timestampUs }) => timestampUs)).toEqual([1n, nowUs]);
  });

  it.each([-5, "-5", 1e300, "99999999999999999999999"])(
    "retain a time that is out of range as a field: %s",
    async (time) => {
      for (const field of ["timeUnixNano", "observedTimeUnixNano"]) {
        const { events, untimed } = await read("otlp_logs", logs({ [field]: time }));
        expect(events[0]).toMatchObject({ timestampUs: nowUs, fields: { _timestamp: expect.anything() } });
        expect(untimed).toBe(1);
      }
    },
  );

  it("count an unreadable time and report it in the response", async () => {
    const { events, untimed, rejected } = await read("otlp_logs", logs({ timeUnixNano: "yesterday" }));
    expect(events[0]).toMatchObject({ timestampUs: nowUs, fields: { _timestamp: "yesterday" } });
    const outcome = { accepted: 1, rejected, untimed, receipt: undefined, mediaType: "application/json", tookMs: 1 };
    expect(answerAs("rejectedLogRecords")(outcome)).toEqual({
      status: 200,
      body: { partialSuccess: { errorMessage: "1 with a time that cannot be read, kept as _timestamp" } },
    });
  });

  it("accept snake_case names, numbers for texts, and Base64 ids", async () => {
    const request = {
      resource_logs: [
        {
          scope_logs: [
            {
              log_records: [
                {
                  time_unix_nano: 1544712660300000000,
                  severity_number: "SEVERITY_NUMBER_WARN2",
                  trace_id: "W47/95gDgQPSabYzgT/GDA==",
                },
              ],
            },
          ],
        },
      ],
    };
    const { events } = await read("otlp_logs", request);
    expect(events[0]).toMatchObject({
      timestampUs: 1544712660300000n,
      fields: { metadata: { level: "warn", trace_id: traceId } },
    });
  });

  it("reject a record with too many values, and store the others", async () => {
    const values = Array.from({ length: 6000 }, () => ({ boolValue: true }));
    const request = logs({ body: text("good") }, { attributes: [{ key: "a", value: { arrayValue: { values } } }] });
    const { events, rejected, untimed, receipt } = await read(
      "otlp_logs",
      encodeProtobuf(logsRequest, request),
      "application/x-protobuf",
    );
    expect(events).toHaveLength(1);
    expect(rejected).toEqual([{ index: 1, reason: "more than 5000 values in one event" }]);
    const outcome = { accepted: 1, rejected, untimed, receipt, mediaType: "application/json", tookMs: 1 };
    expect(answerAs("rejectedLogRecords")(outcome).body).toEqual({
      partialSuccess: { rejectedLogRecords: "1", errorMessage: "item 1: more than 5000 values in one event" },
    });
    const inBytes = answerAs("rejectedLogRecords")({ ...outcome, mediaType: "application/x-protobuf" });
    expect(Buffer.from(inBytes.body as Uint8Array).toString("latin1")).toBe(
      `\x0a\x2e\x08\x01\x12\x2aitem 1: more than 5000 values in one event`,
    );
  });

  it.each([
    [
      "cut off",
      encodeProtobuf(logsRequest, logs({ body: text("x".repeat(100)) })).slice(0, -5),
      "application/x-protobuf",
    ],
    ["no protocol buffers", Buffer.from("hello, this is text"), "application/x-protobuf"],
    ["a length beyond the end", new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), "application/x-protobuf"],
    ["groups without an end", new Uint8Array(200).fill(0x0b), "application/x-protobuf"],
    ["no JSON", "{", "application/json"],
    ["a list", "[]", "application/json"],
    ["a text for a list", '{"resourceLogs":"x"}', "application/json"],
    ["a number for a body", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":3}]}]}]}', "application/json"],
  ])("are refused completely: %s", async (_, body, contentType) => {
    await expect(read("otlp_logs", body, contentType)).rejects.toMatchObject({
      name: "BodyError",
      code: "invalid_body",
    });
  });

  it("report the position of an error in a JSON body", async () => {
    await expect(
      read("otlp_logs", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityText":3}]}]}]}'),
    ).rejects.toThrow(
      "ExportLogsServiceRequest.resourceLogs[0].scopeLogs[0].logRecords[0].severityText must be a text, not a number",
    );
  });

  it("are answered with nothing when all is well, and with a warning alone when only times could not be read", () => {
    const outcome = { accepted: 3, rejected: [], receipt: undefined, tookMs: 1 };
    const answer = (untimed: number, mediaType: string) =>
      answerAs("rejectedLogRecords")({ ...outcome, untimed, mediaType });
    expect(answer(0, "application/json")).toEqual({ status: 200, body: {} });
    const headers = { "Content-Type": "application/x-protobuf" };
    expect(answer(0, "application/protobuf")).toEqual({ status: 200, headers, body: new Uint8Array() });
    const warning = "3 with a time that cannot be read, kept as _timestamp";
    expect(Buffer.from(answer(3, "application/x-protobuf").body as Uint8Array).toString("latin1")).toBe(
      `\x0a${String.fromCharCode(warning.length + 2)}\x12${String.fromCharCode(warning.length)}${warning}`,
    );
  });

  it("are answered with ten reasons at most, and the number of the others", () => {
    const rejected = Array.from({ length: 12 }, (_, index) => ({ index, reason: "bad" }));
    const outcome = { accepted: 0, untimed: 1, receipt: undefined, tookMs: 1, mediaType: "application/json" };
    const messageOf = (count: number) =>
      answerAs("rejectedLogRecords")({ ...outcome, rejected: rejected.slice(0, count) }).body;
    const reasons = rejected.slice(0, 10).map(({ index }) => `item ${index}: bad`);
    const untimed = "1 with a time that cannot be read, kept as _timestamp";
    expect(messageOf(10)).toEqual({
      partialSuccess: { rejectedLogRecords: "10", errorMessage: [...reasons, untimed].join("; ") },
    });
    expect(messageOf(12)).toEqual({
      partialSuccess: { rejectedLogRecords: "12", errorMessage: [...reasons, "and 2 more", untimed].join("; ") },
    });
  });

  it("are refused with a body but no content type, with both types that would be read", async () => {
    await expect(read("otlp_logs", "{}", "")).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: expect.stringContaining("send application/x-protobuf or application/json"),
    });
    const bytes = encodeProtobuf(logsRequest, logs({ body: text("m") }));
    expect((await read("otlp_logs", bytes, "application/protobuf")).events).toMatchObject([{ eventMessage: "m" }]);
  });

  it("are empty for an empty message", async () => {
    expect((await read("otlp_logs", new Uint8Array(), "")).events).toEqual([]);
    expect((await read("otlp_logs", "{}")).events).toEqual([]);
  });
});

describe("OTLP traces", () => {
  it("become events at the start of their spans, with ids that stay the same on a retry", async () => {
    const request = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: text("checkout") }] },
          scopeSpans: [
            {
              scope: { name: "lib" },
              spans: [
                {
                  traceId,
                  spanId,
                  parentSpanId: "0000000000000001",
                  name: "GET /cart",
                  kind: 2,
                  startTimeUnixNano: "1544712660000000000",
                  endTimeUnixNano: "1544712661000000500",
                  attributes: [{ key: "project", value: text("p2") }],
                  events: [
                    {
                      timeUnixNano: "1544712660500000000",
                      name: "cache miss",
                      attributes: [{ key: "k", value: text("v") }],
                    },
                  ],
                  links: [{ traceId, spanId }],
                  status: { message: "no luck", code: 2 },
                },
              ],
            },
          ],
        },
      ],
    };
    const [event] = await readBoth("otlp_traces", tracesRequest, request);
    expect(event).toEqual({
      id: `${traceId}-${spanId}`,
      hasGeneratedId: false,
      timestampUs: 1544712660000000n,
      eventMessage: "GET /cart",
      fields: {
        project: "p2",
        metadata: {
          type: "otel_span",
          name: "GET /cart",
          kind: "server",
          trace_id: traceId,
          span_id: spanId,
          parent_span_id: "0000000000000001",
          start_time_unix_nano: 1544712660000000000n,
          end_time_unix_nano: 1544712661000000500n,
          duration_ns: 1000000500,
          status: { code: "error", message: "no luck" },
          events: [{ name: "cache miss", time_unix_nano: 1544712660500000000n, attributes: { k: "v" } }],
          links: [{ trace_id: traceId, span_id: spanId }],
          attributes: { project: "p2" },
          resource: { _service_name: "checkout" },
          scope: { name: "lib" },
        },
      },
    });
  });
});

describe("OTLP metrics", () => {
  it("become one event per data point, for every kind of metric", async () => {
    const time = { startTimeUnixNano: "1544712660000000000", timeUnixNano: "1544712661000000000" };
    const metrics = [
      {
        name: "cpu",
        unit: "1",
        description: "load",
        gauge: { dataPoints: [{ ...time, asDouble: 0.5, attributes: [{ key: "core", value: text("0") }] }] },
      },
      {
        name: "requests",
        sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...time, asInt: "7" }] },
      },
      {
        name: "latency",
        histogram: {
          aggregationTemporality: 1,
          dataPoints: [
            { ...time, count: "3", sum: 6.5, bucketCounts: ["1", "2"], explicitBounds: [5], min: 0, max: 4 },
          ],
        },
      },
      {
        name: "sizes",
        exponentialHistogram: {
          dataPoints: [
            { ...time, count: "3", scale: -1, zeroCount: "1", positive: { offset: 1, bucketCounts: ["2"] } },
          ],
        },
      },
      {
        name: "old",
        summary: { dataPoints: [{ ...time, count: "1", sum: 2, quantileValues: [{ quantile: 0.5, value: 2 }] }] },
      },
    ];
    const request = {
      resourceMetrics: [
        { resource: { attributes: [{ key: "project", value: text("p") }] }, scopeMetrics: [{ metrics }] },
      ],
    };
    const events = await readBoth("otlp_metrics", metricsRequest, request);
    const common = { start_time_unix_nano: 1544712660000000000n, time_unix_nano: 1544712661000000000n };
    expect(events.map(({ eventMessage, timestampUs }) => [eventMessage, timestampUs])).toEqual(
      ["cpu", "requests", "latency", "sizes", "old"].map((name) => [name, 1544712661000000n]),
    );
    expect(events.map(({ fields }) => fields.metadata)).toMatchObject([
      { ...common, kind: "gauge", unit: "1", description: "load", value: 0.5, attributes: { core: "0" } },
      { ...common, kind: "sum", temporality: "cumulative", is_monotonic: true, value: 7 },
      {
        kind: "histogram",
        temporality: "delta",
        count: 3,
        sum: 6.5,
        bucket_counts: [1, 2],
        explicit_bounds: [5],
        min: 0,
        max: 4,
      },
      { kind: "exponential_histogram", scale: -1, zero_count: 1, positive: { offset: 1, bucket_counts: [2] } },
      { kind: "summary", count: 1, quantile_values: [{ quantile: 0.5, value: 2 }] },
    ]);
    expect(events.every(({ fields }) => fields.project === "p")).toBe(true);
  });
});

it("OTLP answers failures as a Status, with codes on which exporters retry", () => {
  const failure = { code: "disk_full", status: 507, message: "full", mediaType: "application/json" } as const;
  expect(answerFailure(failure)).toEqual({ status: 503, body: { code: 14, message: "full" } });
  const bytes = answerFailure({
    code: "unauthorized",
    status: 401,
    message: "no",
    mediaType: "application/x-protobuf",
  });
  expect([bytes.status, Buffer.from(bytes.body as Uint8Array).toString("hex")]).toEqual([401, "081012026e6f"]);
});
