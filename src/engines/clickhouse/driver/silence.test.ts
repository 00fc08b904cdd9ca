import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { openServerClient, type ServerClient } from "./client.ts";
import { SilenceDetector, SilentServer } from "./silence.ts";

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const close of opened.splice(0)) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Accepts connections, but never responds. */
async function openSilent(): Promise<string> {
  const url = await listen(createSocketServer((socket) => void opened.unshift(async () => void socket.destroy())));
  return url;
}

/** Answers every request as a server that would talk another protocol from then on. */
async function openSwitching(): Promise<string> {
  const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
  return listen(
    createSocketServer((socket) => {
      opened.unshift(async () => void socket.destroy());
      socket.on("error", () => undefined).once("data", () => socket.write(head));
    }),
  );
}

/** Responds as the handler does for the path. */
async function openTalking(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    response.setHeader("X-ClickHouse-Query-Id", "q");
    request.resume().once("end", () => answer(request.url ?? "", response));
  });
  opened.push(async () => server.closeAllConnections());
  return listen(server);
}

/** Answers every request with a page, as a proxy does that has lost its way to the server. */
function openForeign(page: string): Promise<string> {
  return openTalking((_, response) => {
    response.removeHeader("X-ClickHouse-Query-Id");
    response.end(page);
  });
}

/** Over servers that are silent; what answers needs more time than `silenceMs` on a busy machine. */
function openClient(urls: string | readonly string[], silenceMs = 40, callTimeoutMs = 30_000): ServerClient {
  const access = { user: "u", password: "", database: "d" };
  const client = openServerClient({ urls: [urls].flat(), ...access, silenceMs, callTimeoutMs });
  opened.unshift(() => client.close());
  return client;
}

function read(client: ServerClient, signal = new AbortController().signal): Promise<string> {
  const query = { sql: "SELECT 1", params: {}, settings: {}, queryId: "q", signal };
  return client.stream(query).then(async (stream) => {
    const parts: Uint8Array[] = [];
    for await (const part of stream) parts.push(part);
    return Buffer.concat(parts).toString();
  });
}

const unanswered = { code: "unavailable", retryAfterSeconds: 2, isLost: true };

const { signal } = new AbortController();
const insert = { table: "t", columns: ["a"], format: "TSV", body: [Buffer.from("1\n")], settings: {}, signal };

async function expectUnanswered(client: ServerClient): Promise<void> {
  await expect(read(client)).rejects.toMatchObject(unanswered);
  await expect(client.rows("SELECT 1")).rejects.toMatchObject(unanswered);
  await expect(client.command("SELECT 1")).rejects.toMatchObject(unanswered);
  await expect(client.insert(insert)).rejects.toMatchObject(unanswered);
  await expect(client.ping(signal)).rejects.toMatchObject({ code: "unavailable" });
}

it.each([
  ["accepts connections but never responds", openSilent],
  ["changes the protocol", openSwitching],
])("the client gives up every call to a server that %s", async (_, openServer) => {
  const client = openClient(await openServer());
  await expectUnanswered(client);
  expect(await client.isSilent()).toBe(true);
});

it.each(["<html>Welcome</html>", ""])(
  "the client takes no page of a proxy for the server's answer: %j",
  async (page) => {
    await expectUnanswered(openClient(await openForeign(page), 10_000));
  },
);

it.each(["", "[1]\n", "[1]\n[", '["\\u0004', "[1]\nCode: 241. DB::Exception: Memory limit exceeded", "[1]\n\x04\n"])(
  "the client takes no part of an answer for the whole: %j",
  async (part) => {
    const client = openClient(await openTalking((_, response) => response.end(part)), 10_000);
    await expect(read(client)).rejects.toMatchObject(unanswered);
    await expect(client.rows("SELECT 1")).rejects.toMatchObject(unanswered);
  },
);

it.each([
  ["Code: 241. DB::Exception: Memory limit (total) exceeded", { code: "memory_exceeded", isLost: true }],
  ["something else", unanswered],
])("the client takes no insert for stored of which the server says, with status 200: %s", async (text, error) => {
  const client = openClient(await openTalking((_, response) => response.end(text)), 10_000);
  await expect(client.insert(insert)).rejects.toMatchObject(error);
});

it("the client asks the next server if one does not respond, or is something else", async () => {
  const url = await openTalking((_, response) => response.end("2\n\x04"));
  expect(await read(openClient([await openSilent(), await openForeign("3\n"), url], 1_000))).toBe("2\n");
});

it("a call waits for a server that runs the query as long as the server answers pings", async () => {
  vi.useFakeTimers();
  let answer = async () => {};
  let asked = 0;
  const detector = new SilenceDetector(() => {
    asked++;
    return answer();
  }, 40);
  const watch = detector.watch(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(45);
  // Any response to a ping, even an error, shows that the server is running.
  answer = () => Promise.reject(new Error("500"));
  await vi.advanceTimersByTimeAsync(45);
  expect([asked, watch.isSilent, watch.signal.aborted]).toEqual([2, false, false]);
  answer = () => new Promise(() => {});
  await vi.advanceTimersByTimeAsync(45);
  expect([asked, watch.isSilent]).toEqual([3, false]);
  await vi.advanceTimersByTimeAsync(40);
  expect([asked, watch.isSilent, watch.signal.aborted]).toEqual([3, true, true]);
});

/** Begins every answer but those to pings, which it answers as a server that is well. */
function openStopping(status: number, length: Record<string, string> = {}): Promise<string> {
  return openTalking((path, response) => {
    if (path.startsWith("/ping")) response.end("Ok.\n");
    else response.writeHead(status, length).write("[1]\n");
  });
}

it("the client gives up every answer that stops before its length, though the server is well", async () => {
  const client = openClient(await openStopping(200, { "Content-Length": "100" }));
  await expectUnanswered(client);
  await expect(client.kill("q")).rejects.toMatchObject({ ...unanswered, cause: expect.any(SilentServer) });
});

it.each([200, 500])("no call outlasts its time, wherever in its answer %i a server stops", async (status) => {
  const client = openClient(await openStopping(status), 10_000, 40);
  await expect(client.rows("SELECT 1")).rejects.toMatchObject(unanswered);
  await expect(client.command("SELECT 1")).rejects.toMatchObject(unanswered);
  await expect(client.insert(insert)).rejects.toMatchObject(unanswered);
  await expect(client.kill("q")).rejects.toMatchObject(unanswered);
});

it("the client gives up a server that stops responding between the rows", async () => {
  const url = await openTalking((path, response) => {
    if (!path.startsWith("/ping")) response.write("1\n");
  });
  await expect(read(openClient(url))).rejects.toMatchObject({ ...unanswered, cause: expect.any(SilentServer) });
});

it("the client rejects the call with aborted when its caller is gone", async () => {
  const caller = new AbortController();
  const reading = read(openClient(await openSilent()), caller.signal);
  caller.abort();
  await expect(reading).rejects.toMatchObject({ code: "aborted" });
});
