import type { ResultCache } from "../endpoints/cache/result-cache.ts";
import type { DataThrough } from "../endpoints/call/run/data-through.ts";
import { createForgetting, type Forgetting } from "../sources/forgetting.ts";
import { createExpiryClock, startRetention } from "../sources/retention.ts";
import { startSizeBound } from "../sources/size-bound.ts";
import type { Storage } from "./open-storage.ts";
import type { Start } from "./start.ts";

interface Opened extends Pick<Storage, "engine" | "sources" | "nodes"> {
  readonly cache: Pick<ResultCache, "clear">;
  readonly dataThrough: Pick<DataThrough, "noteDeletion">;
}

/**
 * Deletes events on request from now on, and in the background those beyond the retention of their source or the bounds
 * of the store's size.
 */
export function openForgetting({ settings, nowMs, steadyMs, logger, closers }: Start, opened: Opened): Forgetting {
  const { engine, sources, nodes, cache, dataThrough } = opened;
  const forgetting = createForgetting({
    store: engine.store,
    async clearAnswers() {
      cache.clear();
      await nodes.announce("cache");
    },
    checkOthers: () => nodes.checkAnnouncing(),
    warn: (message) => logger.warn(message),
  });
  // Other deletions are of the oldest.
  forgetting.onRequest(() => dataThrough.noteDeletion());
  const inBackground = {
    forgetting,
    isOurs: () => nodes.isLeader(),
    log: (level: "info" | "error", message: string) => logger[level](message),
  };
  const bound = startSizeBound({ ...inBackground, bounds: settings.sizeBounds, store: engine.store });
  const retention = startRetention({
    ...inBackground,
    nowMs: createExpiryClock({ ...inBackground, nowMs, steadyMs }),
    get sources() {
      return sources.sources;
    },
  });
  sources.onChange(() => retention.noteSources());
  closers.push(async () => {
    await Promise.all([retention.close(), bound.close()]);
  });
  return forgetting;
}
