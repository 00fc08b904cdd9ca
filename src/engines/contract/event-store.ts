/** The contract of an event store: its events, their schema, and the tables that queries read. */
import type { TableDefinition } from "../../googlesql/relation.ts";
import type { SqlType } from "../../googlesql/types.ts";
import type { StoreReport } from "./store-report.ts";

/** A number beyond the range of doubles, such as `1e400`, as its JSON has it. */
export class WideNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** Within a text that is made of JSON it is one. */
  toJSON(): string {
    return this.text;
  }
}

/** A field value of an event after normalising. Integers beyond 2^53 arrive as bigint. */
export type EventValue =
  | WideNumber
  | string
  | number
  | bigint
  | boolean
  | readonly EventValue[]
  | { readonly [field: string]: EventValue };

/** One log event, normalised: cleaned keys, no nulls, no empty strings or containers. */
export interface LogEvent {
  readonly id: string;
  /** True when the service made the id: then it cannot be a repeat. */
  readonly hasGeneratedId: boolean;
  /** Microseconds since 1970-01-01 UTC. */
  readonly timestampUs: bigint;
  readonly eventMessage: string | null;
  /** All other top-level fields: `project`, `metadata`, ... */
  readonly fields: { readonly [field: string]: EventValue };
}

/** Tells an event from all others of its source's tenant, and says where to look for it. */
export type EventKey = Pick<LogEvent, "id" | "timestampUs">;

/** A request's body of events, as it came. */
export interface EventBody {
  /** How the sender writes events; as `/api/logs` takes them unless set. */
  readonly protocol?: string | undefined;
  /** What else of the request the protocol's reader looks at. */
  readonly details?: Readonly<Record<string, string>> | undefined;
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Stands in where an event brings no usable timestamp; microseconds since 1970. */
  readonly nowUs: bigint;
  /** Of the body after decompression. */
  readonly maxBytes: number;
  /** Set where the loads of its tenants are to be told. */
  readonly measure?: LoadMeasure | undefined;
}

/** A body to be stored. */
export interface StoredBody extends EventBody {
  /** Asks for the keys of its events. */
  readonly wantsKeys: boolean;
}

/** How the events of a body are told apart by tenant. */
export interface LoadMeasure {
  /** Dotted path as in `SourceDefinition`; without one no event has a tenant. */
  readonly tenantField?: string | undefined;
}

/** What the events of one tenant in a body amount to. */
export interface TenantLoad {
  /** Null for events without a tenant. */
  readonly tenant: string | null;
  readonly eventCount: number;
  /** Of the normalised events, as JSON in UTF-8, without `id` and `timestamp`. */
  readonly byteCount: number;
}

/** An event that cannot be stored, by its place in the body, counted from 0. */
export interface RejectedEvent {
  readonly index: number;
  readonly reason: string;
}

/** What a body holds. */
export interface ReadEvents extends BodyRemarks {
  readonly events: readonly LogEvent[];
}

/** What the answer to a body reports about its events besides how many were stored. */
export interface BodyRemarks {
  readonly rejected: readonly RejectedEvent[];
  /** Events with an unreadable timestamp, which is stored as `_timestamp`. */
  readonly untimed: number;
  /** What the protocol's answer says about each event, in their order. */
  readonly receipt?: readonly (readonly string[])[] | undefined;
  /** By tenant, where the body asks for it. */
  readonly loads?: readonly TenantLoad[] | undefined;
}

export type BodyErrorCode =
  /** The body is not JSON (or NDJSON), or not an object, array or batch. */
  "invalid_body" | "unsupported_media_type" | "unsupported_encoding" | "body_too_large";

/** A body is refused as a whole and nothing of it is stored; the message says what to do. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code: BodyErrorCode;
  /** Place of the event at fault in the body, from 0, where one event is. */
  readonly index: number | undefined;

  constructor(code: BodyErrorCode, message: string, index?: number) {
    super(message);
    this.code = code;
    this.index = index;
  }
}

/** Time of the newest event; undefined where there is none. */
export function newestTimestampUs(events: readonly LogEvent[]): bigint | undefined {
  let newest: bigint | undefined;
  for (const { timestampUs } of events) if (newest === undefined || timestampUs > newest) newest = timestampUs;
  return newest;
}

export interface SourceDefinition {
  /** Canonical name, e.g. `edge`; letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /**
   * Fields known before any event carried them, by dotted path (`metadata.request.path`), with GoogleSQL's type
   * names.
   */
  readonly knownFields: readonly { readonly path: string; readonly type: SqlType }[];
  /**
   * Dotted path of the STRING field that tells tenants apart, one of the known fields; a source without it has no
   * tenants.
   */
  readonly tenantField?: string;
}

export interface AppendResult {
  /** Events on disk now because of this call. */
  readonly stored: number;
  /** Events whose id the source already held of the same tenant: they count as accepted. */
  readonly repeated: number;
  /** Values that did not fit the type of their declared field and read as NULL; absent where there are none. */
  readonly mistyped?: number;
  /** Events without a tenant, of a source that has tenants; absent where there are none. */
  readonly tenantless?: number;
  /**
   * Time of the newest of these events of each tenant, microseconds since 1970; absent for a source without tenants.
   */
  readonly newestByTenant?: ReadonlyMap<string, bigint>;
}

export interface BodyResult extends AppendResult, BodyRemarks {
  /** Of the events that were stored or repeated, where the body asked for them. */
  readonly keys: readonly EventKey[] | undefined;
  /** Of the events that were stored or repeated; undefined where there are none. */
  readonly newestTimestampUs: bigint | undefined;
}

export interface SourceStatistics {
  readonly name: string;
  readonly rowCount: number;
  readonly oldestTimestampUs: bigint | null;
  readonly newestTimestampUs: bigint | null;
}

/** A declared field that events had values for which do not fit its type: they read as NULL. */
export interface MistypedField {
  /** Dotted, as the source's definition spells it. */
  readonly path: string;
  readonly type: string;
  readonly count: number;
  /** One of the values, cut after 100 characters. */
  readonly example: string;
}

/** Acknowledged events that a store found gone when it was opened: its log is shorter than it was. */
export interface LogLoss {
  /** When it was found, in ISO 8601. */
  readonly foundAt: string;
  /** Bytes that the log had when its last events were acknowledged, and when it was opened. */
  readonly acknowledgedBytes: number;
  readonly foundBytes: number;
}

/** A consistent state of a store, held until it is released: its files do not change, while events are still stored. */
export interface StoreSnapshot {
  readonly files: readonly { readonly name: string; readonly path: string; readonly byteCount: number }[];
  /** What the files hold. */
  readonly sources: readonly { readonly name: string; readonly rowCount: number }[];
  /**
   * Must be called; the store's log grows until then. Rejects where the engine was restarted meanwhile: the files may
   * have changed, and what was copied of them must be thrown away.
   */
  release(): Promise<void>;
}

export interface EventStore {
  /** Makes the source's table when it is missing. Idempotent. */
  ensureSource(source: SourceDefinition): Promise<void>;
  /** As `ensureSource`, for several: the tables that are missing are made together. */
  ensureSources(sources: readonly SourceDefinition[]): Promise<void>;
  /**
   * The source as a table: with all fields seen so far, or as the events of one tenant and the source's declaration
   * show it; `null` for the declaration alone, as a tenant sees it that never sent anything. Undefined for an unknown
   * source. The answer is the same object as long as the view is the same, and `compile` reads tables by these
   * objects.
   */
  describe(sourceName: string, tenant?: string | null): TableDefinition | undefined;
  /** Resolves when the events are on disk (after fsync). All or none of the call's events are stored. */
  append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult>;
  /**
   * The same for the events of a long body, which are read where they block nothing else. Takes ownership of the bytes.
   * Rejects with `BodyError` if the body cannot be read. `admit` receives the loads of a measured body once, before
   * anything is stored; an error that it throws rejects the body. Absent on an engine that does not read bodies
   * itself.
   */
  appendBody?(
    sourceName: string,
    body: StoredBody,
    signal: AbortSignal,
    admit?: (loads: readonly TenantLoad[]) => void,
  ): Promise<BodyResult>;
  statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]>;
  /**
   * Deletes the events of a source before a time (microseconds since 1970) and answers how many they were; their ids
   * may come again. Absent on an engine that lets events expire by itself.
   */
  deleteBefore?(sourceName: string, timestampUs: bigint): Promise<number>;
  /**
   * Removes a source with its events, their ids and everything known of its fields and tenants; all or nothing, also
   * where the engine ends meanwhile. Appends that came before it are removed too; later ones are refused with
   * `unknown_source` until `ensureSource` makes the source anew, with nothing in it. Queries that are under way end as
   * they would have, or without the source's rows. Does nothing for a source that the store does not hold, so that it
   * can be repeated.
   */
  dropSource(sourceName: string): Promise<void>;
  /** Acknowledged events that were found gone when the store was opened, told for a week. */
  readonly logLoss?: LogLoss | undefined;
  /** Absent on an engine that keeps its state elsewhere. */
  inspect?(signal: AbortSignal): Promise<StoreReport>;
  /** Absent on an engine that is backed up by its own means. Only one snapshot can be held at a time. */
  snapshot?(signal: AbortSignal): Promise<StoreSnapshot>;
}
