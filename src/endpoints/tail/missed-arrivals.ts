import type { ArrivalMark, ArrivalSpan, Arrivals } from "./arrivals.ts";
import type { TailRow } from "./ask-tail.ts";
import { arrivalsOf, eventOf, type TailStart } from "./resume-place.ts";
import type { FoundRows, TailQuery } from "./tail-query.ts";

/** The rows of a span of arrivals that one who resumes missed. */
export interface MissedArrivals extends FoundRows {
  readonly span: ArrivalSpan;
}

/** Pieces of arrivals that one who resumes has the engine asked for, at most. */
const maxPieces = 20;

/**
 * The rows that a follower missed by their arrival, up to a mark: the rest of those that it was sent some of, and those
 * behind them. Undefined where not all arrivals are known, or they are too many to be asked for.
 */
export async function findMissedArrivals(
  start: NonNullable<TailStart>,
  query: TailQuery,
  arrivals: Arrivals,
  mark: ArrivalMark,
): Promise<readonly MissedArrivals[] | undefined> {
  const { tables, maxRows } = query.last;
  const last = arrivalsOf(start);
  const found = last && arrivals.find(last.span, tables, mark);
  if (last === undefined || found === undefined) return undefined;
  if (found.within.length + found.behind.length > maxPieces * maxRows) return undefined;
  const within = await query.findEvents(found.within);
  const behind = await query.findEvents(found.behind);
  // Events may be sent again. Of the many before, only those that were found again count.
  const ids = new Set([...within.rows, ...behind.rows].map(({ place }) => place[1]));
  const before = found.before.filter(({ id }) => ids.has(id));
  const sent = new Set(before.map(({ id, timestampUs }) => eventOf([String(timestampUs), id])));
  const withoutSent = (rows: readonly TailRow[]) => rows.filter(({ place }) => !sent.has(eventOf(place)));
  const rest = withoutSent(within.rows).filter(last.isBehind);
  for (const { place } of within.rows) sent.add(eventOf(place));
  return [
    { ...within, rows: rest, span: last.span },
    { ...behind, rows: withoutSent(behind.rows), span: arrivals.span(tables, endOf(last.span), mark) },
  ];
}

function endOf({ sources }: ArrivalSpan): ArrivalMark {
  return new Map(sources.map(([source, , to]) => [source, to]));
}
