import { describe, expect, it } from "vitest";
import { parseEvents } from "../../parse-events.ts";
import { SyslogFrames } from "./frames.ts";
import { readSyslogMessage } from "./read-message.ts";

const nowUs = BigInt(Date.parse("2026-01-02T00:00:00Z")) * 1000n;

async function read(text: string, protocol = "syslog", details: Readonly<Record<string, string>> = {}) {
  const bytes = Buffer.from(text);
  const body = {
    protocol,
    bytes,
    contentType: "text/plain",
    contentEncoding: undefined,
    details,
    nowUs,
    maxBytes: 1e6,
  };
  return parseEvents(body);
}

const at = (iso: string) => BigInt(Date.parse(iso)) * 1000n;

describe("a syslog message", () => {
  it.each([
    [
      '<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 ID47 [exampleSDID@32473 iut="3" ' +
        'eventSource="App \\"x\\" \\]"][flag@1] \ufeffAn application event',
      at("2003-08-24T12:14:15Z") + 3n,
      "An application event",
      {
        level: "notice",
        facility: "local4",
        priority: 165,
        host: "192.0.2.1",
        app: "myproc",
        process: "8710",
        message_id: "ID47",
        structured_data: { _exampleSDID_32473: { iut: "3", eventSource: 'App "x" ]' }, _flag_1: true },
      },
    ],
    ["<34>1 - - - - - -", nowUs, null, { level: "critical", facility: "auth" }],
    ["<34>1 - h su - - -  of rsyslog", nowUs, "of rsyslog", { host: "h", app: "su" }],
    ["<34>1 - h su - - -   indented", nowUs, "  indented", { host: "h", app: "su" }],
    ["<34>1 - h su - - - 'su root' failed", nowUs, "'su root' failed", { host: "h", app: "su" }],
    [
      "<40>1 2012-11-30T06:45:29+00:00 host app web.3 - State changed",
      at("2012-11-30T06:45:29Z"),
      "State changed",
      { process: "web.3" },
    ],
    [
      "<34>Oct 11 22:14:15 mymachine su[123]: 'su root' failed",
      at("2025-10-11T22:14:15Z"),
      "'su root' failed",
      { host: "mymachine", app: "su", process: "123" },
    ],
    [
      "<13>Jan  2 00:00:01 h app: near",
      at("2026-01-02T00:00:01Z"),
      "near",
      { app: "app", level: "notice", facility: "user" },
    ],
    ["<13>Dec 31 23:59:59 h app: last year", at("2025-12-31T23:59:59Z"), "last year", {}],
    [
      "<13>Jan  2 00:00:01 tag: logger leaves the host out",
      at("2026-01-02T00:00:01Z"),
      "logger leaves the host out",
      { app: "tag" },
    ],
    [
      "<13>2026-01-01T10:00:00.123456+02:00 h app[7]: new time",
      at("2026-01-01T08:00:00.123Z") + 456n,
      "new time",
      { host: "h", process: "7" },
    ],
    ["<13>no header here", nowUs, "no header here", { priority: 13 }],
    ["<13>app: no time", nowUs, "no time", { app: "app" }],
    ["no priority", nowUs, "no priority", undefined],
    ["<999>x", nowUs, "<999>x", undefined],
    ["<>x", nowUs, "<>x", undefined],
  ])("is parsed: %s", async (line, timestampUs, eventMessage, metadata) => {
    const { events, untimed } = await read(line);
    expect(events).toMatchObject([{ timestampUs, eventMessage, fields: metadata === undefined ? {} : { metadata } }]);
    expect(untimed).toBe(0);
  });

  it.each([
    ["<34>1 yesterday h a p m - text", "yesterday"],
    ["<34>Foo 11 22:14:15 h a[p]: text", "Foo 11 22:14:15"],
    ["<34>Feb 30 22:14:15 h a[p]: text", "Feb 30 22:14:15"],
    ["<34>Feb 30 2024 22:14:15 h a[p]: text", "Feb 30 2024 22:14:15"],
    ["<34>2026-13-01T10:00:00Z h a[p]: text", "2026-13-01T10:00:00Z"],
  ])("retains an unreadable time as a field: %s", async (line, time) => {
    const { events, untimed } = await read(line);
    expect([events[0]?.fields._timestamp, events[0]?.eventMessage, untimed]).toEqual([time, "text", 1]);
    expect(events[0]?.fields.metadata).toMatchObject({ host: "h", app: "a", process: "p" });
  });

  it.each([
    ["Oct 11 2024 22:14:15", "2024-10-11T22:14:15Z"],
    ["Oct  1 22:14:15.250 CEST", "2026-10-01T22:14:15.250Z"],
    ["Oct 11 22:14:15 +02:00:", "2026-10-11T20:14:15Z"],
    ["Oct 11 2024 22:14:15 -0330", "2024-10-12T01:44:15Z"],
    ["Jan  1 00:00:00", "2027-01-01T00:00:00Z"],
    ["Aug  1 00:00:00", "2026-08-01T00:00:00Z"],
  ])("at the end of 2026 has its time read from %s", (time, iso) => {
    const endOf2026 = at("2026-12-31T23:59:00Z");
    const { timestampUs, value } = readSyslogMessage(`<13>${time} h app: text`, endOf2026);
    expect([timestampUs, value]).toEqual([
      at(iso),
      { event_message: "text", metadata: { level: "notice", facility: "user", priority: 13, host: "h", app: "app" } },
    ]);
  });

  it("of February 29 is of the leap year that is nearest, or unreadable", () => {
    const read = (now: string) => readSyslogMessage("<13>Feb 29 01:00:00 h app: text", at(now)).timestampUs;
    expect(["2025-03-01", "2029-03-01", "2026-03-01"].map(read)).toEqual([
      at("2024-02-29T01:00:00Z"),
      at("2028-02-29T01:00:00Z"),
      undefined,
    ]);
  });

  it("of Heroku has an id that stays the same on a retry", async () => {
    const message = "<40>1 2012-11-30T06:45:29+00:00 host app web.3 - State changed\n";
    const body = `${Buffer.byteLength(message)} ${message}${Buffer.byteLength(message)} ${message}`;
    const { events } = await read(body, "logplex", { "logplex-frame-id": "f1", "logplex-drain-token": "d.1" });
    expect(events.map(({ id, eventMessage }) => [id, eventMessage])).toEqual([
      ["f1-0", "State changed"],
      ["f1-1", "State changed"],
    ]);
    expect(events[0]?.fields).toMatchObject({ metadata: { drain_token: "d.1", app: "app" } });
  });
});

it("Heroku's messages without its headers have no id and no drain of their own", async () => {
  const { events } = await read("<40>1 - host app web.3 - State changed\n", "logplex");
  expect(events).toMatchObject([{ hasGeneratedId: true, eventMessage: "State changed" }]);
  expect(events[0]?.fields.metadata).not.toHaveProperty("drain_token");
});

describe("SyslogFrames", () => {
  const stream = "<13>one\r\n10 <13>\ntwo\nx<14>three\n\n2026 plain\n8 <15>four9 <15>four\nlast";
  const messages = ["<13>one", "<13>\ntwo\nx", "<14>three", "2026 plain", "<15>four", "<15>four", "last"];

  it.each([1, 2, 3, 5, 7, 100])("finds messages in chunks of %i bytes", (size) => {
    const frames = new SyslogFrames();
    const bytes = Buffer.from(stream);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...frames.push(bytes.subarray(at, at + size)));
    expect([...found, ...frames.finish()]).toEqual(messages);
  });

  it("returns what there is of a message that was cut off, without its length", () => {
    const frames = new SyslogFrames();
    expect([frames.push(Buffer.from("50 <13>cut")), frames.finish(), frames.finish()]).toEqual([[], ["<13>cut"], []]);
  });

  it("splits messages that are too long", () => {
    const found = new SyslogFrames().push(Buffer.from(`<13>${"x".repeat(150_000)}\n<13>next\n`));
    expect(found.map((text) => text.length)).toEqual([65_536, 65_536, 150_004 - 2 * 65_536, 8]);
  });
});
