import type { DrainRule } from "./backend.ts";

/** Pending keys of a source. */
export interface WaitingKeys {
  readonly source: string;
  /** The number of the oldest key. */
  readonly first: number;
  /** The number of the next key. */
  readonly end: number;
  readonly byteCount: number;
}

/** A rule's position as it is kept. */
export interface KeptPosition {
  readonly number: number;
  /** As `writeProgress` has it; null where an earlier release moved it. */
  readonly progress: string | null;
}

/** Keys of events in a database that several services share, numbered from 0 by source, in lines. */
export interface KeyStore {
  waiting(): Promise<readonly WaitingKeys[]>;
  /** How far rules have come, by their ids. */
  positions(): Promise<ReadonlyMap<string, KeptPosition>>;
  /** Adds keys, and answers the number behind the last. */
  add(source: string, lines: string, count: number): Promise<number>;
  /** The batch in which a key is, and some behind it; none where the key is gone. */
  read(source: string, from: number): Promise<readonly { readonly first: number; readonly lines: string }[]>;
  /** Deletes batches before a number that no rule of the source needs, those of other services among them. */
  releaseBefore(source: string, number: number): Promise<void>;
  /** Deletes the oldest batches, and answers how many keys were in them. */
  dropOldest(source: string): Promise<number>;
  /** Deletes all keys of a source that has no rule. */
  remove(source: string): Promise<void>;
  /** The rule's position, which is put at the beginning or the end of what waits where there is none. */
  openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<KeptPosition>;
  /** Does nothing where another service has come further, unless the journal starts over. */
  savePosition(ruleId: string, position: KeptPosition, isNewJournal: boolean): Promise<void>;
  removePosition(ruleId: string): Promise<void>;
}
