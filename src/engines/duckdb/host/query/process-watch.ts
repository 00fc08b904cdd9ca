/**
 * Looks after the memory of the whole process while queries run, and stops the one to blame before somebody ends the
 * process.
 */

const SAMPLE_INTERVAL_MS = 50;
/** So long a query that was stopped may take to give its memory back before the next one is. */
const RELEASE_MS = 300;
/** A process that grew by less since a query began did not grow because of it. */
const MIN_GROWTH_BYTES = 64 * 1024 * 1024;

export interface ProcessWatch {
  /** Calls `onExceeded` once when the process is too large and grew the most since this call. */
  watch(onExceeded: () => void): WatchedQuery;
}

export interface WatchedQuery {
  /** True while the process grew by more since another query began that still runs. */
  isSmaller(): boolean;
  end(): void;
}

interface Watched {
  readonly bytesBefore: number;
  readonly onExceeded: () => void;
}

/**
 * DuckDB counts what sorts, joins and aggregates hold, and not the texts and lists that expressions make: the process
 * does.
 */
export function createProcessWatch(
  maxBytes: number,
  readBytes: () => number = () => process.memoryUsage.rss(),
): ProcessWatch {
  const running = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let quietUntilMs = 0;

  let known = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

  /** Reading takes some ten microseconds: many short queries share it. */
  const read = (): number => {
    const atMs = performance.now();
    if (atMs - known.atMs >= SAMPLE_INTERVAL_MS) known = { bytes: readBytes(), atMs };
    return known.bytes;
  };

  const sample = () => {
    const bytes = readBytes();
    known = { bytes, atMs: performance.now() };
    if (bytes <= maxBytes || performance.now() < quietUntilMs) return;
    const [first] = [...running].sort((one, other) => one.bytesBefore - other.bytesBefore);
    if (first === undefined || bytes - first.bytesBefore < MIN_GROWTH_BYTES) return;
    quietUntilMs = performance.now() + RELEASE_MS;
    running.delete(first);
    first.onExceeded();
  };

  return {
    watch(onExceeded) {
      const watched = { bytesBefore: read(), onExceeded };
      running.add(watched);
      timer ??= setInterval(sample, SAMPLE_INTERVAL_MS);
      return {
        isSmaller: () => [...running].some((other) => other !== watched && other.bytesBefore <= watched.bytesBefore),
        end() {
          running.delete(watched);
          if (running.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
  };
}
