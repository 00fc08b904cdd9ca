import type { TailRow } from "../../endpoints/tail/ask-tail.ts";
import type { Follower } from "../../endpoints/tail/shared-tail.ts";
import type { ServiceError } from "../../shared/errors.ts";
import type { WaitingBytes } from "./tail-limits.ts";

/** Bytes that wait for a slow reader before rows are skipped. */
const maxWaitingBytes = 1_000_000;
/** The same for all tails of a token together; one list of rows may always wait. */
const maxTokenBytes = 32_000_000;
/** Skipped rows that are reported to a follower one by one. */
const maxSkippedTold = 100;

/** A connection that a follower's messages go out on. */
export interface TailOutlet {
  /** Bytes that were written and not taken yet. */
  readonly waitingBytes: () => number;
  readonly isClosed: () => boolean;
  readonly write: (message: string | Buffer, taken: () => void) => void;
  /** Shows that the tail lives, where nothing else does. */
  readonly beat: () => void;
  /** Sends the reason why it ends, and closes it. */
  readonly end: (error: ServiceError) => void;
  readonly onClose: (callback: () => void) => void;
}

/** The messages of a protocol. */
export interface TailForm {
  readonly rows: (rows: readonly TailRow[]) => readonly (string | Buffer)[];
  /** Reports one row among those that were skipped; without it only their number is reported. */
  readonly skippedRow?: (row: TailRow) => string;
  /** `rows` are the first of them, in the form of `skippedRow`. The number is undefined where it is unknown. */
  readonly skipped: (count: number | undefined, rows: readonly string[]) => string;
}

/** A follower whose messages are held back until it is opened. */
export interface TailStream {
  readonly follower: Follower;
  readonly open: () => void;
  readonly beat: () => void;
}

/** Writes messages; to a slow reader, how many rows were skipped. */
export function openTailStream(outlet: TailOutlet, form: TailForm, waiting: WaitingBytes): TailStream {
  let isOpen = false;
  let isOver = false;
  let skipped = { count: 0, rows: [] as string[] };
  const early: (() => void)[] = [];
  const send = countWaiting(outlet, waiting, () => reportSkipped());
  const write = (message: string | Buffer) => {
    if (!isOver && !outlet.isClosed()) send(message);
  };
  const reportSkipped = () => {
    const { count, rows } = skipped;
    if (count === 0 || isOver || outlet.waitingBytes() > maxWaitingBytes / 2) return;
    skipped = { count: 0, rows: [] };
    write(form.skipped(count, rows));
  };
  const skip = (rows: readonly TailRow[]) => {
    skipped.count += rows.length;
    const { skippedRow } = form;
    if (skippedRow === undefined) return;
    for (const row of rows.slice(0, maxSkippedTold - skipped.rows.length)) skipped.rows.push(skippedRow(row));
  };
  const hasRoom = (rows: readonly TailRow[]) =>
    outlet.waitingBytes() <= maxWaitingBytes &&
    (waiting.count === 0 || waiting.count + lengthOf(rows) <= maxTokenBytes);
  const whenOpen = (work: () => void) => (isOpen ? work() : void early.push(work));
  const follower: Follower = {
    deliver: (rows) =>
      whenOpen(() => {
        if (rows.length > 0 && !hasRoom(rows)) return skip(rows);
        reportSkipped();
        if (rows.length > 0) for (const message of form.rows(rows)) write(message);
      }),
    skip: (count) => whenOpen(() => write(form.skipped(count, []))),
    end(error) {
      whenOpen(() => {
        // Their number alone: the error may be that nothing is to be shown any more.
        skipped.rows = [];
        reportSkipped();
        if (!isOver && !outlet.isClosed()) outlet.end(error);
        isOver = true;
      });
    },
  };
  const open = () => {
    isOpen = true;
    for (const work of early.splice(0)) work();
  };
  const beat = () => {
    if (isOpen && !isOver && !outlet.isClosed()) outlet.beat();
  };
  return { follower, open, beat };
}

/** Writes to a connection, and counts what was not taken yet until it is closed. */
function countWaiting(
  outlet: TailOutlet,
  waiting: WaitingBytes,
  whenTaken: () => void,
): (message: string | Buffer) => void {
  let own = 0;
  let isClosed = false;
  const take = (count: number) => {
    if (isClosed) return;
    own -= count;
    waiting.count -= count;
  };
  outlet.onClose(() => {
    take(own);
    isClosed = true;
  });
  return (message) => {
    own += message.length;
    waiting.count += message.length;
    outlet.write(message, () => {
      take(message.length);
      if (!isClosed) whenTaken();
    });
  };
}

function lengthOf(rows: readonly TailRow[]): number {
  return rows.reduce((sum, { json }) => sum + json.length, 0);
}

/** Lays out the messages of rows once for all followers of the same query, who are delivered the same lists. */
export function layOutOnce<Message, Rest extends readonly unknown[]>(
  layOut: (rows: readonly TailRow[], ...rest: Rest) => Message,
): typeof layOut {
  const laidOut = new WeakMap<readonly TailRow[], Message>();
  return (rows, ...rest) => {
    const known = laidOut.get(rows) ?? layOut(rows, ...rest);
    laidOut.set(rows, known);
    return known;
  };
}
