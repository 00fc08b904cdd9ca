import type { TimeZone } from "../../values/time-zone.ts";
import type { TextCursor } from "./datetime-cursor.ts";

/** A part of a date that weeks or the day of the year determine. */
export interface WeekElement {
  readonly value: number;
  /** The number of the element in the format; of two that contradict each other, the later one counts. */
  readonly position: number;
  /** For weeks: the day they begin on, 0 for Sunday. */
  readonly firstDay?: number;
}

/** The state before the first element: 1970-01-01 00:00:00. */
export function createParseState(text: string) {
  const cursor: TextCursor = { text, at: 0 };
  return {
    cursor,
    position: 0,
    year: 1970,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    micros: 0,
    isTwelveHour: false,
    isAfternoon: false,
    /** Hundreds of the year, where it came in two parts. */
    century: undefined as number | undefined,
    isCenturyExplicit: false,
    unixSeconds: undefined as bigint | undefined,
    offsetSeconds: undefined as number | undefined,
    zone: undefined as TimeZone | undefined,
    /** Positions of the last elements that gave the year, month and day; -1 for none. */
    yearPosition: -1,
    monthPosition: -1,
    dayPosition: -1,
    /** True when any element gave a calendar date: then ISO 8601 elements are ignored. */
    hasCalendarDate: false,
    weekday: undefined as WeekElement | undefined,
    week: undefined as WeekElement | undefined,
    dayOfYear: undefined as WeekElement | undefined,
    isoYear: undefined as WeekElement | undefined,
    isoWeek: undefined as WeekElement | undefined,
    isoDayOfYear: undefined as WeekElement | undefined,
  };
}

/** The state of parsing. */
export type ParseState = ReturnType<typeof createParseState>;
