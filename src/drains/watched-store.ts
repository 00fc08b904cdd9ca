import type { EventKey, EventStore } from "../engines/contract/query-engine.ts";

/** What is told of stored events. */
export interface ArrivalWatch {
  /** Whether events of the source are to be told. */
  isWatched(source: string): boolean;
  /** Is waited for before the sender is answered; does not reject. */
  note(source: string, keys: readonly EventKey[]): Promise<void>;
}

/** The store, which tells the watch of events behind their way to the disk and before their sender's answer. */
export function watchStore(store: EventStore, watch: ArrivalWatch): EventStore {
  const append: EventStore["append"] = async (source, events, ...rest) => {
    const result = await store.append(source, events, ...rest);
    if (watch.isWatched(source)) await watch.note(source, events);
    return result;
  };
  const { appendBody } = store;
  if (appendBody === undefined) return delegate(store, { append });
  return delegate(store, {
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

/** All of the store but these members. */
function delegate(store: EventStore, members: Pick<EventStore, "append" | "appendBody">): EventStore {
  const { deleteBefore, inspect, snapshot } = store;
  return {
    ensureSource: (...call) => store.ensureSource(...call),
    ensureSources: (...call) => store.ensureSources(...call),
    describe: (...call) => store.describe(...call),
    dropSource: (...call) => store.dropSource(...call),
    statistics: (...call) => store.statistics(...call),
    ...(deleteBefore === undefined ? {} : { deleteBefore: deleteBefore.bind(store) }),
    ...(inspect === undefined ? {} : { inspect: inspect.bind(store) }),
    ...(snapshot === undefined ? {} : { snapshot: snapshot.bind(store) }),
    // It may be found anew whenever the engine is started again.
    get logLoss() {
      return store.logLoss;
    },
    ...members,
  };
}
