import type { TimeZone } from "../../values/time-zone.ts";
import type { TextCursor } from "./datetime-cursor.ts";

/** A part of a date that is told by weeks or by the day of the year. */
export interface WeekElement {
  readonly value: number;
  /** The number of the element in the format; of two that contradict each other, the later one counts. */
  readonly position: number;
  /** For weeks: the day they begin on, 0 for Sunday. */
  readonly firstDay?: number;
}

/** The state of parsing. The fields begin as 1970-01-01 00:00:00. */
export interface ParseState {
  readonly cursor: TextCursor;
  position: number;
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
  isTwelveHour: boolean;
  isAfternoon: boolean;
  /** Hundreds of the year, where it came in two parts. */
  century: number | undefined;
  isCenturyExplicit: boolean;
  unixSeconds: bigint | undefined;
  offsetSeconds: number | undefined;
  zone: TimeZone | undefined;
  /** Positions of the last elements that told the year, month and day; -1 for none. */
  yearPosition: number;
  monthPosition: number;
  dayPosition: number;
  /** True when any element told a calendar date: then ISO 8601 elements are ignored. */
  hasCalendarDate: boolean;
  weekday: WeekElement | undefined;
  week: WeekElement | undefined;
  dayOfYear: WeekElement | undefined;
  isoYear: WeekElement | undefined;
  isoWeek: WeekElement | undefined;
  isoDayOfYear: WeekElement | undefined;
}

/** The state before the first element. */
export function createParseState(text: string): ParseState {
  return {
    cursor: { text, at: 0 },
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
    century: undefined,
    isCenturyExplicit: false,
    unixSeconds: undefined,
    offsetSeconds: undefined,
    zone: undefined,
    yearPosition: -1,
    monthPosition: -1,
    dayPosition: -1,
    hasCalendarDate: false,
    weekday: undefined,
    week: undefined,
    dayOfYear: undefined,
    isoYear: undefined,
    isoWeek: undefined,
    isoDayOfYear: undefined,
  };
}
