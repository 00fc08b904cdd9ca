/** Messages between the service and the thread that reads and encodes long bodies. */
import type { BodyErrorCode, EventBody, ReadEvents, RejectedEvent } from "../../engine.ts";
import type { EncodedBatch } from "../batch.ts";
import type { SchemaLimits } from "../schema/field-tree.ts";
import type { SchemaEntry } from "../schema/schema-entry.ts";

/** Makes events of a body; rejects with `BodyError`. The thread's entry brings it. */
export type BodyReader = (body: EventBody) => Promise<ReadEvents>;

export type EncoderRequest =
  /** Entries that the source's schema has now; in place of all earlier ones, or behind them. */
  | {
      readonly kind: "schema";
      readonly source: string;
      readonly isNew: boolean;
      readonly entries: readonly SchemaEntry[];
    }
  /** Reads a body and encodes its events by the schema as it was told. It is kept until it is released. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly source: string;
      readonly body: EventBody;
      readonly limits: SchemaLimits;
    }
  /** The same again: the schema has changed. */
  | { readonly kind: "again"; readonly id: number }
  | { readonly kind: "release"; readonly id: number };

/** A body's events as batches, or what the schema lacks for them. */
export type EncodeOutcome =
  | { readonly batches: readonly EncodedBatch[]; readonly missing?: undefined }
  | { readonly batches?: undefined; readonly missing: readonly SchemaEntry[] };

export interface EncodedBody {
  readonly eventCount: number;
  readonly rejected: readonly RejectedEvent[];
  readonly newestTimestampUs: bigint | undefined;
  readonly outcome: EncodeOutcome;
}

export type EncoderAnswer =
  | { readonly kind: "encoded"; readonly id: number; readonly body: EncodedBody }
  | { readonly kind: "refused"; readonly id: number; readonly code: BodyErrorCode; readonly message: string }
  /** A defect: nothing that a body holds should lead here. */
  | { readonly kind: "failed"; readonly id: number; readonly message: string };
