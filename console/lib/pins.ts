import type { Answers } from "../api/operations.ts";

/** The value that a token sets, or those of which its calls choose. */
export type Pin = Answers["getSession"]["token"]["pins"][string];

/** A pin for people: `a`, `a, b`, `acme-*`. */
export function formatPin(pin: Pin): string {
  if (typeof pin === "string") return pin;
  return "prefix" in pin ? `${pin.prefix}*` : pin.join(", ");
}

/** Reads what `formatPin` writes; undefined for an empty text. */
export function parsePin(text: string): Pin | undefined {
  const values = text.split(",").flatMap((value) => (value.trim() === "" ? [] : [value.trim()]));
  const [only, ...others] = values;
  if (only === undefined) return undefined;
  if (others.length > 0) return values;
  return only.length > 1 && only.endsWith("*") ? { prefix: only.slice(0, -1) } : only;
}
