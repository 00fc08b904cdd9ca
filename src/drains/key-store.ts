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

/** A rule whose position is asked for, which is put at the first or the end of what waits where it has none. */
export interface WantedPosition extends Pick<DrainRule, "id" | "source"> {
  readonly otherwise: "first" | "end";
}

/** A position to be saved of a rule, as long as it has this source. */
export interface MovedPosition extends Pick<DrainRule, "id" | "source"> {
  readonly number: number;
  readonly progress: string;
  /** The journal starts over: else nothing is saved where another service has come further. */
  readonly isNewJournal: boolean;
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
  /**
   * The positions by the rules' ids, without those of rules that are gone by now or have another source. A position
   * goes with its rule.
   */
  openPositions(wanted: readonly WantedPosition[]): Promise<ReadonlyMap<string, KeptPosition>>;
  savePositions(moved: readonly MovedPosition[]): Promise<void>;
}
