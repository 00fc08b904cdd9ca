import { defaultCapabilities, type EngineCapabilities } from "../contract/capabilities.ts";

/**
 * What may be relied on of a server, or of a cluster: other services' new fields are looked for now and then, and the
 * nodes of a cluster do not tell which of two blocks came first, see `docs/decisions/clickhouse.md`.
 */
export function clickHouseCapabilities(cluster: string | undefined): EngineCapabilities {
  return { ...defaultCapabilities, isSchemaSynchronous: false, areIdsUnique: cluster === undefined };
}
