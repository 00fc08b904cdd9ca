/** Events as batches of their source's table. */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { EncodeOutcome, EncodingSchema, EventEncoder } from "../../encoder/protocol.ts";
import { walkEvents } from "../../schema/encode/event-walk.ts";
import { BatchBuilder, type EncodedBatch } from "./batch.ts";

/** Encodes the events, or tells what the schema lacks for them. */
export function encodeEvents(
  { tree, full }: Pick<EncodingSchema, "tree" | "full">,
  events: readonly LogEvent[],
): EncodeOutcome<EncodedBatch> {
  const batch = new BatchBuilder();
  const walked = walkEvents(batch, tree, events, full);
  return walked.missing === undefined ? { batch: batch.encode(), carried: walked.carried } : walked;
}

/** For the thread that reads bodies. */
export const batchEncoder: EventEncoder<EncodedBatch> = { encode: encodeEvents, bytesOf: ({ payload }) => payload };

/** A batch that comes from another thread: a Buffer arrives as a plain array of bytes. */
export function receiveBatch({ header, payload }: EncodedBatch): EncodedBatch {
  return { header, payload: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength) };
}
