import type { FastifyBaseLogger } from "fastify";
import type { Source } from "../../sources/source.ts";

/** Logs events that no query of a tenant shows. */
export type WarnOfTenantless = (log: Pick<FastifyBaseLogger, "warn">, source: Source, count: number) => void;

/** The minimum time between two warnings about a source. */
const silenceMs = 60_000;

/** Says at most once a minute how many events of a source came without a tenant; `nowMs` is the clock. */
export function createTenantlessWarnings(nowMs: () => number): WarnOfTenantless {
  const bySource = new Map<string, { count: number; nextMs: number }>();
  return (log, { name, tenantField = "" }, count) => {
    const known = bySource.get(name) ?? { count: 0, nextMs: 0 };
    known.count += count;
    bySource.set(name, known);
    if (nowMs() < known.nextMs) return;
    const events = known.count === 1 ? "1 event" : `${known.count} events`;
    log.warn(
      { source: name, tenantField, count: known.count },
      `${events} came to ${name} without ${tenantField}: queries of one ${tenantField.split(".").at(-1)}, as ` +
        "of logs.all, do not show them",
    );
    known.count = 0;
    known.nextMs = nowMs() + silenceMs;
  };
}
