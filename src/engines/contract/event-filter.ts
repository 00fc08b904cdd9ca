import type { EventFilter, EventKey } from "./event-store.ts";

/** Whether an event passes the filter, by its key. */
export function passesFilter(filter: EventFilter, { id, timestampUs, tenant }: EventKey): boolean {
  return (
    (filter.id === undefined || filter.id === id) &&
    (filter.fromUs === undefined || timestampUs >= filter.fromUs) &&
    (filter.toUs === undefined || timestampUs < filter.toUs) &&
    (filter.tenants === undefined || isAmong(filter.tenants, tenant))
  );
}

function isAmong(tenants: NonNullable<EventFilter["tenants"]>, tenant: string | null): boolean {
  if ("of" in tenants) return tenant !== null && tenants.of.includes(tenant);
  return tenant === null || !tenants.exceptOf.includes(tenant);
}
