/** Serves an engine core over a socket of frames. */

import type { Socket } from "node:net";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import { EngineError } from "../../contract/query-engine.ts";
import { toEngineError } from "../driver/driver-error.ts";
import { type CoreHooks, openCore } from "./core.ts";
import { type Frame, FrameReader, joinPieces, writeFrame } from "./frames.ts";
import { BATCH_WINDOW, type CalledMethod, type EngineHost, type HostAnswer, type HostRequest } from "./protocol.ts";

interface RunningRequest {
  readonly abort: AbortController;
  /** Batches that may still be sent. */
  credit: number;
  wake: (() => void) | undefined;
}

function detailOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : undefined;
}

class Server {
  readonly #socket: Socket;
  readonly #hooks: CoreHooks;
  readonly #running = new Map<number, RunningRequest>();
  #host: EngineHost | undefined;

  constructor(socket: Socket, hooks: CoreHooks) {
    this.#socket = socket;
    this.#hooks = hooks;
  }

  async handle({ head, body }: Frame): Promise<void> {
    const request = head as HostRequest;
    try {
      if (request.kind === "more" || request.kind === "cancel") this.#steer(request);
      else if (request.kind === "run") await this.#run(request);
      else this.#send({ id: request.id, kind: "done", value: await this.#answer(request, body) });
    } catch (error) {
      const { code, message, retryAfterSeconds, isLost, limit } = toEngineError(error);
      const detail = detailOf(toEngineError(error));
      this.#send({
        id: request.id,
        kind: "error",
        code,
        message,
        ...omitUndefined({ detail, retryAfterSeconds, isLost: isLost ? (true as const) : undefined, limit }),
      });
    }
  }

  get host(): EngineHost {
    if (this.#host === undefined) throw new EngineError("unavailable", "The engine is starting");
    return this.#host;
  }

  async #answer(
    request: Exclude<HostRequest, { kind: "run" | "more" | "cancel" }>,
    body: readonly Buffer[],
  ): Promise<unknown> {
    switch (request.kind) {
      case "open": {
        const { host, ...opened } = await openCore(request.options, this.#hooks);
        this.#host = host;
        return opened;
      }
      case "append": {
        const { source, header, context } = request;
        return this.host.append(source, { header, payload: joinPieces(body) }, context);
      }
      case "call": {
        const methods = this.host as unknown as Record<CalledMethod, (...args: readonly unknown[]) => unknown>;
        return methods[request.method](...request.args);
      }
    }
  }

  #steer(request: HostRequest & { readonly kind: "more" | "cancel" }): void {
    const running = this.#running.get(request.id);
    if (running === undefined) return;
    if (request.kind === "more") running.credit += request.batchCount;
    else running.abort.abort();
    running.wake?.();
  }

  async #run({ id, query }: HostRequest & { kind: "run" }): Promise<void> {
    const running: RunningRequest = { abort: new AbortController(), credit: BATCH_WINDOW, wake: undefined };
    this.#running.set(id, running);
    const rows = this.host.run(query, running.abort.signal);
    try {
      for (let step = await rows.next(); ; step = await rows.next()) {
        if (step.done === true) {
          this.#send({ id, kind: "done", value: step.value });
          return;
        }
        await this.#waitForCredit(running);
        running.abort.signal.throwIfAborted();
        running.credit--;
        this.#send({ id, kind: "rows", rowCount: step.value.rowCount }, Buffer.from(step.value.json));
      }
    } catch (error) {
      throw running.abort.signal.aborted ? new EngineError("aborted", "The query was stopped") : error;
    } finally {
      this.#running.delete(id);
      await rows.return({ rowCount: 0, isTruncated: true, engineMs: 0 });
    }
  }

  async #waitForCredit(running: RunningRequest): Promise<void> {
    while (running.credit === 0 && !running.abort.signal.aborted) {
      await new Promise<void>((resolve) => {
        running.wake = resolve;
      });
    }
  }

  #send(answer: HostAnswer, body?: Buffer): void {
    if (this.#socket.destroyed) return;
    writeFrame(this.#socket, answer, body);
  }
}

/** Answers requests until the socket ends. `onEnd` runs when the service is gone or the stream is broken. */
export function serve(socket: Socket, hooks: CoreHooks, onEnd: (error?: Error) => void): void {
  const reader = new FrameReader();
  const server = new Server(socket, hooks);
  socket.on("data", (piece: Buffer) => {
    try {
      for (const frame of reader.push(piece)) void server.handle(frame);
    } catch (error) {
      onEnd(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on("end", () => onEnd());
  socket.on("error", (error) => onEnd(error));
  socket.on("close", () => onEnd());
}
