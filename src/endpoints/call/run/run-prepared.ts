import { setTimeout as pause } from "node:timers/promises";
import {
  EngineError,
  type QueryLimits,
  type QuerySummary,
  RowBatch,
  type RunningQuery,
  type RunRequest,
} from "../../../engines/contract/query-engine.ts";
import { redactJson } from "../../../redaction/redact-json.ts";
import { redactText } from "../../../redaction/redact-text.ts";
import type { Admission } from "../../../shared/concurrency/admission.ts";
import { openDeadline } from "../../../shared/concurrency/deadline.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { PagePlace } from "../../paging/cursor.ts";
import { createPageEnd } from "../../paging/page-end.ts";
import type { PreparedCall } from "../prepare/query-call.ts";
import { fromEngineError } from "./engine-error.ts";
import type { EndpointRunner } from "./runner.ts";

/** How often a call is sent to an engine that ends below it, or whose memory others took. */
const maxAttempts = 4;
/** So long others may take to give it back, the first time. */
const memoryPauseMs = 250;

/** The outcome of a run. */
export interface RunSummary extends QuerySummary {
  /** Where the next page begins; undefined at the end, and where the query has no pages. */
  readonly next: PagePlace | undefined;
}

/** The caller of a run, and callbacks for its timings. */
export interface RunOptions {
  /** Turns are shared fairly among callers. */
  readonly caller?: string;
  /** Milliseconds for checking the call and compiling its query. */
  readonly onPrepared?: (ms: number) => void;
  /** Milliseconds that the call waited for its turn. */
  readonly onQueued?: (ms: number) => void;
  /** Rows of the answer, once all of them are there. */
  readonly onRows?: (count: number) => void;
  /** Each batch before it is answered: with hidden columns, and not redacted. For `placeOf`. */
  readonly onBatch?: (batch: RowBatch) => void;
  /** Milliseconds of waiting for the engine; called once, even when the run fails. */
  readonly onEngine?: (ms: number) => void;
}

/** Reads a run to its end: batches of rows as JSON text, comma separated, and the summary. */
export async function readToEnd(
  run: AsyncGenerator<RowBatch, RunSummary>,
): Promise<{ readonly batches: readonly string[]; readonly summary: RunSummary }> {
  const batches: string[] = [];
  for (let step = await run.next(); ; step = await run.next()) {
    if (step.done === true) return { batches, summary: step.value };
    if (step.value.rowCount > 0) batches.push(step.value.json);
  }
}

/**
 * Runs a prepared call: rows as JSON text, comma separated, in batches as the engine makes them. Waits its turn
 * first; the deadline counts from the call of `next`. Errors of the engine arrive as `ServiceError`; the end by
 * `signal` as its reason.
 */
export async function* runPrepared(
  runner: Omit<EndpointRunner, "planner" | "cursors">,
  call: PreparedCall,
  signal: AbortSignal,
  { caller = "", onQueued, onRows, onBatch, onEngine }: RunOptions = {},
): AsyncGenerator<RowBatch, RunSummary> {
  const started = runner.now();
  runner.holdBack?.check(caller);
  const { timeoutMs: deadlineMs } = limitsOf(runner, call);
  const leave = await enter(runner.admission, caller, signal, deadlineMs);
  const queuedMs = runner.now() - started;
  onQueued?.(queuedMs);
  let engineMs = 0;
  const waitFor = async <T>(work: Promise<T>): Promise<T> => {
    const from = runner.now();
    try {
      return await work;
    } finally {
      engineMs += runner.now() - from;
    }
  };
  try {
    const page = createPageEnd(call.query.paging, call.maxRows);
    const timeoutMs = Math.max(1, Math.ceil(deadlineMs - queuedMs));
    const { running, batches, ahead } = await waitFor(begin(runner, call, timeoutMs, caller, signal));
    const read = () => ahead.shift() ?? waitFor(batches.next());
    let rowCount = 0;
    try {
      for (let step = await read(); step.done !== true; step = await read()) {
        onBatch?.(step.value);
        const shown = page.read(step.value);
        rowCount += shown.rowCount;
        yield call.redactsPii ? new RowBatch(redactJson(shown.json, call.detectors), shown.rowCount) : shown;
      }
    } finally {
      await batches.return?.();
    }
    onRows?.(rowCount);
    return { ...running.summary(), next: page.next() };
  } catch (error) {
    // The reason of the abort is more precise than the engine's error.
    if (signal.aborted) throw signal.reason;
    const answered = fromEngineError(error);
    if (answered === undefined) throw error;
    // A failed cast shows the value that failed.
    throw call.redactsPii
      ? new ServiceError(answered.code, redactText(answered.message, call.detectors), answered.details)
      : answered;
  } finally {
    onEngine?.(engineMs);
    leave();
  }
}

type Step = IteratorResult<RowBatch, unknown>;

interface BegunQuery {
  readonly running: RunningQuery;
  readonly batches: AsyncIterator<RowBatch, unknown>;
  /** Rows of them that were already read. */
  readonly ahead: Step[];
}

/**
 * Two steps: of most answers that is all, so that nothing of them is given away before it is known that the engine
 * got to their end.
 */
async function readAhead(running: RunningQuery): Promise<BegunQuery> {
  const batches = running.batches[Symbol.asyncIterator]();
  try {
    const first = await batches.next();
    return { running, batches, ahead: first.done === true ? [first] : [first, await batches.next()] };
  } catch (error) {
    await batches.return?.();
    throw error;
  }
}

/**
 * Runs the call on the engine; again where that ended below it, or others took its memory, before any of its rows was
 * there. Not for a caller whose own query ended it: its others may be of the same kind.
 */
async function begin(
  { engine, holdBack, ...runner }: Omit<EndpointRunner, "planner" | "cursors">,
  call: PreparedCall,
  timeoutMs: number,
  caller: string,
  signal: AbortSignal,
): Promise<BegunQuery> {
  const request: RunRequest = {
    query: call.query,
    values: call.values,
    encoding: "objects",
    limits: { ...limitsOf(runner, call), timeoutMs },
    signal,
    onEngineEnded: () => holdBack?.note(caller),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await readAhead(await engine.run(request));
    } catch (error) {
      if (!(error instanceof EngineError && error.isLost) || attempt === maxAttempts || signal.aborted) throw error;
      holdBack?.check(caller);
      if (error.code === "memory_exceeded") await pause(memoryPauseMs * attempt, undefined, { signal });
    }
  }
}

/** The engine's limits within the call's budget. */
function limitsOf(runner: Pick<EndpointRunner, "timeoutMs" | "maxResultBytes">, call: PreparedCall): QueryLimits {
  const { budget = {}, maxRows } = call;
  const {
    max_query_memory_mb: memoryMb,
    max_array_elements: maxArrayElements,
    max_string_bytes: maxStringBytes,
  } = budget;
  return {
    timeoutMs: Math.min(runner.timeoutMs, budget.query_timeout_ms ?? runner.timeoutMs),
    maxRows,
    maxResultBytes: Math.min(runner.maxResultBytes, budget.max_result_bytes ?? runner.maxResultBytes),
    ...(memoryMb === undefined ? {} : { maxMemoryBytes: memoryMb * 1_000_000 }),
    ...(maxArrayElements === undefined ? {} : { maxArrayElements }),
    ...(maxStringBytes === undefined ? {} : { maxStringBytes }),
  };
}

async function enter(
  admission: Admission,
  caller: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<() => void> {
  signal.throwIfAborted();
  const leave = admission.tryEnter(caller);
  // Most calls need not wait, and so no deadline of their own.
  if (leave !== undefined) return leave;
  const deadline = openDeadline(signal, timeoutMs);
  try {
    return await admission.enter(deadline.signal, caller);
  } catch (error) {
    if (deadline.isOver && error === deadline.signal.reason)
      throw new ServiceError("timeout", "The query waited for its turn until its deadline");
    throw error;
  } finally {
    deadline.release();
  }
}
