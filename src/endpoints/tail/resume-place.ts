import type { PagePlace } from "../paging/cursor.ts";
import type { ArrivalSpan } from "./arrivals.ts";
import type { TailRow } from "./ask-tail.ts";

/**
 * A row's place in the order, and behind it, if a tail sent it, when that was and with which arrivals. Without a row,
 * the time from which on all rows are missing.
 */
export type ResumePlace = PagePlace;

/** Marks what is known of a place's sending; no key of an order begins so and is the last. */
const sentMark = "told:";
/** A row whose time is further from when it was sent was not sent in the order of times. */
const orderlyUs = 60_000_000n;

/** The place of a row that is sent at a time, in microseconds since 1970, with the rows of these arrivals. */
export function sealedPlace(place: PagePlace, sentUs: bigint, span?: ArrivalSpan): ResumePlace {
  return [...place, `${sentMark}${sentUs}${span === undefined ? "" : ` ${JSON.stringify(span)}`}`];
}

/** Where a follower begins: now, at a time, or behind a row. */
export type TailStart = { readonly fromUs: bigint } | { readonly behind: ResumePlace } | undefined;

/** The place of a follower that no row was sent to yet; `span` is where arrivals are now. */
export function placeBefore(start: TailStart, nowUs: bigint, span?: ArrivalSpan): ResumePlace {
  if (start === undefined) return sealedPlace([], nowUs, span);
  return "behind" in start ? start.behind : sealedPlace([], start.fromUs);
}

/** The place of a follower that no row was sent to between this place and a time. */
export function placeAt(place: ResumePlace, timeUs: bigint): ResumePlace {
  const { row, sentUs = timeOf(row), span } = openPlace(place);
  return sentUs < timeUs ? sealedPlace(row, timeUs, span) : place;
}

interface OpenedPlace {
  readonly row: PagePlace;
  readonly sentUs?: bigint;
  readonly span?: ArrivalSpan | undefined;
}

function openPlace(place: ResumePlace): OpenedPlace {
  const last = place.at(-1);
  if (last?.startsWith(sentMark) !== true) return { row: place };
  const [time = "", span] = last.slice(sentMark.length).split(/ (.*)/s);
  return { row: place.slice(0, -1), sentUs: BigInt(time), span: span === undefined ? span : JSON.parse(span) };
}

function timeOf(row: PagePlace): bigint {
  return BigInt(row[0] ?? 0);
}

/** The rows that a follower missed, by their times. */
export interface ResumeStart {
  /** None of them has an earlier time. */
  readonly fromUs: bigint;
  readonly isMissed: (row: Pick<TailRow, "timeUs" | "place">) => boolean;
}

/**
 * From a time on; behind a row in the order of times; or, behind a row whose own time was far from the clock when it
 * was sent, from the moment on when it was sent, because what came later has the times of then.
 */
export function startOf(start: NonNullable<TailStart>): ResumeStart {
  if ("fromUs" in start) return { fromUs: start.fromUs, isMissed: () => true };
  const { row: place, sentUs } = openPlace(start.behind);
  const timeUs = timeOf(place);
  const isOrderly = sentUs === undefined || (timeUs <= sentUs + orderlyUs && timeUs >= sentUs - orderlyUs);
  if (isOrderly) return { fromUs: timeUs, isMissed: (row) => comparePlaces(row.place, place) > 0 };
  // Rows ahead of the clock were sent in their order too.
  const isAhead = timeUs > sentUs;
  return {
    fromUs: sentUs,
    isMissed: (row) => !isAhead || row.timeUs < sentUs + orderlyUs || comparePlaces(row.place, place) > 0,
  };
}

/**
 * The arrivals of which a follower missed everything, but those of the span up to a row of it; undefined for one that
 * was sent nothing by arrival.
 */
export function arrivalsOf(
  start: NonNullable<TailStart>,
): { readonly span: ArrivalSpan; readonly isBehind: (row: Pick<TailRow, "place">) => boolean } | undefined {
  if ("fromUs" in start) return undefined;
  const { row: place, span } = openPlace(start.behind);
  return span && { span, isBehind: (row) => comparePlaces(row.place, place) > 0 };
}

/** Identifies the event of a row by its time and its id, which tenants may share. */
export function eventOf([time = null, id = null]: PagePlace): string {
  return JSON.stringify([time, id]);
}

/** Orders places by time, and at the same time by their keys: of two, a tail resumes behind the later one. */
export function comparePlaces(place: PagePlace, other: PagePlace): number {
  for (const [index, value] of place.entries()) {
    const against = other[index] ?? null;
    if (value === against) continue;
    const [own, its] = index === 0 ? [BigInt(value ?? 0), BigInt(against ?? 0)] : [value ?? "", against ?? ""];
    return own > its ? 1 : -1;
  }
  return 0;
}
