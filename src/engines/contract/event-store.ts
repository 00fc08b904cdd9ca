/** The contract of an event store: its events, their schema, and the tables that queries read. */
import type { TableDefinition } from "../../googlesql/relation.ts";
import type { SqlType } from "../../googlesql/types.ts";
import type { SourceStatistics, StoreReport, StoreSpace } from "./store-report.ts";

/** How long an event is recognised by its id alone, from its arrival, unless a setting says otherwise. */
export const DEFAULT_REPEAT_WINDOW_MS: number = 48 * 3_600_000;

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
  /** The services that drained it on its way here, oldest first, by their ids; absent for none. No store keeps them. */
  readonly hops?: readonly string[];
}

/** Distinguishes an event from all others of its source, and says where to look for it. */
export interface EventKey extends Pick<LogEvent, "id" | "timestampUs" | "hops"> {
  /** The tenant's text; null where it has none. */
  readonly tenant: string | null;
}

/** A request's body of events, as it came. */
export interface EventBody {
  /** How the sender writes events; as `/api/logs` takes them unless set. */
  readonly protocol?: string | undefined;
  /** Other parts of the request that the protocol's reader needs. */
  readonly details?: Readonly<Record<string, string>> | undefined;
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Stands in where an event brings no usable timestamp; microseconds since 1970. */
  readonly nowUs: bigint;
  /** A UUID by which its events get ids where they bring none: the same each time that it is read, if set. */
  readonly id?: string;
  /** The maximum size of the body after decompression. */
  readonly maxBytes: number;
  /** As its events have them. */
  readonly hops?: LogEvent["hops"];
  /** Set where the loads of its tenants are to be reported. */
  readonly measure?: LoadMeasure | undefined;
  /** Events that it may hold; any number unless set. */
  readonly maxEvents?: number | undefined;
}

/** A body to be stored. */
export interface StoredBody extends EventBody {
  readonly id: string;
  /** Whose it is: senders take turns. Those without a name count as one. */
  readonly sender?: string | undefined;
  /** Asks for the keys of its events. */
  readonly wantsKeys: boolean;
}

/** How events are made of a body's values; what it may refuse is refused as where all are parsed. */
export interface PlainRules {
  /** Stands in where an event brings no timestamp; microseconds since 1970. */
  readonly nowUs: bigint;
  readonly maxEvents: number;
  /** Events so far with a timestamp that could not be read. */
  readonly tally: { readonly untimed: number };
  /** The id of the event at a place of the body, which brings none. */
  readonly makeId: (place: number) => string;
  /** Whether a field of the name is stored under it. */
  readonly isCleanName: (name: string) => boolean;
  readonly readTimestamp: (value: string | number) => bigint | undefined;
  /** A list without what no event keeps; undefined where nothing is left, null where its event may be refused. */
  readonly cleanList: (list: unknown) => EventValue | undefined | null;
  /** Whether a body that is this parsed value is one event, and not several. */
  readonly isEvent: (value: unknown) => boolean;
  /** The event of a parsed value at a place of the body; undefined for one that is refused. */
  readonly normalise: (value: unknown, place: number) => LogEvent | undefined;
}

/** A body that may be read without parsing it, its content encoding decoded. */
export interface PlainBody {
  readonly bytes: Uint8Array;
  /** The rules for reading it once, from its beginning. */
  startReading(): PlainRules;
}

/** How the events of a body are distinguished by tenant. */
export interface LoadMeasure {
  /** Dotted path as in `SourceDefinition`; without one no event has a tenant. */
  readonly tenantField?: string | undefined;
}

/** The events of one tenant in a body, counted. */
export interface TenantLoad {
  /** Null for events without a tenant. */
  readonly tenant: string | null;
  readonly eventCount: number;
  /** The size of the normalised events, as JSON in UTF-8, without `id` and `timestamp`. */
  readonly byteCount: number;
}

/** An event that cannot be stored, by its place in the body, counted from 0. */
export interface RejectedEvent {
  readonly index: number;
  readonly reason: string;
}

/** The content of a body. */
export interface ReadEvents extends BodyRemarks {
  readonly events: readonly LogEvent[];
}

/** Reports about a body's events besides the number of those stored. */
export interface BodyRemarks {
  readonly rejected: readonly RejectedEvent[];
  /** Events with an unreadable timestamp, which is stored as `_timestamp`. */
  readonly untimed: number;
  /** The protocol's report about each event, in their order. */
  readonly receipt?: readonly (readonly string[])[] | undefined;
  /** By tenant, where the body asks for it. */
  readonly loads?: readonly TenantLoad[] | undefined;
}

export type BodyErrorCode =
  /** The body is not JSON (or NDJSON), or not an object, array or batch. */
  | "invalid_body"
  | "unsupported_media_type"
  | "unsupported_encoding"
  | "body_too_large"
  /** More than `EventBody.maxEvents`. */
  | "too_many_events";

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
   * Dotted path of the STRING field that identifies the tenant, one of the known fields; a source without it has no
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
  /** The keys of the events that were stored or repeated, where the body asked for them. */
  readonly keys: readonly EventKey[] | undefined;
  /** The newest time of the events that were stored or repeated; undefined if there are none. */
  readonly newestTimestampUs: bigint | undefined;
}

/** Selects events of a source: those for which all of the conditions hold. */
export interface EventFilter {
  readonly id?: string;
  /** Events of these tenants; or of all others, with the events that have no tenant. */
  readonly tenants?: { readonly of: readonly string[] } | { readonly exceptOf: readonly string[] };
  /** From this time on, in microseconds since 1970. */
  readonly fromUs?: bigint;
  /** Before this time. */
  readonly toUs?: bigint;
}

/** Counts of a deletion. */
export interface Deletion {
  /** Events that passed the filter when the deletion began. */
  readonly matched: number;
  /** Events that this call deleted: others may have deleted some, and more may have come. */
  readonly deleted: number;
}

/** Acknowledged events that a store found gone when it was opened: its log is shorter than it was. */
export interface LogLoss {
  /** When it was found, in ISO 8601. */
  readonly foundAt: string;
  /** Bytes that the log had when its last events were acknowledged, and when it was opened. */
  readonly acknowledgedBytes: number;
  readonly foundBytes: number;
}

/** A file of a snapshot. */
export interface SnapshotFile {
  readonly name: string;
  readonly path: string;
  readonly byteCount: number;
  /** Where blocks of 256 KB begin that hold nothing: they need not be copied, and hold zeros in a copy. */
  findUnused?(): Promise<ReadonlySet<number>>;
}

/** A consistent state of a store, held until it is released: its files do not change, while events are still stored. */
export interface StoreSnapshot {
  readonly files: readonly SnapshotFile[];
  /** The content of the files. */
  readonly sources: readonly { readonly name: string; readonly rowCount: number }[];
  /**
   * Must be called; the store's log grows until then. Rejects where the engine was restarted meanwhile: the files may
   * have changed, and what was copied of them must be thrown away.
   */
  release(): Promise<void>;
}

/** Acknowledged events that a server has not stored yet. */
export interface SpoolCounts {
  /** Size of what is stored once the server answers. */
  readonly waitingBytes: number;
  /** Events that the server refused, and that an operator has to have sent again. */
  readonly refusedEvents: number;
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
  /**
   * The same for a short body, whose events are stored with those of others and without parsing it. Undefined, with
   * nothing stored, where it has to be parsed. Absent on an engine that does not read bodies itself.
   */
  appendPlain?(sourceName: string, body: PlainBody, signal: AbortSignal): Promise<BodyResult | undefined>;
  statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]>;
  /** Counts the events of a source that `deleteEvents` would delete. */
  countEvents(sourceName: string, filter: EventFilter): Promise<number>;
  /**
   * Deletes the events of a source that were stored before the call and pass the filter; their ids may come again.
   * Large deletions are made in pieces, between which others read and write: one that fails has deleted some of the
   * events, and the same call deletes the rest.
   */
  deleteEvents(sourceName: string, filter: EventFilter): Promise<Deletion>;
  /**
   * Removes a source with its events, their ids and everything known of its fields and tenants; all or nothing, also
   * where the engine ends meanwhile. Appends that came before it are removed too; later ones are refused with
   * `unknown_source` until `ensureSource` makes the source anew, with nothing in it. Queries that are under way end as
   * they would have, or without the source's rows. Does nothing for a source that the store does not hold, so that it
   * can be repeated.
   */
  dropSource(sourceName: string): Promise<void>;
  /** Acknowledged events that were found gone when the store was opened, reported for a week. */
  readonly logLoss?: LogLoss | undefined;
  /** Counts of the events on this node's disk that are not in the store yet; absent where there are none. */
  spool?(): SpoolCounts;
  /** Undefined at a moment when deleted events keep their space; absent where it cannot be determined exactly. */
  space?(signal: AbortSignal): Promise<StoreSpace | undefined>;
  /** Absent on an engine that keeps its state elsewhere. */
  inspect?(signal: AbortSignal): Promise<StoreReport>;
  /** Absent on an engine that is backed up by its own means. Only one snapshot can be held at a time. */
  snapshot?(signal: AbortSignal): Promise<StoreSnapshot>;
}
