/** Events as batches of their source's table. */
import type { LogEvent, PlainBody } from "../../contract/query-engine.ts";
import type { EncodedPlainBody, EncodeOutcome, EncodingSchema, EventEncoder } from "../../encoder/protocol.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import { ByteColumn } from "../../schema/encode/byte-column.ts";
import { type WalkedEvents, walkEvents } from "../../schema/encode/event-walk.ts";
import { type PlainEvents, PlainReader } from "../../schema/encode/plain/plain-reader.ts";
import { createPlainTree, type PlainTree } from "../../schema/encode/plain/plain-tree.ts";
import type { Tenant, TenantRequests } from "../../schema/field-requests.ts";
import type { FieldTree } from "../../schema/field-tree.ts";
import { BatchBuilder, type EncodedBatch } from "./batch.ts";

/** Sources whose columns' memory is used again. */
const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 16 * 1024 ** 2;

/** The events of one of several requests: parsed, or in a body. */
export interface RequestEvents {
  readonly events: readonly LogEvent[] | PlainBody;
  /** Tenants that may bring no further fields, beside those that the schema has for such. */
  readonly full: ReadonlySet<Tenant>;
  /** Whether the events may be stored already: then every id is looked up, those too that were made here. */
  readonly mayBeStored: boolean;
}

/** Counts of a body, beside its rows. */
type PlainCounts = Pick<PlainEvents, "newestTimestampUs" | "untimed">;

/**
 * The outcome for one of several requests: its events are encoded, or lack something in the schema, or cannot be, or
 * are in a body that has to be parsed.
 */
export type EncodedPart =
  | { readonly kind: "encoded"; readonly carried: Carried; readonly rowCount: number; readonly counts?: PlainCounts }
  | { readonly kind: "missing"; readonly missing: readonly TenantRequests[] }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "unread" };

type Schema = Pick<EncodingSchema, "tree" | "full">;

interface Kept {
  readonly sink: BatchBuilder;
  readonly text: ByteColumn;
  plain: PlainTree | undefined;
}

/** Encodes events, or says what the schema lacks for them. */
export class BatchEncoder implements EventEncoder<EncodedBatch> {
  /** The one that was not used for the longest time first. */
  readonly #kept = new Map<FieldTree, Kept>();

  encode({ tree, full }: Schema, events: readonly LogEvent[]) {
    return this.#with(tree, ({ sink }) => finish(sink, walkEvents(sink, tree, events, full)));
  }

  /** Encodes the events of several requests as one batch, in which those of a request are all or none. */
  encodeParts(
    { tree, full }: Schema,
    parts: readonly RequestEvents[],
  ): { readonly batch: EncodedBatch; readonly encoded: readonly EncodedPart[] } {
    return this.#with(tree, (kept) => {
      const { sink } = kept;
      const encoded = parts.map(({ events, full: alsoFull, mayBeStored }): EncodedPart => {
        const { rowCount } = sink;
        const schema = { tree, full: alsoFull.size === 0 ? full : new Set([...full, ...alsoFull]) };
        const part = encodePart(kept, schema, events);
        if (part.kind !== "encoded") while (sink.rowCount > rowCount) sink.undoRow();
        else if (mayBeStored) sink.noteIdsFrom(rowCount);
        return part;
      });
      return { batch: sink.encode(), encoded };
    });
  }

  encodePlain(schema: Schema, body: PlainBody): EncodedPlainBody<EncodedBatch> | undefined {
    return this.#with(schema.tree, (kept) => {
      const read = readPlain(kept, schema, body);
      if (read === undefined) return undefined;
      const { walked, ...counts } = read;
      return { ...counts, outcome: finish(kept.sink, walked) };
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

function encodePart(kept: Kept, schema: Schema, events: RequestEvents["events"]): EncodedPart {
  try {
    if ("bytes" in events) {
      const read = readPlain(kept, schema, events);
      if (read === undefined) return { kind: "unread" };
      const { walked, eventCount, ...counts } = read;
      return toPart(walked, eventCount, counts);
    }
    return toPart(walkEvents(kept.sink, schema.tree, events, schema.full), events.length);
  } catch (error) {
    return { kind: "failed", error };
  }
}

function toPart(walked: WalkedEvents, rowCount: number, counts?: PlainCounts): EncodedPart {
  if (walked.missing !== undefined) return { kind: "missing", missing: walked.missing };
  return { kind: "encoded", carried: walked.carried, rowCount, ...(counts === undefined ? {} : { counts }) };
}

/** The events of the body as rows; undefined where it has to be parsed, whatever the sink has got. */
function readPlain(kept: Kept, schema: Schema, body: PlainBody): PlainEvents | undefined {
  const { tree } = schema;
  if (kept.plain?.entryCount !== tree.entryCount) kept.plain = createPlainTree(tree, kept.sink);
  const { sink, text, plain } = kept;
  return new PlainReader(body.bytes, schema, { plain, sink, text }, body.startReading()).read();
}

function finish(sink: BatchBuilder, walked: WalkedEvents): EncodeOutcome<EncodedBatch> {
  return walked.missing === undefined ? { batch: sink.encode(), carried: walked.carried } : walked;
}

/** A batch that comes from another thread: a Buffer arrives as a plain array of bytes. */
export function receiveBatch({ header, payload }: EncodedBatch): EncodedBatch {
  return { header, payload: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength) };
}
