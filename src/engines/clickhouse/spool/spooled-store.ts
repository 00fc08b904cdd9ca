import { delegateStore } from "../../contract/delegate-store.ts";
import {
  EngineError,
  type EventFilter,
  type EventStore,
  type FigureDefinition,
  type StoreProblem,
} from "../../contract/query-engine.ts";
import type { RefusedCounts } from "./refused-events.ts";
import { Spool, type SpoolOptions } from "./spool.ts";
import { isAway } from "./spool-errors.ts";

/** A store with a spool, which is closed before the store. */
export interface SpooledStore {
  readonly store: EventStore;
  close(): Promise<void>;
}

export type SpooledStoreOptions = SpoolOptions & { readonly store: EventStore };

/** Opens the spool in a folder for the events of a store. Throws `UserError` where another service has the folder. */
export async function openSpooledStore(options: SpooledStoreOptions): Promise<SpooledStore> {
  const spool = await Spool.open(options);
  return { store: spoolStore(options.store, spool), close: () => spool.close() };
}

const definitions: readonly FigureDefinition[] = [
  {
    name: "spooled_bytes",
    label: "Waiting here",
    unit: "bytes",
    of: "store",
    description: "Events on the disk of the service that is asked, which wait for the server to answer again.",
  },
  {
    name: "refused_events",
    label: "Refused here",
    unit: "events",
    of: "store",
    description:
      "Acknowledged events on the disk of the service that is asked which the server refuses; " +
      "`logweir spool list` names them.",
  },
];

/** Returns problems that need an operator: nothing else stores these events. */
function problemsOf({ events, bytes }: RefusedCounts): readonly StoreProblem[] {
  if (events === 0) return [];
  const message =
    `The server refuses ${events} acknowledged events, which are on this node's disk (${bytes} bytes): ` +
    "`logweir spool list` names them with the reason, `logweir spool retry` sends them again";
  return [{ code: "events_refused", message }];
}

/**
 * The store with a spool for events whose server is unreachable. They are spooled with the ids that they have here, so
 * none is left to a thread that reads bodies: read again they would get others.
 */
export function spoolStore(store: EventStore, spool: Spool): EventStore {
  const { inspect } = store;
  const deletionOf = (source: string, filter: EventFilter) => {
    return { source, filter, path: store.describe(source)?.tenantField?.split(".") };
  };
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
    async countEvents(source, filter) {
      const waiting = await spool.count(deletionOf(source, filter));
      return waiting + (await store.countEvents(source, filter));
    },
    /** Here first: what is stored in the meantime is deleted there. */
    async deleteEvents(source, filter) {
      const waiting = await spool.delete(deletionOf(source, filter));
      const { matched, deleted } = await store.deleteEvents(source, filter);
      return { matched: matched + waiting, deleted: deleted + waiting };
    },
    /** Here last: a source that could not be dropped has all of its events. */
    async dropSource(source) {
      await store.dropSource(source);
      await spool.delete({ source, filter: {}, path: undefined });
    },
    spool: () => ({ waitingBytes: spool.byteCount, refusedEvents: spool.refused.events }),
    ...(inspect === undefined
      ? {}
      : {
          async inspect(signal) {
            const report = await inspect.call(store, signal);
            return {
              ...report,
              figureDefinitions: [...report.figureDefinitions, ...definitions],
              figures: { ...report.figures, spooled_bytes: spool.byteCount, refused_events: spool.refused.events },
              problems: [...report.problems, ...problemsOf(spool.refused)],
            };
          },
        }),
  };
  return delegateStore(store, members, { readsBodies: false });
}
