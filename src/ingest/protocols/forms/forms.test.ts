import { expect, it } from "vitest";
import { parseEvents } from "../../parse-events.ts";

const nowUs = 1_790_000_000_000_000n;
const json = "application/json";

async function read(
  protocol: string,
  body: unknown,
  contentType = json,
  details: Readonly<Record<string, string>> = {},
) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return parseEvents({ protocol, bytes, contentType, contentEncoding: undefined, details, nowUs, maxBytes: 1e6 });
}

const iso = "2026-08-20T09:00:00.5Z";
const us = BigInt(Date.parse(iso)) * 1000n;

it("a plain JSON object becomes the message and the metadata", async () => {
  const { events } = await read("json", [{ id: 7, a: { b: 1 }, project: "p", timestamp: iso }]);
  expect(events).toMatchObject([
    {
      hasGeneratedId: true,
      timestampUs: us,
      eventMessage: `{"id":7,"a":{"b":1},"project":"p","timestamp":"${iso}"}`,
      fields: { project: "p", metadata: { id: 7, a: { b: 1 } } },
    },
  ]);
});

it("a plain JSON object with a message becomes an event as it is", async () => {
  const { events } = await read("json", { batch: [{ message: "m", metadata: { level: "warn", u: 7 }, project: "p" }] });
  expect(events).toMatchObject([{ eventMessage: "m", fields: { project: "p", metadata: { level: "warn", u: 7 } } }]);
});

it("Vector's events retain message, time and project; other fields become metadata", async () => {
  const { events } = await read("vector", [
    { message: "m", timestamp: iso, project: "p", host: "h", metadata: { x: 1 } },
  ]);
  expect(events).toMatchObject([
    { timestampUs: us, eventMessage: "m", fields: { project: "p", metadata: { host: "h", x: 1 } } },
  ]);
});

it("typecasts convert texts to numbers", async () => {
  const cast = (path: unknown, to: string) => ({ from: "string", path, to });
  const body = { message: "m", timestamp: iso, metadata: { n: "12.5", i: "7", bad: "x", deep: { n: "1" } } };
  const casts = [
    cast(["metadata", "n"], "float"),
    cast(["metadata", "i"], "integer"),
    cast(["metadata", "bad"], "float"),
    cast(["metadata", "deep", "n"], "float"),
    cast(["nothing", "there"], "float"),
    cast(["__proto__", "x"], "float"),
    cast("metadata", "float"),
  ];
  const { events } = await read("typecasts", { batch: [{ body, typecasts: casts }] });
  expect(events).toMatchObject([
    { timestampUs: us, eventMessage: "m", fields: { metadata: { n: 12.5, i: 7, bad: "x", deep: { n: 1 } } } },
  ]);
});

it("Vercel's logs retain their ids", async () => {
  const logs = [
    { id: "v1", message: "hi", timestamp: 1573817187330, level: "ERROR", source: "lambda", projectId: "x" },
    { id: "v2", timestamp: 1573817250283, proxy: { method: "GET", path: "/a", statusCode: 200 } },
  ];
  for (const [body, type] of [
    [logs, json],
    [logs.map((log) => JSON.stringify(log)).join("\n"), "application/x-ndjson"],
  ] as const) {
    const { events } = await read("vercel", body, type);
    expect(events).toMatchObject([
      {
        id: "v1",
        timestampUs: 1573817187330000n,
        eventMessage: "hi",
        fields: { metadata: { level: "error", source: "lambda" } },
      },
      { id: "v2", eventMessage: "GET /a", fields: { metadata: { proxy: { statusCode: 200 } } } },
    ]);
  }
});

it("a Netlify log gets a message made from its request", async () => {
  const log = {
    timestamp: 1573817187330,
    log_type: "traffic",
    method: "GET",
    status_code: 200,
    client_ip: "192.0.2.1",
    url: "/x",
  };
  const { events } = await read("netlify", [log, { log_type: "functions", message: "m", level: "WARN" }]);
  expect(events).toMatchObject([
    {
      timestampUs: 1573817187330000n,
      eventMessage: "GET | 200 | 192.0.2.1 | /x",
      fields: { metadata: { log_type: "traffic" } },
    },
    { eventMessage: "m", fields: { metadata: { level: "warn" } } },
  ]);
});

it.each([
  [
    "structured",
    { specversion: "1.0", id: "c1", source: "/s", type: "t", time: iso, data: { message: "m", n: 1 } },
    "application/cloudevents+json",
    {},
  ],
  [
    "batched",
    [{ specversion: "1.0", id: "c1", source: "/s", type: "t", time: iso, data: { message: "m", n: 1 } }],
    "application/cloudevents-batch+json",
    {},
  ],
  [
    "binary",
    { message: "m", n: 1 },
    json,
    { "ce-specversion": "1.0", "ce-id": "c1", "ce-source": "/s", "ce-type": "t", "ce-time": iso },
  ],
])("CloudEvents in %s mode retain id, time and attributes", async (_, body, type, details) => {
  const { events } = await read("cloud_event", body, type, details as Record<string, string>);
  expect(events).toMatchObject([
    {
      id: "c1",
      timestampUs: us,
      eventMessage: "m",
      fields: {
        metadata: { cloud_event: { specversion: "1.0", source: "/s", type: "t" }, data: { message: "m", n: 1 } },
      },
    },
  ]);
});

it("a CloudEvent of HTML text becomes a message, and one without type and source is refused", async () => {
  const details = { "ce-id": "c2", "ce-type": "t", "ce-source": "caf%C3%A9" };
  const { events } = await read("cloud_event", "plain", "text/plain", details).catch(() => ({ events: [] }));
  expect(events).toEqual([]);
  const html = await read("cloud_event", "<p>", "text/html", details);
  expect(html.events).toMatchObject([
    { id: "c2", eventMessage: "<p>", fields: { metadata: { cloud_event: { source: "café" } } } },
  ]);
  await expect(read("cloud_event", { a: 1 })).rejects.toThrow("must have type and source");
});

it("browser reports are dated back by their age", async () => {
  const reports = [
    { type: "csp-violation", age: 1500, url: "https://x", user_agent: "UA", body: { effectiveDirective: "img-src" } },
  ];
  const { events } = await read("browser_reports", reports, "application/reports+json");
  expect(events).toMatchObject([
    {
      timestampUs: nowUs - 1_500_000n,
      eventMessage: "csp-violation | img-src | https://x",
      fields: { metadata: { user_agent: "UA" } },
    },
  ]);
  const old = { "csp-report": { "document-uri": "https://y", "violated-directive": "script-src" } };
  const csp = await read("browser_reports", old, "application/csp-report", { "user-agent": "B" });
  expect(csp.events).toMatchObject([
    { eventMessage: "csp-violation | script-src | https://y", fields: { metadata: { user_agent: "B" } } },
  ]);
});

it.each<[object, string, bigint]>([
  [{ type: "a", body: { message: "m", reason: "r" }, url: "u" }, "a | m | u", 0n],
  [{ type: "a", body: { effectiveDirective: "e", id: "i" } }, "a | e", 0n],
  [{ type: "a", body: { "effective-directive": "e" }, url: null }, "a | e", 0n],
  [{ type: "a", body: { reason: "r", id: "i" } }, "a | r", 0n],
  [{ type: "a", body: { id: "i", "document-uri": "d" }, url: "" }, "a | i", 0n],
  [{ type: 7, body: { id: 8, "document-uri": "d" } }, "d", 0n],
  [{ type: "", body: "x", age: 0.5 }, '{"type":"","body":"x","age":0.5}', 500n],
  [{ type: "a", age: -1 }, "a", 0n],
  [{ type: "a", age: 1e12 }, "a", 0n],
  [{ type: "a", age: "5" }, "a", 0n],
])("a browser report %j has the message %s", async (report, eventMessage, agoUs) => {
  const { events } = await read("browser_reports", [report]);
  expect(events).toMatchObject([{ eventMessage, timestampUs: nowUs - agoUs }]);
  expect(events[0]?.fields.metadata).not.toHaveProperty("user_agent");
});

it("browser reports are refused by item, and as a whole with the types that are read", async () => {
  const one = { "csp-report": "x", project: "p" };
  expect((await read("browser_reports", one)).events).toMatchObject([
    { eventMessage: '{"csp-report":"x","project":"p"}', fields: { project: "p" } },
  ]);
  expect((await read("browser_reports", [7])).rejected).toEqual([
    { index: 0, reason: "not a JSON object but a number" },
  ]);
  await expect(read("browser_reports", one, "text/html")).rejects.toThrow(
    "send application/reports+json or application/csp-report",
  );
});

it.each(["text/plain; charset=utf-8", "application/json", ""])(
  "Logpush is read as one JSON object per line with the content type %s",
  async (type) => {
    const body = `{"EdgeStartTimestamp":"${iso}","RayID":"r1"}\n{"EdgeStartTimestamp":1787216400500000000,"RayID":"r2"}\nbroken\n`;
    const { events, rejected } = await read("cloudflare", body, type);
    expect(events).toMatchObject([
      {
        timestampUs: us,
        eventMessage: `{"EdgeStartTimestamp":"${iso}","RayID":"r1"}`,
        fields: { metadata: { RayID: "r1" } },
      },
      { timestampUs: us, fields: { metadata: { RayID: "r2" } } },
    ]);
    expect(rejected).toEqual([{ index: 2, reason: "not valid JSON" }]);
  },
);

it("Logpush is read as a list too, and takes its time from the first field that has one", async () => {
  const logs = [{ EdgeStartTimestamp: null, When: iso, project: "p", n: "N" }, 7, { timestamp: null }];
  const { events, rejected } = await read(
    "cloudflare",
    `\n  ${JSON.stringify(logs)}`.replace('"N"', "9007199254740993"),
  );
  const text = `{"EdgeStartTimestamp":null,"When":"${iso}","project":"p","n":"9007199254740993"}`;
  expect(events).toMatchObject([
    {
      timestampUs: us,
      eventMessage: text,
      fields: { project: "p", metadata: { When: iso, project: "p", n: 9007199254740993n } },
    },
    { timestampUs: nowUs, eventMessage: '{"timestamp":null}', fields: {} },
  ]);
  expect(rejected).toEqual([{ index: 1, reason: "not a JSON object but a number" }]);
  const lines = await read("cloudflare", ` {"a":[1]} \r\n{"Timestamp":null,"EventTimestampMs":1573817187330}`);
  expect(lines.events).toMatchObject([{ eventMessage: '{"a":[1]}' }, { timestampUs: 1573817187330000n }]);
  expect((await read("cloudflare", "[broken")).rejected).toEqual([{ index: 0, reason: "not valid JSON" }]);
});

it("a Netlify log without a message or request has its type as the message, and no level", async () => {
  const { events } = await read("netlify", [{ log_type: "functions" }, { url: "/x" }, 7]);
  expect(events.map(({ eventMessage, fields }) => [eventMessage, fields])).toEqual([
    ["functions", { metadata: { log_type: "functions" } }],
    ["/x", { metadata: { url: "/x" } }],
  ]);
});

it("GitHub webhooks say what happened where, as far as they tell", async () => {
  const details = { "x-github-event": "ping", "x-github-delivery": "d1", "x-github-hook-id": "h1" };
  const readOne = async (payload: object, headers: Readonly<Record<string, string>> = {}) => {
    const { id, hasGeneratedId, eventMessage, fields } = (await read("github", payload, json, headers)).events[0] ?? {};
    return { id: hasGeneratedId === true ? undefined : id, eventMessage, fields };
  };
  const known = { github_event: "ping", github_delivery: "d1", github_hook_id: "h1" };
  expect(await readOne({ action: 7, repository: { name: "r" }, project: "p" }, details)).toEqual({
    id: "d1",
    eventMessage: "ping",
    fields: { project: "p", metadata: { ...known, action: 7, repository: { name: "r" }, project: "p" } },
  });
  expect(await readOne({ repository: { full_name: "o/r" }, project: 1 })).toEqual({
    id: undefined,
    eventMessage: "o/r",
    fields: { metadata: { repository: { full_name: "o/r" }, project: 1 } },
  });
  expect(await readOne({ a: 1 })).toEqual({ id: undefined, eventMessage: null, fields: { metadata: { a: 1 } } });
  await expect(read("github", [])).rejects.toThrow("The payload of a webhook must be a JSON object");
});

it("GitHub webhooks take the delivery id, as JSON and as a form", async () => {
  const payload = JSON.stringify({ action: "opened", repository: { full_name: "o/r" } });
  const details = { "x-github-event": "issues", "x-github-delivery": "d1" };
  for (const [body, type] of [
    [payload, json],
    [`payload=${encodeURIComponent(payload)}`, "application/x-www-form-urlencoded"],
  ] as const) {
    const { events } = await read("github", body, type, details);
    expect(events).toMatchObject([
      {
        id: "d1",
        eventMessage: "issues.opened o/r",
        fields: { metadata: { github_event: "issues", action: "opened" } },
      },
    ]);
  }
  await expect(read("github", "payload=x", "application/x-www-form-urlencoded")).rejects.toThrow("payload");
});
