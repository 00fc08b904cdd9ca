import { type Duplex, pipeline, type Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { RowBatch } from "../../engines/contract/query-engine.ts";
import { type AnswerWriter, toBuffers, type Written } from "../formats/answer-format.ts";
import { nextCursorHeader } from "./answer-headers.ts";
import { type ContentEncoding, minEncodedBytes } from "./content-encoding.ts";
import { openOwnedStream } from "./owned-stream.ts";

/** Answers up to this many bytes are sent in one piece, so that an error in them still has its true status. */
const bufferedBytes = 1_000_000;
/**
 * Pages of up to so many rows are sent in one piece: what their headers say of the next page is known at the end. Of
 * a larger page that is not full there is no next one; of a full one, a trailer says so.
 */
const bufferedPageRows = 10_000;
const bufferedPageBytes = 64_000_000;

export interface StreamOptions<Summary> {
  /** Rows of a full page; undefined where there are no pages. */
  readonly pageRows: number | undefined;
  /** The client's preferred encoding; undefined for the bytes as they are. */
  readonly encoding?: ContentEncoding | undefined;
  /** Called before the first byte leaves: with the summary where the answer is complete by then. */
  readonly onHeaders: (summary: Summary | undefined) => void;
  /** Called at the end of a streamed answer; returns its trailer: a header of `nextPageHeader`. */
  readonly linkOf?: (summary: Summary) => readonly [name: string, value: string] | undefined;
  /** Runs the writer's work, and may take its time. */
  readonly encode: (work: () => Written) => Written;
}

/**
 * Answers with rows. A small answer is complete before its first byte is sent; a large one is streamed with
 * back-pressure, and an error midway closes the connection, so that a truncated answer cannot be mistaken for a
 * complete one. The call owns the rows: however the answer ends (sent, failed, its caller gone, never started), they
 * are closed.
 */
export async function sendRows<Summary>(
  reply: FastifyReply,
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  options: StreamOptions<Summary>,
): Promise<void> {
  try {
    const head = await readHead(rows, writer, options);
    const body = head.isWhole ? await finish(reply, head, options) : stream(reply, head.chunks, rows, writer, options);
    reply.send(body);
  } catch (error) {
    returnRows(rows);
    throw error;
  }
}

/**
 * The part of an answer that is read before the first byte leaves: the whole answer with its summary, or the beginning
 * of a large one.
 */
type Head<Summary> =
  | { readonly isWhole: true; readonly chunks: Buffer[]; readonly summary: Summary }
  | { readonly isWhole: false; readonly chunks: Buffer[] };

async function readHead<Summary>(
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  { pageRows, encode }: StreamOptions<Summary>,
): Promise<Head<Summary>> {
  const maxBytes = pageRows !== undefined && pageRows <= bufferedPageRows ? bufferedPageBytes : bufferedBytes;
  const chunks: Buffer[] = [...toBuffers(encode(() => writer.begin()))];
  let length = 0;
  while (length <= maxBytes) {
    const next = await rows.next();
    if (next.done === true) {
      chunks.push(...toBuffers(encode(() => writer.end())));
      return { isWhole: true, chunks, summary: next.value };
    }
    if (next.value.rowCount === 0) continue;
    for (const chunk of toBuffers(encode(() => writer.write(next.value)))) {
      chunks.push(chunk);
      length += chunk.length;
    }
  }
  return { isWhole: false, chunks };
}

async function finish<Summary>(
  reply: FastifyReply,
  { chunks, summary }: Head<Summary> & { isWhole: true },
  { encoding, onHeaders }: StreamOptions<Summary>,
): Promise<Buffer> {
  onHeaders(summary);
  const body = Buffer.concat(chunks);
  if (encoding === undefined || body.length < minEncodedBytes) return body;
  reply.header("Content-Encoding", encoding.name);
  return encoding.encode(body);
}

function stream<Summary>(
  reply: FastifyReply,
  head: Buffer[],
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  { pageRows, encoding, onHeaders, linkOf }: StreamOptions<Summary>,
): Readable {
  onHeaders(undefined);
  let summary: Summary | undefined;
  if (pageRows !== undefined && linkOf !== undefined) {
    for (const name of ["Link", nextCursorHeader]) {
      reply.trailer(name, (_reply, _payload, done) => {
        const link = summary === undefined ? undefined : linkOf(summary);
        done(null, link?.[0] === name ? link[1] : undefined);
      });
    }
  }
  const rest = writeRest(head, rows, writer, (value) => {
    summary = value;
  });
  const body = openOwnedStream(reply, rest, () => returnRows(rows));
  if (encoding === undefined) return body;
  reply.header("Content-Encoding", encoding.name);
  return through(body, encoding.open());
}

/** Releases the engine. After the last row this does nothing. */
function returnRows(rows: AsyncGenerator<RowBatch, unknown>): void {
  void rows.return(undefined).catch(() => undefined);
}

/** An error of the body ends the encoder too, and with it the connection; the end of the encoder ends the body. */
function through(body: Readable, encoder: Duplex): Duplex {
  return pipeline(body, encoder, () => undefined);
}

async function* writeRest<Summary>(
  head: Buffer[],
  rows: AsyncGenerator<RowBatch, Summary>,
  writer: AnswerWriter,
  onEnd: (summary: Summary) => void,
): AsyncGenerator<Buffer> {
  for (const chunk of head.splice(0)) if (chunk.length > 0) yield chunk;
  for (let next = await rows.next(); ; next = await rows.next()) {
    if (next.done === true) {
      onEnd(next.value);
      break;
    }
    const chunks = next.value.rowCount > 0 ? toBuffers(writer.write(next.value)) : [];
    // An empty piece would end the stream.
    for (const chunk of chunks) if (chunk.length > 0) yield chunk;
  }
  for (const chunk of toBuffers(writer.end())) if (chunk.length > 0) yield chunk;
}
