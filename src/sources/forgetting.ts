import type { Deletion, EventFilter, EventStore } from "../engines/contract/query-engine.ts";
import { messageOf } from "../shared/message-of.ts";

/** Why events are deleted: an owner's request, the retention of their source, or the size of the store. */
export type DeletionReason = "request" | "retention" | "size";

/** The one way in which stored events are deleted while their source stays. */
export interface Forgetting {
  /** Counts the events that a deletion would find. */
  count(source: string, filter: EventFilter): Promise<number>;
  /**
   * Deletes events of a source, as `EventStore` does, and drops answers that may show them, here and on other nodes. A
   * request throws `metadata_unavailable`, and deletes nothing, where those cannot be told.
   */
  delete(source: string, filter: EventFilter, reason: DeletionReason): Promise<Deletion>;
  /** Adds a function that is called with the source of each deletion by request, before that is answered. */
  onRequest(listener: (source: string) => Promise<void>): void;
  /** Events that this service deleted since its start. */
  readonly deletedCounts: readonly {
    readonly source: string;
    readonly reason: DeletionReason;
    readonly count: number;
  }[];
}

export interface ForgettingOptions {
  readonly store: Pick<EventStore, "countEvents" | "deleteEvents">;
  /** Drops cached answers of this service and of others; throws `metadata_unavailable` where those cannot be told. */
  readonly clearAnswers: () => Promise<void>;
  /** Throws `metadata_unavailable` where other services cannot be told anything now. */
  readonly checkOthers: () => Promise<void>;
  readonly warn: (message: string) => void;
}

export function createForgetting({ store, clearAnswers, checkOthers, warn }: ForgettingOptions): Forgetting {
  const counts = new Map<string, Map<DeletionReason, number>>();
  const listeners: ((source: string) => Promise<void>)[] = [];
  return {
    count: (source, filter) => store.countEvents(source, filter),
    async delete(source, filter, reason) {
      let deletion: Deletion | undefined;
      // Those who cannot be told would go on answering with what is deleted.
      if (reason === "request") await checkOthers();
      try {
        deletion = await store.deleteEvents(source, filter);
        const ofSource = counts.get(source) ?? new Map<DeletionReason, number>();
        counts.set(source, ofSource.set(reason, (ofSource.get(reason) ?? 0) + deletion.deleted));
        return deletion;
      } finally {
        // One that failed may have deleted some.
        if (deletion?.deleted !== 0) {
          await clearAnswers().catch((error: unknown) => {
            warn(`other nodes may answer from their caches until these expire: ${messageOf(error)}`);
          });
          if (reason === "request") await Promise.all(listeners.map((listener) => listener(source)));
        }
      }
    },
    onRequest: (listener) => void listeners.push(listener),
    get deletedCounts() {
      return [...counts].flatMap(([source, ofSource]) =>
        [...ofSource].map(([reason, count]) => ({ source, reason, count })),
      );
    },
  };
}
