import { defaultCapabilities, type EngineCapabilities } from "../contract/capabilities.ts";

/**
 * The capabilities of a server, or of a cluster. New fields that other services store are looked for at intervals, and
 * the nodes of a cluster do not report which of two blocks came first, see `docs/decisions/clickhouse.md`.
 */
export function clickHouseCapabilities(cluster: string | undefined): EngineCapabilities {
  return { ...defaultCapabilities, isSchemaSynchronous: false, areIdsUnique: cluster === undefined };
}
