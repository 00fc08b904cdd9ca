import type { Backend, DrainRule } from "../../../src/drains/backend.ts";
import type { DeliveryClock } from "../../../src/drains/delivery.ts";
import type { DrainAnswer, DrainRequest, SendRequest } from "../../../src/drains/destinations/send-request.ts";
import type { WaitingKey } from "../../../src/drains/journal.ts";
import type { EventReader, FoundEvent } from "../../../src/drains/read-events.ts";
import type { EventKey, LogEvent } from "../../../src/engines/contract/query-engine.ts";

/** A backend named as its id. */
export function backendOf(id: string, more: Partial<Backend> = {}): Backend {
  return {
    ...{ id, name: id, description: "", type: "webhook", metadata: {}, createdAtMs: 0, updatedAtMs: 0 },
    config: { url: `http://${id}.example/`, headers: {}, gzip: false },
    ...more,
  };
}

export function ruleOf(id: string, more: Partial<DrainRule> = {}): DrainRule {
  return { id, backendId: "b", source: "edge", lql: "", createdAtMs: 0, ...more };
}

/** Keys of the ids, one microsecond after the other. */
export function keysOf(...ids: string[]): readonly EventKey[] {
  return ids.map((id, index) => ({ id, timestampUs: BigInt(index), tenant: null }));
}

/** Finds every event; the query leaves out the ids that it lists. */
export const findsAll: EventReader = {
  check: async () => undefined,
  find: async (_source, { keys }) => new Map(keys.map((key) => [key, [foundOf(key)]])),
  match: async (_source, lqls, events) =>
    new Map(events.map((each) => [each, lqls.map((lql) => (lql.split(",").includes(each.id) ? "0" : "1")).join("")])),
};

/** An event with nothing but its key. */
export function foundOf({ id, timestampUs, tenant = null }: WaitingKey): FoundEvent {
  const event: LogEvent = { id, timestampUs, hasGeneratedId: false, eventMessage: null, fields: {} };
  return { id, timestampUs, tenant, event, byteCount: 1 };
}

function idsOf({ body }: DrainRequest): readonly string[] {
  return (JSON.parse(body) as { readonly id: string }[]).map(({ id }) => id);
}

/** A clock that stands until it is moved, and tells whom it keeps waiting. */
export class StoppedClock implements DeliveryClock {
  nowNumber = 0;
  readonly pauses: number[] = [];
  #waking: (() => void)[] = [];

  nowMs(): number {
    return this.nowNumber;
  }

  steadyMs(): number {
    return this.nowNumber;
  }

  random(): number {
    return 1;
  }

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    this.pauses.push(ms);
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#waking.push(resolve);
      if (signal.aborted) resolve();
    });
  };

  /** Ends all pauses. */
  wake(): void {
    for (const wake of this.#waking.splice(0)) wake();
  }
}

/** A destination that takes everything unless told otherwise, and what reached it. */
export class FakeDestination {
  readonly taken: { readonly url: string; readonly ids: readonly string[] }[] = [];
  answer: (request: DrainRequest, signal: AbortSignal) => DrainAnswer | Promise<DrainAnswer> = () => ({
    kind: "taken",
  });

  readonly send: SendRequest = async (request, signal) => {
    const answer = await this.answer(request, signal);
    if (answer.kind === "taken") this.taken.push({ url: request.url, ids: idsOf(request) });
    return answer;
  };

  ids(url?: string): readonly string[] {
    return this.taken.filter((each) => url === undefined || each.url === url).flatMap(({ ids }) => ids);
  }
}

/** Runs pending promises and callbacks for some turns of the event loop. */
export async function flushPromises(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
