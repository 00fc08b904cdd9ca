/** Spans of time that LQL's shorthands speak of; all in UTC. */
import { addMonths, civilFromDays, dayOfWeek, daysFromCivil } from "../values/calendar.ts";

export type PeriodUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";

const unitsByName: ReadonlyMap<string, PeriodUnit> = new Map(
  Object.entries({
    second: ["s", "second", "seconds"],
    minute: ["m", "minute", "minutes"],
    hour: ["h", "hour", "hours"],
    day: ["d", "day", "days"],
    week: ["w", "week", "weeks"],
    month: ["mm", "month", "months"],
    year: ["y", "year", "years"],
  }).flatMap(([unit, names]) => names.map((name) => [name, unit as PeriodUnit] as const)),
);

/** The unit that a name or its short form means. */
export function findUnit(name: string): PeriodUnit | undefined {
  return unitsByName.get(name);
}

const fixedMs = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** The start of the period that holds an instant (milliseconds since 1970); weeks begin on Monday. */
export function startOf(unit: PeriodUnit, ms: number): number {
  const days = Math.floor(ms / fixedMs.day);
  const { year, month } = civilFromDays(days);
  switch (unit) {
    case "week":
      return (days - ((dayOfWeek(days) + 6) % 7)) * fixedMs.day;
    case "month":
      return daysFromCivil({ year, month, day: 1 }) * fixedMs.day;
    case "year":
      return daysFromCivil({ year, month: 1, day: 1 }) * fixedMs.day;
    default:
      return Math.floor(ms / fixedMs[unit]) * fixedMs[unit];
  }
}

/** An instant so many periods earlier; a day that the month lacks becomes its last. */
export function subtract(count: number, unit: PeriodUnit, ms: number): number {
  if (unit !== "month" && unit !== "year") return ms - count * fixedMs[unit];
  const midnight = startOf("day", ms);
  return addMonths(midnight / fixedMs.day, -count * (unit === "year" ? 12 : 1)) * fixedMs.day + ms - midnight;
}
