import { type EventValue, WideNumber } from "../engines/contract/query-engine.ts";
import { cleanFieldName } from "./field-name.ts";
import type { IngestLimits } from "./limits.ts";

/** Why one event cannot be stored; the other events of its request are stored. */
export class EventRejection extends Error {
  override readonly name = "EventRejection";
}

/** More are looked at again each time. */
const MAX_KNOWN_NAMES = 10_000;

type JsonObject = { readonly [field: string]: unknown };

/** Names that `cleanFieldName` leaves as they are; the events of a body have mostly the same. */
export class CleanNames {
  readonly #known = new Set<string>();

  has(name: string): boolean {
    if (this.#known.has(name)) return true;
    if (cleanFieldName(name) !== name) return false;
    if (this.#known.size < MAX_KNOWN_NAMES) this.#known.add(name);
    return true;
  }
}

interface ObjectCleaner {
  add(name: string, item: EventValue): void;
  /** Undefined when nothing was added. */
  result(): EventValue | undefined;
}

/** Copies the fields before `count`, which are clean, and takes the others one by one. */
function startCopy(object: JsonObject, names: readonly string[], count: number): ObjectCleaner {
  // Without a prototype, so that a field named __proto__ is a field like others.
  const result: { [field: string]: EventValue } = Object.create(null);
  for (const name of names.slice(0, count)) result[name] = object[name] as EventValue;
  const taken = new Set(names);
  let isEmpty = count === 0;
  return {
    add(name, item) {
      let cleaned = cleanFieldName(name);
      if (cleaned !== name) {
        // Two names that become equal would lose a value: the rewritten one gets another name.
        while (taken.has(cleaned)) cleaned = `_${cleaned}`;
        taken.add(cleaned);
      }
      result[cleaned] = item;
      isEmpty = false;
    },
    result: () => (isEmpty ? undefined : result),
  };
}

/**
 * A parsed JSON value as events keep it: without nulls, empty strings and empty containers (also those that become
 * empty; list items move up), and with field names cleaned. Objects that are clean already are not copied. Undefined
 * when nothing is left. Throws `EventRejection` beyond a limit.
 */
export function cleanValue(
  value: unknown,
  limits: IngestLimits,
  cleanNames: CleanNames = new CleanNames(),
): EventValue | undefined {
  let valuesLeft = limits.maxValues;

  const clean = (current: unknown, depth: number): EventValue | undefined => {
    if (depth > limits.maxDepth) throw new EventRejection(`nested deeper than ${limits.maxDepth} levels`);
    if (Array.isArray(current)) {
      const items = current.map((item) => clean(item, depth + 1)).filter((item) => item !== undefined);
      return items.length === 0 ? undefined : items;
    }
    if (typeof current === "object" && current !== null && !(current instanceof WideNumber))
      return cleanObject(current as JsonObject, depth);
    if (current === null || current === "") return undefined;
    if (--valuesLeft < 0) throw new EventRejection(`more than ${limits.maxValues} values in one event`);
    switch (typeof current) {
      case "string":
        return current.isWellFormed() ? current : current.toWellFormed();
      case "number":
      case "bigint":
      case "boolean":
        return current;
      case "object":
        return current as WideNumber;
      default:
        return undefined;
    }
  };

  const cleanObject = (object: JsonObject, depth: number): EventValue | undefined => {
    const names = Object.keys(object);
    // Most objects are clean: they are returned as they are, and copied only from the first difference on.
    let cleaner: ObjectCleaner | undefined;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const value = object[name];
      const item = clean(value, depth + 1);
      if (cleaner === undefined && item === value && item !== undefined && cleanNames.has(name)) continue;
      cleaner ??= startCopy(object, names, index);
      if (item !== undefined) cleaner.add(name, item);
    }
    if (cleaner !== undefined) return cleaner.result();
    return names.length === 0 ? undefined : (object as { [field: string]: EventValue });
  };

  return clean(value, 0);
}
