import { describe, expect, it } from "vitest";
import { parseEvents } from "../parse-events.ts";
import { readConcatenatedJson } from "./concatenated-json.ts";
import { splunkEvents } from "./splunk.ts";

const nowUs = 1_790_000_000_000_000n;

function read(text: string, protocol = "splunk_events", details: Readonly<Record<string, string>> = {}) {
  const bytes = Buffer.from(text);
  return parseEvents({
    protocol,
    bytes,
    contentType: undefined,
    contentEncoding: undefined,
    details,
    nowUs,
    maxBytes: 1e6,
  });
}

describe("Splunk's collector protocol", () => {
  it("reads concatenated events without a separator", async () => {
    const { events } = await read(
      '{"time":1426279439.123456,"host":"h","sourcetype":"st","event":"hello","fields":{"project":"p","severity":"WARN"}}' +
        '{"time":"1426279439","event":{"message":"there","severity":"info","n":1}}\r\n {"event":"}{\\"]["}',
      "splunk_events",
      { "?source": "src", "?host": "fallback" },
    );
    expect(events).toMatchObject([
      {
        timestampUs: 1426279439123456n,
        eventMessage: "hello",
        fields: {
          project: "p",
          metadata: { level: "warn", host: "h", source: "src", sourcetype: "st", fields: { severity: "WARN" } },
        },
      },
      {
        timestampUs: 1426279439000000n,
        eventMessage: "there",
        fields: { metadata: { level: "info", host: "fallback", event: { message: "there", n: 1 } } },
      },
      { timestampUs: nowUs, eventMessage: '}{"][' },
    ]);
  });

  it("retains an unreadable time as a field, and reads milliseconds", async () => {
    const { events, untimed } = await read(
      '{"time":"soon","event":"a"}{"time":1426279439123,"event":"b"}{"time":0.5,"event":"c"}',
    );
    expect(events.map(({ timestampUs }) => timestampUs)).toEqual([nowUs, 1426279439123000n, 500000n]);
    expect([events[0]?.fields._timestamp, untimed]).toEqual(["soon", 1]);
  });

  it.each([
    ["", 400, { code: 5, text: "No data" }],
    ["   ", 400, { code: 5 }],
    ['{"event":"a"}{"host":"b"}', 400, { code: 12, "invalid-event-number": 1 }],
    ['{"event":""}', 400, { code: 13, "invalid-event-number": 0 }],
    ['{"event":"a"}{"event":', 400, { code: 6, "invalid-event-number": 1 }],
    ['{"event":"a"} 7', 400, { code: 6, "invalid-event-number": 1 }],
  ])("stores nothing of %j and gives the reason", async (text, status, body) => {
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "BodyError" });
    const { message, index } = error as { message: string; index?: number };
    const failure = {
      code: "invalid_body",
      status: 400,
      message,
      mediaType: "",
      ...(index === undefined ? {} : { index }),
    } as const;
    expect(splunkEvents.answerFailure?.(failure)).toMatchObject({ status, body });
  });

  it("reads lines of text", async () => {
    const { events } = await read("one\r\n\ntwo", "splunk_raw", { "?sourcetype": "st", "?time": "1426279439.5" });
    expect(events).toMatchObject([
      { eventMessage: "one", timestampUs: 1426279439500000n, fields: { metadata: { sourcetype: "st" } } },
      { eventMessage: "two" },
    ]);
  });
});

it.each([
  ["{}{}", [{}, {}]],
  ['[{"a":1},{"b":2}]', [{ a: 1 }, { b: 2 }]],
  ['{"a":"\\\\"}{"b":"\\""}', [{ a: "\\" }, { b: '"' }]],
  ['{"a":{"b":[1,{"c":"]}"}]}}\n{"d":1}', [{ a: { b: [1, { c: "]}" }] } }, { d: 1 }]],
])("readConcatenatedJson splits %s into values", (text, values) => {
  expect(readConcatenatedJson(text)).toEqual(values);
});
