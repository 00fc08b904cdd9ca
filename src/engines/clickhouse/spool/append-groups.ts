/** Spooled appends, put together for the server and distinguished for the operator. */
import { groupBy } from "../../../shared/group-by.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import type { SpooledAppend } from "./event-line.ts";
import type { RefusedEvent } from "./store-in-pieces.ts";

/** The maximum size of one append. */
const MAX_GROUP_EVENTS = 10_000;

/** Appends to the same source that follow each other, together. */
export function groupsOf(appends: readonly SpooledAppend[]): readonly SpooledAppend[] {
  const groups: { source: string; events: LogEvent[] }[] = [];
  for (const { source, events } of appends) {
    const last = groups.at(-1);
    const fits = last?.source === source && last.events.length + events.length <= MAX_GROUP_EVENTS;
    if (fits) last.events.push(...events);
    else groups.push({ source, events: [...events] });
  }
  return groups;
}

/** Refused events of a source, one append for each reason. */
export function byReason(
  source: string,
  refused: readonly RefusedEvent[],
  describe: (reason: unknown) => string,
): readonly SpooledAppend[] {
  const groups = groupBy(refused, ({ reason }) => describe(reason));
  return [...groups].map(([reason, some]) => ({ source, events: some.map(({ event }) => event), reason }));
}
