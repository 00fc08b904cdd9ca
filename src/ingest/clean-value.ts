import type { EventValue } from "../engines/engine.ts";
import { cleanFieldName } from "./field-name.ts";
import type { IngestLimits } from "./limits.ts";

/** Why one event cannot be stored; the others of its request are. */
export class EventRejection extends Error {
  override readonly name = "EventRejection";
}

/**
 * A parsed JSON value as events keep it: without nulls, empty strings and empty containers (also those that become empty;
 * list items move up), and with field names cleaned. Undefined when nothing is left. Throws `EventRejection` beyond a limit.
 */
export function cleanValue(value: unknown, limits: IngestLimits): EventValue | undefined {
  let valuesLeft = limits.maxValues;

  const clean = (current: unknown, depth: number): EventValue | undefined => {
    if (depth > limits.maxDepth) throw new EventRejection(`nested deeper than ${limits.maxDepth} levels`);
    if (Array.isArray(current)) {
      const items = current.map((item) => clean(item, depth + 1)).filter((item) => item !== undefined);
      return items.length === 0 ? undefined : items;
    }
    if (typeof current === "object" && current !== null) return cleanObject(current, depth);
    if (current === null || current === "") return undefined;
    if (--valuesLeft < 0) throw new EventRejection(`more than ${limits.maxValues} values in one event`);
    switch (typeof current) {
      case "string":
        return current.isWellFormed() ? current : current.toWellFormed();
      case "number":
      case "bigint":
      case "boolean":
        return current;
      default:
        return undefined;
    }
  };

  const cleanObject = (object: object, depth: number): EventValue | undefined => {
    const names = Object.keys(object);
    const taken = new Set(names);
    // Without a prototype, so that a field named __proto__ is a field like others.
    const result: { [field: string]: EventValue } = Object.create(null);
    let isEmpty = true;
    for (const name of names) {
      const item = clean((object as { [field: string]: unknown })[name], depth + 1);
      if (item === undefined) continue;
      let cleaned = cleanFieldName(name);
      if (cleaned !== name) {
        // Two names that become one would lose a value: the rewritten one gives way.
        while (taken.has(cleaned)) cleaned = `_${cleaned}`;
        taken.add(cleaned);
      }
      result[cleaned] = item;
      isEmpty = false;
    }
    return isEmpty ? undefined : result;
  };

  return clean(value, 0);
}
