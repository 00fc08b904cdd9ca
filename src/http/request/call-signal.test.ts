import { once } from "node:events";
import { get } from "node:http";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { answerBy } from "../answer/answer-by.ts";
import { CallerGoneError, createCallSignal } from "./call-signal.ts";
import { createShutdown } from "./shutdown.ts";

describe("the signal of a call", () => {
  /** The signal of a call whose caller disconnects, created before or after that. */
  async function leave(isMadeBefore: boolean): Promise<AbortSignal> {
    const app = fastify();
    const made = new Promise<AbortSignal>((resolve) => {
      app.get(
        "/",
        answerBy(async (request, reply) => {
          const early = isMadeBefore ? createCallSignal(reply, createShutdown()) : undefined;
          request.raw.socket.destroy();
          await once(reply.raw, "close");
          resolve(early ?? createCallSignal(reply, createShutdown()));
        }),
      );
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    get(url).on("error", () => undefined);
    const signal = await made;
    await app.close();
    return signal;
  }

  it.each([true, false])(
    "is aborted when the caller disconnects, even if it is created afterwards (before: %s)",
    async (isMadeBefore) => {
      const signal = await leave(isMadeBefore);
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toBeInstanceOf(CallerGoneError);
    },
  );

  it("is not aborted when an answer ends normally", async () => {
    const app = fastify();
    const signals: AbortSignal[] = [];
    app.get(
      "/",
      answerBy(async (_request, reply) => {
        signals.push(createCallSignal(reply, createShutdown()));
        reply.send("done");
      }),
    );
    await fetch(await app.listen({ port: 0, host: "127.0.0.1" }));
    await app.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
