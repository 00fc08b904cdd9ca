import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import fastify, { type FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import type { Identity } from "../../access/scope.ts";
import { answerBy } from "../answer/answer-by.ts";
import { createCallSignal } from "./call-signal.ts";
import { readBody } from "./read-body.ts";
import { createShutdown } from "./shutdown.ts";
import { createTokenWatch } from "./token-watch.ts";

const identity: Identity = { tokenId: "t", scopes: [], pins: {}, budget: {}, redaction: "fixed" };

/** A watch over tokens that a test revokes. */
function open() {
  const revoked = new Set<string>();
  const asked: string[] = [];
  const watch = createTokenWatch({
    async authenticate(secret) {
      asked.push(secret);
      if (secret === "unknown") throw new Error("the metadata is away");
      return revoked.has(secret) ? undefined : identity;
    },
  });
  return { watch, revoked, asked };
}

const refusal = { code: "unauthorized", message: "The access token is not valid any more" };

describe("a call whose token is revoked", () => {
  it("is ended, and no other; each token is asked for once, whatever its calls", async () => {
    const { watch, revoked, asked } = open();
    const ended: string[] = [];
    const begin = (secret: string | undefined) =>
      watch.watch({ secret }, ({ message }) => ended.push(`${secret}: ${message}`));
    const forget = ["a", "a", "b", "unknown", undefined].map(begin);
    await watch.check();
    expect([ended, asked]).toEqual([[], ["a", "b", "unknown"]]);
    revoked.add("a");
    await watch.check();
    expect(ended).toEqual(Array(2).fill(`a: ${refusal.message}`));
    for (const each of forget) each();
    await watch.check();
    expect(asked).toHaveLength(6);
  });

  it("is not read to the end of its body", async () => {
    const { watch, revoked } = open();
    const request = { headers: {}, secret: "a", server: { tokenWatch: watch } } as unknown as FastifyRequest;
    const limits = { maxBodyBytes: 9, bodyTimeoutMs: 30_000, minBodyBytesPerSecond: 1 };
    const body = readBody(request, new PassThrough(), limits);
    revoked.add("a");
    await watch.check();
    await expect(body).rejects.toMatchObject(refusal);
  });

  it("has its signal aborted, and its connection closed where its caller takes nothing of an answer", async () => {
    const { watch, revoked } = open();
    const app = fastify();
    app.decorate("tokenWatch", watch);
    app.decorateRequest("secret", "a");
    const made = new Promise<AbortSignal>((resolve) => {
      app.get(
        "/",
        answerBy(async (_request, reply) => {
          resolve(createCallSignal(reply, createShutdown()));
          reply.raw.write("begun");
          await once(reply.raw, "close");
        }),
      );
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const answer = new Promise<IncomingMessage>((resolve) => get(url, resolve));
    const signal = await made;
    await answer;
    revoked.add("a");
    await watch.check();
    expect(signal.reason).toMatchObject(refusal);
    const closed = once(await answer, "error");
    await watch.check();
    (await answer).resume();
    expect((await closed)[0]).toMatchObject({ code: "ECONNRESET" });
    await app.close();
  });
});
