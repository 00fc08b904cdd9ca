import type { FastifyReply } from "fastify";
import type { TailRow } from "../../endpoints/tail/ask-tail.ts";
import type { Follower } from "../../endpoints/tail/shared-tail.ts";

/** Bytes that wait for a slow reader before rows are skipped. */
const maxWaitingBytes = 1_000_000;
/** The same for all tails of a token together; one list of rows may always wait. */
const maxTokenBytes = 32_000_000;

/** Bytes that were written to the tails of a token and not taken yet. */
export interface WaitingBytes {
  count: number;
}

/** An answer of Server-Sent Events to a follower. */
export interface TailStream {
  readonly follower: Follower;
  readonly begin: () => void;
  readonly beat: () => void;
}

export interface TailStreamOptions {
  readonly chunks: TailChunks;
  readonly seal: (place: TailRow["place"]) => string;
  readonly waiting: WaitingBytes;
}

/** Writes messages; a slow reader is told how many were skipped. */
export function openStream(
  reply: Pick<FastifyReply, "raw" | "header" | "getHeaders" | "hijack">,
  { chunks, seal, waiting }: TailStreamOptions,
): TailStream {
  const { raw } = reply;
  let isOpen = false;
  let isOver = false;
  let skippedCount = 0;
  const early: (() => void)[] = [];
  const send = countWaiting(raw, waiting);
  const write = (text: string | Buffer) => {
    if (!isOver && !raw.destroyed) send(text);
  };
  const tellSkipped = () => {
    if (skippedCount === 0 || raw.writableLength > maxWaitingBytes / 2) return;
    write(message("skipped", { count: skippedCount }));
    skippedCount = 0;
  };
  const hasRoom = (rows: readonly TailRow[]) =>
    raw.writableLength <= maxWaitingBytes && (waiting.count === 0 || waiting.count + lengthOf(rows) <= maxTokenBytes);
  const whenOpen = (work: () => void) => (isOpen ? work() : void early.push(work));
  raw.on("drain", tellSkipped);
  const follower: Follower = {
    deliver: (rows) =>
      whenOpen(() => {
        if (rows.length > 0 && !hasRoom(rows)) {
          skippedCount += rows.length;
          return;
        }
        tellSkipped();
        if (rows.length > 0) write(chunks.of(rows, seal));
      }),
    skip: (count) => whenOpen(() => write(message("skipped", { count: count ?? null }))),
    end(error) {
      whenOpen(() => {
        tellSkipped();
        write(message("end", { code: error.code, message: error.message }));
        isOver = true;
        raw.end();
      });
    },
  };
  const begin = () => {
    reply.header("Content-Type", "text/event-stream; charset=utf-8");
    reply.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
    const headers = reply.getHeaders() as Record<string, string>;
    reply.hijack();
    raw.writeHead(200, headers);
    raw.write(": following\n\n");
    isOpen = true;
    for (const work of early.splice(0)) work();
  };
  return { follower, begin, beat: () => whenOpen(() => write(":\n\n")) };
}

/** Writes to an answer, and counts what was not taken yet until it is closed. */
function countWaiting(raw: FastifyReply["raw"], waiting: WaitingBytes): (text: string | Buffer) => void {
  let own = 0;
  let isClosed = false;
  const take = (count: number) => {
    if (isClosed) return;
    own -= count;
    waiting.count -= count;
  };
  raw.once("close", () => {
    take(own);
    isClosed = true;
  });
  return (text) => {
    own += text.length;
    waiting.count += text.length;
    raw.write(text, () => take(text.length));
  };
}

function lengthOf(rows: readonly TailRow[]): number {
  return rows.reduce((sum, { json }) => sum + json.length, 0);
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Messages of rows, laid out once for all followers of the same query. */
export interface TailChunks {
  of(rows: readonly TailRow[], seal: (place: TailRow["place"]) => string): Buffer;
}

export function createTailChunks(): TailChunks {
  const laidOut = new WeakMap<readonly TailRow[], Buffer>();
  return {
    of(rows, seal) {
      const known = laidOut.get(rows);
      if (known !== undefined) return known;
      const made = Buffer.from(rows.map(({ place, json }) => `id: ${seal(place)}\ndata: ${json}\n\n`).join(""));
      laidOut.set(rows, made);
      return made;
    },
  };
}
