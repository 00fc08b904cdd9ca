import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { WideNumber } from "../engines/contract/query-engine.ts";
import { supportedEncodings } from "./decompress.ts";
import { defaultMaxBodyBytes } from "./limits.ts";
import { parseEvents } from "./parse-events.ts";

const nowUs = 1_790_000_000_000_000n;

function parse(
  body: string | Uint8Array,
  contentType?: string,
  contentEncoding?: string,
  maxBytes = defaultMaxBodyBytes,
) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return parseEvents({ bytes, contentType, contentEncoding, nowUs, maxBytes });
}

async function parseOne(event: object) {
  const { events, rejected } = await parse(JSON.stringify(event));
  expect(rejected).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0];
}

describe("an ingest body", () => {
  it.each([
    ["one object", '{"id":"a"}', undefined, ["a"]],
    ["an array", '[{"id":"a"},{"id":"b"}]', "application/json; charset=utf-8", ["a", "b"]],
    ["a batch", '{"batch":[{"id":"a"},{"id":"b"}]}', "application/json", ["a", "b"]],
    ["an empty array", "[]", "application/json", []],
    ["NDJSON with blank lines", '{"id":"a"}\r\n\n{"id":"b"}\n', "application/x-ndjson", ["a", "b"]],
    ["a +json type", '[{"id":"a"}]', "application/cloudevents+json", ["a"]],
  ])("of %s yields its events in order", async (_, body, contentType, ids) => {
    expect((await parse(body, contentType)).events.map((event) => event.id)).toEqual(ids);
  });

  it("with invalid items rejects them by index and accepts the others", async () => {
    const { events, rejected } = await parse('[{"id":"a"}, 1, null, [], "x", {"id":"b"}]');
    expect(events.map((event) => event.id)).toEqual(["a", "b"]);
    expect(rejected).toEqual([
      { index: 1, reason: "not a JSON object but a number" },
      { index: 2, reason: "not a JSON object but null" },
      { index: 3, reason: "not a JSON object but an array" },
      { index: 4, reason: "not a JSON object but a string" },
    ]);
  });

  it("with more bad events than the response may list is refused early", async () => {
    const enough = `[{"id":"a"}${",0".repeat(10_000)}]`;
    expect((await parse(enough)).rejected).toHaveLength(10_000);
    await expect(parse(`[{"id":"a"}${",0".repeat(10_001)}]`)).rejects.toThrow("More than 10000 events of the body");
  });

  it("with an invalid NDJSON line rejects it and accepts the others", async () => {
    const { events, rejected } = await parse('{"id":"a"}\n{"id":\n{"id":"b"}', "application/x-ndjson");
    expect(events.map((event) => event.id)).toEqual(["a", "b"]);
    expect(rejected).toEqual([{ index: 1, reason: "not valid JSON" }]);
  });

  it.each([
    ["NDJSON", '{"a":1}\n{"b":2}\n', "NDJSON"],
    ["MessagePack", new Uint8Array([0x82, 0xa1, 0x61, 1]), "MessagePack"],
    ["BERT", new Uint8Array([131, 108, 0, 0]), "BERT"],
    ["gzip", zlib.gzipSync("{}"), "Content-Encoding"],
  ])("sent as JSON that looks like %s is refused with a hint", async (_, body, hint) => {
    await expect(parse(body)).rejects.toThrow(hint);
  });

  it.each([
    ["application/msgpack", "MessagePack"],
    ["application/bert", "BERT"],
    ["application/x-protobuf", "/v1/logs"],
  ])("of type %s is refused with an alternative", async (contentType, hint) => {
    await expect(parse("x", contentType)).rejects.toThrow(hint);
  });

  it.each([
    ["broken JSON", "{", undefined, "invalid_body"],
    ["a bare number", "1", undefined, "invalid_body"],
    ["an empty body", "", undefined, "invalid_body"],
    ["a form", "a=1", "application/x-www-form-urlencoded", "unsupported_media_type"],
  ])("is refused completely: %s", async (_, body, contentType, code) => {
    await expect(parse(body, contentType)).rejects.toMatchObject({ name: "BodyError", code });
  });
});

it("a body's load is measured by tenant only when asked for", async () => {
  const body = { bytes: Buffer.from('[{"project":"a"},{"x":1}]'), contentType: undefined, contentEncoding: undefined };
  const common = { ...body, nowUs, maxBytes: 1_000 };
  expect(await parseEvents(common)).not.toHaveProperty("loads");
  const { loads } = await parseEvents({ ...common, measure: { tenantField: "project" } });
  expect(loads).toEqual([
    { tenant: "a", eventCount: 1, byteCount: 15 },
    { tenant: null, eventCount: 1, byteCount: 7 },
  ]);
});

it("a protocol that does not exist is a mistake of the caller", async () => {
  const body = { bytes: Buffer.from("{}"), contentType: undefined, contentEncoding: undefined, nowUs, maxBytes: 9 };
  await expect(parseEvents({ ...body, protocol: "nope" })).rejects.toThrow("There is no protocol nope");
});

describe("a compressed body", () => {
  const body = Buffer.from('[{"id":"a"}]');
  const compressZstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

  it.each([
    ["gzip", zlib.gzipSync(body)],
    ["deflate", zlib.deflateSync(body)],
    ["br", zlib.brotliCompressSync(body)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(body))],
    ["identity", body],
  ])("is decompressed from %s", async (encoding, bytes) => {
    expect((await parse(bytes, undefined, encoding)).events.map((event) => event.id)).toEqual(["a"]);
  });

  it("is decompressed from zstd if Node supports it, and refused as unsupported otherwise", async () => {
    if (compressZstd === undefined) {
      expect(supportedEncodings).not.toContain("zstd");
      await expect(parse(body, undefined, "zstd")).rejects.toMatchObject({ code: "unsupported_encoding" });
    } else {
      expect((await parse(compressZstd(body), undefined, "zstd")).events.map((event) => event.id)).toEqual(["a"]);
    }
  });

  it("is refused when it exceeds the limit during decompression", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(2_000_000, " "));
    await expect(parse(bomb, undefined, "gzip", 1_000_000)).rejects.toMatchObject({ code: "body_too_large" });
  });

  const packers = { deflate: zlib.deflateSync, br: zlib.brotliCompressSync, zstd: compressZstd };
  it.each(Object.entries(packers))("ends where its stream ends, or is refused: %s", async (encoding, pack) => {
    if (pack === undefined) return;
    const first = pack(body);
    const cut = Array.from(first, (_, length) => first.subarray(0, length));
    const longer = [pack(body), Buffer.from("rest"), Buffer.alloc(1)].map((rest) => Buffer.concat([first, rest]));
    for (const bytes of [...cut, ...longer]) {
      await expect(parse(bytes, undefined, encoding)).rejects.toThrow(`not valid ${encoding}`);
    }
  });

  it("may be several streams of gzip, which are read as one", async () => {
    const half = [body.subarray(0, 5), body.subarray(5)].map((part) => zlib.gzipSync(part));
    const padded = Buffer.concat([...half, Buffer.alloc(8)]);
    expect((await parse(padded, undefined, "gzip")).events.map((event) => event.id)).toEqual(["a"]);
  });

  it("is refused with the name of the encoding when its bytes are invalid", async () => {
    await expect(parse(body, undefined, "gzip")).rejects.toThrow("not valid gzip");
  });
});

describe("a single event", () => {
  it("retains its own id and timestamp", async () => {
    const event = await parseOne({
      id: "abc",
      timestamp: "2026-08-20T09:00:00.123456789+02:00",
      message: "hi",
      project: "p",
    });
    expect(event).toEqual({
      id: "abc",
      hasGeneratedId: false,
      timestampUs: BigInt(Date.parse("2026-08-20T07:00:00Z")) * 1000n + 123456n,
      eventMessage: "hi",
      fields: { project: "p" },
    });
  });

  it("gets a generated id and the server's time when it has none", async () => {
    const event = await parseOne({ message: "hi" });
    expect(event?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event).toMatchObject({ hasGeneratedId: true, timestampUs: nowUs });
  });

  it.each([
    [1_780_000_000, 1_780_000_000_000_000n],
    [1_780_000_000_123, 1_780_000_000_123_000n],
    [1_780_000_000_123_456, 1_780_000_000_123_456n],
    [1_780_000_000.6, 1_780_000_000_600_000n],
    [1_780_000_000.123456, 1_780_000_000_123_456n],
    [1_780_000_000_123.456, 1_780_000_000_123_456n],
    [42, 42n],
    ["1780000000", 1_780_000_000_000_000n],
    ["1780000000.123456789", 1_780_000_000_123_456n],
    ["1780000000123456789", 1_780_000_000_123_456n],
    ["2026-01-02T03:04:05", 1_767_323_045_000_000n],
    ["2026-01-02T03:04:05.123456", 1_767_323_045_123_456n],
    ["2026-01-02 03:04:05Z", 1_767_323_045_000_000n],
    ["2026-01-02 03:04:05 UTC", 1_767_323_045_000_000n],
    ["2026-01-02", 1_767_312_000_000_000n],
    ["Fri, 02 Jan 2026 03:04:05 GMT", 1_767_323_045_000_000n],
    ["Fri, 2 Jan 2026 04:04:05 +0100 (CET)", 1_767_323_045_000_000n],
    ["2 Jan 2026 03:04", 1_767_323_040_000_000n],
  ])("is given the time of the timestamp %j", async (timestamp, expected) => {
    const { events, untimed } = await parse(JSON.stringify({ timestamp }));
    expect(events[0]).toMatchObject({ timestampUs: expected, fields: {} });
    expect(events[0]?.fields).toEqual({});
    expect(untimed).toBe(0);
  });

  it.each([
    -5,
    "2026-02-30T03:04:05Z",
    "31 Feb 2026 03:04",
    "not a time",
    "99999-01-01",
    true,
    [1_780_000_000],
    { a: 1 },
  ])("retains an unreadable timestamp as a field: %j", async (timestamp) => {
    const { events, untimed } = await parse(JSON.stringify([{ timestamp }, {}]));
    expect(events[0]).toMatchObject({ timestampUs: nowUs, fields: { _timestamp: timestamp } });
    expect(events[1]).toMatchObject({ timestampUs: nowUs, fields: {} });
    expect(untimed).toBe(1);
  });

  it("with an empty timestamp does not count as untimed", async () => {
    const { events, untimed } = await parse('[{"timestamp":null},{"timestamp":""},{"timestamp":[]}]');
    expect(events.map(({ fields }) => fields)).toEqual([{}, {}, {}]);
    expect(untimed).toBe(0);
  });

  it("retains both fields when it already has one named _timestamp", async () => {
    const event = await parseOne({ timestamp: "soon", _timestamp: 1, __timestamp: 2 });
    expect(event?.fields).toEqual({ _timestamp: 1, __timestamp: 2, ___timestamp: "soon" });
  });

  it("has its nanoseconds truncated to microseconds", async () => {
    const { events } = await parse('{"timestamp":1780000000123456789}');
    expect(events[0]?.timestampUs).toBe(1_780_000_000_123_456n);
  });

  it.each([
    [{ message: "a" }, "a", {}],
    [{ event_message: "a" }, "a", {}],
    [{ message: "a", event_message: "a" }, "a", {}],
    [{ message: "a", event_message: "b" }, "a", { _event_message: "b" }],
    [{ message: 7 }, "7", {}],
    [{ message: { a: 1 } }, '{"a":1}', {}],
    [{ message: "" }, null, {}],
    [{ log_entry: "a" }, "a", {}],
    [{ log_entry: "a", message: "b" }, "b", { log_entry: "a" }],
    [{ log_entry: 7 }, null, { log_entry: 7 }],
  ])("takes its message from %j", async (event, eventMessage, fields) => {
    expect(await parseOne(event)).toMatchObject({ eventMessage, fields });
    expect(Object.keys((await parseOne(event))?.fields ?? {})).toEqual(Object.keys(fields));
  });

  it("loses nulls, empty strings and empty containers, but retains false and 0", async () => {
    const event = await parseOne({
      a: null,
      b: "",
      c: [],
      d: {},
      e: { f: null, g: [{}, [""], null] },
      h: [1, null, "", 2],
      i: false,
      j: 0,
    });
    expect(event?.fields).toEqual({ h: [1, 2], i: false, j: 0 });
  });

  it("retains integers beyond 2^53 exactly", async () => {
    const { events } = await parse(
      '{"metadata":{"n":9223372036854775807,"m":[12345678901234567890],"t":"9223372036854775807"}}',
    );
    expect(events[0]?.fields).toEqual({
      metadata: { n: 9223372036854775807n, m: [12345678901234567890n], t: "9223372036854775807" },
    });
  });

  it.each([
    ["in a list, behind small ones", "[1, -9007199254740993 , 2]", [1, -9007199254740993n, 2]],
    ["over lines", "[\n 9007199254740993\n]", [9007199254740993n]],
    ["of exactly 16 digits", "9007199254740992", 9007199254740992n],
    [
      "beside a fraction with as many digits",
      "[0.12345678901234567,9007199254740993]",
      [Number("0.12345678901234567"), 9007199254740993n],
    ],
    [
      "as far as they are integers",
      "[12345678901234567890e2,1234567890123456.5]",
      [Number("12345678901234567890e2"), 1234567890123456.5],
    ],
  ])("retains long integers: %s", async (_, json, expected) => {
    const { events } = await parse(`{"n":${json}}`);
    expect(events[0]?.fields).toEqual({ n: expected });
  });

  it("retains a field named __proto__ as a field", async () => {
    const { events } = await parse('{"__proto__":{"polluted":true}}');
    expect(Object.entries(events[0]?.fields ?? {})).toEqual([["__proto__", { polluted: true }]]);
    expect({}).not.toHaveProperty("polluted");
  });

  it("has lone surrogates replaced, which UTF-8 cannot represent", async () => {
    expect((await parse('{"message":"a\\ud800b"}')).events[0]?.eventMessage).toBe("a\ufffdb");
  });

  it("is rejected when it is nested too deep or holds too many values", async () => {
    const deep = `${'{"a":'.repeat(80)}1${"}".repeat(80)}`;
    const wide = JSON.stringify({ a: Array.from({ length: 6000 }, (_, i) => i) });
    const { rejected } = await parse(`[${deep},${wide}]`);
    expect(rejected).toEqual([
      { index: 0, reason: "nested deeper than 64 levels" },
      { index: 1, reason: "more than 5000 values in one event" },
    ]);
  });
});

describe("a number beyond the range of doubles", () => {
  it("is retained as it was sent, in any position", async () => {
    const body = '[{"a":1e400,"b":[-2.5E+999,1e300],"c":{"d":1e400},"timestamp":1e400,"id":1e400,"t":"1e400"}, 1e400]';
    const { events, rejected, untimed } = await parse(body);
    const wide = new WideNumber("1e400");
    expect(events[0]?.fields).toEqual({
      ...{ a: wide, b: [new WideNumber("-2.5E+999"), 1e300], c: { d: wide }, t: "1e400" },
      ...{ _timestamp: wide, _id: wide },
    });
    expect([rejected, untimed]).toEqual([[{ index: 1, reason: "not a JSON object but a number" }], 1]);
  });

  it("is text in a message", async () => {
    expect((await parse('{"message":1e400}')).events[0]?.eventMessage).toBe("1e400");
  });
});
