import type { Kysely, Transaction } from "kysely";
import type { KeyStore } from "../drains/key-store.ts";
import type { AnswerStore } from "../endpoints/cache/shared-refreshes.ts";
import type { Nodes } from "./nodes.ts";
import type { MetadataSchema } from "./schema.ts";
import type { Topic } from "./topics.ts";

/** The open metadata: one database, which several processes may use at once. */
export interface MetadataDatabase {
  readonly queries: Kysely<MetadataSchema>;
  /** A number that changes when another connection, of this or another process, has committed a change of the topic. */
  versionOf(topic: Topic): number;
  /**
   * Resolves once `versionOf` reports every change before the call. Throws `metadata_unavailable` where the database
   * does not answer. Absent where `versionOf` always does.
   */
  confirm?(): Promise<void>;
  /** Runs the work in a transaction; transactions of the same name come one after the other. */
  inTurn<T>(name: string, work: (transaction: Transaction<MetadataSchema>) => Promise<T>): Promise<T>;
  /**
   * The key that the service encrypts and signs with: created once, and the same in every process. Throws `UserError`
   * when the stored value is not a key.
   */
  readKey(): Promise<Uint8Array>;
  /** Replaces that key, before any service of the database reads it. */
  replaceKey(key: Uint8Array): Promise<void>;
  /** Writes a consistent copy to a path without a file; absent when the database has its own means of backup. */
  copyTo?(path: string): void;
  /** Where keys of events wait to be drained that several services stored; absent where there is one service. */
  readonly drainKeys?: KeyStore;
  /** Answers that one service makes for all; absent where there is one service. */
  readonly warmAnswers?: AnswerStore;
  /** Takes part in what the services on this database agree on. To be called once, by a service, before anything else. */
  join(options: JoinOptions): Promise<Nodes>;
  close(): Promise<void>;
}

export interface JoinOptions {
  /** Whether every node sees the same events. Where it is false, the node must be the only one. */
  readonly isEngineShared: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}
