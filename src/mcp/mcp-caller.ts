import type { Identity } from "../access/scope.ts";
import type { CachedRunner } from "../endpoints/cache/run-cached.ts";
import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import type { RunOptions } from "../endpoints/call/run/run-prepared.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import type { ServiceError } from "../shared/errors.ts";

/** The texts in which rows are returned. */
export const rowFormats = ["csv", "json"] as const;

export type RowFormat = (typeof rowFormats)[number];

/** Writes rows, each given as the JSON of its object. */
export interface RowWriter {
  readonly head: string;
  write(row: string): string;
}

/** One request of a client, as its transport lets it call endpoints: there is no other way from here to any row. */
export interface McpCaller extends CachedRunner {
  readonly identity: Identity;
  /** Every endpoint; which of them the caller may run is for this room to decide. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Opens a call of an endpoint, or for owners of `source:NAME`, as a call of its address is opened: with the token's
   * rate, scope, pins, budget and redaction. With `isRun` the audit records it. Throws `ServiceError`.
   */
  openCall(name: string, sent: ReadonlyMap<string, unknown>, isRun: boolean): Promise<QueryCall>;
  /** The options of running the opened call. */
  runOptions(): RunOptions;
  /** Notes whether the answer was cached. */
  noteCache(isHit: boolean): void;
  openWriter(format: RowFormat, columns: readonly OutputColumn[]): RowWriter;
  /** Notes an error that a tool answers, for the log and the audit. Throws it where nobody waits for an answer. */
  noteError(error: unknown): ServiceError;
}
