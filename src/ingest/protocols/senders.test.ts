import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../shared/error-catalogue.ts";
import { parseEvents } from "../parse-events.ts";
import { datadog } from "./datadog.ts";
import { elastic } from "./elastic.ts";
import { levelIn } from "./level.ts";
import { loki } from "./loki.ts";
import { answerPlainly } from "./own-answers.ts";
import type { IngestFailure, IngestOutcome } from "./protocol.ts";
import { splunkEvents, splunkRaw } from "./splunk.ts";

const nowUs = 1_790_000_000_000_000n;

async function read(
  protocol: string,
  body: string,
  details: Readonly<Record<string, string>> = {},
  contentType = "application/json",
) {
  const bytes = Buffer.from(body);
  const { events, rejected, receipt } = await parseEvents({
    protocol,
    bytes,
    contentType,
    contentEncoding: undefined,
    details,
    nowUs,
    maxBytes: 1e6,
  });
  const shown = events.map(({ id, hasGeneratedId, timestampUs, eventMessage, fields }) => ({
    ...(hasGeneratedId ? {} : { id }),
    ...(timestampUs === nowUs ? {} : { timestampUs }),
    eventMessage,
    fields,
  }));
  return { events: shown, rejected, receipt };
}

const failure = (code: ErrorCode, status: number, message = "m", index?: number): IngestFailure => ({
  code,
  status,
  message,
  mediaType: "",
  ...(index === undefined ? {} : { index }),
});
const outcome = (more: Partial<IngestOutcome> = {}): IngestOutcome => ({
  accepted: 2,
  rejected: [],
  untimed: 0,
  receipt: undefined,
  mediaType: "",
  tookMs: 1,
  ...more,
});

describe("a Splunk event", () => {
  it("has its message, time and origin, and no other fields", async () => {
    const sent = { "?host": "h", "?source": "s", "?sourcetype": "t", "?index": "i", "?other": "x" };
    const own =
      '{"event":{"msg":"m","project":"p","level":"ERROR"},"fields":{"project":"q","status":"ok"},"host":"own"}';
    const text = '{"event":["a"],"time":null,"fields":[1],"source":5}';
    expect((await read("splunk_events", own + text, sent)).events).toEqual([
      {
        eventMessage: "m",
        fields: {
          project: "q",
          metadata: {
            host: "own",
            source: "s",
            sourcetype: "t",
            index: "i",
            fields: { project: "q", status: "ok" },
            level: "error",
            event: { msg: "m", project: "p", level: "ERROR" },
          },
        },
      },
      {
        eventMessage: '["a"]',
        fields: { metadata: { host: "h", source: 5, sourcetype: "t", index: "i", fields: [1] } },
      },
    ]);
    expect((await read("splunk_events", '{"event":{"project":"p","message":"a","msg":"b"}}')).events).toMatchObject([
      { eventMessage: "a", fields: { project: "p" } },
    ]);
  });

  it("in raw form has the time of the request, or retains an unreadable one as a field", async () => {
    expect((await read("splunk_raw", "a\r\n  \nb", { "?time": "soon", "?host": "h" })).events).toEqual([
      { eventMessage: "a", fields: { _timestamp: "soon", metadata: { host: "h" } } },
      { eventMessage: "b", fields: { _timestamp: "soon", metadata: { host: "h" } } },
    ]);
    expect((await read("splunk_raw", "a", { "?time": "5" })).events).toEqual([
      { timestampUs: 5_000_000n, eventMessage: "a", fields: {} },
    ]);
    await expect(read("splunk_raw", " \n ")).rejects.toMatchObject({ code: "invalid_body", message: "No data" });
  });

  it.each<[IngestFailure, number, object]>([
    [failure("unauthorized", 401, "The call needs an access token"), 401, { code: 2, text: "Token is required" }],
    [failure("unauthorized", 401, "unknown token"), 403, { code: 4, text: "Invalid token" }],
    [failure("insufficient_scope", 401), 403, { code: 4, text: "Invalid token" }],
    [failure("unknown_source", 404), 400, { code: 7, text: "Incorrect index" }],
    [failure("rate_limited", 429), 503, { code: 9, text: "Server is busy: m" }],
    [failure("tenant_limit", 429), 503, { code: 9, text: "Server is busy: m" }],
    [failure("overloaded", 503), 503, { code: 9, text: "Server is busy" }],
    [failure("engine_unavailable", 503), 503, { code: 9, text: "Server is busy" }],
    [failure("shutting_down", 503), 503, { code: 9, text: "Server is busy" }],
    [failure("disk_full", 507), 503, { code: 9, text: "Server is busy" }],
    [failure("invalid_body", 400, "No data"), 400, { code: 5, text: "No data" }],
    [
      failure("invalid_body", 400, "Event 1: Event field is required", 1),
      400,
      {
        code: 12,
        text: "Event field is required",
        "invalid-event-number": 1,
      },
    ],
    [
      failure("invalid_body", 400, "Event field cannot be blank", 0),
      400,
      {
        code: 13,
        text: "Event field cannot be blank",
        "invalid-event-number": 0,
      },
    ],
    [failure("invalid_body", 400), 400, { code: 6, text: "Invalid data format: m" }],
    [failure("body_too_large", 413), 413, { code: 6, text: "m" }],
    [failure("internal", 500), 500, { code: 8, text: "m" }],
  ])("that fails with %j is answered with %i %j", (failed, status, body) => {
    for (const { answerFailure } of [splunkEvents, splunkRaw])
      expect(answerFailure?.(failed)).toEqual({ status, body });
  });

  it("that was stored is answered with success", () => {
    for (const { answer } of [splunkEvents, splunkRaw]) {
      expect(answer?.(outcome())).toEqual({ status: 200, body: { text: "Success", code: 0 } });
    }
  });
});

describe("an Elasticsearch document", () => {
  const bulk = (...lines: readonly string[]) => read("elastic", lines.join("\n"), { "?index": "usual" });

  it("has its message, time and index, without duplicates", async () => {
    const { events, receipt } = await bulk(
      '{"index":{"_id":9007199254740993}}',
      '{"timestamp":5,"event.original":"o","log":{"level":"Info"},"project":"p"}',
      '{"create":null}',
      '{"log":"l","log.level":"WARN","msg":7}',
      '{"index":{"_index":"own","_id":1}}',
      '{"a":9007199254740993}',
    );
    expect(events).toEqual([
      {
        id: "9007199254740993",
        timestampUs: 5n,
        eventMessage: "o",
        fields: { project: "p", metadata: { log: { level: "Info" }, level: "info", _index: "usual" } },
      },
      { eventMessage: "l", fields: { metadata: { _log_level: "WARN", msg: 7, level: "warn", _index: "usual" } } },
      {
        id: "1",
        eventMessage: '{"a":"9007199254740993"}',
        fields: { metadata: { a: 9007199254740993n, _index: "own" } },
      },
    ]);
    expect(receipt).toEqual([
      ["index", "usual", "9007199254740993"],
      ["create", "usual", expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ["index", "own", "1"],
    ]);
  });

  it.each(['{"index":{},"create":{}}', '{"move":{}}', "[]", "7", "null"])(
    "is refused after the invalid action %s",
    async (line) => {
      await expect(bulk('{"index":{}}', "{}", line, "{}")).rejects.toMatchObject({
        code: "invalid_body",
        message: "Malformed action/metadata line [3], expected index, create, update or delete",
      });
    },
  );

  it("is answered with a result for each action", () => {
    const receipt = [
      ["index", "i", "1"],
      ["create", "j", "2"],
    ];
    const answered = elastic.answer?.(outcome({ receipt, rejected: [{ index: 1, reason: "r" }], tookMs: 3 }));
    const stored = { _version: 1, result: "created", _shards: { total: 1, successful: 1, failed: 0 }, status: 201 };
    expect(answered).toEqual({
      status: 200,
      headers: { "X-Elastic-Product": "Elasticsearch" },
      body: {
        took: 3,
        errors: true,
        items: [
          { index: { _index: "i", _id: "1", ...stored } },
          {
            create: { _index: "j", _id: "2", status: 400, error: { type: "document_parsing_exception", reason: "r" } },
          },
        ],
      },
    });
    expect(elastic.answer?.(outcome())?.body).toEqual({ took: 1, errors: false, items: [] });
  });

  it.each([
    [400, 400, "illegal_argument_exception"],
    [401, 401, "security_exception"],
    [403, 403, "security_exception"],
    [404, 404, "index_not_found_exception"],
    [413, 413, "content_too_long_exception"],
    [429, 429, "es_rejected_execution_exception"],
    [503, 503, "unavailable_shards_exception"],
    [507, 503, "unavailable_shards_exception"],
    [500, 500, "exception"],
  ])("that fails with %i is answered with %i, %s", (sent, status, type) => {
    expect(elastic.answerFailure?.(failure("internal", sent, "why"))).toEqual({
      status,
      headers: { "X-Elastic-Product": "Elasticsearch" },
      body: { error: { root_cause: [{ type, reason: "why" }], type, reason: "why" }, status },
    });
  });
});

describe("a Datadog log", () => {
  it("has its message, tags and time, without duplicates", async () => {
    const sent = { "?ddsource": "d", "?ddtags": "a:1, b ,,a:2,project:q", "?hostname": "h", "?service": "s" };
    const logs = '[{"date":5,"service":"own","n":1},{"message":"m","project":"p","ddtags":7},{}]';
    expect((await read("datadog", logs, sent)).events).toEqual([
      {
        timestampUs: 5n,
        eventMessage: null,
        fields: {
          project: "q",
          metadata: {
            service: "own",
            n: 1,
            ddsource: "d",
            ddtags: "a:1, b ,,a:2,project:q",
            hostname: "h",
            tags: { a: ["1", "2"], b: true, project: "q" },
          },
        },
      },
      {
        eventMessage: "m",
        fields: { project: "p", metadata: { ddtags: 7, ddsource: "d", hostname: "h", service: "s" } },
      },
    ]);
  });

  it("that fails is answered so that the agent retries when that makes sense", () => {
    expect(datadog.answer?.(outcome())).toEqual({ status: 202, body: {} });
    for (const [sent, status] of [
      [401, 403],
      [507, 503],
      [429, 429],
    ] as const) {
      const errors = [{ status: String(status), title: "internal", detail: "m" }];
      expect(datadog.answerFailure?.(failure("internal", sent))).toEqual({ status, body: { errors } });
    }
  });
});

describe("a Loki line", () => {
  const push = (...streams: readonly object[]) => read("loki", JSON.stringify({ streams }));

  it("has its labels, structured fields and time", async () => {
    const values = [
      ["1570818238000000001", "a", { level: "Warn", project: "p" }],
      [5_000, "b"],
      ["5000", "c", 7],
    ];
    const { events } = await push({ stream: { app: "web" }, values }, { values: [] });
    expect(events).toEqual([
      {
        timestampUs: 1_570_818_238_000_000n,
        eventMessage: "a",
        fields: {
          project: "p",
          metadata: {
            level: "warn",
            labels: { app: "web" },
            structured: { level: "Warn", project: "p" },
            time_unix_nano: 1_570_818_238_000_000_001n,
          },
        },
      },
      { timestampUs: 5n, eventMessage: "b", fields: { metadata: { labels: { app: "web" }, time_unix_nano: 5_000 } } },
      { timestampUs: 5n, eventMessage: "c", fields: { metadata: { labels: { app: "web" }, time_unix_nano: 5_000 } } },
    ]);
  });

  it.each([
    ["{}", 'The body must be {"streams":[...]}'],
    ["null", 'The body must be {"streams":[...]}'],
    ['{"streams":[null]}', "A stream must have labels in stream, and lines in values"],
    ['{"streams":[{"stream":1,"values":[]}]}', "A stream must have labels in stream, and lines in values"],
    ['{"streams":[{"stream":null,"values":[]}]}', "A stream must have labels in stream, and lines in values"],
    [
      '{"streams":[{"values":[["1",2]]}]}',
      "Event 0 of the body cannot be stored: a line must be [nanoseconds, text] or [nanoseconds, text, fields]",
    ],
  ])("is refused in the body %s", async (body, message) => {
    await expect(read("loki", body)).rejects.toMatchObject({ code: "invalid_body", message });
  });

  it("that fails is answered in plain text", () => {
    for (const [sent, status] of [
      [507, 503],
      [400, 400],
    ] as const) {
      expect(loki.answerFailure?.(failure("internal", sent))).toEqual({
        status,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: "m\n",
      });
    }
  });
});

describe("a journal entry", () => {
  it("has the level of its priority, and no level for an empty priority", async () => {
    const levels = "emergency alert critical error warning notice info debug".split(" ");
    const entry = (priority: string) => `MESSAGE=m\nPRIORITY=${priority}\n\n`;
    const { events } = await read("journald", [..."01234567"].map(entry).join(""));
    expect(events.map(({ fields }) => (fields.metadata as { level?: string }).level)).toEqual(levels);
    for (const priority of ["", "8", "-1", "x"]) {
      const [event] = (await read("journald", entry(priority))).events;
      expect(event?.fields).toEqual(priority === "" ? {} : { metadata: { PRIORITY: priority } });
    }
  });

  it("has its cursor as its id, and repeated fields as a list", async () => {
    const text =
      "__CURSOR=c\n__REALTIME_TIMESTAMP=5\nPROJECT=p\nA=1\nA=2\nA=3\nB=x=y\n\n\n__REALTIME_TIMESTAMP=soon\nMESSAGE=m";
    expect((await read("journald", text)).events).toEqual([
      {
        id: "c",
        timestampUs: 5n,
        eventMessage: null,
        fields: { project: "p", metadata: { A: ["1", "2", "3"], B: "x=y" } },
      },
      { eventMessage: "m", fields: { _timestamp: "soon" } },
    ]);
  });

  it.each([
    ["NAME\nshort", '"NAME" at byte 0'],
    ["A=1\n=x\n", '"=x" at byte 4'],
    ["NAME\n\u0009\0\0\0\0\0\0\0too long", '"NAME" at byte 0'],
  ])("is refused in %j", async (text, place) => {
    await expect(read("journald", text)).rejects.toMatchObject({
      code: "invalid_body",
      message: `The body is not in the journal's export format: ${place} is no field`,
    });
  });
});

it("levelIn returns the first level in lower case, and converts the numbers of loggers", () => {
  const names = ["level", "severity", "severity_text", "detected_level", "status", "lvl", "levelname", "loglevel"];
  for (const [index, name] of names.entries()) {
    const fields = Object.fromEntries(names.slice(index).map((each) => [each, each.toUpperCase()]));
    expect(levelIn(fields)).toBe(name);
  }
  const numbers = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal", 35: "35" };
  for (const [number, level] of Object.entries(numbers)) {
    expect([levelIn({ level: Number(number) }), levelIn({ level: number })]).toEqual([level, level]);
  }
  expect(levelIn({ level: "", severity: "x".repeat(41), status: true, lvl: "x".repeat(40) })).toBe("x".repeat(40));
  expect(levelIn({})).toBeUndefined();
});

it("answerPlainly names rejected events, and counts irregularities of the others", () => {
  expect(answerPlainly(outcome())).toEqual({ status: 200, body: { message: "Logged!", accepted: 2 } });
  expect(answerPlainly(outcome({ untimed: 1, mistyped: 3 })).body).toEqual({
    message: "Logged!",
    accepted: 2,
    untimed: 1,
    mistyped: 3,
  });
  const rejected = [{ index: 1, reason: "r" }];
  expect(answerPlainly(outcome({ rejected, untimed: 1 }))).toEqual({
    status: 422,
    body: { message: "1 of 3 events were not stored", accepted: 2, untimed: 1, rejected },
  });
});
