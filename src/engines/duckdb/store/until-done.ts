/** Work that continues when the engine ends and restarts. */
import { EngineError } from "../../contract/query-engine.ts";

/** How often work is repeated when the engine ends while it runs. */
const MAX_ATTEMPTS = 5;

/**
 * Waits for a host and does the work, again where the host ended below it: then `mayBeDone`, with only its answer
 * lost.
 */
export async function untilDone<T>(ready: () => Promise<void>, work: (mayBeDone: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await ready();
    try {
      return await work(attempt > 1);
    } catch (error) {
      if (!(error instanceof EngineError && error.isLost) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
