import { type EventValue, type LogEvent, WideNumber } from "../engines/contract/query-engine.ts";
import { isTimestampInRange } from "../values/calendar.ts";
import { type CleanNames, cleanValue, EventRejection } from "./clean-value.ts";
import type { IngestLimits } from "./limits.ts";
import type { MadeIds } from "./made-ids.ts";
import { readTimestamp } from "./timestamp.ts";

/** Counters over the events of a body. */
export interface EventTally {
  /** Events with a timestamp that could not be read. */
  untimed: number;
}

/** How events of a body are normalised. */
export interface Normalising {
  /** The timestamp of events without a usable one; microseconds since 1970. */
  readonly nowUs: bigint;
  readonly limits: IngestLimits;
  readonly tally: EventTally;
  readonly ids: MadeIds;
  /** Shared by the events of a body. */
  readonly cleanNames?: CleanNames;
}

/**
 * One event, out of what was sent for it at a place of the body. `knownUs` is its time where the protocol has already
 * read it. A timestamp that cannot be read is kept as `_timestamp`. Throws `EventRejection`.
 */
export function normaliseEvent(raw: unknown, place: number, normalising: Normalising, knownUs?: bigint): LogEvent {
  const { nowUs, limits, tally, ids, cleanNames } = normalising;
  const why = whyNoEvent(raw);
  if (why !== undefined) throw new EventRejection(why);
  const cleaned = cleanValue(raw, limits, cleanNames);
  const { id, timestamp, message, event_message, ...fields } = takeReserved(
    (cleaned ?? {}) as { [field: string]: EventValue },
  );
  const text = message ?? event_message ?? takeLogEntry(fields);
  // Both given and different: `message` wins, and the other is stored under another name.
  if (message !== undefined && event_message !== undefined && message !== event_message) {
    fields._event_message = event_message;
  }
  const isKnown = knownUs !== undefined && isTimestampInRange(knownUs);
  const readUs = isKnown ? knownUs : readTimestamp(timestamp);
  // The time of a protocol may be out of range.
  const unread = timestamp ?? knownUs;
  if (readUs === undefined && unread !== undefined) {
    tally.untimed++;
    fields[freeName(fields, "_timestamp")] = unread;
  }
  const hasOwnId = typeof id === "string" || typeof id === "number" || typeof id === "bigint";
  if (id !== undefined && !hasOwnId) fields[freeName(fields, "_id")] = id;
  return {
    id: hasOwnId ? String(id) : ids.at(place),
    hasGeneratedId: !hasOwnId,
    timestampUs: readUs ?? nowUs,
    eventMessage: text === undefined ? null : toText(text),
    fields,
  };
}

/** The older clients' name of the message; it is used when there is no other. */
function takeLogEntry(fields: { [field: string]: EventValue }): string | undefined {
  const { log_entry: text } = fields;
  if (typeof text !== "string") return undefined;
  delete fields.log_entry;
  return text;
}

const reservedNames: ReadonlySet<string> = new Set(["id", "timestamp", "message", "event_message"]);

/**
 * A reserved field in another letter case, such as `Timestamp`, is used as the field itself when that is missing, and
 * stored under another name, `_Timestamp`, when both are present.
 */
function takeReserved(fields: { [field: string]: EventValue }): { [field: string]: EventValue } {
  const names = Object.keys(fields);
  const isOther = (name: string) => !reservedNames.has(name) && reservedNames.has(name.toLowerCase());
  if (!names.some(isOther)) return fields;
  const result: { [field: string]: EventValue } = Object.create(null);
  const taken = new Set(names);
  for (const name of names) {
    const value = fields[name];
    if (value === undefined) continue;
    const reserved = name.toLowerCase();
    if (!isOther(name)) result[name] = value;
    else if (taken.has(reserved)) result[freeName(fields, `_${name}`)] = value;
    else {
      taken.add(reserved);
      result[reserved] = value;
    }
  }
  return result;
}

/** The name, prefixed with enough `_` to differ from the others, even ignoring case. */
function freeName(fields: { readonly [field: string]: EventValue }, name: string): string {
  const taken = new Set(Object.keys(fields).map((other) => other.toLowerCase()));
  let free = name;
  while (taken.has(free.toLowerCase())) free = `_${free}`;
  return free;
}

/** Why a value is not an event; undefined for one that may be an event. */
export function whyNoEvent(raw: unknown): string | undefined {
  if (raw === null) return "not a JSON object but null";
  if (Array.isArray(raw)) return "not a JSON object but an array";
  if (raw instanceof WideNumber) return "not a JSON object but a number";
  return typeof raw === "object" ? undefined : `not a JSON object but a ${typeof raw}`;
}

function toText(value: EventValue): string {
  if (typeof value === "string" || value instanceof WideNumber) return String(value);
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
}
