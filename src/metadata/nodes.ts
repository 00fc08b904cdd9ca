import type { Topic } from "./topics.ts";

/** The coordination of services on one database, its nodes. A file has one node. */
export interface Nodes {
  /**
   * Runs a change while no other node runs one, after what others changed was taken over. Throws `metadata_unavailable`
   * where the database is away, or another node's change took five seconds; `isPatient` waits for a minute, for starts
   * of many nodes at once.
   */
  exclusively<T>(work: () => Promise<T>, isPatient?: boolean): Promise<T>;
  /**
   * Adds a function that applies changes of a topic by other nodes; changes in the meantime are applied with the next
   * notification or poll.
   */
  onChange(topic: Topic, takeOver: () => Promise<void>): void;
  /** Notifies every node of a change that is in no table; throws `metadata_unavailable` where the database is away. */
  announce(topic: "cache"): Promise<void>;
  /** Throws `metadata_unavailable` where `announce` would; waits for no change of another node. */
  checkAnnouncing(): Promise<void>;
  /** True on one node at most. One that led is not the leader for two seconds at least, however soon it leads again. */
  isLeader(): boolean;
  /** Runs the work unless another node runs work of this name, in which case it returns undefined immediately. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** How current the node's knowledge of the database is. */
  state(): NodeState;
}

/**
 * `current`: nothing that was changed more than a second ago is missing. `behind`: the database is away, and what was
 * last known counts. `outdated`: it has been away for too long.
 */
export type NodeState = "current" | "behind" | "outdated";

/** The node of a database without others: changes are made one after another. */
export function createOnlyNode(): Nodes {
  return {
    exclusively: (work) => work(),
    onChange: () => undefined,
    announce: async () => undefined,
    checkAnnouncing: async () => undefined,
    isLeader: () => true,
    alone: (_name, work) => work(),
    state: () => "current",
  };
}
