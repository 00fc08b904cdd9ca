/** Events as batches of their source's table. */
import type { LogEvent, PlainBody } from "../../contract/query-engine.ts";
import type { EncodedPlainBody, EncodeOutcome, EncodingSchema, EventEncoder } from "../../encoder/protocol.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import { ByteColumn } from "../../schema/encode/byte-column.ts";
import { type WalkedEvents, walkEvents } from "../../schema/encode/event-walk.ts";
import { PlainReader } from "../../schema/encode/plain/plain-reader.ts";
import { createPlainTree, type PlainTree } from "../../schema/encode/plain/plain-tree.ts";
import type { Tenant, TenantRequests } from "../../schema/field-requests.ts";
import type { FieldTree } from "../../schema/field-tree.ts";
import { BatchBuilder, type EncodedBatch } from "./batch.ts";

/** Sources whose columns' memory is used again. */
const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 16 * 1024 ** 2;

/** The outcome for one of several requests: its events are encoded, or lack something in the schema, or cannot be. */
export type EncodedPart =
  | { readonly carried: Carried; readonly missing?: undefined; readonly error?: undefined }
  | { readonly carried?: undefined; readonly missing: readonly TenantRequests[] }
  | { readonly carried?: undefined; readonly missing?: undefined; readonly error: unknown };

interface Kept {
  readonly sink: BatchBuilder;
  readonly text: ByteColumn;
  plain: PlainTree | undefined;
}

/** Encodes events, or says what the schema lacks for them. */
export class BatchEncoder implements EventEncoder<EncodedBatch> {
  /** The one that was not used for the longest time first. */
  readonly #kept = new Map<FieldTree, Kept>();

  encode({ tree, full }: Pick<EncodingSchema, "tree" | "full">, events: readonly LogEvent[]) {
    return this.#with(tree, ({ sink }) => finish(sink, walkEvents(sink, tree, events, full)));
  }

  /** Encodes the events of several requests as one batch, in which those of a request are all or none. */
  encodeParts(
    { tree, full }: Pick<EncodingSchema, "tree" | "full">,
    parts: readonly { readonly events: readonly LogEvent[]; readonly full: ReadonlySet<Tenant> }[],
  ): { readonly batch: EncodedBatch; readonly encoded: readonly EncodedPart[] } {
    return this.#with(tree, ({ sink }) => {
      const encoded = parts.map(({ events, full: alsoFull }): EncodedPart => {
        const { rowCount } = sink;
        let part: EncodedPart;
        try {
          part = walkEvents(sink, tree, events, alsoFull.size === 0 ? full : new Set([...full, ...alsoFull]));
        } catch (error) {
          part = { error };
        }
        if (part.carried === undefined) while (sink.rowCount > rowCount) sink.undoRow();
        return part;
      });
      return { batch: sink.encode(), encoded };
    });
  }

  encodePlain(schema: EncodingSchema, body: PlainBody): EncodedPlainBody<EncodedBatch> | undefined {
    const { tree } = schema;
    const rules = body.startReading();
    return this.#with(tree, (kept) => {
      if (kept.plain?.entryCount !== tree.entryCount) {
        kept.plain = createPlainTree(tree, kept.sink, rules.isCleanName);
      }
      const { sink, text, plain } = kept;
      const read = new PlainReader(body.bytes, schema, { plain, sink, text }, rules).read();
      if (read === undefined) return undefined;
      const { walked, ...counts } = read;
      return { ...counts, outcome: finish(sink, walked) };
    });
  }

  bytesOf({ payload }: EncodedBatch): Uint8Array {
    return payload;
  }

  /** Columns are used by one body at a time: nothing is awaited. */
  #with<Result>(tree: FieldTree, work: (kept: Kept) => Result): Result {
    const kept = this.#kept.get(tree) ?? { sink: new BatchBuilder(), text: new ByteColumn("text"), plain: undefined };
    this.#kept.delete(tree);
    const result = work(kept);
    kept.sink.clear();
    if (kept.sink.capacity > MAX_KEPT_BYTES) return result;
    this.#kept.set(tree, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return result;
  }
}

function finish(sink: BatchBuilder, walked: WalkedEvents): EncodeOutcome<EncodedBatch> {
  return walked.missing === undefined ? { batch: sink.encode(), carried: walked.carried } : walked;
}

/** A batch that comes from another thread: a Buffer arrives as a plain array of bytes. */
export function receiveBatch({ header, payload }: EncodedBatch): EncodedBatch {
  return { header, payload: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength) };
}
