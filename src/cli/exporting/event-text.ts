import { valueText } from "../../engines/contract/event-line.ts";
import { type EventValue, type LogEvent, WideNumber } from "../../engines/contract/query-engine.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";

/** An event as JSON that `/api/logs` stores as the same event: all digits, the time with its microseconds. */
export function eventText({ id, timestampUs, eventMessage, fields }: LogEvent): string {
  const head = { id, timestamp: formatIsoTimestamp(timestampUs) };
  const known = eventMessage === null ? head : { ...head, event_message: eventMessage };
  const rest = valueText(fields).slice(1);
  return `${JSON.stringify(known).slice(0, -1)}${rest === "}" ? "" : ","}${rest}`;
}

/** The types of columns that have values of their own; all others are texts. */
export type ColumnType = "INT64" | "FLOAT64" | "BOOL" | "STRING";

const [minInt64, maxInt64] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * A value as the JSON of a cell; `null` where it does not fit the type. A text is itself, any other value of a column
 * of texts its JSON.
 */
export function cellText(type: ColumnType, value: EventValue | undefined): string {
  if (value === undefined) return "null";
  switch (type) {
    case "INT64":
      return isInteger(value) && BigInt(value) >= minInt64 && BigInt(value) <= maxInt64 ? String(value) : "null";
    case "FLOAT64":
      return isNumber(value) && Number.isFinite(Number(value)) ? String(value) : "null";
    case "BOOL":
      return typeof value === "boolean" ? String(value) : "null";
    case "STRING":
      return valueText(value);
  }
}

function isInteger(value: EventValue): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

function isNumber(value: EventValue): value is number | bigint | WideNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof WideNumber;
}
