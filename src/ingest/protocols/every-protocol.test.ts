import { describe, expect, it } from "vitest";
import { encodeProtobuf } from "../../../test/support/encode-protobuf.ts";
import { BodyError } from "../../engines/contract/query-engine.ts";
import { parseEvents } from "../parse-events.ts";
import { protocols } from "./index.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "./otlp/index.ts";
import { logsRequest, metricsRequest, tracesRequest } from "./otlp/shapes.ts";

const json = ["application/json", "text/json", "text/plain", "application/csp-report", "application/vnd.x+json"];
const lines = ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-seq"];
const text = [...json, ...lines, "text/html", "application/x-www-form-urlencoded", "application/octet-stream"];
const elastic = ["application/vnd.elasticsearch+json", "application/vnd.elasticsearch+x-ndjson"];
const messages = ["application/logplex-1", "application/syslog"];

/** The types that each protocol reads; "" is a body without one. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  events: ["", ...json, ...lines],
  otlp_logs: ["application/json", "application/x-protobuf", "application/protobuf"],
  otlp_traces: ["application/json", "application/x-protobuf", "application/protobuf"],
  otlp_metrics: ["application/json", "application/x-protobuf", "application/protobuf"],
  loki: ["", "application/json", "text/json", "text/plain", "application/x-protobuf"],
  elastic: ["", "application/json", "application/x-ndjson", "application/ndjson", ...elastic],
  splunk_events: ["", ...text],
  splunk_raw: ["", ...text],
  datadog: ["", ...json, ...lines],
  journald: ["", ...text, "application/vnd.fdo.journal"],
  syslog: ["", ...text, ...messages],
  logplex: ["", ...text, ...messages],
  json: ["", ...json, ...lines],
  vector: ["", ...json, ...lines],
  typecasts: ["", ...json, ...lines],
  vercel: ["", ...json, ...lines],
  netlify: ["", ...json, ...lines],
  cloud_event: ["", ...json, ...lines],
  browser_reports: ["", ...json],
  cloudflare: ["", ...text],
  github: ["", "application/json", "application/vnd.x+json", "application/x-www-form-urlencoded"],
};
const foreign = [
  ...["application/xml", "text/html", "multipart/form-data", "application/msgpack", "application/grpc", "image/png"],
  ...["application/jsonx", "xapplication/json", "json", "application/x-protobufs", "application/x-erlang-binary"],
];
const everyType = [...new Set([...Object.values(accepted).flat(), ...foreign])];

/** Whether a body of this type is read, however that ends. */
async function isRead(protocol: string, contentType: string, bytes = Buffer.from("{}")): Promise<boolean> {
  const body = { protocol, bytes, contentType, contentEncoding: undefined, nowUs: 0n, maxBytes: 1_000_000 };
  const error: unknown = await parseEvents(body).catch((thrown: unknown) => thrown);
  return !(error instanceof BodyError && error.code === "unsupported_media_type");
}

it.each([...protocols.keys()])("%s refuses a body of any type that its senders do not use", async (protocol) => {
  const read: string[] = [];
  for (const type of everyType) {
    if (await isRead(protocol, type)) read.push(type);
    expect(await isRead(protocol, `${type.toUpperCase()}; charset=utf-8`)).toBe(await isRead(protocol, type));
  }
  const likeJson = (type: string) =>
    type.endsWith("+json") && (accepted[protocol] ?? []).includes("application/vnd.x+json");
  const expected = everyType.filter((type) => accepted[protocol]?.includes(type) === true || likeJson(type));
  expect(read.sort()).toEqual(expected.sort());
  // Neither does an empty body of such a type count as one without a type.
  expect(await isRead(protocol, "image/png", Buffer.alloc(0))).toBe(false);
});

const kinds = [
  ["logRecords", otlpLogs, logsRequest, "Logs"],
  ["spans", otlpTraces, tracesRequest, "Spans"],
  ["metrics", otlpMetrics, metricsRequest, "Metrics"],
] as const;
const wraps: readonly ((value: object) => object)[] = [
  (value) => ({ arrayValue: { values: [value] } }),
  (value) => ({ kvlistValue: { values: [{ key: "k", value }] } }),
];

function nest(levels: number, wrap: (value: object) => object): object {
  let value: object = { stringValue: "x" };
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

describe.each(kinds)("OTLP's %s", (itemsName, protocol, shape, signal) => {
  const itemOf = (attributes: readonly object[]) =>
    itemsName === "metrics" ? { gauge: { dataPoints: [{ asInt: 1, attributes }] } } : { attributes };
  const good = itemOf([{ key: "a", value: { stringValue: "good" } }]);
  const requestOf = (scopes: readonly object[]) => ({ [`resource${signal}`]: [{ [`scope${signal}`]: scopes }] });
  const send = async (request: { readonly [field: string]: unknown }, isJson: boolean) => {
    const bytes = isJson ? Buffer.from(JSON.stringify(request)) : encodeProtobuf(shape, request);
    const contentType = isJson ? "application/json" : "application/x-protobuf";
    const body = { protocol: protocol.name, bytes, contentType, contentEncoding: undefined };
    const read = await parseEvents({ ...body, nowUs: 0n, maxBytes: 10_000_000 });
    return { count: read.events.length, rejected: read.rejected };
  };

  it.each([101, 200, 600])("that nest %i levels are refused alone, in JSON and in protocol buffers", async (levels) => {
    for (const wrap of wraps) {
      const bad = itemOf([{ key: "a", value: nest(levels, wrap) }]);
      const request = requestOf([{ [itemsName]: [good, bad, good] }, { [itemsName]: [good] }]);
      for (const isJson of [true, false]) {
        expect(await send(request, isJson)).toEqual({
          count: 3,
          rejected: [{ index: 1, reason: "nested deeper than 64 levels" }],
        });
      }
    }
  });

  it("below a scope that nests too deeply are refused, and those below another are not", async () => {
    for (const wrap of wraps) {
      const scope = { name: "s", attributes: [{ key: "a", value: nest(300, wrap) }] };
      const request = requestOf([{ scope, [itemsName]: [good, good] }, { [itemsName]: [good] }]);
      for (const isJson of [true, false]) {
        const { count, rejected } = await send(request, isJson);
        expect([count, rejected.map(({ index }) => index)]).toEqual([1, [0, 1]]);
      }
    }
  });
});

describe("a record that nests deeply, with and without a number beyond doubles", () => {
  const nestIn = (levels: number, leaf: string) => `${"[".repeat(levels)}${leaf}${"]".repeat(levels)}`;

  it.each([...protocols.keys()])("is refused by %s, alone or with its body, and never a fault", async (protocol) => {
    for (const leaf of ["1", "1e400"]) {
      const deep = `{"message":"x","event":{"x":${nestIn(20_000, leaf)}},"x":${nestIn(20_000, leaf)}}`;
      for (const body of [deep, `[${deep}]`, `{"index":{}}\n${deep}\n`]) {
        const sent = {
          protocol,
          bytes: Buffer.from(body),
          contentType: "application/json",
          contentEncoding: undefined,
        };
        const error: unknown = await parseEvents({ ...sent, nowUs: 0n, maxBytes: 1_000_000 }).catch((each) => each);
        if (error instanceof Error) expect(error).toBeInstanceOf(BodyError);
      }
    }
  });

  it("does not touch the others of its body", async () => {
    const deep = `{"x":${nestIn(20_000, "1e400")}}`;
    const bodies = {
      events: `[{"message":"y"},${deep}]`,
      elastic: `{"index":{}}\n{"message":"y"}\n{"index":{}}\n${deep}\n`,
    };
    for (const [protocol, body] of Object.entries(bodies)) {
      const sent = { protocol, bytes: Buffer.from(body), contentType: "application/json", contentEncoding: undefined };
      const { events, rejected } = await parseEvents({ ...sent, nowUs: 0n, maxBytes: 10_000_000 });
      expect([events.length, rejected]).toEqual([1, [{ index: 1, reason: "nested deeper than 64 levels" }]]);
    }
  });
});
