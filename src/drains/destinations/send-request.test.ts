import { once, setMaxListeners } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readDestinations } from "../../shared/network/private-networks.ts";
import { createSender, type DrainRequest, type SenderOptions } from "./send-request.ts";

const closers: (() => void)[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0)) close();
});

/** A server that answers each request with these bytes, and closes the connection then if it is to. */
async function answerWith(text: string, isClosed = false) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let got = "";
    socket.on("data", (chunk) => {
      got += chunk.toString("latin1");
      const [head = "", body] = got.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      requests.push(got);
      server.emit("took");
      got = "";
      if (isClosed) socket.end(text);
      else socket.write(text);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/x`, port, requests, server };
}

type SendOptions = Pick<DrainRequest, "isTrial"> & { readonly signal?: AbortSignal };

const noNames = async () => expect.unreachable();

function open(options: Partial<SenderOptions> = {}) {
  const sender = createSender({ allowed: readDestinations(["127.0.0.0/8", "::1"]), resolve: noNames, ...options });
  closers.push(() => sender.close());
  const request = { headers: { authorization: "Bearer s3cret" }, body: '[{"id":"a"}]', isPacked: false };
  return (url: string, { signal = new AbortController().signal, ...more }: SendOptions = {}) =>
    sender.send({ url, ...request, ...more }, signal);
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

describe("a request to a destination", () => {
  it("is taken with a complete answer of 2xx, over a connection that is kept", async () => {
    const server = await answerWith(ok);
    const send = open();
    expect([await send(server.url), await send(server.url)]).toEqual([{ kind: "taken" }, { kind: "taken" }]);
    expect(server.requests[0]).toMatch(/^POST \/x HTTP\/1\.1\r\n(.*\r\n)*authorization: Bearer s3cret\r\n/);
    expect(server.requests[1]?.endsWith('\r\n\r\n[{"id":"a"}]')).toBe(true);
    const empty = await answerWith("HTTP/1.1 204 No Content\r\n\r\n");
    expect(await send(empty.url)).toEqual({ kind: "taken" });
    const long = await answerWith(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(20_000)}`);
    expect(await send(long.url)).toEqual({ kind: "taken" });
  });

  it("has failed where the answer is cut in its middle, and where there is none", async () => {
    const send = open();
    const cut = {
      kind: "failed",
      reason: expect.stringMatching(/^the destination cannot be reached: (ECONNRESET|HPE_[A-Z_]+)$/),
    };
    const texts = [
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    ];
    for (const text of [...texts, "HTTP/1.1 20", ""])
      expect(await send((await answerWith(text, true)).url)).toEqual(cut);
    const nobody = await answerWith("");
    closers.pop()?.();
    expect(await send(nobody.url)).toEqual({
      kind: "failed",
      reason: "the destination cannot be reached: ECONNREFUSED",
    });
  });

  it("has failed after its time, also where a part of the answer is there", async () => {
    const send = open({ timeoutMs: 30 });
    for (const text of ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"]) {
      expect(await send((await answerWith(text)).url)).toEqual({
        kind: "failed",
        reason: "the destination did not answer within 0.03 seconds",
      });
    }
  });

  it.each([
    ["changes the protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"],
    ["changes it without saying to what", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["is a hint, and nothing after it", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000)],
    ["has two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"],
    ["has a head without end", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`],
    ["is another protocol's", "220 mail.example ESMTP\r\n"],
    ["has a status beyond all", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"],
  ])("has failed where the answer %s", async (_, text) => {
    const send = open({ timeoutMs: 500 });
    expect((await send((await answerWith(text)).url)).kind).toBe("failed");
  });

  it("is ended by more than ten hints, which others would have to wait for", async () => {
    const send = open();
    const hints = (count: number) => "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(count);
    expect(await send((await answerWith(hints(10) + ok)).url)).toEqual({ kind: "taken" });
    const reason = "the destination cannot be reached: TOO_MANY_HINTS";
    expect(await send((await answerWith(hints(11) + ok)).url)).toEqual({ kind: "failed", reason });
  });

  it("waits for its turn where many to the same destination are under way, and others do not", async () => {
    const silent = await answerWith("");
    const other = await answerWith(ok);
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    const send = open();
    const waiting = Array.from({ length: 200 }, () => send(silent.url, { signal: ending.signal }).catch(() => "ended"));
    expect(await send(other.url)).toEqual({ kind: "taken" });
    while (silent.requests.length < 64) await once(silent.server, "took");
    expect(await send(other.url)).toEqual({ kind: "taken" });
    expect(silent.requests).toHaveLength(64);
    ending.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["ended"]));
  });

  it("has failed where its turn does not come in time; a trial waits for no such turn", async () => {
    const silent = await answerWith("");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const send = open({ timeoutMs: 200 });
    const all = Array.from({ length: 70 }, () => send(silent.url));
    while (silent.requests.length < 64) await once(silent.server, "took");
    all.push(send(silent.url, { isTrial: true }));
    await once(silent.server, "took");
    expect(silent.requests).toHaveLength(65);
    vi.advanceTimersByTime(200);
    const reasons = (await Promise.all(all)).map((answer) => ("reason" in answer ? answer.reason : answer.kind));
    expect([...new Set(reasons)]).toEqual([
      "the destination did not answer within 0.2 seconds",
      "too many other requests to the destination wait",
    ]);
  });

  it("rejects when its signal ends it", async () => {
    const server = await answerWith("");
    const ending = new AbortController();
    const sent = open()(server.url, { signal: ending.signal });
    ending.abort(new Error("the end"));
    await expect(sent).rejects.toThrow("the end");
    await expect(open()(server.url, { signal: ending.signal })).rejects.toThrow("the end");
  });

  it.each([
    [400, "refused", "the destination answered 400 Bad Request"],
    [413, "refused", "the destination answered 413 Payload Too Large"],
    [422, "refused", "the destination answered 422 Unprocessable Entity"],
    [401, "failed", "the destination answered 401 Unauthorized"],
    [404, "failed", "the destination answered 404 Not Found"],
    [408, "failed", "the destination answered 408 Request Timeout"],
    [429, "failed", "the destination answered 429 Too Many Requests"],
    [500, "failed", "the destination answered 500 Internal Server Error"],
    [599, "failed", "the destination answered 599"],
    [307, "failed", "the destination redirects (307), which is not followed: name the address itself"],
  ])(
    "answered %i is %s, for a reason that holds nothing of what the destination says",
    async (status, kind, reason) => {
      const send = open();
      for (const rest of ["Content-Length: 6\r\n\r\ns3cret", "Content-Length: 60\r\n\r\ns3cret", "\r\ns3cret"]) {
        const text = `HTTP/1.1 ${status} s3cret\r\nLocation: http://s3cret/\r\n${rest}`;
        expect(await send((await answerWith(text, true)).url)).toEqual({ kind, reason });
      }
    },
  );

  it("waits as long as Retry-After says in seconds", async () => {
    const send = open();
    const waitOf = async (value: string) =>
      await send((await answerWith(`HTTP/1.1 429 x\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`)).url);
    expect(await waitOf("17")).toMatchObject({ kind: "failed", retryAfterMs: 17_000 });
    for (const value of ["-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
      expect(await waitOf(value)).not.toHaveProperty("retryAfterMs");
    }
  });

  it("does not connect to a network that is not allowed, by address or by name", async () => {
    const server = await answerWith(ok);
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const send = open({ allowed: readDestinations(["10.0.0.0/8"]), resolve });
    const hosts = ["127.0.0.1", "2130706433", "0x7f.1", "0177.1", "[::ffff:127.0.0.1]", "localhost", "d.example", "0"];
    for (const host of hosts) {
      expect(await send(`http://${host}:${server.port}/`)).toEqual({
        kind: "failed",
        reason: expect.stringContaining("is in a private, loopback or link-local network"),
      });
    }
    expect(server.requests).toEqual([]);
  });

  it("checks a name's addresses at each connection, and connects to one of those that it checked", async () => {
    const server = await answerWith(ok.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"), true);
    const asked: string[] = [];
    const answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1", "127.0.0.2"], [], ["127.0.0.1"]];
    const resolve = async (name: string) => {
      asked.push(name);
      return (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
    };
    const send = open({ allowed: readDestinations(["127.0.0.1"]), resolve });
    const outcomes = [];
    for (let request = 0; request < 5; request++) outcomes.push(await send(`http://d.example:${server.port}/`));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["failed", "taken", "failed", "failed", "taken"]);
    expect(asked).toEqual(Array(5).fill("d.example"));
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]).toContain(`host: d.example:${server.port}`.replace("host", "Host"));
  });
});
