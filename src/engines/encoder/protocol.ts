/** Messages between the service and the thread that reads and encodes long bodies. */
import type {
  BodyErrorCode,
  BodyRemarks,
  EventBody,
  EventKey,
  LogEvent,
  PlainBody,
  ReadEvents,
  StoredBody,
} from "../contract/query-engine.ts";
import type { Carried } from "../schema/carried-entries.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { Tenant, TenantRequests } from "../schema/field-requests.ts";
import type { FieldTree } from "../schema/field-tree.ts";
import type { SchemaEntry } from "../schema/schema-entry.ts";

/** Makes events of a body; rejects with `BodyError`. The thread's entry brings it. */
export type BodyReader = (body: EventBody) => Promise<ReadEvents>;

/** How bodies are read. Both reject with `BodyError`. */
export interface BodyReading {
  readonly read: BodyReader;
  /** Undefined for a body that has to be parsed. */
  readonly readPlain?: (body: StoredBody) => Promise<PlainBody | undefined>;
}

/** By what events are encoded. */
export interface EncodingSchema {
  readonly tree: FieldTree;
  /** Tenants that may bring no further fields: theirs are in the JSON alone. */
  readonly full: ReadonlySet<Tenant>;
  /** Dotted path of the field by which the store identifies the tenant; null where nothing does. */
  readonly tenantField: string | null;
}

/** Events encoded for an engine, with the entries they have, or the entries that the schema lacks for them. */
export type EncodeOutcome<Batch> =
  | { readonly batch: Batch; readonly carried: Carried; readonly missing?: undefined }
  | { readonly batch?: undefined; readonly missing: readonly TenantRequests[] };

/** The events of a plain body. */
export interface EncodedPlainBody<Batch> {
  readonly eventCount: number;
  readonly newestTimestampUs: bigint | undefined;
  readonly untimed: number;
  readonly outcome: EncodeOutcome<Batch>;
}

/** An engine's form of events, which can be sent from one thread to another. */
export interface EventEncoder<Batch> {
  encode(schema: EncodingSchema, events: readonly LogEvent[]): EncodeOutcome<Batch>;
  /** The events of a body that is not parsed; undefined where it has to be. */
  encodePlain?(schema: EncodingSchema, body: PlainBody): EncodedPlainBody<Batch> | undefined;
  /** The bytes of a batch, which are handed over instead of copied where they are a buffer of their own. */
  bytesOf(batch: Batch): Uint8Array;
}

export type EncoderRequest =
  /** Entries that the source's schema has now; in place of all earlier ones, or behind them. */
  | {
      readonly kind: "schema";
      readonly source: string;
      readonly isNew: boolean;
      readonly entries: readonly SchemaEntry[];
      /** Absent where it is the same as before. */
      readonly declaration?: Declaration;
      /** Tenants that may bring no further fields. */
      readonly full: ReadonlySet<Tenant>;
      readonly tenantField: string | null;
    }
  /** Reads a body and encodes its events with the last schema received. The body is held until it is released. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly source: string;
      readonly body: StoredBody;
    }
  /** The same again: the schema has changed, or these tenants may bring no further fields besides. */
  | { readonly kind: "again"; readonly id: number; readonly full: ReadonlySet<Tenant> }
  | { readonly kind: "release"; readonly id: number };

export interface EncodedBody<Batch> extends BodyRemarks {
  readonly eventCount: number;
  readonly newestTimestampUs: bigint | undefined;
  /** The keys of its events, if the body asks for them. */
  readonly keys: readonly EventKey[] | undefined;
  readonly outcome: EncodeOutcome<Batch>;
}

export type EncoderAnswer<Batch> =
  | { readonly kind: "encoded"; readonly id: number; readonly body: EncodedBody<Batch> }
  | {
      readonly kind: "refused";
      readonly id: number;
      readonly code: BodyErrorCode;
      readonly message: string;
      readonly index: number | undefined;
    }
  /** A defect: nothing that a body holds should lead here. */
  | { readonly kind: "failed"; readonly id: number; readonly message: string };
