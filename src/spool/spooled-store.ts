import { delegateStore } from "../engines/contract/delegate-store.ts";
import { EngineError, type EventStore, type FigureDefinition } from "../engines/contract/query-engine.ts";
import { isAway, type Spool } from "./spool.ts";

const waitingBytes: FigureDefinition = {
  name: "spooled_bytes",
  label: "Waiting here",
  unit: "bytes",
  of: "store",
  description: "Events on the disk of the service that is asked, which wait for the server to answer again.",
};

/**
 * The store with a spool for events whose server is unreachable. They are spooled with the ids that they have here, so
 * none is left to a thread that reads bodies: read again they would get others.
 */
export function spoolStore(store: EventStore, spool: Spool): EventStore {
  const { inspect } = store;
  const members: Partial<EventStore> = {
    async append(source, events, signal) {
      if (spool.isWaiting) await spool.restStored();
      if (!spool.isWaiting) {
        try {
          return await store.append(source, events, signal);
        } catch (error) {
          if (!isAway(error)) throw error;
        }
      }
      if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
      if (events.length > 0) await spool.add({ source, events });
      return { stored: events.length, repeated: 0 };
    },
    ...(inspect === undefined
      ? {}
      : {
          async inspect(signal) {
            const report = await inspect.call(store, signal);
            return {
              ...report,
              figureDefinitions: [...report.figureDefinitions, waitingBytes],
              figures: { ...report.figures, [waitingBytes.name]: spool.byteCount },
            };
          },
        }),
  };
  return delegateStore(store, members, { readsBodies: false });
}
