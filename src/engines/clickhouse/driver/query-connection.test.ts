import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { QueryConnection, type QueryMessage } from "./query-connection.ts";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const access = { url: `http://127.0.0.1:${port}/ch`, user: "reader", password: "a:ü", database: "logs", tls: {} };
  const connection = new QueryConnection({ ...access, maxConnections: 1 });
  opened.push(
    () => connection.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return connection;
}

function message(rest: Partial<QueryMessage> = {}): QueryMessage {
  const signal = new AbortController().signal;
  return { statement: "SELECT 1", params: {}, settings: {}, queryId: "q1", signal, ...rest };
}

describe("a query over HTTP", () => {
  it("has its settings and values in the address, its user in a header, and the statement as its body", async () => {
    const seen: unknown[] = [];
    const connection = await open(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
      const credentials = String(request.headers.authorization).slice("Basic ".length);
      seen.push(pathname, Object.fromEntries(searchParams), Buffer.from(credentials, "base64").toString());
      seen.push(request.method, await text(request));
      response.end("[1]\n");
    });
    const params = { s: "a\tb&c", n: null, l: ["x'y", null], b: true };
    const answer = await connection.post(message({ params, settings: { readonly: "2" } }));
    expect(await text(answer.stream)).toBe("[1]\n");
    expect(seen).toEqual([
      "/ch",
      {
        ...{ query_id: "q1", readonly: "2", database: "logs" },
        ...{ param_s: "a\\tb&c", param_n: "\\N", param_l: "['x\\'y',NULL]", param_b: "true" },
      },
      "reader:a:ü",
      "POST",
      "SELECT 1",
    ]);
  });

  it.each([
    [500, {}],
    [200, { "x-clickhouse-exception-code": "60" }],
  ])("rejects with the server's text for status %i with headers %o", async (status, headers) => {
    const connection = await open((_, response) => response.writeHead(status, headers).end("Code: 60. DB::Exception"));
    await expect(connection.post(message())).rejects.toThrow(/^Code: 60\. DB::Exception$/);
  });

  it("is sent again if the server closed the kept connection, but not if it closes a new one", async () => {
    let count = 0;
    const connection = await open((request, response) => {
      count++;
      request.resume();
      if (count === 2 || count === 4) request.socket.resetAndDestroy();
      else response.end(String(count));
    });
    const ask = async () => text((await connection.post(message())).stream);
    expect(await ask()).toBe("1");
    expect(await ask()).toBe("3");
    connection.close();
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(count).toBe(4);
  });

  it("ends its connection when it is aborted, before an answer and within one", async () => {
    const closed: string[] = [];
    const connection = await open((request, response) => {
      const name = new URL(request.url ?? "", "http://x").searchParams.get("query_id") ?? "";
      response.once("close", () => closed.push(name));
      if (name === "within") response.write("[1]\n");
      request.resume().once("end", () => controllers.get(name)?.abort());
    });
    const controllers = new Map(["before", "within"].map((name) => [name, new AbortController()]));
    const ask = async (queryId: string) => {
      const { signal } = controllers.get(queryId) ?? new AbortController();
      return text((await connection.post(message({ queryId, signal }))).stream);
    };
    await expect(ask("before")).rejects.toThrow();
    await expect(ask("within")).rejects.toThrow();
    await expect.poll(() => closed).toEqual(["before", "within"]);
  });
});
