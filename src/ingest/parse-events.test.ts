import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
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

describe("body forms", () => {
  it.each([
    ["one object", '{"id":"a"}', undefined, ["a"]],
    ["an array", '[{"id":"a"},{"id":"b"}]', "application/json; charset=utf-8", ["a", "b"]],
    ["a batch", '{"batch":[{"id":"a"},{"id":"b"}]}', "application/json", ["a", "b"]],
    ["an empty array", "[]", "application/json", []],
    ["NDJSON with blank lines", '{"id":"a"}\r\n\n{"id":"b"}\n', "application/x-ndjson", ["a", "b"]],
    ["a +json type", '[{"id":"a"}]', "application/cloudevents+json", ["a"]],
  ])("%s gives its events in order", async (_, body, contentType, ids) => {
    expect((await parse(body, contentType)).events.map((event) => event.id)).toEqual(ids);
  });

  it("rejects single items by index and keeps the others", async () => {
    const { events, rejected } = await parse('[{"id":"a"}, 1, null, [], "x", {"id":"b"}]');
    expect(events.map((event) => event.id)).toEqual(["a", "b"]);
    expect(rejected).toEqual([
      { index: 1, reason: "not a JSON object but a number" },
      { index: 2, reason: "not a JSON object but null" },
      { index: 3, reason: "not a JSON object but an array" },
      { index: 4, reason: "not a JSON object but a string" },
    ]);
  });

  it("rejects a broken NDJSON line and keeps the others", async () => {
    const { events, rejected } = await parse('{"id":"a"}\n{"id":\n{"id":"b"}', "application/x-ndjson");
    expect(events.map((event) => event.id)).toEqual(["a", "b"]);
    expect(rejected).toEqual([{ index: 1, reason: "not valid JSON" }]);
  });

  it.each([
    ["broken JSON", "{", undefined, "invalid_body"],
    ["a bare number", "1", undefined, "invalid_body"],
    ["an empty body", "", undefined, "invalid_body"],
    ["a form", "a=1", "application/x-www-form-urlencoded", "unsupported_media_type"],
  ])("refuses %s as a whole", async (_, body, contentType, code) => {
    await expect(parse(body, contentType)).rejects.toMatchObject({ name: "BodyError", code });
  });
});

describe("compressed bodies", () => {
  const body = Buffer.from('[{"id":"a"}]');

  it.each([
    ["gzip", zlib.gzipSync(body)],
    ["deflate", zlib.deflateSync(body)],
    ["br", zlib.brotliCompressSync(body)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(body))],
    ["identity", body],
  ])("%s is undone", async (encoding, bytes) => {
    expect((await parse(bytes, undefined, encoding)).events.map((event) => event.id)).toEqual(["a"]);
  });

  it("zstd is undone where Node has it and named as unsupported elsewhere", async () => {
    const compress = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;
    if (compress === undefined) {
      expect(supportedEncodings).not.toContain("zstd");
      await expect(parse(body, undefined, "zstd")).rejects.toMatchObject({ code: "unsupported_encoding" });
    } else {
      expect((await parse(compress(body), undefined, "zstd")).events.map((event) => event.id)).toEqual(["a"]);
    }
  });

  it("stops a decompression bomb at the limit", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(2_000_000, " "));
    await expect(parse(bomb, undefined, "gzip", 1_000_000)).rejects.toMatchObject({ code: "body_too_large" });
  });

  it("names the coding when the bytes are not of it", async () => {
    await expect(parse(body, undefined, "gzip")).rejects.toThrow("not valid gzip");
  });
});

describe("one event", () => {
  it("keeps its own id and timestamp, also when it is sent alone", async () => {
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

  it("gets an id and the server's time where it has none", async () => {
    const event = await parseOne({ message: "hi" });
    expect(event?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event).toMatchObject({ hasGeneratedId: true, timestampUs: nowUs });
  });

  it.each([
    [1_780_000_000, 1_780_000_000_000_000n],
    [1_780_000_000_123, 1_780_000_000_123_000n],
    [1_780_000_000_123_456, 1_780_000_000_123_456n],
    [1_780_000_000.6, 1_780_000_001_000_000n],
    [42, 42n],
    [-5, nowUs],
    ["2026-01-02T03:04:05", nowUs],
    ["2026-02-30T03:04:05Z", nowUs],
    ["2026-01-02 03:04:05Z", 1_767_323_045_000_000n],
    ["not a time", nowUs],
    [{ a: 1 }, nowUs],
  ])("reads the timestamp %j", async (timestamp, expected) => {
    expect((await parseOne({ timestamp }))?.timestampUs).toBe(expected);
  });

  it("reads nanoseconds to the microsecond", async () => {
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
  ])("takes the text of %j", async (event, eventMessage, fields) => {
    expect(await parseOne(event)).toMatchObject({ eventMessage, fields });
    expect(Object.keys((await parseOne(event))?.fields ?? {})).toEqual(Object.keys(fields));
  });

  it("loses nulls, empty strings and empty containers, and keeps false and 0", async () => {
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

  it("keeps integers beyond 2^53 exact", async () => {
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
  ])("keeps long integers: %s", async (_, json, expected) => {
    const { events } = await parse(`{"n":${json}}`);
    expect(events[0]?.fields).toEqual({ n: expected });
  });

  it("keeps a field named __proto__ as a field", async () => {
    const { events } = await parse('{"__proto__":{"polluted":true}}');
    expect(Object.entries(events[0]?.fields ?? {})).toEqual([["__proto__", { polluted: true }]]);
    expect({}).not.toHaveProperty("polluted");
  });

  it("replaces lone surrogates, which no UTF-8 text can hold", async () => {
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
