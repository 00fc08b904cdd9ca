import { tenantOf } from "../../engines/contract/event-tenant.ts";
import {
  type EventValue,
  type LoadMeasure,
  type LogEvent,
  type TenantLoad,
  WideNumber,
} from "../../engines/contract/query-engine.ts";

/** Returns the load of each tenant, in the order in which tenants first occur. */
export function measureEvents(events: readonly LogEvent[], { tenantField }: LoadMeasure): readonly TenantLoad[] {
  const path = tenantField?.split(".");
  const loads = new Map<string | null, { tenant: string | null; eventCount: number; byteCount: number }>();
  for (const { fields, eventMessage } of events) {
    const tenant = tenantOf(path, fields);
    let load = loads.get(tenant);
    if (load === undefined) {
      load = { tenant, eventCount: 0, byteCount: 0 };
      loads.set(tenant, load);
    }
    load.eventCount++;
    load.byteCount += jsonBytes(fields);
    if (eventMessage !== null) load.byteCount += messageFrame + jsonBytes(eventMessage);
  }
  return [...loads.values()];
}

/** The length of `"event_message":,`. */
const messageFrame = 17;

const needsEscape = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

/** Length of the value's JSON in UTF-8. */
function jsonBytes(value: EventValue): number {
  if (typeof value === "string") {
    return needsEscape.test(value) ? Buffer.byteLength(JSON.stringify(value)) : Buffer.byteLength(value) + 2;
  }
  if (typeof value !== "object" || value instanceof WideNumber) return String(value).length;
  // Brackets and, but for one, the commas.
  if (Array.isArray(value)) {
    const items = value as readonly EventValue[];
    return items.reduce<number>((sum, item) => sum + 1 + jsonBytes(item), items.length === 0 ? 2 : 1);
  }
  const object = value as { readonly [field: string]: EventValue };
  const names = Object.keys(object);
  let bytes = names.length === 0 ? 2 : 1;
  for (const name of names) bytes += jsonBytes(name) + 2 + jsonBytes(object[name] ?? "");
  return bytes;
}
