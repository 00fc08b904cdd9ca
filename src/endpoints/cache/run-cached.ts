import { type EndpointCall, type EndpointRunner, prepareCall, runPrepared } from "../run-endpoint.ts";
import { cacheKey } from "./cache-key.ts";
import type { CachedAnswer, ResultCache } from "./result-cache.ts";

/**
 * Answers a call of an endpoint that keeps its answers, as the whole `{"result":[...]}`. Throws `ServiceError` as running it does.
 * A refresh prepares the call anew, so that it sees the sources' fields of its own time.
 */
export function runCached(
  runner: EndpointRunner,
  cache: ResultCache,
  call: EndpointCall,
): Promise<{ readonly answer: CachedAnswer; readonly isHit: boolean }> {
  const { endpoint, parameters, redactsPii, signal } = call;
  const { cacheSeconds, warmEverySeconds } = endpoint.definition;
  const prepare = () => prepareCall(runner, { endpoint, parameters, redactsPii });
  const prepared = prepare();
  return cache.get({
    key: cacheKey(endpoint, prepared),
    policy: { cacheSeconds, warmEverySeconds },
    compute: async (ownSignal) => {
      const batches: string[] = [];
      for await (const { json, rowCount } of runPrepared(runner, prepare(), ownSignal)) {
        if (rowCount > 0) batches.push(json);
      }
      return Buffer.from(`{"result":[${batches.join(",")}]}`);
    },
    signal,
  });
}
