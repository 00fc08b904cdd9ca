import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket, WebSocketServer } from "ws";
import { CallerGoneError } from "../request/call-signal.ts";

/** Bytes of a message that a client may send: what it sends is not read. */
const maxMessageBytes = 4_096;
/** How long a client may take to confirm that a connection is closed. */
const closeMs = 1_000;

declare module "fastify" {
  interface FastifyInstance {
    readonly webSockets: WebSockets;
  }
}

/** The WebSockets of routes that declare them (`RouteAccess.isWebSocket`). */
interface WebSockets {
  /** Whether a request may become one. */
  isOffered(request: FastifyRequest): boolean;
  /**
   * Makes the connection of such a request a WebSocket. The reply must not be used behind this; for its hooks it is
   * closed with the connection. Rejects with `CallerGoneError` where that is closed already.
   */
  accept(request: FastifyRequest, reply: FastifyReply): Promise<WebSocket>;
}

/** A request whose connection Node has left to us. */
interface Offer {
  readonly socket: Socket;
  /** Bytes behind the request. */
  readonly head: Buffer;
}

/**
 * Lets routes accept WebSockets. Their requests go through the same hooks as all others, and what is refused is an
 * ordinary answer. Offers of other protocols, and at other paths, are ignored as Node ignores them without this.
 */
export function addWebSockets(app: FastifyInstance): void {
  const offers = new WeakMap<IncomingMessage, Offer>();
  const paths = new Set<string>();
  let server: Promise<WebSocketServer> | undefined;
  app.addHook("onRoute", ({ url, config }) => {
    if (config?.access?.isWebSocket === true) paths.add(url);
  });
  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const offer = { socket, head };
    // Node listens no more; its end shows that the connection is gone.
    socket.on("error", ignore);
    whenFree(socket, () => {
      if (!isHandshake(request) || !paths.has(request.url?.split("?")[0] ?? "")) return readAgain(app, request, offer);
      offers.set(request, offer);
      answer(app, request, socket);
    });
  });
  app.decorate("webSockets", {
    isOffered: ({ raw }) => offers.has(raw),
    async accept({ raw }, reply) {
      server ??= createServer();
      const opening = await server;
      const offer = offers.get(raw);
      if (offer?.socket.readable !== true || !offer.socket.writable) throw new CallerGoneError();
      return open(opening, raw, reply, offer);
    },
  });
}

const ignore = () => undefined;

/** Waits for the answers to requests before, which a client may have sent in one go. */
function whenFree(socket: Socket, work: () => void): void {
  if (socket.destroyed) return;
  const { _httpMessage: answering } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  if (answering === undefined || answering === null) work();
  else answering.once("close", () => whenFree(socket, work));
}

async function createServer(): Promise<WebSocketServer> {
  const ws = await import("ws");
  return new ws.WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
    ...{ maxPayload: maxMessageBytes, closeTimeout: closeMs },
  });
}

/** Whether it is a handshake in the form of RFC 6455. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  const { upgrade, "sec-websocket-key": key = "", "sec-websocket-version": version } = headers;
  const { "sec-websocket-protocol": protocols = "none" } = headers;
  return (
    method === "GET" &&
    upgrade?.toLowerCase() === "websocket" &&
    version === "13" &&
    /^[+/0-9A-Za-z]{22}==$/.test(key) &&
    /^[\w.-]+(?:, ?[\w.-]+)*$/.test(protocols)
  );
}

/** Answers a request as Node does for all others. */
function answer(app: FastifyInstance, request: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => {
    socket.setTimeout(closeMs, () => socket.destroy());
    socket.end();
  });
  app.routing(request, response);
}

/** Has Node read a request once more, without the offer in it. */
function readAgain(app: FastifyInstance, request: IncomingMessage, { socket, head }: Offer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  app.server.emit("connection", socket);
  socket.off("error", ignore);
}

function open(
  server: WebSocketServer,
  request: IncomingMessage,
  reply: FastifyReply,
  { socket, head }: Offer,
): Promise<WebSocket> {
  reply.hijack();
  const response = reply.raw;
  response.detachSocket(socket);
  response.statusCode = 101;
  socket.once("close", () => {
    response.end();
    response.emit("close");
  });
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (opened) => {
      // It is closed behind an error, such as for a message that is too long.
      opened.on("error", ignore);
      resolve(opened);
    });
  });
}
