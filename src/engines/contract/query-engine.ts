/**
 * The contract between the service and an engine. Nothing outside an engine's folder knows which engine runs:
 * a query arrives resolved, an engine compiles it to its own SQL, runs it under limits and answers rows as JSON text.
 */
import type { TableDefinition } from "../../googlesql/relation.ts";
import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import type { EngineCapabilities } from "./capabilities.ts";
import type { EventStore } from "./event-store.ts";
import type { RowBatch } from "./row-batch.ts";
import type { FindEvents, StoredEvents } from "./stored-events.ts";

export { describeFullDisk, EngineError, type EngineErrorCode, type EngineLimit } from "./errors.ts";
export type {
  AppendResult,
  BodyErrorCode,
  BodyRemarks,
  BodyResult,
  Deletion,
  EventBody,
  EventFilter,
  EventKey,
  EventStore,
  EventValue,
  LoadMeasure,
  LogEvent,
  LogLoss,
  PlainBody,
  PlainRules,
  ReadEvents,
  RejectedEvent,
  SnapshotFile,
  SourceDefinition,
  StoredBody,
  StoreSnapshot,
  TenantLoad,
} from "./event-store.ts";
export { BodyError, DEFAULT_REPEAT_WINDOW_MS, newestTimestampUs, WideNumber } from "./event-store.ts";
export { RowBatch } from "./row-batch.ts";
export type {
  FigureDefinition,
  Figures,
  MistypedField,
  SourceReport,
  SourceStatistics,
  StoreProblem,
  StoreReport,
  StoreSpace,
} from "./store-report.ts";
export type { EventSearch, FindEvents, StoredEvents, TimeRange, TimeSlice } from "./stored-events.ts";

/** A query in an engine's own SQL. Immutable and free of values, so that it can be kept and run many times. */
export interface CompiledQuery {
  readonly sql: string;
  /** The values to bind, in the order of the engine's placeholders. A parameter used twice may be listed once. */
  readonly parameters: readonly CompiledParameter[];
  /** Limits of the call that the engine binds behind them. */
  readonly limits?: readonly ("maxArrayElements" | "maxStringBytes")[];
  readonly columns: readonly OutputColumn[];
  /** Canonical names of the tables that are read. */
  readonly tables: readonly string[];
  /**
   * How what is bound comes from the values, as a text: queries with the same SQL that differ in it answer differently.
   * Absent where the values themselves are bound, in their order.
   */
  readonly computed?: string;
  /** Data from the engine's compiler for the engine's runs, beside the SQL. Nobody else reads it. */
  readonly plan?: object;
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

/**
 * A value to bind: NULL, or the canonical text of its type (INT64 and TIMESTAMP as integers in text, microseconds
 * since 1970 for TIMESTAMP), or an array or struct of them.
 */
export type ParameterValue = null | boolean | string | readonly ParameterValue[];

/**
 * How rows are written.
 * - `objects`: `{"name":value,...}` as endpoints answer: TIMESTAMP integer microseconds, DATETIME
 *   `2026-08-20T09:00:00[.ffffff]`,
 * INT64 a number up to 2^53 and a string beyond, FLOAT64 a number (NaN and infinities as strings), NUMERIC text,
 * BYTES base64, JSON and records spliced as JSON,
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
  /** The maximum size of JSON text; beyond: `EngineError` `result_too_large`. */
  readonly maxResultBytes: number;
  /** The maximum of the engine's memory, as far as it is measurable; beyond: `EngineError` `memory_exceeded`. */
  readonly maxMemoryBytes?: number;
  /**
   * The maximum result of one function call; the engine's own bounds unless set. Beyond: `EngineError`
   * `limit_exceeded`.
   */
  readonly maxArrayElements?: number;
  readonly maxStringBytes?: number;
}

export interface RunRequest {
  readonly query: CompiledQuery;
  readonly values: readonly ParameterValue[];
  readonly encoding: RowEncoding;
  readonly limits: QueryLimits;
  /** Aborting it ends the query within the engine's `cancelLatencyMs`. */
  readonly signal: AbortSignal;
  /** Told once where the engine ended, or had to be ended, because of this query; also after it was stopped. */
  readonly onEngineEnded?: () => void;
}

export interface RunningQuery {
  /** As the engine makes them. Not iterating to the end must be ended by `return()`, which interrupts the query. */
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

export interface CompileOptions {
  /** IANA name of the zone that zone-less conversions use; UTC by default. */
  readonly timeZone?: string;
  /** The query's text, so that errors can show where they are. */
  readonly text?: string;
  /** The time of CURRENT_TIMESTAMP and its like, in microseconds since 1970; the clock of each run unless given. */
  readonly nowUs?: bigint;
  /**
   * Prints a query that reads no table so that the engine plans it once for all values. Its parameters are then arrays
   * of one value.
   */
  readonly readsParametersOnce?: boolean;
}

/** A part of a compiled query, by the engine that runs it. */
export interface ExplainedPart {
  /** Name of an engine. */
  readonly runsOn: string;
  /** Absent where another part shows it. */
  readonly sql?: string;
  /** Why it does not run where the events are, in words that follow the name of a function or form. */
  readonly reason?: string;
  /** Where that stands in the query's text, counted from 1; absent where it is not known. */
  readonly line?: number;
  readonly column?: number;
}

export interface Engine {
  /** `duckdb`, later `clickhouse`, `bigquery`. */
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  readonly store: EventStore;
  /** Absent on an engine that events cannot be moved from. */
  readonly storedEvents?: StoredEvents;
  readonly findEvents: FindEvents;
  /** Throws `GoogleSqlError` with positions where the engine cannot express the query. */
  compile(query: ResolvedQuery, options?: CompileOptions): CompiledQuery;
  /**
   * Returns additional data that the compiler needs of a table, for a compiler in another thread; absent if queries are
   * only compiled here.
   */
  layoutOf?(table: TableDefinition): object | undefined;
  /**
   * Explains which part of a compiled query runs where, for a call with these values. Without them, whatever the values
   * would decide stays open.
   */
  explain?(query: CompiledQuery, values?: RunRequest["values"]): Promise<readonly ExplainedPart[]>;
  /** Resolves when the first rows (or the end) are there; throws `EngineError`, also while iterating. */
  run(request: RunRequest): Promise<RunningQuery>;
  /** Resolves when the engine answered; throws `EngineError` `unavailable` otherwise. */
  ping(signal: AbortSignal): Promise<void>;
  /** True while several starts in a row have failed, which no query causes; absent on an engine that runs elsewhere. */
  cannotStart?(): boolean;
  /**
   * Memory that the engine takes now, in bytes; undefined where that is not known. Absent on an engine that runs
   * elsewhere.
   */
  memoryBytes?(): Promise<number | undefined>;
  /** Waits for running appends, then releases everything. */
  close(): Promise<void>;
}
