import { Cron } from "croner";
import { LRUCache } from "lru-cache";

/** The times of runs: every so often, at moments that its id determines, or by a cron pattern. */
export type Schedule =
  | { readonly kind: "every"; readonly ms: number; readonly offsetMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly zone: string };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The form of durations, and its name in messages. */
export const durationPattern = "^[1-9][0-9]{0,5}[smhd]$";
export const durationTitle = "a duration such as 30s, 5m, 2h or 1d";

/** Milliseconds of a text of that form. */
export function readDuration(text: string): number {
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN);
}

/** Why a pattern or zone is none; undefined for nothing. */
export function findCronProblem(pattern: string, zone: string): "cron" | "zone" | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return "zone";
  }
  try {
    return openCron(pattern, zone).nextRun(new Date(0)) === null ? "cron" : undefined;
  } catch {
    return "cron";
  }
}

/** Runs that are looked at for two in neighbouring hours: those of 40 days or more. */
const examinedRuns = 2_000;
const minutesPerHour = 60;

/** Whether two runs of a valid pattern are less than so many minutes apart. */
export function runsWithin(pattern: string, minutes: number): boolean {
  const [minuteField = "", ...otherFields] = pattern.trim().split(/\s+/);
  // `@hourly` and its like run once an hour at most.
  if (otherFields.length === 0) return false;
  const ofHour = openCron(`${minuteField} * * * *`, "UTC")
    .nextRuns(minutesPerHour, new Date(-1))
    .map((run) => run.getTime() / 60_000)
    .filter((minute) => minute < minutesPerHour);
  if (ofHour.some((minute, at) => minute - (ofHour[at - 1] ?? -minutes) < minutes)) return true;
  const [first = 0] = ofHour;
  const last = ofHour.at(-1) ?? first;
  if (first + minutesPerHour - last >= minutes) return false;
  const cron = openCron([`${first},${last}`, ...otherFields].join(" "), "UTC");
  let before = cron.nextRun(new Date(0));
  for (let count = 0; count < examinedRuns && before !== null; count++) {
    const next: Date | null = cron.nextRun(before);
    if (next !== null && next.getTime() - before.getTime() < minutes * 60_000) return true;
    before = next;
  }
  return false;
}

/** The first run after a time; undefined where there is none. */
export function nextRunMs(schedule: Schedule, afterMs: number): number | undefined {
  if (schedule.kind === "every") {
    const { ms, offsetMs } = schedule;
    return (Math.floor((afterMs - offsetMs) / ms) + 1) * ms + offsetMs;
  }
  return openCron(schedule.pattern, schedule.zone).nextRun(new Date(afterMs))?.getTime();
}

/** Patterns that are remembered; reading one takes longer than all that is asked of it, and a hundred kilobytes. */
const maxPatterns = 100;

interface AskedPattern {
  readonly cron: Cron;
  afterMs: number;
  nextMs: number | undefined;
}

/** `nextRunMs` for many that run at the same times: it is worked out once for all of them. */
export function createNextRun(): typeof nextRunMs {
  const patterns = new LRUCache<string, AskedPattern>({ max: maxPatterns });
  return (schedule, afterMs) => {
    if (schedule.kind === "every") return nextRunMs(schedule, afterMs);
    const key = `${schedule.zone} ${schedule.pattern}`;
    const asked = patterns.get(key) ?? {
      cron: openCron(schedule.pattern, schedule.zone),
      ...{ afterMs: Number.NaN, nextMs: undefined },
    };
    if (asked.afterMs !== afterMs) asked.nextMs = asked.cron.nextRun(new Date(afterMs))?.getTime();
    asked.afterMs = afterMs;
    patterns.set(key, asked);
    return asked.nextMs;
  };
}

/** Five fields: minutes are the finest. */
function openCron(pattern: string, zone: string): Cron {
  return new Cron(pattern, { mode: "5-part", timezone: zone });
}
