import type { EventValue } from "../../contract/query-engine.ts";
import { type Declaration, foldName } from "./declaration.ts";
import { fitScalar } from "./declared-value.ts";
import type { Tenant } from "./field-requests.ts";
import { type EventObject, isObject } from "./json-text.ts";
import { isScalar } from "./value-type.ts";

/** The tenant of an event with these fields: what the tenant field's column will hold. */
export function readTenant({ tenant }: Declaration, fields: EventObject): Tenant {
  if (tenant === undefined) return null;
  let value: EventValue | undefined = fields;
  for (const name of tenant) {
    // An array of one object is a single record.
    if (Array.isArray(value)) value = value.length === 1 ? (value as readonly EventValue[])[0] : undefined;
    if (value === undefined || !isObject(value)) return null;
    value = fieldOf(value, name);
  }
  if (value === undefined || !isScalar(value)) return null;
  return (fitScalar(value, "STRING") as string | undefined) ?? null;
}

/** The field of the name, else the first that has it in another case. */
function fieldOf(object: EventObject, name: string): EventValue | undefined {
  const exact = object[name];
  if (exact !== undefined) return exact;
  const folded = foldName(name);
  for (const other of Object.keys(object)) if (foldName(other) === folded) return object[other];
  return undefined;
}
