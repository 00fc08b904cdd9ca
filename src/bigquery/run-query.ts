import { rowsOf } from "../endpoints/cache/cached-answer.ts";
import { runCached } from "../endpoints/cache/run-cached.ts";
import { shownColumns } from "../endpoints/call/plan/planned-query.ts";
import { prepareFairly } from "../endpoints/call/prepare/prepare-call.ts";
import type { PreparedCall, QueryCall } from "../endpoints/call/prepare/query-call.ts";
import { readToEnd, runPrepared } from "../endpoints/call/run/run-prepared.ts";
import { isEndpoint } from "../endpoints/definition/query-target.ts";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import { splitValues } from "../values/json/split-json.ts";
import type { BigQueryCaller } from "./bigquery-caller.ts";
import type { PlacedQuery } from "./place-query.ts";

/** Rows of an answer, and where those behind them begin. */
export interface Chunk {
  readonly columns: readonly OutputColumn[];
  /** Each the JSON of its object. */
  readonly rows: readonly string[];
  /** Our sealed cursor; undefined where these are the last rows. */
  readonly cursor: string | undefined;
  readonly isCached: boolean;
}

/** A query of a client, and the values of the endpoint's parameters. */
export interface RunnableQuery {
  readonly placed: PlacedQuery;
  readonly parameters: ReadonlyMap<string, unknown>;
}

/** The call of a query as it is now: with the scope, pins, redaction and budget that the token has at this moment. */
export function openQuery(
  caller: BigQueryCaller,
  { placed, parameters }: RunnableQuery,
  isRun: boolean,
  cursor?: string,
): Promise<QueryCall> {
  const sent = new Map(parameters).set("sql", placed.sql);
  if (cursor !== undefined) sent.set("cursor", cursor);
  return caller.openCall(placed.dataset.endpoint.definition.id, sent, isRun);
}

/** The columns of a query's result. Throws `ServiceError` with the place in the client's text. */
export async function describeQuery(
  caller: BigQueryCaller,
  { placed }: RunnableQuery,
  call: QueryCall,
): Promise<readonly OutputColumn[]> {
  try {
    return shownColumns((await prepare(caller, call)).query);
  } catch (error) {
    throw placed.moveError(error);
  }
}

/**
 * Reads rows of an opened call, at most as many as one answer of the endpoint has. Throws `result_too_large` where
 * there are more and their order does not say where to go on: a part never passes for the whole.
 */
export async function runQuery(
  caller: BigQueryCaller,
  { placed }: RunnableQuery,
  call: QueryCall,
  usesCache: boolean,
): Promise<Chunk> {
  try {
    return (usesCache ? await readCached(caller, call) : undefined) ?? (await readAnew(caller, call));
  } catch (error) {
    throw placed.moveError(error);
  }
}

function prepare({ runner, identity }: BigQueryCaller, call: QueryCall): Promise<PreparedCall> {
  return prepareFairly(runner, call, { caller: identity.tokenId, openSignal: call.openSignal });
}

/** Undefined for endpoints without a cache, and where an answer does not show whether rows were left out. */
async function readCached(caller: BigQueryCaller, call: QueryCall): Promise<Chunk | undefined> {
  const { target } = call;
  if (!isEndpoint(target) || target.definition.cacheSeconds === 0) return undefined;
  const { answer, cursorScope, isHit } = await runCached(caller, { ...call, target }, caller.runOptions());
  const rows = [...rowsOf(answer)];
  const { next, columns } = answer;
  const { query, maxRows } = await prepare(caller, call);
  if (next === undefined && query.paging === undefined && rows.length >= maxRows) return undefined;
  caller.noteCache(isHit);
  const cursor = next === undefined ? undefined : caller.runner.cursors.seal(cursorScope, next);
  return { columns, rows, cursor, isCached: isHit };
}

async function readAnew(caller: BigQueryCaller, call: QueryCall): Promise<Chunk> {
  const { runner } = caller;
  const prepared = await prepare(caller, call);
  const { batches, summary } = await readToEnd(runPrepared(runner, prepared, call.openSignal(), caller.runOptions()));
  const rows = batches.flatMap((json) => [...splitValues(json)]);
  const { isTruncated, next } = summary;
  if (isTruncated && next === undefined) {
    throw new ServiceError("result_too_large", `The result has more than ${prepared.maxRows} rows, max_rows`, {
      limit: "max_rows",
      hint: "Add LIMIT, or ORDER BY timestamp DESC, by which results are read on.",
    });
  }
  const cursor = next === undefined ? undefined : runner.cursors.seal(prepared.cursorScope, next);
  return { columns: shownColumns(prepared.query), rows, cursor, isCached: false };
}
