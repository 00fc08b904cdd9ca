import type { EventValue, LogEvent } from "./event-store.ts";

/** How events are made of a body's values; what it may refuse is refused as where all are parsed. */
export interface PlainRules {
  /** Stands in where an event brings no timestamp; microseconds since 1970. */
  readonly nowUs: bigint;
  readonly maxEvents: number;
  /** Events so far with a timestamp that could not be read. */
  readonly tally: { readonly untimed: number };
  /** The id of the event at a place of the body, which brings none. */
  readonly makeId: (place: number) => string;
  /** Whether a field of the name is stored under it. */
  readonly isCleanName: (name: string) => boolean;
  readonly readTimestamp: (value: string | number) => bigint | undefined;
  /** A list without what no event keeps; undefined where nothing is left, null where its event may be refused. */
  readonly cleanList: (list: unknown) => EventValue | undefined | null;
  /** The event of a parsed value at a place of the body; undefined for one that is refused. */
  readonly normalise: (value: unknown, place: number) => LogEvent | undefined;
}

/** A body that may be read without parsing it, its content encoding decoded. */
export interface PlainBody {
  readonly bytes: Uint8Array;
  /** The rules for reading it once, from its beginning. */
  startReading(): PlainRules;
}
