import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import type { FastifyRequest } from "fastify";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runningQuery } from "../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import { CallerGoneError } from "./request/call-signal.ts";
import { readBody } from "./request/read-body.ts";

describe("a body that arrives slowly", () => {
  afterEach(() => void vi.useRealTimers());

  /** Sends a body of which `piece` arrives every `everyMs`, and returns its outcome. */
  async function drip(piece: string, everyMs: number, length: number): Promise<{ seconds: number; outcome: string }> {
    vi.useFakeTimers();
    const payload = new PassThrough();
    const request = { headers: { "content-length": String(length) }, server: {} } as unknown as FastifyRequest;
    const limits = { maxBodyBytes: 12_000_000, bodyTimeoutMs: 30_000, minBodyBytesPerSecond: 1_000 };
    let outcome: string | undefined;
    readBody(request, payload, limits).then(
      (body) => {
        outcome = `${body.length} bytes`;
      },
      (error: Error) => {
        outcome = error.message;
      },
    );
    let ms = 0;
    for (let sent = 0; outcome === undefined; sent += piece.length) {
      if (sent < length) payload.write(piece);
      else payload.end();
      await vi.advanceTimersByTimeAsync(everyMs);
      ms += everyMs;
    }
    return { seconds: ms / 1_000, outcome };
  }

  it("is given up where a byte comes every five seconds", async () => {
    const { seconds, outcome } = await drip("x", 5_000, 12_000_000);
    expect(outcome).toBe("The body came at less than 1000 bytes a second");
    expect(seconds).toBeLessThanOrEqual(40);
  });

  it("is given up where nothing comes any more, however fast it was before", async () => {
    const { seconds, outcome } = await drip("x".repeat(1_000_000), 40_000, 12_000_000);
    expect(outcome).toBe("Nothing more of the body came for 30000 ms");
    expect(seconds).toBe(40);
  });

  it("is the caller's own end where its connection is gone", async () => {
    const payload = new PassThrough();
    const request = { headers: {}, server: {} } as unknown as FastifyRequest;
    const body = readBody(request, payload, { maxBodyBytes: 9, bodyTimeoutMs: 30_000, minBodyBytesPerSecond: 1 });
    payload.emit("aborted");
    await expect(body).rejects.toBeInstanceOf(CallerGoneError);
  });

  it("is read to its end at a thousand bytes a second, for more than an hour", async () => {
    const { seconds, outcome } = await drip("x".repeat(10_000), 10_000, 4_000_000);
    expect(outcome).toBe("4000000 bytes");
    expect(seconds).toBeGreaterThan(3_600);
  });

  it("is given up at 990 bytes a second once the time for a pause is used up", async () => {
    const { seconds, outcome } = await drip("x".repeat(9_900), 10_000, 12_000_000);
    expect(outcome).toBe("The body came at less than 1000 bytes a second");
    expect(seconds).toBeGreaterThan(2_900);
  });
});

describe("connections", () => {
  let test: TestApp;
  const clients: Socket[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await test.app.close();
  });

  async function listen(times: NonNullable<Parameters<typeof createTestApp>[0]>["times"]): Promise<void> {
    test = await createTestApp({ times: times ?? {} });
    await test.app.listen({ port: 0, host: "127.0.0.1" });
  }

  function open(text: string): Socket {
    const { port } = test.app.server.address() as AddressInfo;
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    clients.push(client);
    client.write(text);
    return client;
  }

  it.each([
    ["OPTIONS /api/logs", "", 204],
    ["OPTIONS /none", "", 204],
    ["POST /%zz", "", 400],
    ["POST /none", "", 404],
    ["PURGE /api/logs", "", 405],
    ["GET /health", "", 200],
    ["POST /api/logs", "Expect: something\r\n", 401],
    ["POST /api/logs", "Expect: 100-continue\r\n", 401],
  ])("are closed when %s (%j) is answered %i and its body goes on", async (line, header, status) => {
    await listen({});
    const client = open(`${line} HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 12000000\r\n\r\n`);
    const [answer] = (await once(client, "data")) as [Buffer];
    const closed = new Promise((resolve) => client.resume().once("close", resolve));
    client.write("x".repeat(1_000_000));
    await closed;
    expect(answer.toString("latin1", 0, 12)).toBe(`HTTP/1.1 ${status}`);
  });

  async function readAll(client: Socket): Promise<string> {
    let text = "";
    for await (const chunk of client) text += String(chunk);
    return text;
  }

  it("with half a request are answered 408 in the common form and closed, a hundred at a time", async () => {
    await listen({ headersTimeoutMs: 200 });
    const closed: Promise<unknown>[] = [];
    test.app.server.on("connection", (socket) => closed.push(once(socket, "close")));
    const halves = ["", "G", "GET /health HTTP/1.1\r\n", "POST /api/logs HTTP/1.1\r\nhost: x\r\nx-a: "];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => readAll(open(halves[index % halves.length] ?? ""))),
    );
    for (const answer of answers) {
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 408 request_timeout/);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: "request_timeout", status: 408, message: "The headers of the request did not arrive in time" },
      });
    }
    await Promise.all(closed);
    expect(closed).toHaveLength(100);
  });

  it("that are idle are closed", async () => {
    await listen({ keepAliveTimeoutMs: 100 });
    expect(await readAll(open("GET /health HTTP/1.1\r\nhost: x\r\n\r\n"))).toMatch(/^HTTP\/1\.1 200 /);
  });

  const call = "GET /api/endpoints/query/open?project=a HTTP/1.1\r\nhost: x\r\nx-api-key: query-token\r\n\r\n";

  it.each(["GARBAGE\r\n\r\n", "POST /api/logs HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n"])(
    "that go on with %j are answered what they asked before",
    async (rest) => {
      await listen({});
      const failed = once(test.app.server, "clientError");
      test.engine.onRun = async () => {
        await failed;
        return runningQuery([[]]);
      };
      const answers = readAll(open(`${call}${call}${rest}`));
      expect((await answers).match(/HTTP\S+ \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
    },
  );

  it("that were answered 408 bring no request any more", async () => {
    await listen({ headersTimeoutMs: 200 });
    const accepted = once(test.app.server, "connection");
    const { port } = test.app.server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => undefined);
    clients.push(client);
    client.write(call.slice(0, -2));
    const [connection] = (await accepted) as [Socket];
    const closed = once(connection, "close");
    expect(String(await once(client, "data"))).toMatch(/^HTTP\/1\.1 408 /);
    client.end(`\r\n${call}`);
    await closed;
    expect(test.planned).toEqual([]);
  });

  it("whose caller takes nothing of a long answer are closed", async () => {
    await listen({ sendTimeoutMs: 100 });
    test.onPlan = () => ({ sql: "", parameters: [], columns: [{ name: "a", type: { kind: "STRING" } }], tables: [] });
    test.engine.onRun = async () => runningQuery([Array.from({ length: 32 }, () => ({ a: "x".repeat(1_000_000) }))]);
    const accepted = once(test.app.server, "connection");
    const client = open(call).pause();
    const [connection] = (await accepted) as [Socket];
    await once(connection, "close");
    expect((await readAll(client)).length).toBeLessThan(32_000_000);
  });

  it("whose answer takes longer than that to come stay open", async () => {
    await listen({ sendTimeoutMs: 100 });
    const engine = new EventEmitter();
    test.engine.onRun = async () => {
      await once(engine, "done");
      return runningQuery([[]]);
    };
    const accepted = once(test.app.server, "connection");
    const client = open(call);
    const [connection] = (await accepted) as [Socket];
    await once(connection, "timeout");
    engine.emit("done");
    const [head] = (await once(client, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 /);
  });
});
