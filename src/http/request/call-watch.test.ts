import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import fastify, { type FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { emptyQuery, toBatch } from "../../../test/support/fake-engine.ts";
import { createTestApp } from "../../../test/support/test-app.ts";
import type { Identity } from "../../access/scope.ts";
import { answerBy } from "../answer/answer-by.ts";
import { createCallSignal } from "./call-signal.ts";
import { createCallWatch } from "./call-watch.ts";
import { readBody } from "./read-body.ts";
import { createShutdown } from "./shutdown.ts";

const identity: Identity = { tokenId: "t", scopes: [], pins: {}, budget: {}, redaction: "fixed" };

/** A watch over tokens that a test revokes. */
function open() {
  const revoked = new Set<string>();
  const asked: string[] = [];
  const watch = createCallWatch({
    async authenticate(secret) {
      asked.push(secret);
      if (secret === "unknown") throw new Error("the metadata is away");
      return revoked.has(secret) ? undefined : identity;
    },
  });
  return { watch, revoked, asked };
}

/** Each way of asking for rows that takes more than one turn, and the token with which a test asks. */
const surfaces: readonly (readonly [surface: string, url: string, secret: string])[] = [
  ["an endpoint as JSON", "/api/endpoints/query/open?project=a", "query-token"],
  ["an endpoint as NDJSON", "/api/endpoints/query/open?project=a&format=ndjson", "query-token"],
  ["an endpoint as Parquet", "/api/endpoints/query/open?project=a&format=parquet", "query-token"],
  ["a cached endpoint", "/api/endpoints/query/cached", "query-token"],
  ["a source", "/api/endpoints/query/source:edge?format=ndjson&sql=select+1+from+edge", "private-token"],
  ["counts over time", "/api/endpoints/query/open/overview?project=a&sql=select+1&from=0&to=1", "query-token"],
  ["an owner's query", "/api/query?format=ndjson&sql=select+1", "private-token"],
  ["events of a source", "/api/sources/edge/events", "private-token"],
];

describe("a call in whatever way rows are asked for", () => {
  const rights = (redaction: Identity["redaction"], scopes: readonly string[]): Identity => {
    return { tokenId: "t", scopes, pins: {}, budget: {}, redaction };
  };

  /** An app whose engine has no end of rows, and its tokens. */
  async function openApp() {
    const tokens = new Map([
      ["query-token", rights("fixed", ["query"])],
      ["private-token", rights("switchable", ["private"])],
    ]);
    const authenticate = async (secret: string) => tokens.get(secret);
    const test = await createTestApp({ parts: { authenticator: { authenticate, recall: () => undefined } } });
    const began = new Promise<AbortSignal>((resolve) => {
      test.engine.onRun = async ({ signal }) => ({
        batches: (async function* () {
          yield toBatch([{ a: 1 }]);
          resolve(signal);
          if (!signal.aborted) await once(signal, "abort");
          throw signal.reason;
        })(),
        summary: () => ({ rowCount: 1, isTruncated: false, engineMs: 1 }),
      });
    });
    return { ...test, tokens, began };
  }

  it.each(surfaces)("is ended where its token is changed: %s", async (_, url, secret) => {
    const { app, tokens, began } = await openApp();
    const answer = app.inject({ url, headers: { "x-api-key": secret } });
    await Promise.race([began, answer.then(({ body }) => expect.unreachable(body))]);
    tokens.set(secret, rights("required", tokens.get(secret)?.scopes ?? []));
    await app.callWatch?.check();
    expect((await answer).json().error).toMatchObject({ code: "version_conflict", message: /the access token was/ });
    await app.close();
  });

  const ofChange = surfaces.filter(([, url]) => /open|cached|api.query/.test(url));

  it.each(ofChange)("is ended where what it reads is changed, and not before: %s", async (_, url, secret) => {
    const { app, endpoints, engine, began } = await openApp();
    const answer = app.inject({ url, headers: { "x-api-key": secret } });
    await Promise.race([began, answer.then(({ body }) => expect.unreachable(body))]);
    const change = (redactsPii: boolean) => {
      const made = endpoints.endpoints.map((each) => ({ ...each, definition: { ...each.definition, redactsPii } }));
      endpoints.replaceAll(made);
    };
    let hasEnded = false;
    void answer.then(() => {
      hasEnded = true;
    });
    await app.callWatch?.check();
    expect(hasEnded).toBe(false);
    // An owner's query reads an endpoint that is redacted by now.
    engine.compile = () => ({ ...emptyQuery, sql: "SELECT redacted" });
    change(true);
    await app.callWatch?.check();
    expect((await answer).json().error).toMatchObject({ code: "version_conflict", message: /the endpoint, or what/ });
    await app.close();
  });
});

const refusal = { code: "unauthorized", message: "The access token is not valid any more" };

describe("a call whose token is revoked", () => {
  it("is ended, and no other; each token is asked for once, whatever its calls", async () => {
    const { watch, revoked, asked } = open();
    const ended: string[] = [];
    const begin = (secret: string | undefined) =>
      watch.watch({ secret, identity, reads: undefined, isTail: false }, ({ message }) =>
        ended.push(`${secret}: ${message}`),
      );
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

  it("goes on where its token was only changed and it brings events", async () => {
    const { watch, revoked } = open();
    const ended: string[] = [];
    const before = { ...identity, pins: { project: "a" } };
    for (const scope of ["ingest", "query"] as const) {
      const routeOptions = { config: { access: { scope, tokenIn: "request", hasBody: true } } } as const;
      const request = { secret: "a", identity: before, reads: undefined, isTail: false, routeOptions };
      watch.watch(request, ({ code }) => ended.push(`${scope}: ${code}`));
    }
    await watch.check();
    expect(ended).toEqual(["query: version_conflict"]);
    revoked.add("a");
    await watch.check();
    expect(ended.slice(1)).toEqual(["ingest: unauthorized", "query: unauthorized"]);
  });

  it("is not read to the end of its body", async () => {
    const { watch, revoked } = open();
    const request = { headers: {}, secret: "a", identity, server: { callWatch: watch } } as unknown as FastifyRequest;
    const limits = { maxBodyBytes: 9, bodyTimeoutMs: 30_000, minBodyBytesPerSecond: 1 };
    const body = readBody(request, new PassThrough(), limits);
    revoked.add("a");
    await watch.check();
    await expect(body).rejects.toMatchObject(refusal);
  });

  it("has its signal aborted, and its connection closed where its caller takes nothing of an answer", async () => {
    const { watch, revoked } = open();
    const app = fastify();
    app.decorate("callWatch", watch);
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
