import type { DataThrough } from "../call/data-through.ts";
import { readsOf } from "../call/planned-query.ts";
import { type EndpointCall, type EndpointRunner, prepareCall } from "../call/run-endpoint.ts";
import { type RunOptions, runPrepared } from "../call/run-prepared.ts";
import type { Endpoint } from "../definition/definition.ts";
import { cacheKey } from "./cache-key.ts";
import type { ComputedAnswer } from "./kept-answer.ts";
import type { FoundAnswer, ResultCache } from "./result-cache.ts";

/** What keeping answers takes. */
export interface CachedRunner {
  readonly runner: EndpointRunner;
  readonly cache: ResultCache;
  readonly dataThrough: DataThrough;
}

/** An answer, and what it is kept under. */
export interface CachedRun extends FoundAnswer {
  readonly key: string;
  /** What the call's cursors belong to. */
  readonly identity: string;
  /** As `PlannedQuery` has it. */
  readonly isCurrent: (() => boolean) | undefined;
}

/**
 * Answers a call of an endpoint that keeps its answers, as the whole `{"result":[...]}`. Throws `ServiceError` as
 * running it does. A refresh prepares the call anew, so that it sees the sources' fields of its own time.
 */
export function runCached(dependencies: CachedRunner, call: EndpointCall, options: RunOptions): Promise<CachedRun> {
  const { runner, cache } = dependencies;
  const { endpoint, redactsPii, budget = {}, pinned } = call;
  const { cacheSeconds, warmEverySeconds } = endpoint.definition;
  const { parameters, bytes } = pickParameters(endpoint, call.parameters);
  const kept = { endpoint, parameters, redactsPii, budget, pinned };
  const startedAt = runner.now();
  const prepared = prepareCall(runner, { ...kept, isOwner: call.isOwner === true });
  const key = cacheKey(endpoint, prepared);
  options.onPrepared?.(runner.now() - startedAt);
  const { query, identity } = prepared;
  return cache
    .get({
      key,
      group: endpoint.definition.id,
      heldBytes: bytes,
      policy: { cacheSeconds, warmEverySeconds },
      compute: (ownSignal) => compute(dependencies, kept, ownSignal, options),
      refresh: createRefresh(dependencies, kept),
      openSignal: call.openSignal,
    })
    .then((found) => ({ ...found, key, identity, isCurrent: query.isCurrent }));
}

/** What is kept of a call beside its answer. */
type KeptCall = Omit<EndpointCall, "openSignal">;

/**
 * Made here, since a function holds on to all that the functions beside it read: the request of the call would be
 * kept with its answer.
 */
function createRefresh(dependencies: CachedRunner, call: KeptCall): (signal: AbortSignal) => Promise<ComputedAnswer> {
  return (signal) => compute(dependencies, call, signal, { caller: "refresh" });
}

async function compute(
  { runner, dataThrough }: CachedRunner,
  call: KeptCall,
  signal: AbortSignal,
  options: RunOptions,
): Promise<ComputedAnswer> {
  const current = prepareCall(runner, call);
  const { columns, paging } = current.query;
  const dataThroughUs = await dataThrough.of(readsOf(current.query));
  const batches: string[] = [];
  const rows = runPrepared(runner, current, signal, options);
  let step = await rows.next();
  for (; step.done !== true; step = await rows.next()) {
    if (step.value.rowCount > 0) batches.push(step.value.json);
  }
  return {
    body: toOwnBuffer(`{"result":[${batches.join(",")}]}`),
    columns: columns.slice(0, columns.length - (paging?.hiddenCount ?? 0)),
    dataThroughUs,
    next: step.value.next,
  };
}

/** In memory of its own: a small buffer from the pool would hold on to all that is around it. */
function toOwnBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

/**
 * What the endpoint reads of a call's parameters, since an answer that is kept keeps them too; with their rough size.
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
