import { delegateStore } from "../engines/contract/delegate-store.ts";
import type { EventKey, EventStore } from "../engines/contract/query-engine.ts";

/** What is told of stored events. */
export interface ArrivalWatch {
  /** Whether events of the source are to be told. */
  isWatched(source: string): boolean;
  /** Is waited for before the sender is answered; does not reject. */
  note(source: string, keys: readonly EventKey[]): Promise<void>;
}

/** The store, which notifies the watch of events after they are on disk and before their sender is answered. */
export function watchStore(store: EventStore, watch: ArrivalWatch): EventStore {
  const append: EventStore["append"] = async (source, events, ...rest) => {
    const result = await store.append(source, events, ...rest);
    if (watch.isWatched(source)) await watch.note(source, events);
    return result;
  };
  const { appendBody } = store;
  if (appendBody === undefined) return delegateStore(store, { append });
  return delegateStore(store, {
    append,
    async appendBody(source, body, ...rest) {
      const isWatched = watch.isWatched(source);
      const wantsKeys = isWatched || body.wantsKeys;
      const { keys = [], ...result } = await appendBody.call(store, source, { ...body, wantsKeys }, ...rest);
      if (isWatched) await watch.note(source, keys);
      return { ...result, keys: body.wantsKeys ? keys : undefined };
    },
  });
}
