import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { createLogger } from "../observe/logger.ts";
import { answerBy } from "./answer-by.ts";

async function ask(answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>) {
  const lines: string[] = [];
  const app = fastify({ loggerInstance: createLogger("error", { write: (line) => void lines.push(line) }) });
  app.setErrorHandler((error, _request, reply) => reply.code(418).send(String(error)));
  app.get("/", answerBy(answer));
  const { statusCode, body } = await app.inject("/");
  return { statusCode, body, lines };
}

describe("a handler wrapped by answerBy", () => {
  it("answers with what it sends", async () => {
    const sent = await ask(async (_request, reply) => void reply.send("rows"));
    expect(sent).toEqual({ statusCode: 200, body: "rows", lines: [] });
  });

  it("answers with its error as any other handler does", async () => {
    const sent = await ask(async () => {
      throw new Error("no");
    });
    expect(sent).toMatchObject({ statusCode: 418, body: "Error: no" });
  });

  it("logs an error that it throws after its answer", async () => {
    const sent = await ask(async (_request, reply) => {
      reply.send("rows");
      throw new Error("late");
    });
    expect(sent).toMatchObject({ statusCode: 200, body: "rows" });
    expect(sent.lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual(["fault"]);
  });
});
