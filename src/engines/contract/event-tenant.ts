import { type EventKey, type EventValue, type LogEvent, WideNumber } from "./event-store.ts";
import { numberText } from "./parse-json.ts";

type EventObject = { readonly [field: string]: EventValue };

/**
 * The tenant of an event with these fields, by the names of the tenant field's path: its text. Null where it has
 * none.
 */
export function tenantOf(path: readonly string[] | undefined, fields: EventObject): string | null {
  if (path === undefined) return null;
  let value: EventValue | undefined = fields;
  for (const name of path) {
    // An array of one object is a single record.
    if (Array.isArray(value)) value = value.length === 1 ? (value as readonly EventValue[])[0] : undefined;
    if (typeof value !== "object" || Array.isArray(value)) return null;
    value = fieldOf(value as EventObject, name);
  }
  if (value === undefined || (typeof value === "object" && !(value instanceof WideNumber))) return null;
  return typeof value === "number" ? numberText(value) : String(value);
}

/** Distinguishes ids of different tenants. */
export function idKey(tenant: string | null, id: string): string {
  return tenant === null ? `:${id}` : `${tenant.length}:${tenant}${id}`;
}

/** An event's key in a source whose tenant field has the path. */
export function keyOf(path: readonly string[] | undefined, { id, timestampUs, fields, hops }: LogEvent): EventKey {
  return { id, timestampUs, tenant: tenantOf(path, fields), ...(hops === undefined ? {} : { hops }) };
}

/** The field of the name, else the first that has it in another case. */
function fieldOf(object: EventObject, name: string): EventValue | undefined {
  const exact = object[name];
  if (exact !== undefined) return exact;
  const folded = name.toLowerCase();
  for (const other of Object.keys(object)) if (other.toLowerCase() === folded) return object[other];
  return undefined;
}
