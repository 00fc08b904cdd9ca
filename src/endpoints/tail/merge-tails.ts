import { compareTimes, type TailRow } from "./ask-tail.ts";
import type { Follower } from "./shared-tail.ts";

/** Characters of rows that are held at most: of those before now, and of those that are held back. */
const maxHeldCharacters = 16_000_000;

interface MergeOptions {
  /** The newest rows that were there before now, of which at most so many are sent. */
  readonly limit: number;
  /** So long rows are held back, to be sent in the order of their times. */
  readonly delayMs: number;
}

/** Several queries that are followed as one. */
export interface MergedTails {
  /** A follower for one of the queries, and a function to call once that has sent the rows before now. */
  add(): { readonly follower: Follower; readonly join: () => void };
  /** Sends a follower the rows before now, and from here on those that arrive. */
  begin(follower: Follower): void;
  close(): void;
}

/** Follows several queries as one: what was there before now comes first, by its times, then rows as they arrive. */
export function mergeTails({ limit, delayMs }: MergeOptions): MergedTails {
  let before: readonly TailRow[] = [];
  const waiting: ((follower: Follower) => void)[] = [];
  let target: Follower | undefined;
  const pass = (work: (follower: Follower) => void) => (target === undefined ? void waiting.push(work) : work(target));
  const held = holdBack(delayMs, (rows) => pass((follower) => follower.deliver(rows)));
  return {
    add() {
      let isLive = false;
      return {
        join() {
          isLive = true;
        },
        follower: {
          deliver(rows) {
            if (isLive) held.take(rows);
            else before = newestOf([...before, ...rows], limit);
          },
          // That there were more rows before now than are asked for is no gap.
          skip: (count) => (isLive ? pass((follower) => follower.skip(count)) : undefined),
          end(error) {
            held.release();
            pass((follower) => follower.end(error));
          },
        },
      };
    },
    begin(follower) {
      target = follower;
      if (before.length > 0) follower.deliver(before);
      before = [];
      for (const work of waiting.splice(0)) work(follower);
    },
    close: held.close,
  };
}

/** Holds rows back for a while, and passes them on in the order of times with earlier ones that came meanwhile. */
function holdBack(delayMs: number, pass: (rows: readonly TailRow[]) => void) {
  let held: TailRow[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const releaseUntil = (untilUs: bigint) => {
    const rows = held.filter(({ timeUs }) => timeUs <= untilUs).sort(compareTimes);
    held = held.filter(({ timeUs }) => timeUs > untilUs);
    if (rows.length > 0) pass(rows);
  };
  const close = () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
  return {
    take(rows: readonly TailRow[]) {
      if (delayMs === 0) return pass(rows);
      held.push(...rows);
      const untilUs = latestOf(rows);
      // What is too much to be held is passed on early.
      if (lengthOf(held) > maxHeldCharacters) return releaseUntil(untilUs);
      const timer = setTimeout(() => {
        timers.delete(timer);
        releaseUntil(untilUs);
      }, delayMs).unref();
      timers.add(timer);
    },
    release() {
      close();
      releaseUntil(latestOf(held));
    },
    close,
  };
}

function latestOf(rows: readonly TailRow[]): bigint {
  return rows.reduce((latest, { timeUs }) => (timeUs > latest ? timeUs : latest), 0n);
}

function newestOf(rows: TailRow[], limit: number): readonly TailRow[] {
  const newest = rows.sort(compareTimes).slice(-limit);
  let characters = 0;
  const isBeyond = ({ json }: TailRow) => {
    characters += json.length;
    return characters > maxHeldCharacters;
  };
  return newest.slice(newest.findLastIndex(isBeyond) + 1);
}

function lengthOf(rows: readonly TailRow[]): number {
  return rows.reduce((sum, { json }) => sum + json.length, 0);
}
