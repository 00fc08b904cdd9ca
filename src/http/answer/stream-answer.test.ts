import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import fastify from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyQuery, runningQuery, toBatch } from "../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import type { RowBatch } from "../../engines/contract/query-engine.ts";
import { ndjsonFormat } from "../formats/json.ts";
import { answerBy } from "./answer-by.ts";
import { contentEncodings } from "./content-encoding.ts";
import { sendRows } from "./stream-answer.ts";

let test: TestApp;
let url: string;
/** Rows of a page that is more than 1 MB. */
const row = { at: 5, text: "x".repeat(100) };
const key = { "x-api-key": "query-token" };

beforeEach(async () => {
  test = await createTestApp();
  url = `${await test.app.listen({ port: 0, host: "127.0.0.1" })}/api/endpoints/query/open?project=a&limit=1000`;
});

afterEach(async () => {
  await test.app.close();
});

/** A full page of this many rows, in batches of 1,000. */
function answerPage(rowCount: number): void {
  const paging = {
    pageSize: rowCount,
    keys: [{ name: "at", type: { kind: "INT64" } as const }],
    hiddenCount: 0,
  };
  test.onPlan = () => ({ ...emptyQuery, paging });
  test.engine.onRun = async () =>
    runningQuery(Array.from({ length: rowCount / 1_000 }, () => Array.from({ length: 1_000 }, () => row)));
}

async function read(
  headers: Record<string, string> = {},
): Promise<{ readonly message: IncomingMessage; readonly body: Buffer }> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { ...key, ...headers } }, resolve).on("error", reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return { message, body: Buffer.concat(chunks) };
}

describe("a full page", () => {
  it("links to the next one in its headers when it is small enough to buffer", async () => {
    answerPage(1_000);
    const { message } = await read();
    expect(message.headers.link).toMatch(
      /^<\/api\/endpoints\/query\/open\?project=a&limit=1000&cursor=[\w-]+>; rel="next"$/,
    );
    expect(message.headers["content-length"]).toBeDefined();
  });

  it("has the same bytes after decompression as without compression", async () => {
    answerPage(1_000);
    const [plain, encoded] = [await read(), await read({ "accept-encoding": "gzip" })];
    expect(encoded.message.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(encoded.body).equals(plain.body)).toBe(true);
  });
});

describe("a page that is too large to buffer", () => {
  /** Twelve batches of a thousand rows, then the summary. */
  async function* page(): AsyncGenerator<RowBatch, string> {
    for (let batch = 0; batch < 12; batch++) yield toBatch(Array.from({ length: 1_000 }, () => row));
    return "behind the last row";
  }

  it.each([undefined, "gzip"])("is streamed, and links to the next page in a trailer (encoding %s)", async (name) => {
    const app = fastify();
    const told: (string | undefined)[] = [];
    app.get(
      "/",
      answerBy((_request, reply) =>
        sendRows(reply, page(), ndjsonFormat.open([]), {
          pageRows: 12_000,
          encoding: contentEncodings.find((encoding) => encoding.name === name),
          onHeaders: (summary) => void told.push(summary),
          linkOf: (summary) => ["Link", `<${summary}>; rel="next"`],
          encode: (work) => work(),
        }),
      ),
    );
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    const { message, body } = await read();
    await app.close();
    const text = (name === undefined ? body : gunzipSync(body)).toString();
    expect(text.split("\n").length - 1).toBe(12_000);
    expect(told).toEqual([undefined]);
    expect(message.headers.link).toBeUndefined();
    expect(message.trailers.link).toBe('<behind the last row>; rel="next"');
  });

  it("starts before it is known whether there is a next page", async () => {
    const app = fastify();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    async function* waiting(): AsyncGenerator<RowBatch, string> {
      for (let batch = 0; batch < 10; batch++) yield toBatch(Array.from({ length: 1_000 }, () => row));
      await begun;
      return "behind the last row";
    }
    app.get(
      "/",
      answerBy((_request, reply) =>
        sendRows(reply, waiting(), ndjsonFormat.open([]), {
          pageRows: 10_001,
          onHeaders: () => undefined,
          encode: (work) => work(),
        }),
      ),
    );
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, resolve).on("error", reject);
    });
    begin();
    message.resume();
    await once(message, "end");
    expect(message.statusCode).toBe(200);
    await app.close();
  });

  it("closes the connection when it fails midway", async () => {
    const app = fastify();
    async function* broken(): AsyncGenerator<RowBatch, string> {
      yield* page();
      throw new Error("engine gone");
    }
    app.get(
      "/",
      answerBy((_request, reply) =>
        sendRows(reply, broken(), ndjsonFormat.open([]), {
          pageRows: undefined,
          onHeaders: () => undefined,
          encode: (work) => work(),
        }),
      ),
    );
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    await expect(read()).rejects.toThrow();
    await app.close();
  });
});

describe("the row source of a response", () => {
  /** Endless rows; counts how often they were started and closed. */
  function countedRows(counts: { begun: number; ended: number }): AsyncGenerator<RowBatch, string> {
    return (async function* () {
      counts.begun++;
      try {
        for (;;) yield toBatch(Array.from({ length: 1_000 }, () => row));
      } finally {
        counts.ended++;
      }
    })();
  }

  /** Disconnects the caller, either before the rows are requested or once the answer has begun. */
  async function abandon(encoding: string | undefined, isLate: boolean): Promise<{ begun: number; ended: number }> {
    const app = fastify();
    const counts = { begun: 0, ended: 0 };
    const isClosed = new Promise<void>((resolve) => {
      app.get(
        "/",
        answerBy(async (request, reply) => {
          if (!isLate) {
            request.raw.socket.destroy();
            await once(reply.raw, "close");
          }
          await sendRows(reply, countedRows(counts), ndjsonFormat.open([]), {
            pageRows: undefined,
            encoding: contentEncodings.find(({ name }) => name === encoding),
            onHeaders: () => undefined,
            encode: (work) => work(),
          });
          if (isLate) request.raw.socket.destroy();
          resolve();
        }),
      );
    });
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    const reading = read().catch(() => undefined);
    await isClosed;
    await reading;
    await app.close();
    return counts;
  }

  it.each([
    ["a caller that left before the answer was begun", undefined, false],
    ["a caller that left before a compressed answer was begun", "gzip", false],
    ["a caller that leaves in the middle", undefined, true],
    ["a caller that leaves in the middle of a compressed answer", "gzip", true],
  ])("is closed for %s", async (_name, encoding, isLate) => {
    expect(await abandon(encoding, isLate)).toEqual({ begun: 1, ended: 1 });
  });

  it.each(["begin", "write", "end"] as const)("is closed when the writer fails at %s", async (step) => {
    const counts = { begun: 0, ended: 0 };
    const rows = countedRows(counts);
    await rows.next();
    const app = fastify();
    const plain = ndjsonFormat.open([]);
    const fail = () => {
      throw new Error("cannot write");
    };
    const few = (async function* () {
      yield* step === "end" ? [toBatch([row])] : rows;
      return "the end";
    })();
    app.get(
      "/",
      answerBy((_request, reply) =>
        sendRows(
          reply,
          step === "end" ? few : rows,
          { ...plain, [step]: fail },
          {
            pageRows: undefined,
            onHeaders: () => undefined,
            encode: (work) => work(),
          },
        ),
      ),
    );
    const { statusCode } = await app.inject("/");
    await app.close();
    expect(statusCode).toBe(500);
    if (step !== "end") expect(counts).toEqual({ begun: 1, ended: 1 });
  });
});
