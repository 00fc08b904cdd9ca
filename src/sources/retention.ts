import { isDeepStrictEqual } from "node:util";
import type { EventFilter } from "../engines/contract/query-engine.ts";
import { messageOf } from "../shared/message-of.ts";
import type { Forgetting } from "./forgetting.ts";
import type { RetentionDays, Source } from "./source.ts";

/** The dependencies of retention. */
export interface RetentionOptions {
  /** Read anew before each deletion. */
  readonly sources: readonly Pick<Source, "name" | "retentionDays">[];
  readonly forgetting: Pick<Forgetting, "delete">;
  /** False where another service on the store does it. */
  readonly isOurs?: () => boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly log: (level: "info" | "error", message: string) => void;
}

/** Retention that runs in the background. */
export interface Retention {
  /** Runs soon where a source's retention was changed. */
  noteSources(): void;
  /** Starts no further run and waits for the running one. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const intervalMs = 3_600_000;
/** A newly opened store reads its log and its ids first. */
const firstRunMs = 60_000;
/** The earliest time that a date can have. */
const firstMs = -8_640_000_000_000_000;

/** So far ahead at once, a clock was set, or the machine slept. */
const leapMs = 3_600_000;
/** How long such a clock is not believed: what it has deleted does not come back. */
const doubtMs = dayMs;

/**
 * The time by which events expire, in milliseconds since 1970: the clock's, but for a day after that was set ahead the
 * time that has passed. `steadyMs` is a clock that nobody sets.
 */
export function createExpiryClock({
  nowMs,
  steadyMs,
  log,
}: Pick<RetentionOptions, "nowMs" | "log"> & { readonly steadyMs: () => number }): () => number {
  let offsetMs = nowMs() - steadyMs();
  let doubtedAtMs: number | undefined;
  return () => {
    const atMs = steadyMs();
    const foundMs = nowMs() - atMs;
    const aheadMs = foundMs - offsetMs;
    if (aheadMs > leapMs && doubtedAtMs === undefined) {
      doubtedAtMs = atMs;
      const hours = Math.round(aheadMs / 3_600_000);
      log("error", `the clock was set ahead by ${hours} hours: for a day, retention deletes nothing because of that`);
    }
    if (aheadMs > leapMs && atMs - (doubtedAtMs ?? atMs) < doubtMs) return atMs + offsetMs;
    doubtedAtMs = undefined;
    offsetMs = foundMs;
    return atMs + offsetMs;
  };
}

function startUs(days: number, nowMs: number): bigint {
  return BigInt(Math.floor(Math.max(firstMs, nowMs - days * dayMs))) * 1000n;
}

/** The days of a tenant's events, null for none; undefined where they are kept. */
function daysOf(retention: RetentionDays | undefined, tenant: string | null): number | undefined {
  if (typeof retention !== "object") return retention;
  const { tenants = {} } = retention;
  return tenant !== null && Object.hasOwn(tenants, tenant) ? tenants[tenant] : retention.default;
}

/** The longest time that any event is kept, in days; undefined where some are kept for ever. */
export function longestRetention(retention: RetentionDays | undefined): number | undefined {
  if (typeof retention !== "object") return retention;
  if (retention.default === undefined) return undefined;
  return Math.max(retention.default, ...Object.values(retention.tenants ?? {}));
}

/** Whether an event is older than its retention. Where its tenant is not known, it has to be older than any. */
export function isBeyondRetention(
  retention: RetentionDays | undefined,
  { tenant, timestampUs }: { readonly tenant: string | null | undefined; readonly timestampUs: bigint },
  nowMs: number,
): boolean {
  const days = tenant === undefined ? longestRetention(retention) : daysOf(retention, tenant);
  return days !== undefined && timestampUs < startUs(days, nowMs);
}

/** The events that are older than a retention: a filter for each number of days. */
export function expiredEvents(
  retention: RetentionDays | undefined,
  nowMs: number,
): readonly { readonly days: number; readonly filter: EventFilter }[] {
  if (retention === undefined) return [];
  if (typeof retention === "number") return [{ days: retention, filter: { toUs: startUs(retention, nowMs) } }];
  const byDays = new Map<number, string[]>();
  for (const [tenant, days] of Object.entries(retention.tenants ?? {})) {
    byDays.set(days, [...(byDays.get(days) ?? []), tenant]);
  }
  const named = [...byDays.values()].flat();
  const ofNamed = [...byDays].map(([days, of]) => ({ days, filter: { tenants: { of }, toUs: startUs(days, nowMs) } }));
  const { default: days } = retention;
  if (days === undefined) return ofNamed;
  const ofOthers = { ...(named.length === 0 ? {} : { tenants: { exceptOf: named } }), toUs: startUs(days, nowMs) };
  return [...ofNamed, { days, filter: ofOthers }];
}

/** Whether a source still has the retention that a run began with, which may have taken long since. */
function isStillSet({ sources }: RetentionOptions, { name, retentionDays }: RetentionOptions["sources"][number]) {
  return isDeepStrictEqual(sources.find((source) => source.name === name)?.retentionDays, retentionDays);
}

/**
 * Deletes events that are older than their source's `retention_days`, one source after another. Sources without one
 * are skipped, and so are those whose retention was changed since the run began: the next run is theirs. A failure is
 * logged and does not affect the other sources. Returns the number of deleted events.
 */
export async function runRetention(
  options: RetentionOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const { forgetting, isOurs = () => true, nowMs, log } = options;
  let total = 0;
  for (const source of options.sources) {
    const { name, retentionDays } = source;
    for (const { days, filter } of expiredEvents(retentionDays, nowMs())) {
      if (signal.aborted || !isOurs()) return total;
      if (!isStillSet(options, source)) break;
      try {
        const { deleted } = await forgetting.delete(name, filter, "retention");
        if (deleted > 0) log("info", `retention: deleted ${deleted} events of ${name} older than ${days} days`);
        total += deleted;
      } catch (error) {
        const reason = messageOf(error);
        log("error", `retention of ${name} failed and will be tried again: ${reason}`);
      }
    }
  }
  return total;
}

/**
 * Runs retention a minute from now, every hour from then on, and after each change of a source's retention, until it is
 * closed. Returns at once.
 */
export function startRetention(options: RetentionOptions): Retention {
  const closing = new AbortController();
  let running: Promise<unknown> | undefined;
  let isStale = false;
  const describe = () =>
    JSON.stringify(options.sources.map(({ name, retentionDays }) => [name, retentionDays ?? null]));
  let known = describe();
  const run = () => {
    if (options.isOurs?.() === false) return;
    running ??= runRetention(options, closing.signal).finally(() => {
      running = undefined;
      if (!isStale || closing.signal.aborted) return;
      isStale = false;
      run();
    });
  };
  let timer = setTimeout(() => {
    run();
    timer = setInterval(run, intervalMs).unref();
  }, firstRunMs).unref();
  return {
    noteSources() {
      const now = describe();
      if (now === known) return;
      known = now;
      // The run under way may have passed the source already.
      isStale = running !== undefined;
      run();
    },
    async close() {
      clearTimeout(timer);
      closing.abort();
      await running;
    },
  };
}
