import { sumDigests } from "./digest.ts";
import type { SliceReport } from "./move-events.ts";
import { dayOf } from "./stores.ts";

/** A source's day, as both stores have it. */
export interface DaySummary {
  readonly source: string;
  /** As `2026-08-20`, in UTC. */
  readonly day: string;
  /** The source's events of the day. */
  readonly events: number;
  /**
   * The digest of all of them with all their values; the target has the same where nothing is `changed` or `missing`.
   */
  readonly digest: string;
  /** Events that this run stored in the target. */
  readonly moved: number;
  /** Events that the target has with other values, and that it lacks. */
  readonly changed: number;
  readonly missing: number;
  /** Events that only the target has. */
  readonly others: number;
  /** Ids of some that are changed or missing. */
  readonly examples: readonly string[];
}

const maxExamples = 5;

/** The slices of passes by source and day; where a slice was looked at several times, the last time counts. */
export function summarize(passes: readonly (readonly SliceReport[])[]): readonly DaySummary[] {
  const moved = new Map<string, number>();
  for (const { key, slice } of passes.flat()) {
    const place = `${key.source}\n${dayOf(key.startUs)}`;
    moved.set(place, (moved.get(place) ?? 0) + (slice.moved ?? 0));
  }
  const days = new Map<string, SliceReport[]>();
  for (const report of passes.at(-1) ?? []) {
    const place = `${report.key.source}\n${dayOf(report.key.startUs)}`;
    days.set(place, [...(days.get(place) ?? []), report]);
  }
  return [...days].map(([place, reports]) => summarizeDay(place, reports, moved.get(place) ?? 0));
}

function summarizeDay(place: string, reports: readonly SliceReport[], moved: number): DaySummary {
  const [source = "", day = ""] = place.split("\n");
  const sum = (pick: (slice: SliceReport["slice"]) => number | undefined) =>
    reports.reduce((total, { slice }) => total + (pick(slice) ?? 0), 0);
  return {
    source,
    day,
    events: sum(({ events }) => events),
    digest: sumDigests(reports.map(({ slice }) => slice.digest)),
    moved,
    changed: sum(({ changed }) => changed),
    missing: sum(({ missing }) => missing),
    others: sum(({ others }) => others),
    examples: reports.flatMap(({ slice }) => slice.examples ?? []).slice(0, maxExamples),
  };
}
