import { describe, expect, it } from "vitest";
import { parseEvents } from "../parse-events.ts";
import { elastic } from "./elastic.ts";

const nowUs = 1_790_000_000_000_000n;

async function send(lines: readonly (object | string)[], details?: Readonly<Record<string, string>>) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const body = { protocol: "elastic", bytes: Buffer.from(`${text}\n`), contentType: "application/x-ndjson" };
  const read = await parseEvents({ ...body, details, contentEncoding: undefined, nowUs, maxBytes: 1_000_000 });
  const { events, rejected, untimed, receipt } = read;
  const answer = elastic.answer?.({ accepted: events.length, rejected, untimed, receipt, mediaType: "", tookMs: 3 });
  return { events, answer };
}

describe("_bulk", () => {
  it("stores documents under their ids, and answers for each", async () => {
    const { events, answer } = await send([
      { index: { _index: "web", _id: "a1" } },
      {
        "@timestamp": "2026-08-20T09:00:00.123456Z",
        message: "hi",
        log: { level: "WARN" },
        host: { name: "h" },
        project: "p",
      },
      { create: {} },
      { msg: "there", level: 30 },
    ]);
    expect(events).toMatchObject([
      {
        id: "a1",
        timestampUs: BigInt(Date.parse("2026-08-20T09:00:00.123Z")) * 1000n + 456n,
        eventMessage: "hi",
        fields: {
          project: "p",
          metadata: { level: "warn", log: { level: "WARN" }, host: { name: "h" }, _index: "web" },
        },
      },
      { hasGeneratedId: true, eventMessage: "there", fields: { metadata: { level: "info" } } },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      headers: { "X-Elastic-Product": "Elasticsearch" },
      body: {
        took: 3,
        errors: false,
        items: [
          { index: { _index: "web", _id: "a1", status: 201, result: "created" } },
          { create: { _index: "", _id: events[1]?.id, status: 201 } },
        ],
      },
    });
  });

  it("reports each item that cannot be stored at its position", async () => {
    const { events, answer } = await send(
      [
        { delete: { _id: "x" } },
        { index: { _id: 7 } },
        { message: "good" },
        { update: { _id: "y" } },
        { doc: {} },
        { index: {} },
        "{broken",
        { index: {} },
        "[1]",
      ],
      { "?index": "logs" },
    );
    expect(events.map(({ id, fields }) => [id, fields])).toEqual([["7", { metadata: { _index: "logs" } }]]);
    expect(answer?.body).toMatchObject({
      errors: true,
      items: [
        { delete: { _id: "x", status: 400, error: { reason: "events cannot be deleted" } } },
        { index: { _id: "7", _index: "logs", status: 201 } },
        { update: { _id: "y", status: 400 } },
        { index: { status: 400, error: { reason: "not valid JSON" } } },
        { index: { status: 400, error: { reason: "a document must be a JSON object" } } },
      ],
    });
  });

  it.each([
    [["{}"], "Malformed action/metadata line [1]"],
    [['{"message":"no action"}', "{}"], "Malformed action/metadata line [1]"],
    [['{"index":{}}', "{}", "nonsense"], "Malformed action/metadata line [3]"],
    [['{"index":{}}'], "ends after the action of line 1"],
    [['{"index":{}}', "{}", '{"index":{}}'], "ends after the action of line 3"],
    [[], "has no lines"],
    [["", " \t", "\r"], "has no lines"],
    [["[]"], "Malformed action/metadata line [1]"],
    [['["index"]', "{}"], "Malformed action/metadata line [1]"],
    [['"index"', "{}"], "Malformed action/metadata line [1]"],
    [["null", "{}"], "Malformed action/metadata line [1]"],
    [["7", "{}"], "Malformed action/metadata line [1]"],
    [["plain text", "more"], "Malformed action/metadata line [1]"],
    [['{"index":{},"create":{}}', "{}"], "Malformed action/metadata line [1]"],
    [['{"INDEX":{}}', "{}"], "Malformed action/metadata line [1]"],
    [['{"index":{}}', "{}", '{"a":1}', '{"index":{}}', "{}"], "Malformed action/metadata line [3]"],
    [['{"index":5}', "{}"], "line [1], expected an object behind index"],
    [['{"index":{}}', "{}", '{"create":[]}', "{}"], "line [3], expected an object behind create"],
    [['{"delete":"x"}'], "line [1], expected an object behind delete"],
    [['{"index":{"_index":7}}', "{}"], "line [1], expected a text in _index"],
    [['{"index":{"_id":{}}}', "{}"], "line [1], expected a text in _id"],
    [['{"index":{"_id":true}}', "{}"], "line [1], expected a text in _id"],
  ])("stores nothing of %j", async (lines, message) => {
    await expect(send(lines)).rejects.toThrow(message);
  });

  it.each([
    ['{"index":{}}\n{"a":1}\n{"index":{}}\n{"a":', "ends in the middle of the document of line 4"],
    ['{"index":{}}\n{"a":1}\n{"index":{"_id', "Malformed action/metadata line [3]"],
  ])("stores nothing of a body that is cut off: %j", async (text, message) => {
    const body = { protocol: "elastic", bytes: Buffer.from(text), contentType: undefined, contentEncoding: undefined };
    await expect(parseEvents({ ...body, nowUs, maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: "invalid_body",
      message: expect.stringContaining(message),
    });
  });

  it("takes the time of @timestamp before that of timestamp", async () => {
    const { events } = await send([{ index: {} }, { timestamp: 5, "@timestamp": 7 }, { index: {} }, { timestamp: 5 }]);
    expect(events.map(({ timestampUs }) => timestampUs)).toEqual([7n, 5n]);
  });

  it("stores a document without a message with its JSON as the message", async () => {
    const { events } = await send([{ index: {} }, { a: 1 }]);
    expect(events[0]).toMatchObject({ eventMessage: '{"a":1}', fields: { metadata: { a: 1 } } });
  });
});
