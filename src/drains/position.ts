/**
 * The ends of an event that was acknowledged:
 * - `delivered`: the destination accepted it.
 * - `refused`: the destination refused it when it was sent alone.
 * - `dropped`: too many waited, or it could not be read; the log names it and the reason.
 * - `removed`: retention or a deletion removed it before it was sent.
 * - `excluded`: the rule's query does not select it.
 * - `looped`: it was drained by this service before, and has come back.
 */
export const drainOutcomes = ["delivered", "refused", "dropped", "removed", "excluded", "looped"] as const;

export type DrainOutcome = (typeof drainOutcomes)[number];

/** Counts of events by their end. */
export type DrainTally = Readonly<Record<DrainOutcome, number>>;

/** How far a rule has come: it has accounted for each key between the first and the current number, one by one. */
export interface Progress {
  /** The number of the rule's first key, less the events whose keys are in no journal. */
  readonly start: number;
  /** Their sum is the number of events since `start`. */
  readonly tally: DrainTally;
}

/** The delivery position of a rule, which moves only by saying what became of the events that it passes. */
export interface Position {
  /** The number of the first key that is still to be delivered. */
  readonly number: number;
  /** As it was saved last. */
  readonly durable: number;
  readonly tally: DrainTally;
  /** Passes as many keys as the tally has events. Does not reject: a position that was not saved is saved later. */
  advance(passed: Partial<DrainTally>): Promise<void>;
  /** Counts events as dropped whose keys are in no journal, and stays where it is. */
  countUnwritten(eventCount: number): Promise<void>;
  /** Goes to the number of another journal's key, and keeps the tally. */
  restartAt(number: number): Promise<void>;
  remove(): Promise<void>;
}

const none: DrainTally = { delivered: 0, refused: 0, dropped: 0, removed: 0, excluded: 0, looped: 0 };

export function startProgress(start: number): Progress {
  return { start, tally: none };
}

export function numberOf({ start, tally }: Progress): number {
  return start + sumOf(tally);
}

export function sumOf(tally: Partial<DrainTally>): number {
  return drainOutcomes.reduce((sum, outcome) => sum + (tally[outcome] ?? 0), 0);
}

function addTally({ start, tally }: Progress, passed: Partial<DrainTally>): Progress {
  const added = drainOutcomes.map((outcome) => [outcome, tally[outcome] + (passed[outcome] ?? 0)]);
  return { start, tally: Object.fromEntries(added) as unknown as DrainTally };
}

/** The progress as a text; `start`, then the counts. */
export function writeProgress({ start, tally }: Progress): string {
  return [start, ...drainOutcomes.map((outcome) => tally[outcome])].join(" ");
}

/** Undefined for a damaged text. A number alone, as earlier releases wrote it, is a position without a tally. */
export function readProgress(text: string): Progress | undefined {
  if (!/^-?\d{1,15}( \d{1,15})*$/.test(text)) return undefined;
  const [start = 0, ...counts] = text.split(" ").map(Number);
  if (counts.length !== 0 && counts.length !== drainOutcomes.length) return undefined;
  const tally = drainOutcomes.map((outcome, index) => [outcome, counts[index] ?? 0]);
  return { start, tally: Object.fromEntries(tally) as unknown as DrainTally };
}

/** Where a position is saved. */
export interface ProgressStore {
  /** Undefined where it has none, or a damaged one. */
  read(): Promise<Progress | undefined>;
  /** Resolves once it outlives the end of the machine. */
  write(progress: Progress): Promise<void>;
  remove(): Promise<void>;
}

/** Reads a position, or starts at `otherwise`. */
export async function openPosition(
  store: ProgressStore,
  otherwise: number,
  warn: (message: string) => void,
): Promise<Position> {
  const found = await store.read();
  let progress = found ?? startProgress(otherwise);
  // Whether what was read was flushed is not known.
  let durable = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  const save = async () => {
    const written = progress;
    try {
      await store.write(written);
      durable = numberOf(written);
      isFailing = false;
    } catch (error) {
      if (!isFailing) warn(`a drain's position cannot be saved, and events may be sent again: ${String(error)}`);
      isFailing = true;
    }
  };
  if (found === undefined) await save();
  return {
    get number() {
      return numberOf(progress);
    },
    get durable() {
      return durable;
    },
    get tally() {
      return progress.tally;
    },
    async advance(passed) {
      if (sumOf(passed) === 0) return;
      progress = addTally(progress, passed);
      await save();
    },
    async countUnwritten(eventCount) {
      const { start } = progress;
      progress = { ...addTally(progress, { dropped: eventCount }), start: start - eventCount };
      await save();
    },
    async restartAt(number) {
      progress = { ...progress, start: number - sumOf(progress.tally) };
      await save();
    },
    remove: () => store.remove(),
  };
}
