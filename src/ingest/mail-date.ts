import { parseIsoTimestamp } from "../values/iso-timestamp.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const pattern =
  /^(?:[A-Za-z]{3,9}, *)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{4}) (\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) *(GMT|UTC?|Z|[ECMP][SD]T|[+-]\d{4})?(?: *\([^()]*\))?$/;

/** The zones that RFC 5322, section 4.3, still lets messages name. */
const namedZones: ReadonlyMap<string, string> = new Map([
  ["GMT", "Z"],
  ["UT", "Z"],
  ["UTC", "Z"],
  ["EST", "-0500"],
  ["EDT", "-0400"],
  ["CST", "-0600"],
  ["CDT", "-0500"],
  ["MST", "-0700"],
  ["MDT", "-0600"],
  ["PST", "-0800"],
  ["PDT", "-0700"],
]);

/**
 * Microseconds since 1970 of a date as mail and HTTP write it: `Tue, 10 Mar 2026 12:00:00 +0100` (RFC 5322, RFC 2822;
 * RFC 9110). The day's name may be left out and is not checked; without a zone it is UTC. Undefined for anything
 * else.
 */
export function parseMailDate(text: string): bigint | undefined {
  const [, day, monthName = "", year, time, zone = "Z"] = pattern.exec(text) ?? [];
  const month = months.indexOf(monthName.toLowerCase()) + 1;
  if (day === undefined || month === 0) return undefined;
  const date = `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  return parseIsoTimestamp(`${date}T${time}${namedZones.get(zone) ?? zone}`)?.us;
}
