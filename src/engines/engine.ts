/**
 * The contract between the service and an engine. Nothing outside an engine's folder knows which engine runs:
 * a query arrives resolved, an engine compiles it to its own SQL, runs it under limits and answers rows as JSON text.
 */
import type { TableDefinition } from "../googlesql/relation.ts";
import type { ResolvedQuery } from "../googlesql/resolved.ts";
import type { SqlType } from "../googlesql/types.ts";

/** A query in an engine's own SQL. Immutable and free of values, so that it can be kept and run many times. */
export interface CompiledQuery {
  readonly sql: string;
  /** What to bind, in the order of the engine's placeholders. A parameter used twice may stand here once. */
  readonly parameters: readonly CompiledParameter[];
  /** Limits of the call that the engine binds behind them. */
  readonly limits?: readonly ("maxArrayElements" | "maxStringBytes")[];
  readonly columns: readonly OutputColumn[];
  /** Canonical names of the tables that are read. */
  readonly tables: readonly string[];
}

export interface CompiledParameter {
  /** The name without `@`, or the position (from 1) of a `?`. */
  readonly key: string | number;
  readonly type: SqlType;
}

export interface OutputColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** A value to bind: NULL, or the canonical text of its type (INT64 and TIMESTAMP as integers in text, microseconds since 1970 for TIMESTAMP), or an array or struct of them. */
export type ParameterValue = null | boolean | string | readonly ParameterValue[];

/**
 * How rows are written.
 * - `objects`: `{"name":value,...}` as endpoints answer: TIMESTAMP integer microseconds, DATETIME `2026-08-20T09:00:00[.ffffff]`,
 *   INT64 a number up to 2^53 and a string beyond, FLOAT64 a number (NaN and infinities as strings), NUMERIC text, BYTES base64, JSON and records spliced as JSON,
 *   STRUCT an object, `ARRAY<RECORD>` an array of objects, `RECORD` an object; a NULL array is [].
 * - `cells`: `[value,...]` as the `sql --batch` command answers: as above, but JSON is its text in a string, STRUCT an
 *   array of its fields' values, records their JSON text, a NULL array is null.
 */
export type RowEncoding = "objects" | "cells";

export interface QueryLimits {
  /** From the call of `run` to the last row; then `EngineError` `timeout`. */
  readonly timeoutMs: number;
  /** Rows beyond are not read; the answer's `isTruncated` says whether there were more. */
  readonly maxRows: number;
  /** Of JSON text; beyond: `EngineError` `result_too_large`. */
  readonly maxResultBytes: number;
  /** Of the engine's memory, as far as it can tell; beyond: `EngineError` `memory_exceeded`. */
  readonly maxMemoryBytes?: number;
  /** What one call of a function may make; the engine's own bounds unless set. Beyond: `EngineError` `limit_exceeded`. */
  readonly maxArrayElements?: number;
  readonly maxStringBytes?: number;
}

export interface RunRequest {
  readonly query: CompiledQuery;
  readonly values: readonly ParameterValue[];
  readonly encoding: RowEncoding;
  readonly limits: QueryLimits;
  /** Aborting it interrupts the query within 100 ms. */
  readonly signal: AbortSignal;
}

/** Rows as JSON text, comma separated without brackets, in batches as the engine makes them. Not iterating to the end must be ended by `return()`, which interrupts the query. */
export interface RowBatch {
  readonly json: string;
  readonly rowCount: number;
}

export interface RunningQuery {
  readonly batches: AsyncIterable<RowBatch>;
  /** Known when `batches` has ended. */
  summary(): QuerySummary;
}

export interface QuerySummary {
  readonly rowCount: number;
  readonly isTruncated: boolean;
  /** Time the engine spent, in milliseconds. */
  readonly engineMs: number;
}

export type EngineErrorCode =
  /** The data made the query fail: division by zero, overflow, a bad cast. The message is safe to show and names no column or table of the owner. */
  | "query_failed"
  | "timeout"
  | "aborted"
  | "result_too_large"
  | "memory_exceeded"
  /** A function would make a larger value than it may; the message names the limit. */
  | "limit_exceeded"
  /** The engine process is gone or restarting; retry later. */
  | "unavailable"
  /** The store's disk is full: reads go on. */
  | "disk_full"
  /** The append queue is at its bound; retry later. */
  | "overloaded"
  /** The second check refused a statement: a bug of ours, or an attack. */
  | "refused"
  | "internal";

export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;
  /** Seconds after which a retry makes sense, where one does. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: EngineErrorCode, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export interface CompileOptions {
  /** IANA name of the zone that zone-less conversions use; UTC by default. */
  readonly timeZone?: string;
  /** The query's text, so that errors can show where they are. */
  readonly text?: string;
  /** What CURRENT_TIMESTAMP and its like answer, in microseconds since 1970; the clock of each run unless given. */
  readonly nowUs?: bigint;
}

export interface Engine {
  /** `duckdb`, later `clickhouse`, `bigquery`. */
  readonly name: string;
  readonly store: EventStore;
  /** Throws `GoogleSqlError` with positions where the engine cannot express the query. */
  compile(query: ResolvedQuery, options?: CompileOptions): CompiledQuery;
  /** Resolves when the first rows (or the end) are there; throws `EngineError`, also while iterating. */
  run(request: RunRequest): Promise<RunningQuery>;
  /** Resolves when the engine answered; throws `EngineError` `unavailable` otherwise. */
  ping(signal: AbortSignal): Promise<void>;
  /** Memory that the engine takes now, in bytes; undefined where that is not known. Absent on an engine that runs elsewhere. */
  memoryBytes?(): Promise<number | undefined>;
  /** Waits for appends that are under way, then releases everything. */
  close(): Promise<void>;
}

/** A field value of an event after normalising. Integers beyond 2^53 arrive as bigint. */
export type EventValue =
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

/** A request's body of events, as it came. */
export interface EventBody {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Stands in where an event brings no usable timestamp; microseconds since 1970. */
  readonly nowUs: bigint;
  /** Of the body after decompression. */
  readonly maxBytes: number;
}

/** An event that cannot be stored, by its place in the body, counted from 0. */
export interface RejectedEvent {
  readonly index: number;
  readonly reason: string;
}

/** What a body holds. */
export interface ReadEvents {
  readonly events: readonly LogEvent[];
  readonly rejected: readonly RejectedEvent[];
}

export type BodyErrorCode =
  /** The body is not JSON (or NDJSON), or not an object, array or batch. */
  "invalid_body" | "unsupported_media_type" | "unsupported_encoding" | "body_too_large";

/** A body is refused as a whole and nothing of it is stored; the message says what to do. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code: BodyErrorCode;

  constructor(code: BodyErrorCode, message: string) {
    super(message);
    this.code = code;
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
  /** Fields known before any event carried them, by dotted path (`metadata.request.path`), with GoogleSQL's type names. */
  readonly knownFields: readonly { readonly path: string; readonly type: SqlType }[];
}

export interface AppendResult {
  /** Events on disk now because of this call. */
  readonly stored: number;
  /** Events whose id the source already held: they count as accepted. */
  readonly repeated: number;
}

export interface BodyResult extends AppendResult {
  readonly rejected: readonly RejectedEvent[];
  /** Of the events that were stored or repeated; undefined where there are none. */
  readonly newestTimestampUs: bigint | undefined;
}

export interface SourceStatistics {
  readonly name: string;
  readonly rowCount: number;
  readonly oldestTimestampUs: bigint | null;
  readonly newestTimestampUs: bigint | null;
  /** Rows that are not yet in the order the engine keeps for good, where it has one. */
  readonly tailRowCount?: number;
}

/** What is known of a source's part of a store. */
export interface SourceReport extends SourceStatistics {
  /** Fields that events carried, or that were declared. */
  readonly fieldCount: number;
  /** Parts of the table in the order that the engine keeps for good; 0 where it has none. */
  readonly runCount: number;
}

/** The state of a store, for the people who look after it. */
export interface StoreReport {
  /** Folder of the store; undefined where it is not on this machine's disk. */
  readonly directory: string | undefined;
  /** Of the events' file. */
  readonly fileBytes: number;
  /** Inside the file, free for events to come. */
  readonly reusableBytes: number;
  /** Committed, and not yet in the file. */
  readonly logBytes: number;
  /** Left on the disk of the folder. */
  readonly diskFreeBytes: number;
  readonly sources: readonly SourceReport[];
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
  /** The source as a table with all fields seen so far; undefined for an unknown source. */
  describe(sourceName: string): TableDefinition | undefined;
  /** Resolves when the events are on disk (after fsync). All or none of the call's events are stored. */
  append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult>;
  /**
   * The same for the events of a long body, which are read where they hold up nobody. Takes the bytes away from the caller. Rejects
   * with `BodyError` where the body cannot be read. Absent on an engine that reads nothing itself.
   */
  appendBody?(sourceName: string, body: EventBody, signal: AbortSignal): Promise<BodyResult>;
  statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]>;
  /**
   * Deletes the events of a source before a time (microseconds since 1970) and answers how many they were; their ids may
   * come again. Absent on an engine that lets events expire by itself.
   */
  deleteBefore?(sourceName: string, timestampUs: bigint): Promise<number>;
  /** Absent on an engine that keeps its state elsewhere. */
  inspect?(signal: AbortSignal): Promise<StoreReport>;
  /** Absent on an engine that is backed up by its own means. Only one snapshot can be held at a time. */
  snapshot?(signal: AbortSignal): Promise<StoreSnapshot>;
}
