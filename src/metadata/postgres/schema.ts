import type { MetadataSchema } from "../schema.ts";

/** The tables of the metadata, and those by which nodes agree. */
export interface PostgresSchema extends MetadataSchema {
  readonly metadata_changes: {
    readonly topic: string;
    /** Grows with every change of the topic. */
    readonly number: number;
  };
  readonly service_keys: {
    readonly name: string;
    /** In base64. */
    readonly value: string;
  };
  /** Answers of endpoints that one node made for all. Not logged: a crash of the server empties it. */
  readonly warm_answers: {
    readonly key: string;
    readonly made_at: number;
    readonly expires_at: number;
    readonly head: string;
    readonly body: Buffer;
  };
  /** The waiting keys of each source's drains. */
  readonly drain_journals: {
    readonly source: string;
    /** The number of the next key. */
    readonly next: number;
    readonly bytes: number;
  };
  readonly drain_keys: {
    readonly source: string;
    /** The number of the first key. */
    readonly first: number;
    readonly count: number;
    readonly lines: string;
  };
  readonly drain_positions: {
    readonly rule_id: string;
    /** Null where an earlier release made it, until a service opens it. */
    readonly source: string | null;
    readonly number: number;
    /** The outcome of the events; null where an earlier release moved it. */
    readonly progress: string | null;
  };
}
