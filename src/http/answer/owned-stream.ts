import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/**
 * The chunks as the body of an answer. The body owns what they come from: `onClose` is called once, however the body
 * ends (sent, failed, its caller gone, never read). A stream made of the generator in itself would not do: a
 * generator that is returned before its first step runs none of its code, and so not what lets go of its source.
 */
export function openOwnedStream(reply: FastifyReply, chunks: AsyncGenerator<Buffer>, onClose: () => void): Readable {
  let isReading = false;
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      if (isReading) return;
      isReading = true;
      chunks.next().then(
        ({ done, value }) => {
          isReading = false;
          this.push(done === true ? null : value);
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      onClose();
      callback(error);
    },
  });
  // A closed response no longer reads its body, and one that was closed earlier never did.
  const { raw } = reply;
  if (raw.destroyed) body.destroy();
  else raw.once("close", () => body.destroy());
  return body;
}

/** The same once the first chunk is there: what can be refused is refused before the answer begins. */
export async function openBegunStream(reply: FastifyReply, chunks: AsyncGenerator<Buffer, void>): Promise<Readable> {
  const first = await chunks.next();
  return openOwnedStream(reply, startWith(first, chunks), () => void chunks.return().catch(() => undefined));
}

async function* startWith<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
