/** The messages between the service and the engine host, in frames (see frames.ts). */
import type { SqlType } from "../../../googlesql/types.ts";
import type { Deletion, EventFilter, LogLoss } from "../../contract/event-store.ts";
import type {
  AppendResult,
  EngineErrorCode,
  EngineLimit,
  OutputColumn,
  ParameterValue,
  QueryLimits,
  QuerySummary,
  RowBatch,
  RowEncoding,
} from "../../contract/query-engine.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import type { NewSource, SourceRules, SourceSchema, TenantEntries } from "../../schema/source/source-schema.ts";
import type { BatchHeader, EncodedBatch } from "../batch/batch.ts";
import type { StatementPlan } from "../statement-plan.ts";
import type { CompactionSize } from "./maintenance/compaction.ts";

/** Windows of time in which newest rows are looked for. */
export interface WindowSizes {
  /** Rows of the smallest table that is read by windows. */
  readonly minRows: number;
  /** Rows of the table that the first window holds, about. */
  readonly firstRows: number;
}

export interface CoreOptions {
  /** Folder of the store; absent for a store in memory. */
  readonly directory?: string;
  readonly threads: number;
  /** Queries that run at once; 16 unless set. */
  readonly maxQueries?: number;
  /** How newest rows are looked for; see `query/newest-rows.ts` for what is so unless set. */
  readonly windows?: WindowSizes;
  /** Resident memory of the host from which on the query that took the most is stopped; not watched unless set. */
  readonly maxProcessBytes?: number;
  readonly memoryLimitBytes: number;
  /** How long an event is recognised by its id alone, from its arrival; 48 hours unless set. */
  readonly repeatWindowMs?: number;
  /** Ids in memory beyond which they are written to files; 2,900,000 unless set. */
  readonly maxHeldIds?: number;
  /** Write-ahead log beyond which a checkpoint is made. */
  readonly checkpointBytes: number;
  /** When appended rows are rewritten sorted, and how many at once. */
  readonly compaction: CompactionSize;
}

/** A host's report about the store that it has opened. */
export interface OpenedStore {
  readonly sources: readonly SourceSchema[];
  readonly logLoss?: LogLoss | undefined;
}

/** The new fields of a batch's rows, stored in the same transaction as these. */
export interface AppendContext {
  /** The entries that are new for each tenant. */
  readonly tenants: readonly TenantEntries[];
  /** Rows of each of several requests, one after the other, whose results are asked for. */
  readonly rowCounts?: readonly number[];
}

/** The rows of all requests, and of each where they were distinguished. */
export interface JointResult extends AppendResult {
  readonly parts?: readonly AppendResult[];
}

/** Whether a single batch may be the reason for a failure, or what is stored of its source. */
export function isOfOneBatch(code: EngineErrorCode): boolean {
  return code === "internal" || code === "damaged";
}

export interface HostQuery {
  readonly sql: string;
  readonly parameters: readonly { readonly type: SqlType; readonly value: ParameterValue }[];
  readonly columns: readonly OutputColumn[];
  readonly encoding: RowEncoding;
  readonly limits: QueryLimits;
  readonly plan?: StatementPlan;
}

export interface HostSummary extends QuerySummary {
  /** Nothing was read, because a constant fails: the query is to be run with nothing computed beforehand. */
  readonly lacksConstants?: true;
}

/** As `SourceStatistics`, with timestamps as text because JSON has no bigint. */
export interface TableStatistics {
  readonly name: string;
  readonly rowCount: number;
  readonly oldestUs: string | null;
  readonly newestUs: string | null;
  /** Rows that are not sorted yet. */
  readonly tailRowCount: number;
}

/** As `EventFilter`, with timestamps as text. */
export type RowFilter = Pick<EventFilter, "id" | "tenants"> & { readonly fromUs?: string; readonly toUs?: string };

/** Sizes in bytes; 0 for a store in memory. */
export interface HostSizes {
  readonly fileBytes: number;
  readonly reusableBytes: number;
  readonly logBytes: number;
  readonly diskFreeBytes: number;
}

export interface HostReport extends HostSizes {
  readonly sources: readonly (TableStatistics & {
    readonly fieldCount: number;
    readonly runCount: number;
    /** Null for a source without tenants. */
    readonly tenantlessCount: number | null;
  })[];
}

export interface HostSnapshot {
  readonly name: string;
  readonly path: string;
  readonly byteCount: number;
  readonly sources: readonly { readonly name: string; readonly rowCount: number }[];
}

/** The tasks of the engine host, wherever it runs. Every method rejects with `EngineError`. */
export interface EngineHost {
  /** Rows in batches; the generator's return value is the summary. */
  run(query: HostQuery, signal: AbortSignal, onEngineEnded?: () => void): AsyncGenerator<RowBatch, HostSummary, void>;
  /** Stores the rows of the batch, all or none. Resolves after fsync. */
  append(source: string, batch: EncodedBatch, context: AppendContext): Promise<JointResult>;
  /** Makes the tables of sources that are missing, all or none, and answers what is stored of each, in their order. */
  createSources(sources: readonly NewSource[]): Promise<readonly SourceSchema[]>;
  /** Keeps the entries and adds their columns; all or none. */
  addEntries(source: string, entries: readonly SchemaEntry[]): Promise<void>;
  /**
   * Applies a source's rules, once its entries include the declared fields, and returns its stored schema. If the
   * rules have changed, the rows are read again for the fields of each tenant and for values of declared types.
   */
  defineSource(source: string, rules: SourceRules): Promise<SourceSchema>;
  statistics(): Promise<readonly TableStatistics[]>;
  /** Counts the rows of a filter, or deletes them, as `EventStore` does. */
  countEvents(source: string, filter: RowFilter): Promise<number>;
  deleteEvents(source: string, filter: RowFilter): Promise<Deletion>;
  /** Removes a source and everything stored for it; does nothing if there is none. */
  dropSource(source: string): Promise<void>;
  /** Null while a copy of the file is made, whose free space does not change. */
  sizes(): Promise<HostSizes | null>;
  /** Sizes, and what is known of each source. */
  report(): Promise<HostReport>;
  /**
   * Brings the file up to date and leaves it unchanged until `endSnapshot`; commits in the meantime go to the log.
   */
  beginSnapshot(): Promise<HostSnapshot>;
  endSnapshot(): Promise<void>;
  /** Compacts once, if a source has a long tail, and answers whether it did. It also happens by itself. */
  maintain(): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The tasks that are a request and its answer, without bytes. */
export type CalledMethod = Exclude<keyof EngineHost, "run" | "append">;

/** Requests carry an id that their answers repeat. */
export type HostRequest =
  | { readonly id: number; readonly kind: "open"; readonly options: CoreOptions }
  | { readonly id: number; readonly kind: "call"; readonly method: CalledMethod; readonly args: readonly unknown[] }
  | { readonly id: number; readonly kind: "run"; readonly query: HostQuery }
  /** The reader took batches of a running query: as many more may be sent. */
  | { readonly id: number; readonly kind: "more"; readonly batchCount: number }
  | { readonly id: number; readonly kind: "cancel" }
  /** The batch's payload is the frame's body. */
  | {
      readonly id: number;
      readonly kind: "append";
      readonly source: string;
      readonly header: BatchHeader;
      readonly context: AppendContext;
    };

export type HostAnswer =
  /** Rows as JSON text in the frame's body. */
  | { readonly id: number; readonly kind: "rows"; readonly rowCount: number }
  | { readonly id: number; readonly kind: "done"; readonly value: unknown }
  | {
      readonly id: number;
      readonly kind: "error";
      readonly code: EngineErrorCode;
      readonly message: string;
      /** For the log only: what the driver said. */
      readonly detail?: string;
      readonly retryAfterSeconds?: number;
      readonly isLost?: true;
      readonly limit?: EngineLimit;
    };

/** Batches of a query that may be sent before the service has taken one. */
export const BATCH_WINDOW = 4;
/** So many taken batches are reported at once: for an answer of fewer, which most are, nothing is. */
export const REPORTED_BATCHES = 2;
