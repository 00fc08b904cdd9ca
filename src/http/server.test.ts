import { once } from "node:events";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpServer } from "./server.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function open(handle: RequestListener): Promise<Socket> {
  const times = { headersTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000, sendTimeoutMs: 60_000 };
  const server = createHttpServer(times, handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  closers.push(
    () => socket.destroy(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return socket;
}

const get = (path: string) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe("requests that are sent in one go", () => {
  it("are handled one after the other, in their order, bodies too", async () => {
    const seen: string[] = [];
    let running = 0;
    const socket = await open(async (request, response) => {
      expect(++running).toBe(1);
      let body = "";
      for await (const chunk of request) body += String(chunk);
      seen.push(`${request.url} ${body.length}`);
      running--;
      response.end(body);
    });
    const post = (path: string, length: number) =>
      `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${"x".repeat(length)}`;
    const parts = Array.from({ length: 90 }, (_, index) =>
      index % 3 === 0 ? post(`${index}`, index) : get(`${index}`),
    );
    socket.write(`${parts.join("")}${post("long", 1_000_000)}${get("last")}`);
    let answered = "";
    for await (const chunk of socket) {
      answered += String(chunk);
      if (seen.at(-1) === "/last 0" && answered.endsWith("\r\n\r\n")) break;
    }
    const bodies = parts.map((_, index) => `/${index} ${index % 3 === 0 ? index : 0}`);
    expect(seen).toEqual([...bodies, "/long 1000000", "/last 0"]);
    expect(answered.match(/HTTP\/1\.1 200/g)).toHaveLength(seen.length);
  });

  it("are begun once what was answered before was taken, and not at all when the client has left", async () => {
    let begun = 0;
    let left: () => void = () => undefined;
    const isLeft = new Promise<void>((resolve) => (left = resolve));
    const socket = await open((_, response) => {
      begun++;
      response.once("close", left);
      response.end(Buffer.alloc(20_000_000));
    });
    socket.pause();
    socket.write(get("large").repeat(80));
    await once(socket, "readable");
    socket.destroy();
    await isLeft;
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBeLessThanOrEqual(2);
  });

  it("end their connection where they are very many", async () => {
    let begun = 0;
    const socket = await open(() => void begun++);
    socket.resume().write(get("x").repeat(1_000));
    await once(socket, "close");
    expect(begun).toBe(1);
  });
});
