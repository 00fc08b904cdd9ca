import { passesFilter } from "../engines/contract/event-filter.ts";
import type { EventFilter } from "../engines/contract/query-engine.ts";
import { isBeyondRetention } from "../sources/retention.ts";
import type { Source } from "../sources/source.ts";
import type { WaitingKey } from "./journal.ts";

/** The numbers of a source's keys that wait: from the first on, before the end. */
interface Waiting {
  readonly first: number;
  readonly end: number;
}

/** Reports which events are known to have been deleted. */
export interface Removals {
  /** Notes that events of the source which pass the filter are deleted, among those that wait now. */
  note(source: string, filter: EventFilter, waiting: Waiting): void;
  isRemoved(source: string, key: WaitingKey, number: number): boolean;
}

export interface RemovalsOptions {
  readonly findSource: (name: string) => Pick<Source, "retentionDays"> | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** By the retention of sources, and by what this service learned since its start. */
export function createRemovals({ findSource, nowMs }: RemovalsOptions): Removals {
  /** Before which all events of a source were deleted. */
  const times = new Map<string, bigint>();
  const removals = new Map<string, readonly { readonly filter: EventFilter; readonly end: number }[]>();
  return {
    note(source, filter, { first, end }) {
      const { toUs, ...others } = filter;
      if (toUs !== undefined && Object.keys(others).length === 0) {
        if (toUs > (times.get(source) ?? toUs - 1n)) times.set(source, toUs);
        return;
      }
      const left = (removals.get(source) ?? []).filter((each) => each.end > first);
      removals.set(source, [...left, { filter, end }]);
    },
    isRemoved(source, key, number) {
      const { timestampUs, tenant = null } = key;
      const retention = findSource(source)?.retentionDays;
      return (
        timestampUs < (times.get(source) ?? timestampUs) ||
        isBeyondRetention(retention, { timestampUs, tenant: key.tenant }, nowMs()) ||
        (removals.get(source) ?? []).some(({ filter, end }) => number < end && passesFilter(filter, { ...key, tenant }))
      );
    },
  };
}
