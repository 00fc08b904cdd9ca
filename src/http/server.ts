import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long connections may take; in milliseconds. Those of bodies are in `request/read-body.ts`. */
export interface ConnectionTimes {
  /** For the headers of a request, from the opening of the connection or the request's first byte. */
  readonly headersTimeoutMs: number;
  /** Without a request, before the connection is closed. */
  readonly keepAliveTimeoutMs: number;
  /** In which the caller has to take something of an answer that is being sent. */
  readonly sendTimeoutMs: number;
}

/** URLs of 256 KB and some headers fit. */
export const maxHeaderBytes = 512 * 1024;
/** How often connections are checked for late headers, within their time and at least. */
const checks = 4;
const maxCheckMs = 5_000;
/** So much of an unread body is discarded after the answer, and for so long, before the connection is closed. */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingMs = 2_000;
/** Requests of a connection that wait for the answers before them. */
const maxWaiting = 100;
/** The framework, its hooks and ours each listen to a response once: together they pass Node's idea of a leak, 10. */
const maxListeners = 20;

/**
 * The server of an app. `handle` gets every request, also those whose body the client only sends when asked to. Late
 * headers are answered by the app's handler of client errors. A body that was not read when its request was answered,
 * by whatever, is discarded for a while, since most clients look for an answer only once they have sent everything, and
 * would find the connection closed instead. Requests of one connection are handled one after the other, however many
 * are sent in one go: each is only begun once the answer before it was taken.
 */
export function createHttpServer(times: ConnectionTimes, handle: RequestListener, turns = new Turns()): Server {
  const { headersTimeoutMs, keepAliveTimeoutMs, sendTimeoutMs } = times;
  const guarded = turns.ofRequests((request, response) => {
    response.on("timeout", endWhenStalled);
    // Before Node's own listener, which would discard all of it.
    if (announcesBody(request)) response.prependOnceListener("finish", () => discardRest(request));
    handle(request, response);
  });
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(maxCheckMs, headersTimeoutMs / checks),
      // Bodies have limits of their own, by which long ones may take longer.
      requestTimeout: 0,
      // The app checks it, whose answer has the form of all errors.
      requireHostHeader: false,
    },
    guarded,
  );
  server.timeout = sendTimeoutMs;
  // Expectations of another kind are ignored: Node's own answer would leave the body to its sender.
  return server.on("checkContinue", guarded).on("checkExpectation", guarded);
}

/** A request, or what could not be read as one. */
interface Turn {
  readonly request?: IncomingMessage;
  readonly begin: () => void;
}

/**
 * Answers what comes over each connection in turn. Node hands on all that it has read, would collect the answers of
 * hundreds for a client that takes none of them, and reports what it cannot read while those before it are answered.
 */
export class Turns {
  /** By connection: what is being answered, and what waits behind it. */
  readonly #turns = new WeakMap<Socket, Turn[]>();

  ofRequests(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // The rest of what has been refused is no request.
      if (!socket.writable) return;
      const begin = () => {
        response.setMaxListeners(maxListeners);
        response.once("close", () => this.#next(socket));
        handle(request, response);
      };
      this.#add(socket, { request, begin });
    };
  }

  /** Refuses what a connection sends from now on. Where that is the rest of a request, it is refused instead. */
  refuse(socket: Socket, begin: () => void): void {
    const turns = this.#turns.get(socket) ?? [];
    const last = turns.at(-1);
    const isRest = last?.request?.complete === false;
    if (!socket.writable || (isRest && turns.length === 1)) begin();
    else if (last === undefined || last.request !== undefined) {
      if (isRest) turns.pop();
      this.#add(socket, { begin });
    }
  }

  #add(socket: Socket, turn: Turn): void {
    const turns = this.#turns.get(socket);
    if (turns === undefined) {
      this.#turns.set(socket, [turn]);
      turn.begin();
      return;
    }
    turns.push(turn);
    socket.pause();
    if (turns.length > maxWaiting + 1) socket.destroy();
  }

  #next(socket: Socket): void {
    const turns = this.#turns.get(socket);
    turns?.shift();
    const next = turns?.[0];
    // Only the last one may be incomplete.
    if (turns?.length === 1) socket.resume();
    if (next === undefined || socket.destroyed) this.#turns.delete(socket);
    else next.begin();
  }
}

/** Without this listener, calls that wait for their answer would be ended too. */
function endWhenStalled(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/** True for a request whose headers announce a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function discardRest(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  let left = maxDiscardedBytes;
  const timer = setTimeout(() => raw.destroy(), maxDiscardingMs).unref();
  const stop = () => clearTimeout(timer);
  raw.once("end", stop).once("close", stop);
  // The connection is gone: nobody is left to answer.
  raw.on("error", () => undefined);
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  // A reader that gave up has paused it.
  raw.resume();
}
