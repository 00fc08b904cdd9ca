import { readsOf, shownColumns } from "../call/plan/planned-query.ts";
import { prepareFairly } from "../call/prepare/prepare-call.ts";
import type { PreparedCall, QueryCall } from "../call/prepare/query-call.ts";
import type { DataThrough } from "../call/run/data-through.ts";
import { type RunOptions, readToEnd, runPrepared } from "../call/run/run-prepared.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import type { Endpoint } from "../definition/definition.ts";
import { cacheKey } from "./cache-key.ts";
import type { ComputedAnswer } from "./cached-answer.ts";
import type { FoundAnswer, ResultCache } from "./result-cache.ts";

/** The dependencies of cached calls. */
export interface CachedRunner {
  readonly runner: EndpointRunner;
  readonly cache: ResultCache;
  readonly dataThrough: DataThrough;
}

/** An answer and its cache key. */
export interface CachedRun extends FoundAnswer {
  readonly key: string;
  /** The scope of the call's cursors. */
  readonly cursorScope: string;
  /** As `PlannedQuery` has it. */
  readonly isCurrent: (() => boolean) | undefined;
}

/** A call of an endpoint whose answers are cached. */
export interface CacheableCall extends QueryCall {
  readonly target: Endpoint;
}

/**
 * Answers a call of an endpoint whose answers are cached, as the whole `{"result":[...]}`. Throws `ServiceError` as
 * running it does. The call is prepared once; a refresh prepares it again, so that it sees the current fields of the
 * sources.
 */
export async function runCached(
  dependencies: CachedRunner,
  call: CacheableCall,
  options: RunOptions,
): Promise<CachedRun> {
  const { runner, cache } = dependencies;
  const { target, redactsPii, budget = {}, pinned } = call;
  const { cacheSeconds, warmEverySeconds } = target.definition;
  const { parameters, bytes } = pickParameters(target, call.parameters);
  const dialect = call.dialect === undefined ? {} : { dialect: call.dialect };
  const asked = { target, parameters, redactsPii, budget, pinned, ...dialect };
  const startedAt = runner.now();
  const { openSignal } = call;
  const turn = { caller: options.caller ?? "", openSignal };
  const prepared = await prepareFairly(runner, { ...asked, isOwner: call.isOwner === true }, turn);
  const key = cacheKey(target, prepared);
  options.onPrepared?.(runner.now() - startedAt);
  const { query, cursorScope } = prepared;
  return cache
    .get({
      key,
      group: target.definition.id,
      heldBytes: bytes,
      policy: { cacheSeconds, warmEverySeconds },
      compute: (ownSignal) => compute(dependencies, prepared, ownSignal, options),
      refresh: createRefresh(dependencies, asked),
      openSignal,
    })
    .then((found) => ({ ...found, key, cursorScope, isCurrent: query.isCurrent }));
}

/** The part of a call that a refresh needs; it is cached with the answer. */
type RefreshedCall = Omit<QueryCall, "openSignal">;

/**
 * Made in a function of its own, because a closure retains everything that its neighbours read: the request of the call
 * would be cached with its answer.
 */
function createRefresh(
  dependencies: CachedRunner,
  call: RefreshedCall,
): (signal: AbortSignal) => Promise<ComputedAnswer> {
  return async (signal) => {
    const turn = { caller: "refresh", openSignal: () => signal };
    return compute(dependencies, await prepareFairly(dependencies.runner, call, turn), signal, { caller: "refresh" });
  };
}

async function compute(
  { runner, dataThrough }: CachedRunner,
  prepared: PreparedCall,
  signal: AbortSignal,
  options: RunOptions,
): Promise<ComputedAnswer> {
  const dataThroughUs = await dataThrough.of(readsOf(prepared.query));
  const { batches, summary } = await readToEnd(runPrepared(runner, prepared, signal, options));
  const body = toOwnBuffer(`{"result":[${batches.join(",")}]}`);
  return { body, columns: shownColumns(prepared.query), dataThroughUs, next: summary.next };
}

/** In memory of its own: a small buffer from the pool would retain the whole pool slab. */
function toOwnBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

/**
 * The parameters of a call that the endpoint reads, because a cached answer retains them too; with their approximate
 * size.
 */
function pickParameters(
  { contract }: Endpoint,
  sent: ReadonlyMap<string, unknown>,
): { readonly parameters: ReadonlyMap<string, unknown>; readonly bytes: number } {
  const names = [...contract.parameters.map(({ name }) => name), "sql", "lql", "limit", "cursor"];
  const parameters = new Map(names.filter((name) => sent.has(name)).map((name) => [name, sent.get(name)]));
  let bytes = 0;
  for (const value of parameters.values()) bytes += typeof value === "string" ? value.length * 2 : 100;
  return { parameters, bytes };
}
