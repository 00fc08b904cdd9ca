/**
 * One run of a query on an engine host: its rows as they come, and a deadline that holds even where the host does not
 * keep it.
 */

import { type Deadline, openDeadline } from "../../shared/concurrency/deadline.ts";
import {
  EngineError,
  type QuerySummary,
  type RowBatch,
  type RunningQuery,
  type RunRequest,
} from "../contract/query-engine.ts";
import { bindQuery, perRowCall } from "./bind-query.ts";
import type { EngineHost, HostQuery, HostSummary } from "./host/protocol.ts";

/** How long past its deadline a host may take to say so itself. */
const TIMEOUT_GRACE_MS = 100;

type RowHost = Pick<EngineHost, "run">;
type Rows = AsyncGenerator<RowBatch, HostSummary, void>;

const unread: QuerySummary = { rowCount: 0, isTruncated: true, engineMs: 0 };

/**
 * Reads on from a first step that was taken already. Unlike a generator, it passes `return` on also when nothing was
 * read.
 */
class Batches implements AsyncIterableIterator<RowBatch> {
  readonly #rows: Rows;
  readonly #explain: (error: unknown) => unknown;
  #first: IteratorResult<RowBatch, HostSummary> | undefined;
  summary: QuerySummary | undefined;

  constructor(rows: Rows, first: IteratorResult<RowBatch, HostSummary>, explain: (error: unknown) => unknown) {
    this.#rows = rows;
    this.#first = first;
    this.#explain = explain;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<RowBatch, undefined>> {
    try {
      const step = this.#first ?? (await this.#rows.next());
      this.#first = undefined;
      if (step.done !== true) return { done: false, value: step.value };
      this.summary ??= step.value;
      return { done: true, value: undefined };
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async return(): Promise<IteratorResult<RowBatch, undefined>> {
    await this.#rows.return(unread);
    return { done: true, value: undefined };
  }
}

async function* runUntil(
  host: RowHost,
  query: HostQuery,
  deadline: Deadline,
  onEngineEnded: RunRequest["onEngineEnded"],
): Rows {
  try {
    return yield* host.run(query, deadline.signal, onEngineEnded);
  } finally {
    deadline.release();
  }
}

/** Resolves when the first rows, or the end, are there. Throws `EngineError`, also while iterating. */
export async function runQuery(host: RowHost, request: RunRequest): Promise<RunningQuery> {
  const { query, values, encoding, limits, signal, onEngineEnded } = request;
  const hostQuery = { ...bindQuery(query, values, limits), encoding, limits };
  const deadline = openDeadline(signal, limits.timeoutMs + TIMEOUT_GRACE_MS);
  const rows = runUntil(host, hostQuery, deadline, onEngineEnded);
  const explain = (error: unknown): unknown =>
    deadline.isOver && error instanceof EngineError && error.code === "aborted"
      ? new EngineError("timeout", `The query ran longer than ${limits.timeoutMs} ms`)
      : error;
  let first: Awaited<ReturnType<Rows["next"]>>;
  try {
    first = await rows.next();
  } catch (error) {
    throw explain(error);
  }
  if (first.done === true && first.value.lacksConstants === true) return runQuery(host, perRowCall(request));
  const batches = new Batches(rows, first, explain);
  return {
    batches,
    summary() {
      if (batches.summary === undefined) throw new EngineError("internal", "The query has not ended");
      return batches.summary;
    },
  };
}
