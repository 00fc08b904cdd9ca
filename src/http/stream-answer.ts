import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { RowBatch } from "../engines/engine.ts";
import type { AnswerWriter, Chunk } from "./formats/answer-format.ts";

/** Answers up to this many bytes are sent in one piece, so that an error in them still has its true status. */
const bufferedBytes = 1_000_000;
/** Pages are sent in one piece up to here: what their headers say of the next page is known at the end. */
const bufferedPageBytes = 64_000_000;

export interface StreamOptions<Summary> {
  readonly hasPages: boolean;
  /** Called before the first byte leaves: with the summary where the answer is complete by then. */
  readonly onHeaders: (summary: Summary | undefined) => void;
  /** Runs the writer's work, and may take its time. */
  readonly encode: (work: () => Chunk) => Chunk;
}

/**
 * Answers rows. A small answer is complete before its first byte leaves; a large one is streamed with back-pressure, and an
 * error in its middle ends the connection, so that a cut answer cannot be taken for a whole one.
 */
export async function sendRows<Summary>(
  reply: FastifyReply,
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  { hasPages, onHeaders, encode }: StreamOptions<Summary>,
): Promise<void> {
  const head: Buffer[] = [toBuffer(encode(() => writer.begin()))];
  let length = 0;
  const limit = hasPages ? bufferedPageBytes : bufferedBytes;
  while (length <= limit) {
    const next = await rows.next();
    if (next.done === true) {
      head.push(toBuffer(encode(() => writer.end())));
      onHeaders(next.value);
      reply.send(Buffer.concat(head));
      return;
    }
    if (next.value.rowCount === 0) continue;
    const chunk = toBuffer(encode(() => writer.write(next.value)));
    head.push(chunk);
    length += chunk.length;
  }
  onHeaders(undefined);
  reply.send(Readable.from(writeRest(head, rows, writer), { objectMode: false, highWaterMark: 64 * 1024 }));
}

async function* writeRest(
  head: Buffer[],
  rows: AsyncGenerator<RowBatch, unknown>,
  writer: AnswerWriter,
): AsyncGenerator<Buffer> {
  for (const chunk of head.splice(0)) yield chunk;
  for await (const batch of rows) {
    const chunk = batch.rowCount > 0 ? toBuffer(writer.write(batch)) : undefined;
    // An empty piece would end the stream.
    if (chunk !== undefined && chunk.length > 0) yield chunk;
  }
  const end = toBuffer(writer.end());
  if (end.length > 0) yield end;
}

function toBuffer(chunk: Chunk): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
