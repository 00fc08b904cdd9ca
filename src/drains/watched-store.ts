import { delegateStore } from "../engines/contract/delegate-store.ts";
import { keyOf } from "../engines/contract/event-tenant.ts";
import type { EventFilter, EventKey, EventStore } from "../engines/contract/query-engine.ts";

/** Notified of the events of a store. */
export interface ArrivalWatch {
  /** Whether it is to be notified of the source's events. */
  isWatched(source: string): boolean;
  /** Is waited for before the sender is answered; does not reject. */
  note(source: string, keys: readonly EventKey[]): Promise<void>;
  /** Events that pass the filter were deleted. */
  noteRemoval?(source: string, filter: EventFilter): void;
}

/**
 * The store, which notifies the watch of events after they are on disk and before their sender is answered, and of
 * deletions.
 */
export function watchStore(store: EventStore, watch: ArrivalWatch): EventStore {
  const append: EventStore["append"] = async (source, events, ...rest) => {
    const result = await store.append(source, events, ...rest);
    if (!watch.isWatched(source)) return result;
    const path = store.describe(source)?.tenantField?.split(".");
    await watch.note(
      source,
      events.map((event) => keyOf(path, event)),
    );
    return result;
  };
  const { appendBody } = store;
  return delegateStore(store, {
    append,
    async dropSource(source) {
      await store.dropSource(source);
      watch.noteRemoval?.(source, {});
    },
    async deleteEvents(source, filter) {
      try {
        return await store.deleteEvents(source, filter);
      } finally {
        // One that failed may have deleted some.
        watch.noteRemoval?.(source, filter);
      }
    },
    ...(appendBody === undefined
      ? {}
      : {
          async appendBody(source, body, ...rest) {
            const isWatched = watch.isWatched(source);
            const wantsKeys = isWatched || body.wantsKeys;
            const { keys = [], ...result } = await appendBody.call(store, source, { ...body, wantsKeys }, ...rest);
            if (isWatched) await watch.note(source, keys);
            return { ...result, keys: body.wantsKeys ? keys : undefined };
          },
        }),
  });
}
