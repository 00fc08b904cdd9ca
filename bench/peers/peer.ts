import type { BenchEvent } from "../events.ts";
import type { BenchQuery, QueryContext } from "../queries.ts";

export type PeerName = "logweir" | "postgres" | "clickhouse";

/** The values of a row, in the order of its columns. */
export type Row = readonly unknown[];

/** One run of a query. */
export interface Answer {
  /** From the request to the last byte. */
  readonly elapsedMs: number;
  /** The time within the engine alone, if the peer reports it. */
  readonly engineMs?: number;
  /** Reads the rows, which is no part of the time. */
  rows(): readonly Row[];
}

/** A database that is measured, running. */
export interface Peer {
  readonly name: PeerName;
  readonly version: string;
  /** Root of its process tree. */
  readonly pid: number;
  /** Stores events durably: resolves when they are on disk. Calls may overlap. */
  insert(events: readonly BenchEvent[]): Promise<void>;
  /** Stores many events by the quickest way there is. */
  load(batches: Iterable<readonly BenchEvent[]>): Promise<void>;
  /** Lets the peer do what it does after a load: indexes, statistics, merges, checkpoints. */
  waitForCompaction(): Promise<void>;
  run(query: BenchQuery, context: QueryContext): Promise<Answer>;
  /** Takes all of the store on disk. */
  diskBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** A peer that is not here, and what to do about it. */
export interface MissingPeer {
  readonly missing: string;
}
