import type { TimeRange, TimeSlice } from "../engines/contract/query-engine.ts";
import { type MovedSlice, moveSlice } from "./move-slice.ts";
import { type ProgressFile, summarize, type VerifiedSlice } from "./progress-file.ts";
import { allTimes, type SliceKey, type SourceStore, sliceWidthsUs, type TargetStore } from "./stores.ts";

/** From which number of events on a slice is moved in parts; both stores' digests of a slice are held in memory. */
const maxSliceEvents = 100_000;
const slicesAtOnce = 3;

/** A pass over all sources. */
export interface EventMove {
  readonly from: SourceStore;
  readonly to: TargetStore;
  readonly sources: readonly string[];
  readonly progress: ProgressFile;
  /** Compares verified slices too, value by value. */
  readonly comparesAll?: boolean;
  /** Stores nothing, and notes nothing. */
  readonly isDry?: boolean;
  readonly signal: AbortSignal;
  /** Events of slices that were looked at, and of all that are to be. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly maxSliceEvents?: number;
}

/** A slice, and whether it was compared in this pass or before. */
export interface SliceReport {
  readonly key: SliceKey;
  readonly slice: VerifiedSlice & Partial<Pick<MovedSlice, "moved" | "changed" | "missing" | "examples">>;
}

interface PlannedSlice {
  readonly key: SliceKey;
  readonly eventCount: number;
}

interface Plan {
  readonly verified: SliceReport[];
  readonly open: PlannedSlice[];
}

/** Finds the unfinished slices: days first, then the parts of large days. */
async function plan(move: EventMove, source: string, range: TimeRange, level: number, into: Plan): Promise<void> {
  const { from, to, progress, signal, comparesAll = false } = move;
  const widthUs = sliceWidthsUs[level] ?? 1n;
  const [own, there] = await Promise.all([
    from.events.slices(source, range, widthUs, signal),
    to.has(source) ? to.events.slices(source, range, widthUs, signal) : [],
  ]);
  const byStart = new Map(there.map((slice) => [slice.startUs, slice]));
  for (const slice of own) {
    const key = { source, startUs: slice.startUs, widthUs };
    const verified = comparesAll ? undefined : findVerified(progress, key, slice, byStart.get(slice.startUs));
    if (verified !== undefined) into.verified.push({ key, slice: verified });
    else if (slice.eventCount > (move.maxSliceEvents ?? maxSliceEvents) && level + 1 < sliceWidthsUs.length) {
      await plan(move, source, { fromUs: slice.startUs, toUs: slice.startUs + widthUs }, level + 1, into);
    } else into.open.push({ key, eventCount: slice.eventCount });
  }
}

/** Returns the recorded slice, if both stores still report the same of it. */
function findVerified(
  progress: ProgressFile,
  key: SliceKey,
  own: TimeSlice,
  there: TimeSlice | undefined,
): VerifiedSlice | undefined {
  const noted = progress.find(key);
  return noted?.from === summarize(own) && noted.to === summarize(there) ? noted : undefined;
}

/**
 * Moves events that the target lacks, slice by slice, and returns the outcome of each. Finished slices are noted
 * immediately, so that the next call resumes where this one ended. Throws the stores' errors.
 */
export async function moveEvents(move: EventMove): Promise<readonly SliceReport[]> {
  const { progress, sources, isDry = false, onProgress = () => undefined } = move;
  const planned: Plan = { verified: [], open: [] };
  for (const source of sources) await plan(move, source, allTimes, 0, planned);
  const total = planned.open.reduce((sum, { eventCount }) => sum + eventCount, 0);
  const reports = [...planned.verified];
  let done = 0;
  onProgress(done, total);
  const waiting = planned.open.values();
  const stop = new AbortController();
  const signal = AbortSignal.any([move.signal, stop.signal]);
  const work = async () => {
    for (const { key } of waiting) {
      const onRead = (events: number) => {
        // More may have come since they were counted.
        done = Math.min(done + events, total);
        onProgress(done, total);
      };
      const slice = await moveSlice({ ...move, key, signal, onRead });
      if (!isDry) noteOutcome(progress, key, slice);
      reports.push({ key, slice });
    }
  };
  const workers = Array.from({ length: slicesAtOnce }, () =>
    work().catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === "rejected" && !isAbort(outcome)) throw outcome.reason;
  move.signal.throwIfAborted();
  onProgress(total, total);
  return reports.sort(byPlace);
}

/** Fewer events than were counted are a part, or retention deleted some: either way they are compared again. */
function noteOutcome(progress: ProgressFile, key: SliceKey, slice: MovedSlice): void {
  const { from, to, events, digest, others } = slice;
  const isWhole = events >= Number(from?.split(" ")[0] ?? 0);
  if (isWhole && slice.changed + slice.missing === 0) progress.note(key, { from, to, events, digest, others });
  else progress.forget(key);
}

/** A worker that stopped because another one failed. */
function isAbort({ reason }: PromiseRejectedResult): boolean {
  const { name, code } = (reason ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === "AbortError" || code === "aborted";
}

function byPlace({ key: a }: SliceReport, { key: b }: SliceReport): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.startUs < b.startUs ? -1 : 1;
}
