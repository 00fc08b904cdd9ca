import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import type { RouteScope } from "../access/route-scope.ts";
import type { SignIn } from "./request/find-person.ts";
import type { RegisteredRoute } from "./request/route-access.ts";

let test: TestApp;
let port: number;
/** The service's ends of all connections. */
let connections: Socket[];
let clients: Socket[];

/** Stand-ins that fail when they are used: refused callers never reach them, permitted callers do. */
const parts = {
  management: { metadata: {}, views: {}, tokens: {} } as never,
  drains: { backends: [] } as never,
  alerts: { alerts: [] } as never,
};

/** A proxy names an owner, whatever page their browser shows. */
const signIn: SignIn = {
  findProxied({ rawHeaders }) {
    const rights = { scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;
    return rawHeaders.includes("X-User") ? { tokenId: "proxy:ada:0", ...rights } : undefined;
  },
};

beforeEach(async () => {
  test = await createTestApp({ parts: { ...parts, signIn }, times: { bodyTimeoutMs: 60_000 } });
  [connections, clients] = [[], []];
  test.app.server.on("connection", (socket) => connections.push(socket));
  await test.app.listen({ port: 0, host: "127.0.0.1" });
  port = (test.app.server.address() as AddressInfo).port;
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await test.app.close();
});

/** A token that is valid and opens no route of the scope. */
const strangers: Readonly<Record<RouteScope, string | undefined>> = {
  private: "query-token",
  query: "ingest-token",
  ingest: "query-token",
  metrics: "query-token",
  any: undefined,
  anybody: undefined,
};

interface Call {
  readonly method: string;
  readonly url: string;
}

/** Every route under each of its methods. */
function callsOf(isWanted: (route: RegisteredRoute) => boolean): (Call & Pick<RegisteredRoute, "access">)[] {
  return test.app.registeredRoutes
    .filter(isWanted)
    .flatMap(({ methods, url, access }) =>
      methods.map((method) => ({ method, url: url.replaceAll(/:\w+/g, "open"), access })),
    );
}

/** Opens a connection and sends headers that announce a body, and its first bytes. */
function begin({ method, url }: Call, headers: readonly string[], body = "{"): Socket {
  const client = connect(port, "127.0.0.1").on("error", () => undefined);
  clients.push(client);
  client.write([`${method} ${url} HTTP/1.1`, "Host: x", ...headers, "", body].join("\r\n"));
  return client;
}

/** The status of the answer; the body is not sent meanwhile. */
async function answerTo(client: Socket): Promise<number> {
  const [head] = (await once(client, "data")) as [Buffer];
  return Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString())?.[1]);
}

/** Announcements of bodies that do not come. */
const bodies = {
  large: ["Content-Type: application/json", "Content-Length: 12000000"],
  endless: ["Content-Type: application/json", "Transfer-Encoding: chunked"],
  askedFor: ["Content-Length: 12000000", "Expect: 100-continue"],
  form: ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 12000000"],
} as const;

it("every route that asks for a token refuses callers before it reads their body", async () => {
  const calls = callsOf(({ access }) => access.scope !== "anybody");
  expect(calls.length).toBeGreaterThan(100);
  const kinds = Object.values(bodies);
  for (const [at, call] of calls.entries()) {
    for (const [shift, token] of [undefined, "wrong", strangers[call.access.scope]].entries()) {
      const headers = kinds[(at + shift) % kinds.length] ?? [];
      const client = begin(call, [...headers, ...(token === undefined ? [] : [`X-API-KEY: ${token}`])], "1\r\n{\r\n");
      expect([call, headers, token, [401, 403].includes(await answerTo(client))]).toEqual([call, headers, token, true]);
      client.destroy();
    }
  }
});

it("every route that asks for a token refuses another page in the browser of a person, before it reads a body", async () => {
  const origin = ["X-User: ada", "Origin: https://evil.example"];
  for (const call of callsOf(({ access }) => access.scope !== "anybody")) {
    const client = begin(call, [...bodies.large, ...origin]);
    expect([call, await answerTo(client)]).toEqual([call, 403]);
    client.destroy();
  }
});

it("every route without a body answers before one that is sent all the same, and reads none of it", async () => {
  const calls = callsOf(({ access }) => !access.hasBody);
  expect(calls.some(({ method }) => method === "DELETE")).toBe(true);
  for (const call of calls) {
    const client = begin(call, [...bodies.large, "X-API-KEY: private-token"]);
    expect([call, [401, 408, 413].includes(await answerTo(client))]).toEqual([call, false]);
    client.destroy();
  }
});

/** Sends as much as is taken, and resolves once the connection is closed. */
async function sendAll(client: Socket, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, " ");
  const closed = new Promise((resolve) => client.once("close", resolve));
  client.resume();
  for (let sent = 0; sent < bytes && !client.destroyed; sent += chunk.length) {
    if (!client.write(chunk)) await Promise.race([new Promise((resolve) => client.once("drain", resolve)), closed]);
  }
  await closed;
}

it("60 connections with 12 MB each, none of which may send them, are read for 256 KB at most and closed", async () => {
  const calls: [Call, readonly string[]][] = [
    [{ method: "POST", url: "/api/views" }, []],
    [{ method: "POST", url: "/api/logs?source=edge" }, ["X-API-KEY: wrong"]],
    [{ method: "GET", url: "/health" }, []],
    [{ method: "PUT", url: "/nothing" }, []],
  ];
  const all = Array.from({ length: 15 }, () => calls).flat();
  await Promise.all(
    all.map(([call, headers]) => sendAll(begin(call, [...headers, "Content-Length: 12000000"], ""), 12_000_000)),
  );
  expect(connections).toHaveLength(60);
  // Beside the headers, the piece with which the limit is passed.
  for (const { bytesRead } of connections) expect(bytesRead).toBeLessThan(256 * 1024 + 66 * 1024);
});

describe("a refused caller", () => {
  it("may go on on the same connection behind a short body", async () => {
    const client = begin({ method: "POST", url: "/api/views" }, ["Content-Length: 5"], "");
    expect(await answerTo(client)).toBe(401);
    client.write("12345GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await answerTo(client)).toBe(200);
  });

  it("is not told to send a body that it announces, and a caller who is let in is", async () => {
    const expecting = ["Content-Length: 27", "Content-Type: application/json", "Expect: 100-continue"];
    const events = { method: "POST", url: "/api/logs?source=edge" };
    expect(await answerTo(begin(events, expecting, ""))).toBe(401);
    const client = begin(events, [...expecting, "X-API-KEY: ingest-token"], "");
    expect(await answerTo(client)).toBe(100);
    client.write('{"event_message":"said yes"}'.slice(0, 27));
    expect(await answerTo(client)).toBe(400);
  });
});

describe("a token that can only be in a body", () => {
  const call = { method: "POST", url: "/api/endpoints/query/open" };
  const json = "Content-Type: application/json";

  it("is looked for in 64 bodies at a time, and in none beyond 8 KB or encoded", async () => {
    for (const headers of [["Content-Length: 8193"], ["Content-Length: 90", "Content-Encoding: gzip"]]) {
      expect(await answerTo(begin(call, [json, ...headers], "{"))).toBe(401);
    }
    // Each is told to send its body, so all of them are being read when the next call comes.
    const expecting = [json, "Content-Length: 8192", "Expect: 100-continue"];
    const slow: Socket[] = [];
    for (let place = 0; place < 64; place++) {
      const client = begin(call, expecting, "");
      expect(await answerTo(client)).toBe(100);
      slow.push(client);
    }
    // The one that has taken longest gives way; what is read at once gives its place back.
    const text = '{"project":"a","api_key":"query-token"}';
    const ends = slow.slice(0, 2).map((client) => once(client, "close"));
    for (const _ of [1, 2])
      expect(await answerTo(begin(call, [json, `Content-Length: ${text.length}`], text))).toBe(200);
    for (const _ of [1, 2]) begin(call, [json, "Content-Length: 8192"], "{");
    await Promise.all(ends);
    expect(slow.filter(({ destroyed }) => !destroyed)).toHaveLength(62);
    // A caller with a token in a header does not wait for them.
    const headers = [json, "Content-Length: 15", "X-API-KEY: query-token"];
    expect(await answerTo(begin(call, headers, '{"project":"a"}'))).toBe(200);
  });

  it("is not kept waiting by bodies on routes that are open to everybody", async () => {
    const [open] = callsOf(({ access }) => access.scope === "anybody" && access.hasBody);
    const expecting = [json, "Content-Length: 8192", "Expect: 100-continue"];
    const slow = begin(call, expecting, "");
    expect(await answerTo(slow)).toBe(100);
    const others = Array.from({ length: 70 }, () => begin(open as Call, expecting, ""));
    const told = await Promise.all(others.map((client) => Promise.race([answerTo(client), once(client, "close")])));
    expect(told.filter((status) => status === 100).length).toBeGreaterThanOrEqual(64);
    expect(slow.destroyed).toBe(false);
  });
});

it("a route that does not declare who may call it stops the start", async () => {
  const { app } = await createTestApp();
  expect(() => app.get("/new", () => "")).toThrow("The route GET /new does not declare who may call it");
  await app.close();
});
