import type { PagePlace } from "../paging/cursor.ts";
import type { TailRow } from "./ask-tail.ts";

/** A row's place in the order, and behind it, if a tail sent it, when that was. */
export type ResumePlace = PagePlace;

/** Marks the time in a place, in microseconds since 1970; no key of an order begins so and is the last. */
const sentMark = "told:";
/** A row whose time is further from when it was sent was not sent in the order of times. */
const orderlyUs = 60_000_000n;

/** The place of a row that is sent at a time. */
export function sealedPlace(place: PagePlace, sentUs: bigint): ResumePlace {
  return [...place, `${sentMark}${sentUs}`];
}

/** The rows that a follower missed. */
export interface ResumeStart {
  /** None of them has an earlier time. */
  readonly fromUs: bigint;
  readonly isMissed: (row: Pick<TailRow, "timeUs" | "place">) => boolean;
}

/**
 * From a time on; behind a row in the order of times; or, behind a row whose own time was far from the clock when it
 * was sent, from the moment on when it was sent, because what came later has the times of then.
 */
export function startOf(start: { readonly fromUs: bigint } | { readonly behind: ResumePlace }): ResumeStart {
  if ("fromUs" in start) return { fromUs: start.fromUs, isMissed: () => true };
  const last = start.behind.at(-1);
  const sentUs = last?.startsWith(sentMark) === true ? BigInt(last.slice(sentMark.length)) : undefined;
  const place = sentUs === undefined ? start.behind : start.behind.slice(0, -1);
  const timeUs = BigInt(place[0] ?? 0);
  const isOrderly = sentUs === undefined || (timeUs <= sentUs + orderlyUs && timeUs >= sentUs - orderlyUs);
  if (isOrderly) return { fromUs: timeUs, isMissed: (row) => isBehind(row.place, place) };
  // Rows ahead of the clock were sent in their order too.
  const isAhead = timeUs > sentUs;
  return {
    fromUs: sentUs,
    isMissed: (row) => !isAhead || row.timeUs < sentUs + orderlyUs || isBehind(row.place, place),
  };
}

/** True for a row that comes after another: later, or with greater keys at the same time. */
function isBehind(place: PagePlace, other: PagePlace): boolean {
  for (const [index, value] of place.entries()) {
    const against = other[index] ?? null;
    if (value === against) continue;
    if (index === 0) return BigInt(value ?? 0) > BigInt(against ?? 0);
    return (value ?? "") > (against ?? "");
  }
  return false;
}
