import { writeEvent } from "../../../src/drains/destinations/write-event.ts";
import type { EventMatcher } from "../../../src/endpoints/explore/match-events.ts";
import { keyOf, tenantOf } from "../../../src/engines/contract/event-tenant.ts";
import {
  EngineError,
  type EventSearch,
  type FindEvents,
  type LogEvent,
} from "../../../src/engines/contract/query-engine.ts";

const tenantPath = ["project"];

/** Events of one source by tenant and id, which can be away, slow to show events, and too small for large reads. */
export class FakeStore {
  readonly #events = new Map<string, { readonly event: LogEvent; shownAfter: number }>();
  /** Bytes of one read, at most. */
  maxReadBytes = Number.POSITIVE_INFINITY;
  /** Is waited for before each read: throws for one that fails. */
  enter: () => Promise<void> = async () => undefined;
  #reads = 0;

  /** Stores what is new, which is shown after so many reads. Repeats change nothing. */
  append(events: readonly LogEvent[], readsUntilShown = 0): void {
    for (const event of events) {
      const name = nameOf(event);
      if (!this.#events.has(name)) this.#events.set(name, { event, shownAfter: this.#reads + readsUntilShown });
    }
  }

  deleteBefore(timestampUs: bigint): void {
    for (const [name, { event }] of this.#events) if (event.timestampUs < timestampUs) this.#events.delete(name);
  }

  /** As it is stored, whatever a repeat brought. */
  stored(event: LogEvent): LogEvent | undefined {
    return this.#events.get(nameOf(event))?.event;
  }

  readonly find: FindEvents = async function* (this: FakeStore, _source: string, search: EventSearch) {
    this.#reads++;
    await this.enter();
    let byteCount = 0;
    for (const { event, shownAfter } of this.#events.values()) {
      if (!isWanted(event, search) || shownAfter >= this.#reads) continue;
      byteCount += writeEvent(event).length;
      if (byteCount > Math.min(search.maxBytes, this.maxReadBytes)) {
        throw new EngineError("result_too_large", "The rows have too many bytes");
      }
      yield [event];
    }
  }.bind(this);

  /** Its query is the value that the field `kind` has to have. */
  readonly matcher: EventMatcher = {
    check: async () => undefined,
    match: async (_source, lqls, events) => {
      await this.enter();
      const matches = events.flatMap((each) => {
        const stored = [...this.#events.values()].find(({ event }) => {
          return event.id === each.id && tenantOf(tenantPath, event.fields) === each.tenant;
        });
        if (stored === undefined) return [];
        return [[each, lqls.map((lql) => (stored.event.fields.kind === lql ? "1" : "0")).join("")] as const];
      });
      return new Map(matches);
    },
  };
}

/** An event's tenant and id, which tell it apart. */
export function nameOf(event: LogEvent): string {
  const { tenant, id } = keyOf(tenantPath, event);
  return JSON.stringify([tenant, id]);
}

function isWanted(event: LogEvent, { ids, tenants, range }: EventSearch): boolean {
  const { id, timestampUs, fields } = event;
  return (
    ids.includes(id) &&
    (tenants === undefined || tenants.includes(tenantOf(tenantPath, fields))) &&
    (range === undefined || (timestampUs >= range.fromUs && timestampUs < range.toUs))
  );
}
