import type { ParameterValue } from "../../engines/contract/query-engine.ts";
import { BOOL, DATE, FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../googlesql/types.ts";
import { parseIsoTimestamp } from "../../values/iso-timestamp.ts";
import { isDecimalNumber, parseInt64, shortestFloat64 } from "../../values/number-text.ts";
import type { ParameterType } from "./definition.ts";

/** The GoogleSQL type that a parameter has inside queries. */
export function sqlTypeOf(type: ParameterType): SqlType {
  switch (type) {
    case "string":
      return STRING;
    case "int64":
      return INT64;
    case "float64":
      return FLOAT64;
    case "bool":
      return BOOL;
    case "timestamp":
      return TIMESTAMP;
    case "date":
      return DATE;
  }
}

/** The required form of a value, for messages. */
export function describeParameterType(type: ParameterType): string {
  switch (type) {
    case "string":
      return "text";
    case "int64":
      return "an integer of 64 bits";
    case "float64":
      return "a number";
    case "bool":
      return "true or false";
    case "timestamp":
      return "an ISO 8601 timestamp (UTC where it names no zone) or a date, such as 2026-08-20T09:00:00Z";
    case "date":
      return "a date such as 2026-08-20";
  }
}

/**
 * A caller's value, checked and in the canonical form that engines bind. Undefined when it is not of the type. Values
 * arrive as text from a URL, and as text, numbers (bigints beyond 2^53) or booleans from JSON.
 */
export function parseParameterValue(type: ParameterType, sent: unknown): ParameterValue | undefined {
  const raw = typeof sent === "bigint" ? String(sent) : sent;
  if (typeof raw !== "string" && typeof raw !== "number" && typeof raw !== "boolean") return undefined;
  const text = typeof raw === "number" ? shortestFloat64(raw) : String(raw);
  switch (type) {
    case "string":
      return text;
    case "int64":
      return readInt64(raw);
    case "float64": {
      const isNumber = isDecimalNumber(text) && Number.isFinite(Number(text));
      return isNumber ? shortestFloat64(Number(text)) : undefined;
    }
    case "bool": {
      const folded = text.toLowerCase();
      return folded === "true" || folded === "false" ? folded === "true" : undefined;
    }
    case "timestamp":
      return parseIsoTimestamp(text)?.us.toString();
    case "date":
      return parseIsoTimestamp(text)?.isDateOnly === true ? text : undefined;
  }
}

function readInt64(raw: string | number | boolean): string | undefined {
  // A JSON number beyond 2^53 is no longer the number that was sent.
  if (typeof raw === "number" && !Number.isSafeInteger(raw)) return undefined;
  const text = String(raw);
  return /^[+-]?\d{1,20}$/.test(text) ? parseInt64(text)?.toString() : undefined;
}
