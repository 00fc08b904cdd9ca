/** The limits of the settings: for calls of endpoints, ingested events, and fields of tenants. */

import type { Settings } from "../config/settings.ts";
import { createIngestQuotas, type IngestQuotas } from "../ingest/quotas/ingest-quotas.ts";
import { type Budget, pickBudget } from "../shared/budget.ts";
import type { Start } from "./start.ts";

/** Returns the budget of every call and every token, whatever endpoints and tokens allow. */
export function serviceBudget(settings: Settings): Budget {
  return pickBudget({
    max_rows: settings.maxRows,
    max_query_memory_mb: settings.maxQueryMemoryMb,
    max_array_elements: settings.maxArrayElements,
    max_string_bytes: settings.maxStringBytes,
    max_query_characters: settings.maxQueryCharacters,
    max_query_depth: settings.maxQueryDepth,
    max_ingest_events_per_minute: settings.maxIngestEventsPerMinute,
    max_ingest_bytes_per_minute: settings.maxIngestBytesPerMinute,
  });
}

/** Opens the quotas of tokens and tenants. */
export function openQuotas({ settings, steadyMs }: Pick<Start, "settings" | "steadyMs">): IngestQuotas {
  return createIngestQuotas({
    budget: serviceBudget(settings),
    tenantRates: { events: settings.maxTenantEventsPerMinute, bytes: settings.maxTenantBytesPerMinute },
    nowMs: steadyMs,
  });
}
