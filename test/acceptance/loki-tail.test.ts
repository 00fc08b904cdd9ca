import { once } from "node:events";
import { request as sendRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { create, manage } from "./manage.ts";
import { privateToken, type Service, startService } from "./service.ts";

let service: Service;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  service = await startService({ env: { LOGWEIR_AUDIT: "changes" } });
  await create(service, {
    ...{ name: "mine", sandbox: true, parameters: { project: { type: "string", required: true } } },
    ...{
      tenant_parameter: "project",
      query: "WITH lines AS (SELECT * FROM edge WHERE project = @project) SELECT id FROM lines",
    },
  });
}, 60_000);

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

afterAll(() => service.stop());

type Texts = Readonly<Record<string, string>>;

interface Message {
  readonly streams: readonly {
    readonly stream: Texts;
    readonly values: readonly (readonly [string, string, object?])[];
  }[];
  readonly dropped_entries?: readonly { readonly labels: Texts; readonly timestamp: string }[];
  readonly encodingFlags?: readonly string[];
}

interface OpenTail {
  readonly socket: WebSocket;
  readonly messages: Message[];
  /** Every line so far. */
  lines(): readonly string[];
  /** The code and the reason with which it was closed. */
  readonly closed: Promise<readonly [number, string]>;
}

function dial(
  parameters: Texts,
  headers: Texts = { "x-api-key": privateToken },
  path = "/loki/api/v1/tail",
): WebSocket {
  const url = `${service.url.replace("http", "ws")}${path}?${new URLSearchParams(parameters)}`;
  const socket = new WebSocket(url, { headers });
  sockets.push(socket);
  return socket;
}

async function open(parameters: Texts, headers?: Texts): Promise<OpenTail> {
  const socket = dial(parameters, headers);
  const messages: Message[] = [];
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, "close").then(([code, reason]) => [Number(code), String(reason)] as const);
  await once(socket, "open");
  const lines = () =>
    messages.flatMap(({ streams }) => streams.flatMap(({ values }) => values.map(([, line]) => line)));
  return { socket, messages, lines, closed };
}

/** The ordinary answer to a request of a tail that is refused. */
async function refusal(parameters: Texts, headers?: Texts): Promise<readonly [number, string]> {
  const socket = dial(parameters, headers);
  socket.on("error", () => undefined);
  const [, response] = await once(socket, "unexpected-response");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, text];
}

let count = 0;

function event(project: string, message: string, more: object = {}) {
  return { id: `t-${++count}`, timestamp: new Date().toISOString(), project, event_message: message, ...more };
}

async function push(stream: Texts, ...values: readonly (readonly [number, string])[]): Promise<void> {
  const response = await fetch(`${service.url}/loki/api/v1/push`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${privateToken}` },
    body: JSON.stringify({ streams: [{ stream, values: values.map(([ms, line]) => [`${ms}000000`, line]) }] }),
  });
  expect(response.status).toBe(204);
}

async function makeToken(document: object): Promise<{ readonly id: string; readonly headers: Texts }> {
  const { status, body } = await manage(service, "POST", "/api/access-tokens", document);
  expect(status).toBe(201);
  return { id: String(body.id), headers: { "x-api-key": String(body.token) } };
}

const of = (project: string) => ({ scopes: ["query:endpoint:mine"], pins: { project } });

describe("a tail", () => {
  it("tells lines as they arrive, whatever their times are, behind the newest from its start on", async () => {
    const now = Date.now();
    await push(
      { app: "web" },
      [now - 7_200_000, "old"],
      [now - 3_000, "one"],
      [now - 2_000, "two"],
      [now - 1_000, "three"],
    );
    const tail = await open({ query: '{source="loki", app="web"}', limit: "2" });
    const all = await open({ query: '{app="web"}', start: `${now - 10_000_000}000000` });
    await expect.poll(tail.lines).toEqual(["two", "three"]);
    await expect.poll(all.lines).toEqual(["old", "one", "two", "three"]);
    await push({ app: "web" }, [now, "four"]);
    await push({ app: "other" }, [now, "no"]);
    for (const each of [tail, all]) await expect.poll(() => each.lines().at(-1)).toBe("four");
    await push({ app: "web" }, [now - 5_000_000, "late"]);
    await expect.poll(tail.lines).toEqual(["two", "three", "four", "late"]);
    await expect.poll(all.lines).toEqual(["old", "one", "two", "three", "four", "late"]);
    expect(tail.messages.at(-1)).toEqual({
      streams: [{ stream: { source: "loki", app: "web" }, values: [[`${now - 5_000_000}000000`, "late"]] }],
    });
  });

  it("runs the stages of its query over each line", async () => {
    const query = '{app="shop"} |= "status" | logfmt | status>=500 | line_format "{{.status}}!" | keep status, app';
    const plain = await open({ query });
    const flag = { "x-api-key": privateToken, "x-loki-response-encoding-flags": "categorize-labels" };
    const categorized = await open({ query }, flag);
    const now = Date.now();
    await push({ app: "shop" }, [now, "status=200"], [now + 1, "nothing"], [now + 2, "status=503 took=1ms"]);
    await expect.poll(plain.lines).toEqual(["503!"]);
    const ns = `${now + 2}000000`;
    expect(plain.messages[0]?.streams).toEqual([{ stream: { app: "shop", status: "503" }, values: [[ns, "503!"]] }]);
    await expect.poll(categorized.lines).toEqual(["503!"]);
    expect(categorized.messages[0]).toMatchObject({
      streams: [{ stream: { app: "shop" }, values: [[ns, "503!", { parsed: { status: "503" } }]] }],
      encodingFlags: ["categorize-labels"],
    });
  });

  it("finds labels that no line had when it began", async () => {
    const tail = await open({ query: '{source="loki", team="new"}' });
    await push({ app: "web", team: "new" }, [Date.now(), "first"]);
    await expect.poll(tail.lines).toEqual(["first"]);
    await push({ app: "web", team: "new" }, [Date.now() - 9_000_000, "second"]);
    await expect.poll(tail.lines).toEqual(["first", "second"]);
    expect(tail.messages[0]?.streams[0]?.stream).toEqual({ source: "loki", app: "web", team: "new" });
  });

  it("skips none of 5,000 lines, in messages of 100", async () => {
    const tail = await open({ query: '{source="edge"} |= "many"' });
    const many = Array.from({ length: 5_000 }, (_, index) => event("many", `many ${index}`));
    await service.ingest("edge", many);
    await expect.poll(() => tail.lines().length).toBe(5_000);
    expect(new Set(tail.lines()).size).toBe(5_000);
    expect(
      tail.messages.every(({ streams, dropped_entries: dropped }) => streams.length <= 100 && dropped === undefined),
    ).toBe(true);
  });

  it("tells lines in the order of their times where it may hold them back", async () => {
    const tail = await open({ query: '{app="held"}', delay_for: "1" });
    const now = Date.now();
    await push({ app: "held" }, [now, "second"]);
    await push({ app: "held" }, [now - 60_000, "first"]);
    await expect.poll(tail.lines).toEqual(["first", "second"]);
  });
});

describe("what a tail may show", () => {
  it("is the tenant's of the token or of X-Scope-OrgID, redacted as any call is", async () => {
    const query = '{source="lines"}';
    const pinned = await makeToken(of("tails-a"));
    const free = await makeToken({ scopes: ["query:endpoint:mine"] });
    const required = await makeToken({ ...of("tails-a"), redaction: "required" });
    const all = await open({ query }, pinned.headers);
    const other = await open({ query }, { ...free.headers, "x-scope-orgid": "tails-b" });
    const asked = await open({ query }, { ...pinned.headers, "lf-endpoint-redact-pii": "true" });
    const redacted = await open(
      { query: `${query} |= "REDACTED"` },
      { ...required.headers, "lf-endpoint-redact-pii": "false" },
    );
    const raw = await open({ query: `${query} |= "192.0.2.7"` }, required.headers);
    const remade = await open({ query: `${query} | pattern "from <ip>" | line_format "{{.ip}}"` }, required.headers);
    await service.ingest("edge", [event("tails-a", "from 192.0.2.7"), event("tails-b", "of b")]);
    await expect.poll(all.lines).toEqual(["from 192.0.2.7"]);
    await expect.poll(other.lines).toEqual(["of b"]);
    for (const tail of [asked, redacted]) await expect.poll(tail.lines).toEqual(["from REDACTED"]);
    await expect.poll(remade.lines).toEqual(["REDACTED"]);
    expect(raw.lines()).toEqual([]);
    expect(JSON.stringify([asked.messages, redacted.messages, remade.messages])).not.toContain("192.0.2");
    expect(JSON.stringify(all.messages)).not.toContain("tails-b");
  });

  it("ends with the token, and before the next line when anything changes that decides it", async () => {
    const { id, headers } = await makeToken(of("ending"));
    const query = '{source="lines"}';
    const revoked = await open({ query }, headers);
    await manage(service, "DELETE", `/api/access-tokens/${id}`);
    await service.ingest("edge", [event("ending", "secret")]);
    expect([await revoked.closed, revoked.lines()]).toEqual([
      [1008, "unauthorized: The access token is not valid any more"],
      [],
    ]);
    const again = await makeToken(of("ending"));
    const tails = [await open({ query, start: String(Math.ceil(Date.now() / 1_000) + 5) }, again.headers)];
    tails.push(await open({ query, start: String(Math.ceil(Date.now() / 1_000) + 5) }, again.headers));
    await manage(service, "PATCH", "/api/endpoints/mine", { redact_pii: true });
    await service.ingest("edge", [event("ending", "from 192.0.2.7")]);
    for (const tail of tails) {
      expect([await tail.closed, tail.lines()]).toEqual([[1011, expect.stringMatching(/^version_conflict: /)], []]);
    }
    await manage(service, "PATCH", "/api/endpoints/mine", { redact_pii: false });
  });

  it("is never what a token of another scope follows by the same words", async () => {
    const narrow = await makeToken({ scopes: ["query:endpoint:mine"] });
    const wide = await makeToken({ scopes: ["query:endpoint:mine", "query:endpoint:logs.all"] });
    const query = '{source="lines"}';
    const tenant = { "x-scope-orgid": "shared" };
    const own = await open({ query }, { ...narrow.headers, ...tenant });
    // logs.all is preferred, and has no such table.
    const others = await open({ query }, { ...wide.headers, ...tenant });
    await service.ingest("edge", [event("shared", "line")]);
    await expect.poll(own.lines).toEqual(["line"]);
    expect(others.lines()).toEqual([]);
  });

  it.each([
    ["without a token", {}, {}, 401, /access token/],
    [
      "of a foreign page",
      {},
      { "x-api-key": privateToken, origin: "https://a.example" },
      403,
      /Pages of https:\/\/a.example/,
    ],
    ["of another tenant", {}, { "x-scope-orgid": "other" }, 403, /may not choose/],
    ["with an error", { query: '{app="web"' }, undefined, 400, /line 1, col 11/],
    ["without a query", { query: "" }, undefined, 400, /query is required/],
    ["of a metric", { query: 'rate({app="web"}[1m])' }, undefined, 400, /takes a log query/],
    ["held back too long", { delay_for: "6" }, undefined, 400, /can't be greater than 5/],
    ["with a limit that is none", { limit: "many" }, undefined, 400, /positive integer/],
    ["from a time that is none", { start: "yesterday" }, undefined, 400, /start must be/],
  ])("is refused before it begins: %s", async (_, parameters, headers: Texts | undefined, status, message) => {
    const { headers: own } = await makeToken(of("refused"));
    const sent = headers !== undefined && "x-scope-orgid" in headers ? { ...own, ...headers } : headers;
    expect(await refusal({ query: '{source="lines"}', ...parameters } as Texts, sent)).toEqual([
      status,
      expect.stringMatching(message),
    ]);
  });

  it("is not told by an ordinary request, nor by a token that may not query", async () => {
    const { headers } = await makeToken({ scopes: ["ingest"] });
    expect((await refusal({ query: '{source="edge"}' }, headers))[0]).toBe(401);
    const response = await service.get("/loki/api/v1/tail", { query: '{source="edge"}' });
    expect([response.status, await response.text()]).toEqual([
      400,
      "tail is a WebSocket. Connect to it by ws:// or wss://.\n",
    ]);
  });
});

describe("a client", () => {
  it("that reads nothing is told which lines were dropped once it reads again", async () => {
    const [own, others] = [await makeToken(of("bulk")), await makeToken(of("bulk"))];
    const query = '{source="lines"} | line_format `{{__line__}}{{repeat 90000 "x"}}`';
    const [slow, quick] = [await open({ query }, own.headers), await open({ query }, others.headers)];
    slow.socket.pause();
    // Together more than a connection holds by itself, and none of it among the newest lines, which are looked at again.
    const timestamp = new Date(Date.now() - 7_200_000).toISOString();
    for (let part = 1; part <= 4; part++) {
      await service.ingest(
        "edge",
        Array.from({ length: 200 }, () => event("bulk", `bulk ${part}`, { timestamp })),
      );
      await expect.poll(() => quick.lines().length).toBe(part * 200);
    }
    slow.socket.resume();
    await expect.poll(() => slow.messages.some(({ dropped_entries: dropped }) => dropped !== undefined)).toBe(true);
    const { dropped_entries: dropped } = slow.messages.find((message) => message.dropped_entries !== undefined) ?? {};
    expect(dropped?.[0]).toEqual({
      labels: { source: "lines", project: "bulk" },
      timestamp: expect.stringMatching(/^\d{19}$/),
    });
    await service.ingest("edge", [event("bulk", "bulk end")]);
    await expect.poll(() => slow.lines().at(-1)).toContain("bulk end");
  });

  it("that sends much is cut off, and what it sends besides is not read", async () => {
    const tail = await open({ query: '{app="sent"}' });
    tail.socket.send("anything");
    await push({ app: "sent" }, [Date.now(), "on"]);
    await expect.poll(tail.lines).toEqual(["on"]);
    tail.socket.send("x".repeat(4_097));
    expect((await tail.closed)[0]).toBe(1009);
  });

  it("shares what is looked up with others of the same query", async () => {
    const { headers } = await makeToken(of("crowd"));
    const tails = await Promise.all(Array.from({ length: 100 }, () => open({ query: '{source="lines"}' }, headers)));
    await service.ingest("edge", [event("crowd", "to all")]);
    await expect.poll(() => tails.filter((tail) => tail.lines().join() === "to all").length).toBe(100);
  });
});

describe("an offer of another protocol", () => {
  it.each([
    ["GET", "/health", "h2c", "", 200],
    ["POST", "/api/query/parse", "h2c", '{"sql":"select 1"}', 200],
    ["GET", "/api/sources", "websocket", "", 200],
    ["GET", "/loki/api/v1/tail?query=x", "h2c", "", 400],
    ["GET", "/nothing", "websocket", "", 404],
  ])("is ignored: %s %s with %s", async (method, path, upgrade, body, status) => {
    const url = new URL(path, service.url);
    const answer = () =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          connection: "Upgrade, HTTP2-Settings",
          upgrade,
          "http2-settings": "AAMAAABk",
          "x-api-key": privateToken,
        };
        const sent = sendRequest(
          url,
          { method, headers: { ...headers, "content-type": "application/json" } },
          (response) => {
            response.resume().once("end", () => resolve(response.statusCode ?? 0));
          },
        );
        sent.once("error", reject).end(body);
      });
    expect(await answer()).toBe(status);
  });

  const handshake = [
    `GET /loki/api/v1/tail?query=${encodeURIComponent('{source="edge"}')} HTTP/1.1`,
    ...["Host: x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `X-API-KEY: ${privateToken}`, "", ""],
  ].join("\r\n");

  it("of a tail waits for the answers to requests before it", async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${"GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2)}${handshake}`);
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.includes("HTTP/1.1 101")) break;
    }
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 101"]);
  });

  it("of clients that leave at once, in whatever state, stops nothing", async () => {
    const { hostname, port } = new URL(service.url);
    for (const sent of [handshake, handshake.slice(0, -2), `GET /health HTTP/1.1\r\nHost: x\r\n\r\n${handshake}`]) {
      const left = Array.from({ length: 20 }, async (_, n) => {
        const socket = connect(Number(port), hostname).on("error", () => undefined);
        await once(socket, "connect");
        socket.write(sent);
        if (n % 2 === 0) socket.resetAndDestroy();
        else socket.destroy();
        await once(socket, "close");
      });
      await Promise.all(left);
    }
    expect((await service.get("/health")).status).toBe(200);
  });

  it("leaves the connection to further requests", async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const health = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n";
    socket.write(health.repeat(3));
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.split("HTTP/1.1 200").length === 4) break;
    }
    expect(text.split("HTTP/1.1 200")).toHaveLength(4);
  });
});

it("a service that stops closes its tails", async () => {
  const stopping = await startService();
  const url = `${stopping.url.replace("http", "ws")}/loki/api/v1/tail?query=${encodeURIComponent('{source="edge"}')}`;
  const socket = new WebSocket(url, { headers: { "x-api-key": privateToken } });
  const silent = new WebSocket(url, { headers: { "x-api-key": privateToken } });
  await Promise.all([once(socket, "open"), once(silent, "open")]);
  // It does not confirm, as if it were half open.
  silent.pause();
  const closed = once(socket, "close");
  await stopping.stop();
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1001, "shutting_down: The service is stopping"]);
  silent.terminate();
});
