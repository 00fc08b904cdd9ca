import type { EventStore } from "./event-store.ts";

/**
 * All of a store but these members, which stand in the place of its own. `readsBodies`: false where callers have to
 * read bodies themselves, so that every event comes by `append`.
 */
export function delegateStore(
  store: EventStore,
  members: Partial<EventStore>,
  { readsBodies = true }: { readonly readsBodies?: boolean } = {},
): EventStore {
  const { inspect, snapshot, space, spool } = store;
  const { appendBody, appendPlain } = readsBodies ? store : {};
  return {
    ensureSource: (...call) => store.ensureSource(...call),
    ensureSources: (...call) => store.ensureSources(...call),
    describe: (...call) => store.describe(...call),
    append: (...call) => store.append(...call),
    countEvents: (...call) => store.countEvents(...call),
    deleteEvents: (...call) => store.deleteEvents(...call),
    dropSource: (...call) => store.dropSource(...call),
    statistics: (...call) => store.statistics(...call),
    ...(appendBody === undefined ? {} : { appendBody: appendBody.bind(store) }),
    ...(appendPlain === undefined ? {} : { appendPlain: appendPlain.bind(store) }),
    ...(inspect === undefined ? {} : { inspect: inspect.bind(store) }),
    ...(space === undefined ? {} : { space: space.bind(store) }),
    ...(spool === undefined ? {} : { spool: spool.bind(store) }),
    ...(snapshot === undefined ? {} : { snapshot: snapshot.bind(store) }),
    // It may be found again whenever the engine restarts.
    get logLoss() {
      return store.logLoss;
    },
    ...members,
  };
}
