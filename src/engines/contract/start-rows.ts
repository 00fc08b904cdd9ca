/** One run of a query: its rows as they come, and a deadline that holds even where the engine does not keep it. */
import { openDeadline } from "../../shared/concurrency/deadline.ts";
import { EngineError, type QuerySummary, type RowBatch, type RunningQuery, type RunRequest } from "./query-engine.ts";

type Rows = AsyncGenerator<RowBatch, QuerySummary, void>;

const unread: QuerySummary = { rowCount: 0, isTruncated: true, engineMs: 0 };

export interface Run {
  /** How long past its deadline an engine may take to say so itself. */
  readonly graceMs: number;
  /** Another error for one that ended the query; undefined where there is none, and a query that is late ran too long. */
  readonly explain?: (error: EngineError, isLate: boolean) => Promise<EngineError | undefined>;
  /** Answers the rows; the signal ends them. */
  readonly open: (signal: AbortSignal) => Rows;
}

/** Resolves when the first rows, or the end, are there. Throws `EngineError`, also while iterating. */
export async function startRows(
  { limits, signal }: Pick<RunRequest, "limits" | "signal">,
  run: Run,
): Promise<RunningQuery> {
  const deadline = openDeadline(signal, limits.timeoutMs + run.graceMs);
  const rows = run.open(deadline.signal);
  let summary: QuerySummary | undefined;
  const step = async (): Promise<IteratorResult<RowBatch, undefined>> => {
    try {
      const taken = await rows.next();
      if (taken.done !== true) return taken;
      deadline.release();
      summary ??= taken.value;
      return { done: true, value: undefined };
    } catch (error) {
      deadline.release();
      if (!(error instanceof EngineError)) throw error;
      const isLate = deadline.isOver && error.code === "aborted";
      const reason = `The query ran longer than ${limits.timeoutMs} ms`;
      const last = isLate ? new EngineError("timeout", reason, { limit: "timeoutMs" }) : error;
      throw (await run.explain?.(error, isLate)) ?? last;
    }
  };
  let first: IteratorResult<RowBatch, undefined> | undefined = await step();
  // Unlike a generator's, `return` reaches the rows also where none were read.
  const batches: AsyncIterableIterator<RowBatch> = {
    [Symbol.asyncIterator]: () => batches,
    async next() {
      const taken = first ?? (await step());
      first = undefined;
      return taken;
    },
    async return() {
      await rows.return(unread);
      deadline.release();
      return { done: true, value: undefined };
    },
  };
  return {
    batches,
    summary() {
      if (summary === undefined) throw new EngineError("internal", "The query has not ended");
      return summary;
    },
  };
}
