import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, readError, type Service, startService, startServiceProcess } from "./service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { LOGWEIR_AUDIT: "changes" } });
});

afterAll(async () => {
  await service.stop();
});

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A tail that is read in the background. */
interface OpenTail {
  readonly messages: Message[];
  readonly isOver: () => boolean;
  readonly close: () => void;
}

async function open(
  name: string,
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<OpenTail> {
  const controller = new AbortController();
  const response = await fetch(`${service.url}/api/endpoints/query/${name}/tail?${new URLSearchParams(parameters)}`, {
    headers: { "x-api-key": privateToken, ...headers },
    signal: controller.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const messages: Message[] = [];
  let isOver = false;
  const read = async (body: ReadableStream<Uint8Array>) => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (key: string) => new RegExp(`^${key}: (.*)$`, "m").exec(block)?.[1] ?? "";
        if (field("data") !== "") messages.push({ id: field("id"), event: field("event"), data: field("data") });
      }
    }
  };
  void read(response.body as ReadableStream<Uint8Array>)
    .catch(() => undefined)
    .then(() => {
      isOver = true;
    });
  return { messages, isOver: () => isOver, close: () => controller.abort() };
}

let count = 0;

function event(project: string, message: string, more: object = {}) {
  return { id: `t-${++count}`, timestamp: new Date().toISOString(), project, event_message: message, ...more };
}

const texts = ({ messages }: OpenTail) =>
  messages
    .filter(({ event }) => event === "")
    .map(({ data }) => (JSON.parse(data) as { event_message: string }).event_message);

async function makeToken(body: object): Promise<{ readonly id: string; readonly token: string }> {
  const response = await fetch(`${service.url}/api/access-tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { id: string; token: string };
}

describe("a tail", () => {
  it("delivers each new row of its project and query once, within a second or so", async () => {
    await service.ingest("edge", [event("a", "before")]);
    const all = await open("logs.all", { project: "a" });
    const errors = await open("logs.all", { project: "a", lql: "boom" });
    const sql = "select event_message, timestamp from edge_logs order by timestamp desc limit 1";
    const chosen = await open("logs.all", { project: "a", sql });
    await service.ingest("edge", [event("a", "one"), event("b", "of another")]);
    await service.ingest("edge", [event("a", "two, boom")]);
    await expect.poll(() => texts(all)).toEqual(["one", "two, boom"]);
    await expect.poll(() => texts(errors)).toEqual(["two, boom"]);
    await expect.poll(() => texts(chosen)).toEqual(["one", "two, boom"]);
    expect(Object.keys(JSON.parse(chosen.messages[0]?.data ?? "{}"))).toEqual(["event_message", "timestamp"]);
    // An event that is some seconds late is still delivered.
    const late = { timestamp: new Date(Date.now() - 5_000).toISOString() };
    await service.ingest("edge", [event("a", "late", late)]);
    await expect.poll(() => texts(all)).toEqual(["one", "two, boom", "late"]);
    for (const tail of [all, errors, chosen]) tail.close();
  });

  it("resumes after a message id, or starts at a time in the past", async () => {
    const first = await open("logs.all", { project: "c" });
    await service.ingest("edge", [event("c", "1")]);
    await service.ingest("edge", [event("c", "2"), event("c", "3")]);
    await expect.poll(() => texts(first)).toEqual(["1", "2", "3"]);
    first.close();
    const late = { timestamp: new Date(Date.now() - 3_600_000).toISOString() };
    await service.ingest("edge", [event("c", "4")]);
    await service.ingest("edge", [event("c", "an hour late", late)]);
    const id = first.messages[0]?.id ?? "";
    const again = await open("logs.all", { project: "c" }, { "last-event-id": id });
    await service.ingest("edge", [event("c", "5")]);
    // Those that were sent with the first come before those that arrived later, and these by their times.
    await expect.poll(() => texts(again).toSorted()).toEqual(["2", "3", "4", "5", "an hour late"]);
    const since = await open("logs.all", { project: "c", since: "2h" });
    await expect.poll(() => texts(since)).toEqual(["an hour late", "1", "2", "3", "4", "5"]);
    const other = await service.get("/api/endpoints/query/logs.all/tail", { project: "d", cursor: id });
    expect([other.status, (await readError(other)).parameter]).toEqual([400, "cursor"]);
    again.close();
    since.close();
  });

  it("resumes from its beginning where no row came before the connection broke", async () => {
    const url = `${service.url}/api/endpoints/query/logs.all/tail?project=g`;
    const response = await fetch(url, { headers: { "x-api-key": privateToken } });
    const reader = response.body?.getReader();
    const [, id = ""] = /^id: (.+)\n\n$/.exec(new TextDecoder().decode((await reader?.read())?.value)) ?? [];
    await reader?.cancel();
    const late = { timestamp: new Date(Date.now() - 3_600_000).toISOString() };
    await service.ingest("edge", [event("g", "meanwhile", late)]);
    const again = await open("logs.all", { project: "g" }, { "last-event-id": id });
    await service.ingest("edge", [event("g", "later")]);
    await expect.poll(() => texts(again)).toEqual(["meanwhile", "later"]);
    again.close();
  });

  it("is redacted and pinned like any other call", async () => {
    const { token } = await makeToken({ scopes: ["query:endpoint:logs.all"], pins: { project: "e" } });
    const headers = { "x-api-key": token, "LF-ENDPOINT-REDACT-PII": "true" };
    const tail = await open("logs.all", {}, headers);
    const query = await open("logs.all", { lql: "REDACTED" }, headers);
    await service.ingest("edge", [event("e", "from 192.0.2.7"), event("f", "of f")]);
    await expect.poll(() => texts(tail)).toEqual(["from REDACTED"]);
    await expect.poll(() => texts(query)).toEqual(["from REDACTED"]);
    const denied = await service.get("/api/endpoints/query/logs.all/tail", { project: "f" }, headers);
    expect((await readError(denied)).code).toBe("pinned_parameter");
    tail.close();
    query.close();
  });

  it.each([
    ["dated 2099", "2099-01-01T00:00:00Z"],
    ["of years ago", "2001-01-01T00:00:00Z"],
    ["of one time", undefined],
  ])("is not blinded by 5,000 events %s, and skips none", async (name, timestamp) => {
    const project = name.replaceAll(" ", "-");
    const tail = await open("logs.all", { project });
    const query = await open("logs.all", { project, lql: "later" });
    const time = timestamp ?? new Date().toISOString();
    const many = Array.from({ length: 5_000 }, (_, index) => event(project, `many ${index}`, { timestamp: time }));
    await service.ingest("edge", many);
    await service.ingest("edge", [event(project, "later")]);
    await expect.poll(() => texts(tail).at(-1)).toBe("later");
    expect(new Set(texts(tail)).size).toBe(5_001);
    expect([texts(tail).length, tail.messages.some((each) => each.event !== "")]).toEqual([5_001, false]);
    await expect.poll(() => texts(query)).toEqual(["later"]);
    tail.close();
    query.close();
  });

  it("ends before the next row when anything changes that decides what it shows", async () => {
    const call = async (method: string, path: string, body: object) => {
      const headers = { "content-type": "application/json", "x-api-key": privateToken };
      const answer = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
      expect([path, answer.ok, await answer.text()]).toEqual([path, true, expect.anything()]);
    };
    const inner = "SELECT id, timestamp, event_message FROM edge WHERE project = 'changing'";
    await call("POST", "/api/endpoints", { name: "tailed.inner", query: inner });
    const query = "WITH t AS (SELECT * FROM `tailed.inner`) SELECT * FROM t ORDER BY timestamp DESC";
    await call("POST", "/api/endpoints", { name: "tailed", query, sandbox: true });
    const changes: readonly (readonly [string, object])[] = [
      ["tailed", { redact_pii: true }],
      ["tailed.inner", { redact_pii: true }],
      ["tailed", { redact_pii: false }],
      ["tailed.inner", { query: `${inner} AND event_message IS NOT NULL` }],
      ["tailed", { sandbox: false }],
    ];
    for (const [name, change] of changes) {
      const tails = [await open("tailed", {}), await open("tailed", {})];
      await service.ingest("edge", [event("changing", "before")]);
      for (const tail of tails) await expect.poll(() => texts(tail).length).toBe(1);
      await call("PATCH", `/api/endpoints/${name}`, change);
      await service.ingest("edge", [event("changing", "from 192.0.2.7")]);
      for (const tail of tails) {
        await expect.poll(tail.isOver).toBe(true);
        expect([change, texts(tail).length, tail.messages.at(-1)?.event]).toEqual([change, 1, "end"]);
        expect(tail.messages.at(-1)?.data).toContain('"code":"version_conflict"');
      }
    }
    // What does not concern it does not end it.
    const [steady, gone] = [await open("logs.all", { project: "steady" }), await open("tailed", {})];
    await call("PATCH", "/api/endpoints/tailed", { description: "another" });
    const removed = await fetch(`${service.url}/api/endpoints/tailed`, {
      method: "DELETE",
      headers: { "x-api-key": privateToken },
    });
    expect(removed.status).toBe(204);
    await service.ingest("edge", [event("steady", "on")]);
    await expect.poll(() => texts(steady)).toEqual(["on"]);
    await expect.poll(gone.isOver).toBe(true);
    steady.close();
  });

  it("ends with an error message when its token is revoked", async () => {
    const { id, token } = await makeToken({ scopes: ["query"] });
    const tail = await open("logs.all", { project: "g" }, { "x-api-key": token });
    await fetch(`${service.url}/api/access-tokens/${id}`, { method: "DELETE", headers: { "x-api-key": privateToken } });
    await expect.poll(tail.isOver).toBe(true);
    expect(tail.messages.at(-1)).toMatchObject({ event: "end" });
    expect(tail.messages.at(-1)?.data).toContain('"code":"unauthorized"');
  });

  it.each([
    ["select count(*) as n from edge_logs"],
    ["select event_message from edge_logs order by event_message"],
    ["select timestamp_trunc(timestamp, hour) as timestamp, count(*) n from edge_logs group by 1 order by 1 desc"],
    ["select timestamp from edge_logs order by timestamp desc limit 5 offset 2"],
  ])("is refused with a hint for %s", async (sql) => {
    const response = await service.get("/api/endpoints/query/logs.all/tail", { project: "a", sql });
    const { code, hint } = await readError(response);
    expect([response.status, code]).toEqual([400, "not_followable"]);
    expect(hint).toContain("ORDER BY timestamp DESC");
  });

  it("reports errors of its query before it starts", async () => {
    const ask = async (parameters: Record<string, string>) =>
      (await readError(await service.get("/api/endpoints/query/logs.all/tail", parameters))).code;
    expect(await ask({ project: "a", sql: "select nope from edge_logs" })).toBe("unknown_column");
    expect(await ask({})).toBe("missing_parameter");
    expect(await ask({ project: "a", since: "soon" })).toBe("invalid_parameter");
    expect(await ask({ project: "a", lql: "f:edge x" })).toBe("sandbox_table_denied");
  });

  it("of a source is available to its owner", async () => {
    const tail = await open("source:edge", { lql: "mine" });
    await service.ingest("edge", [event("x", "yours"), event("y", "mine")]);
    await expect.poll(() => texts(tail)).toEqual(["mine"]);
    tail.close();
  });

  it("ends when the service stops", async () => {
    const own = await startServiceProcess();
    const shared = service;
    service = own;
    const tail = await open("logs.all", { project: "a" });
    service = shared;
    expect(await own.stop()).toBe(0);
    await expect.poll(tail.isOver).toBe(true);
    expect(tail.messages.at(-1)?.data).toContain("shutting_down");
  });
});
