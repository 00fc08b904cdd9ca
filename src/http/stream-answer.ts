import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { QuerySummary, RowBatch } from "../engines/engine.ts";

/** Answers up to this many characters are sent in one piece, so that an error in them still has its true status. */
const bufferedCharacters = 1_000_000;

/**
 * Answers rows as `{"result":[...]}`. A small answer is complete before its first byte leaves; a large one is streamed with
 * back-pressure, and an error in its middle ends the connection, so that a cut answer cannot be taken for a whole one.
 */
export async function sendResult(reply: FastifyReply, rows: AsyncGenerator<RowBatch, QuerySummary>): Promise<void> {
  reply.type("application/json; charset=utf-8");
  const head: string[] = [];
  let length = 0;
  for (;;) {
    const next = await rows.next();
    if (next.done) {
      reply.send(`{"result":[${head.join(",")}]}`);
      return;
    }
    if (next.value.rowCount === 0) continue;
    head.push(next.value.json);
    length += next.value.json.length;
    if (length > bufferedCharacters) break;
  }
  reply.send(Readable.from(writeResult(head.join(","), rows), { objectMode: false, highWaterMark: 64 * 1024 }));
}

async function* writeResult(head: string, rows: AsyncGenerator<RowBatch, QuerySummary>): AsyncGenerator<string> {
  yield `{"result":[${head}`;
  for await (const batch of rows) {
    if (batch.rowCount > 0) yield `,${batch.json}`;
  }
  yield "]}";
}
