/** Names under which senders write an event's level, in order of precedence. */
const names = [
  "level",
  "severity",
  "severity_text",
  "detected_level",
  "status",
  "lvl",
  "levelname",
  "loglevel",
] as const;

/** The numbers that pino and bunyan write for levels. */
const numbers: ReadonlyMap<string, string> = new Map([
  ["10", "trace"],
  ["20", "debug"],
  ["30", "info"],
  ["40", "warn"],
  ["50", "error"],
  ["60", "fatal"],
]);

/** The level in an object of fields, in lower case; undefined for none. */
export function levelIn(fields: { readonly [field: string]: unknown }): string | undefined {
  for (const name of names) {
    const level = levelOf(fields[name]);
    if (level !== undefined) return level;
  }
  return undefined;
}

/** A level in lower case; for a number the name that loggers give it. */
function levelOf(value: unknown): string | undefined {
  if (typeof value === "number") return numbers.get(String(value)) ?? String(value);
  if (typeof value !== "string" || value === "" || value.length > 40) return undefined;
  return numbers.get(value) ?? value.toLowerCase();
}
