import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { privateToken, type Service } from "../acceptance/service.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { Attempt } from "./attempt.ts";

const sendingEvents = `POST /api/logs?source_name=edge HTTP/1.1\r\nhost: x\r\nx-api-key: ${privateToken}\r\n`;

/** A connection to a service that has sent the text, without errors when the service ends it. */
function open({ url }: Service, text: string): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
  socket.write(text);
  return socket;
}

/** All that the service answers before it ends the connection, which resets it where it does not read to the end. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

/** Sends a piece every 50 ms, `count` in all, until the service answers; all that it answers. */
async function drip(socket: Socket, piece: string, count = Number.POSITIVE_INFINITY): Promise<string> {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent++ < count) socket.write(piece);
  }, 50);
  const stop = () => clearInterval(timer);
  socket.once("data", stop).once("close", stop);
  return await readAll(socket);
}

/** Attempts that show the effect of each setting of connections, by its name. */
export const connectionAttempts = {
  headersTimeoutMs: async (start) => {
    const service = await start({ LOGWEIR_HEADERS_TIMEOUT_MS: "200" });
    expect(await drip(open(service, "GET /health HTTP/1.1\r\nx-many: "), "x")).toMatch(/^HTTP\/1\.1 408 /);
  },
  bodyTimeoutMs: async (start) => {
    const service = await start({ LOGWEIR_BODY_TIMEOUT_MS: "200" });
    const text = await readAll(open(service, `${sendingEvents}content-length: 100\r\n\r\n[`));
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*Nothing more of the body came for 200 ms/);
  },
  minBodyBytesPerSecond: async (start) => {
    const slow = async (minimum: string) => {
      const service = await start({ LOGWEIR_BODY_TIMEOUT_MS: "1000", LOGWEIR_MIN_BODY_BYTES_PER_SECOND: minimum });
      return await drip(open(service, `${sendingEvents}connection: close\r\ncontent-length: 40\r\n\r\n[`), " ", 39);
    };
    expect(await slow("1000")).toMatch(/^HTTP\/1\.1 408 [\s\S]*less than 1000 bytes a second/);
    expect(await slow("1")).toMatch(/^HTTP\/1\.1 400 [\s\S]*invalid_body/);
  },
  keepAliveTimeoutMs: async (start) => {
    const socket = open(
      await start({ LOGWEIR_KEEP_ALIVE_TIMEOUT_MS: "200" }),
      "GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
    );
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 /);
  },
  sendTimeoutMs: async (start) => {
    const service = await start({ LOGWEIR_SEND_TIMEOUT_MS: "200" });
    const sql = encodeURIComponent("select repeat('x', 500000) as x from unnest(generate_array(1, 40))");
    const socket = open(service, `GET /api/query?sql=${sql} HTTP/1.1\r\nhost: x\r\nx-api-key: ${privateToken}\r\n\r\n`);
    const ended = once(socket, "close");
    await once(socket, "readable");
    const metrics = async () => await (await service.get("/metrics")).text();
    await waitUntil(async () => /logweir_requests_total\{[^}]*status="499"\} 1/.test(await metrics()));
    socket.resume();
    await ended;
  },
} as const satisfies Readonly<Record<string, Attempt>>;
