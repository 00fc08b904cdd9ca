import { rowsOf } from "../endpoints/cache/cached-answer.ts";
import { runCached } from "../endpoints/cache/run-cached.ts";
import { readsOf, shownColumns } from "../endpoints/call/plan/planned-query.ts";
import { prepareFairly } from "../endpoints/call/prepare/prepare-call.ts";
import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import { type RunSummary, runPrepared } from "../endpoints/call/run/run-prepared.ts";
import type { PlacedProblem } from "../endpoints/definition/field-problem.ts";
import { isEndpoint } from "../endpoints/definition/query-target.ts";
import { warningsOf } from "../endpoints/explore/inspect-consumer.ts";
import { placeOf } from "../endpoints/paging/page-end.ts";
import type { RowBatch } from "../engines/contract/query-engine.ts";
import { splitValues } from "../values/json/split-json.ts";
import type { McpCaller, RowFormat } from "./mcp-caller.ts";
import { answerBounds, RowCollector, type TakenRows } from "./row-collector.ts";

/** The rows of an answer, and what is known of those that it does not hold. */
export interface BoundedRows extends TakenRows {
  /** The bound that cut the answer; undefined where it holds all that was asked for. */
  readonly cutBy: "rows" | "characters" | undefined;
  /** Rows of the whole answer; undefined where that is not known. */
  readonly totalRows: number | undefined;
  /** Goes on behind the last row, in a call that is the same besides. */
  readonly cursor: string | undefined;
  /** The newest event that the query could read, in microseconds since 1970. */
  readonly dataThroughUs: bigint | undefined;
  /** Probable mistakes of the caller's own query, such as fields that no event has carried. */
  readonly warnings: readonly PlacedProblem[];
}

/**
 * Runs a call as its address does, from the cache where the endpoint has one, and reads rows until one of the bounds
 * of an answer. Throws `ServiceError` as running it does.
 */
export async function readRows(caller: McpCaller, call: QueryCall, format: RowFormat): Promise<BoundedRows> {
  const { target } = call;
  if (isEndpoint(target) && target.definition.cacheSeconds > 0) return readCached(caller, { ...call, target }, format);
  const { runner, dataThrough, identity } = caller;
  const prepared = await prepareFairly(runner, call, { caller: identity.tokenId, openSignal: call.openSignal });
  const { paging } = prepared.query;
  const shown = shownColumns(prepared.query);
  const collector = new RowCollector(shown, caller.openWriter(format, shown));
  const dataThroughUs = await dataThrough.of(readsOf(prepared.query));
  const options = caller.runOptions();
  // Rows with their hidden columns, beside those that are shown.
  let raw: Iterator<string> | undefined;
  let last: string | undefined;
  const onBatch = ({ json }: RowBatch) => {
    raw = splitValues(json);
  };
  const bounded = { ...prepared, maxRows: boundRows(call, prepared.maxRows) };
  const run: AsyncGenerator<RowBatch, RunSummary | undefined> = runPrepared(runner, bounded, call.openSignal(), {
    ...options,
    ...(paging === undefined ? {} : { onBatch }),
  });
  let summary: RunSummary | undefined;
  while (summary === undefined && !collector.isFull) {
    const step = await run.next();
    if (step.done === true) summary = step.value;
    else if (step.value.rowCount > 0) {
      for (const row of splitValues(step.value.json)) {
        if (!collector.take(row)) break;
        last = raw?.next().value;
      }
    }
  }
  if (summary === undefined) {
    await run.return(undefined);
    options.onRows?.(collector.count);
  }
  const isCut = summary === undefined || summary.isTruncated;
  const place =
    summary === undefined && paging !== undefined && last !== undefined ? placeOf(last, paging) : summary?.next;
  return {
    ...collector.taken(),
    cutBy: collector.isFull ? "characters" : isCut ? "rows" : undefined,
    totalRows: isCut || place !== undefined || isContinued(call) ? undefined : collector.count,
    cursor: place === undefined ? undefined : runner.cursors.seal(prepared.cursorScope, place),
    dataThroughUs,
    warnings: warningsOf(call, prepared.query),
  };
}

/** A cached answer is a whole page, of which the first rows are shown. */
async function readCached(
  caller: McpCaller,
  call: Parameters<typeof runCached>[1],
  format: RowFormat,
): Promise<BoundedRows> {
  const { answer, cursorScope, isHit } = await runCached(caller, call, caller.runOptions());
  caller.noteCache(isHit);
  const { columns, next, dataThroughUs } = answer;
  const collector = new RowCollector(columns, caller.openWriter(format, columns));
  const maxRows = boundRows(call, Number.MAX_SAFE_INTEGER);
  let count = 0;
  for (const row of rowsOf(answer)) {
    count++;
    if (count <= maxRows && !collector.isFull) collector.take(row);
  }
  const cutBy = collector.isFull ? "characters" : count > maxRows ? "rows" : undefined;
  return {
    ...collector.taken(),
    cutBy,
    totalRows: next !== undefined || isContinued(call) ? undefined : count,
    cursor: next === undefined || cutBy !== undefined ? undefined : caller.runner.cursors.seal(cursorScope, next),
    dataThroughUs,
    warnings: [],
  };
}

/** A caller who names a number of rows gets them, as far as they fit. */
function boundRows({ parameters }: QueryCall, maxRows: number): number {
  return isSent(parameters.get("limit")) ? maxRows : Math.min(maxRows, answerBounds.rows);
}

const isContinued = ({ parameters }: QueryCall): boolean => isSent(parameters.get("cursor"));

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
