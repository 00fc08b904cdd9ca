import { type Duplex, pipeline, Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { RowBatch } from "../engines/engine.ts";
import { type ContentEncoding, minEncodedBytes } from "./content-encoding.ts";
import type { AnswerWriter, Chunk } from "./formats/answer-format.ts";

/** Answers up to this many bytes are sent in one piece, so that an error in them still has its true status. */
const bufferedBytes = 1_000_000;
/**
 * Pages of up to so many rows are sent in one piece: what their headers say of the next page is known at the end. Of a larger page that
 * is not full there is no next one; of a full one, a trailer tells.
 */
const bufferedPageRows = 10_000;
const bufferedPageBytes = 64_000_000;

export interface StreamOptions<Summary> {
  /** Rows of a full page; undefined where there are no pages. */
  readonly pageRows: number | undefined;
  /** As the caller likes it; undefined for the bytes as they are. */
  readonly encoding?: ContentEncoding | undefined;
  /** Called before the first byte leaves: with the summary where the answer is complete by then. */
  readonly onHeaders: (summary: Summary | undefined) => void;
  /** Called at the end of an answer that was streamed, with what goes into its trailer `Link`. */
  readonly linkOf?: (summary: Summary) => string | undefined;
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
  options: StreamOptions<Summary>,
): Promise<void> {
  const { pageRows, encoding, onHeaders, encode } = options;
  const maxBytes = pageRows !== undefined && pageRows <= bufferedPageRows ? bufferedPageBytes : bufferedBytes;
  const head: Buffer[] = [toBuffer(encode(() => writer.begin()))];
  let length = 0;
  while (length <= maxBytes) {
    const next = await rows.next();
    if (next.done === true) {
      head.push(toBuffer(encode(() => writer.end())));
      onHeaders(next.value);
      const body = Buffer.concat(head);
      const isEncoded = encoding !== undefined && body.length >= minEncodedBytes;
      if (isEncoded) reply.header("Content-Encoding", encoding.name);
      reply.send(isEncoded ? await encoding.encode(body) : body);
      return;
    }
    if (next.value.rowCount === 0) continue;
    const chunk = toBuffer(encode(() => writer.write(next.value)));
    head.push(chunk);
    length += chunk.length;
  }
  onHeaders(undefined);
  let summary: Summary | undefined;
  const { linkOf } = options;
  if (pageRows !== undefined && linkOf !== undefined) {
    reply.trailer("Link", (_reply, _payload, done) => {
      done(null, summary === undefined ? undefined : linkOf(summary));
    });
  }
  const body = Readable.from(
    writeRest(head, rows, writer, (value) => {
      summary = value;
    }),
    { objectMode: false, highWaterMark: 64 * 1024 },
  );
  if (encoding === undefined) reply.send(body);
  else reply.header("Content-Encoding", encoding.name).send(through(body, encoding.open()));
}

/** An error of the body ends the encoder too, and with it the connection. */
function through(body: Readable, encoder: Duplex): Duplex {
  return pipeline(body, encoder, () => undefined);
}

async function* writeRest<Summary>(
  head: Buffer[],
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  onEnd: (summary: Summary) => void,
): AsyncGenerator<Buffer> {
  try {
    for (const chunk of head.splice(0)) yield chunk;
    for (let next = await rows.next(); ; next = await rows.next()) {
      if (next.done === true) {
        onEnd(next.value);
        break;
      }
      const chunk = next.value.rowCount > 0 ? toBuffer(writer.write(next.value)) : undefined;
      // An empty piece would end the stream.
      if (chunk !== undefined && chunk.length > 0) yield chunk;
    }
    const end = toBuffer(writer.end());
    if (end.length > 0) yield end;
  } finally {
    // Who leaves in the middle stops the query; at the end this does nothing.
    void rows.return(undefined as never).catch(() => undefined);
  }
}

function toBuffer(chunk: Chunk): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
