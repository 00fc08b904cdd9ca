import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseEvents } from "./parse-events.ts";
import { parseUnixSeconds, readTimestamp } from "./timestamp.ts";

const nowUs = 1_790_000_000_000_000n;

function parse(body: string | Uint8Array, contentType?: string, contentEncoding?: string, maxBytes = 10_000_000) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return parseEvents({ bytes, contentType, contentEncoding, nowUs, maxBytes });
}

const us = (iso: string) => BigInt(Date.parse(iso)) * 1_000n;

describe("an unreadable body", () => {
  const types = "application/json or application/x-ndjson";

  it.each([
    ["{", undefined, "invalid_body", /^The body is not valid JSON: [^.]+$/],
    [
      '{"a":1}\n {"b":2}',
      undefined,
      "invalid_body",
      /\. It looks like NDJSON; send Content-Type: application\/x-ndjson$/,
    ],
    ['{"a":1}\r\n{"b":2}', undefined, "invalid_body", /It looks like NDJSON/],
    ['{"a":1}\nx', undefined, "invalid_body", /^(?!.*NDJSON)/],
    ['{"a":\n{"b":2}}}', undefined, "invalid_body", /^(?!.*NDJSON)/],
    [new Uint8Array([131, 1]), undefined, "invalid_body", /\. It looks like BERT; set the sender to JSON$/],
    [new Uint8Array([0x80]), undefined, "invalid_body", /\. It looks like MessagePack; set the sender to JSON$/],
    [new Uint8Array([0x9f]), undefined, "invalid_body", /MessagePack/],
    [new Uint8Array([0xdc]), undefined, "invalid_body", /MessagePack/],
    [new Uint8Array([0xdf]), undefined, "invalid_body", /MessagePack/],
    [new Uint8Array([0xa0]), undefined, "invalid_body", /^(?!.*looks like)/],
    [new Uint8Array([0xe0]), undefined, "invalid_body", /^(?!.*looks like)/],
    [new Uint8Array([0x1f, 0x8b]), undefined, "invalid_body", /\. It looks like gzip; send Content-Encoding: gzip$/],
    [new Uint8Array([0x1f, 0x8c]), undefined, "invalid_body", /^(?!.*looks like)/],
  ] as const)("of %s with the type %s is refused: %s %s", async (body, contentType, code, message) => {
    await expect(parse(body, contentType)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    ["text/xml", `Content-Type text/xml is not supported; send ${types}`],
    ["application/json2", `Content-Type application/json2 is not supported; send ${types}`],
    [
      "application/x-MsgPack; a=b",
      `Content-Type application/x-msgpack is not supported; send ${types}. MessagePack is not read; set the sender to JSON`,
    ],
    [
      "application/x-erlang-binary",
      `Content-Type application/x-erlang-binary is not supported; send ${types}. BERT is not read; set the sender to JSON`,
    ],
    [
      "application/x-protobuf",
      `Content-Type application/x-protobuf is not supported; send ${types}. ` +
        "Protocol buffers are read at /v1/logs (OpenTelemetry) and /loki/api/v1/push",
    ],
    [`a/${"x".repeat(200)}`, `Content-Type a/${"x".repeat(98)} is not supported; send ${types}`],
  ])("with the type %s is refused with an alternative", async (contentType, message) => {
    await expect(parse("{}", contentType)).rejects.toMatchObject({ code: "unsupported_media_type", message });
  });

  it.each(["application/json-seq", "application/jsonl", "application/x-jsonlines", "APPLICATION/NDJSON , x"])(
    "is not one with the type %s, which is read by lines, with or without record separators",
    async (contentType) => {
      const { events } = await parse('\x1e{"id":"a"}\n{"id":"b"}', contentType);
      expect(events.map(({ id }) => id)).toEqual(["a", "b"]);
    },
  );

  it.each(["", " ; x", "text/plain", "text/json", "application/csp-report", "application/a.b+json"])(
    "is not one with the type %j, which is read as JSON",
    async (contentType) => {
      expect((await parse('{"id":"a"}', contentType)).events).toHaveLength(1);
    },
  );

  it("with too many bad events is refused with the first of them", async () => {
    await expect(parse(`[{},null${",0".repeat(10_000)}]`)).rejects.toMatchObject({
      code: "invalid_body",
      message: "More than 10000 events of the body cannot be stored; event 1 is not a JSON object but null",
      index: 1,
    });
  });
});

describe("content encodings", () => {
  const body = Buffer.from('[{"id":"a"}]');

  it("may be at most two in any letter case, not counting identity", async () => {
    const twice = zlib.gzipSync(zlib.deflateSync(body));
    expect((await parse(twice, undefined, " Deflate ,identity,,X-GZIP")).events).toHaveLength(1);
    await expect(parse(zlib.gzipSync(twice), undefined, "deflate, gzip, gzip")).rejects.toMatchObject({
      code: "unsupported_encoding",
      message: "At most two content codings are accepted",
    });
  });

  it("are refused by name when they are unknown or wrong, or exceed the size limit when decoded", async () => {
    await expect(parse(body, undefined, "lzma")).rejects.toMatchObject({
      code: "unsupported_encoding",
      message: expect.stringMatching(
        /^Content-Encoding lzma is not supported; send one of: gzip, x-gzip, deflate, snappy, br(?:, zstd)?$/,
      ),
    });
    await expect(parse(body, undefined, "br")).rejects.toMatchObject({
      code: "invalid_body",
      message: "The body is not valid br; check Content-Encoding",
    });
    const packed = zlib.gzipSync(body);
    expect((await parse(packed, undefined, "gzip", 30)).events).toHaveLength(1);
    await expect(parse(zlib.gzipSync(Buffer.alloc(31, " ")), undefined, "gzip", 30)).rejects.toMatchObject({
      code: "body_too_large",
      message: "The body is larger than 30 bytes after decompression",
    });
  });

  it("do not matter for the size limit of a plain body", async () => {
    expect((await parse(body, undefined, undefined, body.length)).events).toHaveLength(1);
    await expect(parse(body, undefined, undefined, body.length - 1)).rejects.toMatchObject({
      code: "body_too_large",
      message: `The body is larger than ${body.length - 1} bytes`,
    });
  });
});

describe("the limits of an event", () => {
  it("are 64 levels and 5000 values", async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const wide = (count: number) => `{"a":[${Array(count).fill("1").join(",")}]}`;
    const reject = async (event: string) => (await parse(`[${event}]`)).rejected.map(({ reason }) => reason);
    expect(await reject(deep(64))).toEqual([]);
    expect(await reject(deep(65))).toEqual(["nested deeper than 64 levels"]);
    expect(await reject(wide(5_000))).toEqual([]);
    expect(await reject(wide(5_001))).toEqual(["more than 5000 values in one event"]);
    // What is not kept does not count.
    expect(await reject(`{"a":[${'null,"",[],{},'.repeat(5_000)}1]}`)).toEqual([]);
  });
});

describe("a reserved field", () => {
  const read = async (event: object) => {
    const { events } = await parse(JSON.stringify(event));
    const [{ id, timestampUs, eventMessage, fields, hasGeneratedId } = {} as never] = events;
    return { id: hasGeneratedId ? undefined : id, timestampUs, eventMessage, fields };
  };

  it("in another letter case replaces a missing one, and is otherwise stored under another name", async () => {
    expect(await read({ ID: "x", Timestamp: "2026-01-02", MESSAGE: "m", other: 1 })).toEqual({
      id: "x",
      timestampUs: us("2026-01-02"),
      eventMessage: "m",
      fields: { other: 1 },
    });
    expect(await read({ id: "x", Id: "y", message: "m", Message: "n", Event_Message: "o" })).toMatchObject({
      id: "x",
      eventMessage: "m",
      fields: { _Id: "y", _Message: "n", _event_message: "o" },
    });
    expect(await read({ id: "x", ID: "y", _id: "z" })).toMatchObject({ id: "x", fields: { __ID: "y", _id: "z" } });
    expect(await read({ ID: "x", iD: "y" })).toMatchObject({ id: "x", fields: { _iD: "y" } });
  });

  it("for the id may be a text or a number; any other value is stored under another name", async () => {
    expect(await read({ id: 0 })).toMatchObject({ id: "0", fields: {} });
    expect(await read({ id: 1.5 })).toMatchObject({ id: "1.5" });
    expect((await parse('{"id":9007199254740993}')).events[0]?.id).toBe("9007199254740993");
    expect(await read({ id: true, _ID: 1 })).toMatchObject({ id: undefined, fields: { __id: true, _ID: 1 } });
    expect(await read({ id: ["a"] })).toMatchObject({ id: undefined, fields: { _id: ["a"] } });
  });

  it("for the message may hold JSON, which becomes text with long numbers intact", async () => {
    const { events } = await parse('{"message":{"n":9007199254740993,"l":[true]}}');
    expect(events[0]?.eventMessage).toBe('{"n":"9007199254740993","l":[true]}');
    expect(await read({ message: false })).toMatchObject({ eventMessage: "false" });
  });

  it("does not absorb a field whose name becomes equal to another: each retains its value", async () => {
    expect((await read({ "a.b": 1, "a-b": 2, _a_b: 3 })).fields).toEqual({ _a_b: 3, ___a_b: 2, __a_b: 1 });
  });
});

describe("a timestamp", () => {
  it.each([
    [0, 0n],
    [999_999_999, 999_999_999n],
    [1e21, undefined],
    [1e-7, 0n],
    [1.5e-7, 0n],
    [Number.NaN, undefined],
    [1_780_000_000_123_456_789n, 1_780_000_000_123_456n],
    [" 1780000000. ", 1_780_000_000_000_000n],
    ["1780000000.1234567", 1_780_000_000_123_456n],
    ["1780000000123.4", 1_780_000_000_123_400n],
    ["1780000000123456789.9", 1_780_000_000_123_456n],
    ["17800000001", 17_800_000_001n],
    ["1".repeat(21), undefined],
    ["1780000000 ms", undefined],
    ["2026-01-02T03:04:05 GMT", us("2026-01-02T03:04:05Z")],
    ["2026-01-02T03:04:05UTC", us("2026-01-02T03:04:05Z")],
    ["UTC", undefined],
    ["", undefined],
    [null, undefined],
  ] as const)("of %s is read correctly", (value, expected) => {
    expect(readTimestamp(value)).toBe(expected);
  });

  it.each(
    Object.entries({ GMT: 0, UT: 0, UTC: 0, Z: 0, EST: 5, EDT: 4, CST: 6, CDT: 5, MST: 7, MDT: 6, PST: 8, PDT: 7 }),
  )("in mail format in the zone %s is %i hours behind UTC", (zone, hours) => {
    const noon = us("2026-03-10T12:00:00Z") + BigInt(hours) * 3_600_000_000n;
    for (const day of ["Tue, ", "", "tuesday,"]) expect(readTimestamp(`${day}10 mar 2026 12:00:00 ${zone}`)).toBe(noon);
    expect(readTimestamp(`10-Mar-2026 12:00${zone} (a comment)`)).toBe(noon);
  });

  it.each(
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ").map((month, index) => [month, index + 1] as const),
  )("in mail format with %s is in month %i", (month, number) => {
    expect(readTimestamp(`1 ${month} 2026 00:00:00.25`)).toBe(
      BigInt(Date.UTC(2026, number - 1, 1)) * 1_000n + 250_000n,
    );
  });

  it.each(["1 Foo 2026 00:00", "Tu, 1 Jan 2026 00:00", "1 Jan 26 00:00", "1 Jan 2026 00:00 XYZ", "x1 Jan 2026 00:00"])(
    "in mail format is not read from %j",
    (text) => {
      expect(readTimestamp(text)).toBeUndefined();
    },
  );

  it("in Unix seconds may have any number of digits", () => {
    expect([parseUnixSeconds("5"), parseUnixSeconds("1780000000.5"), parseUnixSeconds("x")]).toEqual([
      5_000_000n,
      1_780_000_000_500_000n,
      undefined,
    ]);
    expect(parseUnixSeconds("9".repeat(20))).toBeUndefined();
  });
});
