import snappy from "snappyjs";
import { describe, expect, it } from "vitest";
import { encodeProtobuf } from "../../../test/support/encode-protobuf.ts";
import { parseEvents } from "../parse-events.ts";
import { decompressSnappy } from "./decompress-snappy.ts";
import { loki, parseLabels, pushRequest } from "./loki.ts";

const nowUs = 1_790_000_000_000_000n;

function read(body: Uint8Array | object, contentType: string, contentEncoding?: string) {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  return parseEvents({ protocol: "loki", bytes, contentType, contentEncoding, nowUs, maxBytes: 1_000_000 });
}

const expected = {
  timestampUs: 1570818238000000n,
  eventMessage: "fizzbuzz",
  fields: {
    project: "p",
    metadata: {
      level: "warn",
      labels: { app: "web", level: "WARN", project: "p" },
      structured: { trace_id: "0242ac120002" },
      time_unix_nano: 1570818238000000001n,
    },
  },
};

describe("Loki's push protocol", () => {
  it("reads JSON", async () => {
    const stream = { app: "web", level: "WARN", project: "p" };
    const values = [["1570818238000000001", "fizzbuzz", { trace_id: "0242ac120002" }]];
    const { events } = await read({ streams: [{ stream, values }] }, "application/json");
    expect(events).toMatchObject([expected]);
  });

  it.each([undefined, "snappy"])(
    "reads snappy-compressed protocol buffers (Content-Encoding: %s)",
    async (contentEncoding) => {
      const entries = [
        {
          timestamp: { seconds: 1570818238, nanos: 1 },
          line: "fizzbuzz",
          structuredMetadata: [{ name: "trace_id", value: "0242ac120002" }],
        },
      ];
      const body = encodeProtobuf(pushRequest, {
        streams: [{ labels: '{app="web", level="WARN",project="p"}', entries }],
      });
      const { events } = await read(snappy.compress(body), "application/x-protobuf", contentEncoding);
      expect(events).toMatchObject([expected]);
    },
  );

  it("retains an unreadable time as a field", async () => {
    const { events, untimed } = await read({ streams: [{ stream: {}, values: [["now", "a"]] }] }, "application/json");
    expect([events[0]?.timestampUs, events[0]?.fields._timestamp, untimed]).toEqual([nowUs, "now", 1]);
  });

  it.each([
    [{ streams: 1 }, "streams"],
    [[], "streams"],
    [{ streams: [{ values: 1 }] }, "values"],
    [{ streams: [{ stream: {}, values: [["1570818238000000001", "good"], ["1"]] }] }, "Event 1 of the body"],
  ])("stores nothing of an invalid body: %j", async (body, message) => {
    await expect(read(body, "application/json")).rejects.toThrow(message);
  });

  it("answers as Loki's clients expect", () => {
    const outcome = { accepted: 1, rejected: [], untimed: 0, receipt: undefined, mediaType: "", tookMs: 1 };
    expect(loki.answer?.(outcome)).toEqual({ status: 204 });
    const failure = { code: "disk_full", status: 507, message: "full", mediaType: "" } as const;
    expect(loki.answerFailure?.(failure)).toMatchObject({ status: 503, body: "full\n" });
  });
});

it.each([
  ['{app="web"}', { app: "web" }],
  [' { a = "1" , b=`x\\y`, } ', { a: "1", b: "x\\y" }],
  ['{a="quo\\"te, and }\\n"}', { a: 'quo"te, and }\n' }],
  ["{a=`b`}", { a: "b" }],
  ['{a="\\t\\r\\x\\\\",_b.c="`"}', { a: "\t\rx\\", "_b.c": "`" }],
  ["{}", {}],
])("parseLabels reads %s", (text, labels) => {
  expect(parseLabels(text)).toEqual(labels);
});

it.each(["", "app=web", "{app}", '{app="web" env="x"}', '{app="web"', '{app="web}', "{app=`web}", "{app=web}"])(
  "parseLabels refuses %s",
  (text) => {
    expect(() => parseLabels(text)).toThrow("Labels must be written like");
  },
);

it("parseLabels reads labels of any length", () => {
  const long = "x".repeat(12_000_000);
  expect(parseLabels(`{a="${long}"}`).a === long).toBe(true);
});

it("parseLabels quotes the beginning of what it refuses", () => {
  expect(() => parseLabels(`{${"x".repeat(200)}`)).toThrow(/^Labels must be written like {app="web"}, not {x{99}$/);
});

describe("decompressSnappy", () => {
  it.each([0, 1, 60, 61, 300, 70_000, 400_000])("restores %i bytes", (length) => {
    const random = Uint8Array.from({ length }, (_, index) => ((index * 2654435761) >>> 13) & (index % 7 < 3 ? 255 : 3));
    expect(Buffer.from(decompressSnappy(snappy.compress(random), length)).equals(random)).toBe(true);
    const same = new Uint8Array(length).fill(7);
    expect(Buffer.from(decompressSnappy(snappy.compress(same), length)).equals(same)).toBe(true);
  });

  it.each([
    ["an empty body", []],
    ["an unterminated length", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["a length that its bytes cannot decode to", [0xff, 0xff, 0x7f, 0x00]],
    ["a truncated literal", [5, 0x10, 1, 2]],
    ["a literal whose length has the top bit set", [5, 0xfc, 0xfa, 0xff, 0xff, 0xff, 0, 0]],
    ["a copy from beyond the start", [5, 0x01, 0x05]],
    ["a copy with offset zero", [8, 0x00, 1, 0x01, 0x00]],
    ["more bytes than its length", [1, 0x08, 1, 2, 3]],
    ["fewer bytes than its length", [5, 0x04, 1, 2]],
  ])("refuses %s", (_, bytes) => {
    expect(() => decompressSnappy(Uint8Array.from(bytes), 10_000_000)).toThrow("not valid snappy");
  });

  it("refuses a body that is too large before it decompresses it", () => {
    expect(() => decompressSnappy(snappy.compress(new Uint8Array(2000)), 1000)).toThrow("larger than 1000 bytes");
  });
});
