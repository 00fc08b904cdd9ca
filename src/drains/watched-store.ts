import { delegateStore } from "../engines/contract/delegate-store.ts";
import { keyOf } from "../engines/contract/event-tenant.ts";
import type { EventFilter, EventKey, EventStore } from "../engines/contract/query-engine.ts";
import type { WorkUnderWay } from "../shared/concurrency/work-under-way.ts";

/** Notified of the events of a store. */
export interface ArrivalWatch {
  /** Whether it is to be notified of the source's events. */
  isWatched(source: string): boolean;
  /**
   * Appends run as work of it, with their notes. Who begins to watch, and waits for those under way, is noted of all
   * events that are acknowledged from then on.
   */
  readonly appends: WorkUnderWay;
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
  const append: EventStore["append"] = (source, events, ...rest) =>
    watch.appends.run(async () => {
      const result = await store.append(source, events, ...rest);
      if (!watch.isWatched(source)) return result;
      const path = store.describe(source)?.tenantField?.split(".");
      await watch.note(
        source,
        events.map((event) => keyOf(path, event)),
      );
      return result;
    });
  const { appendBody, appendPlain } = store;
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
          appendBody: (source, body, ...rest) =>
            watch.appends.run(async () => {
              const isWatched = watch.isWatched(source);
              const wantsKeys = isWatched || body.wantsKeys;
              const { keys = [], ...result } = await appendBody.call(store, source, { ...body, wantsKeys }, ...rest);
              if (isWatched) await watch.note(source, keys);
              return { ...result, keys: body.wantsKeys ? keys : undefined };
            }),
        }),
    ...(appendPlain === undefined
      ? {}
      : {
          // Events of which keys are wanted are parsed.
          appendPlain: (source, ...rest) =>
            watch.appends.run(async () =>
              watch.isWatched(source) ? undefined : await appendPlain.call(store, source, ...rest),
            ),
        }),
  });
}
