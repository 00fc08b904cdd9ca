/** Names in printed SQL. */

const PLAIN = /^[a-z0-9_]{1,30}$/;

/** A name for people to read beside a unique part: letters, digits and underscores, lower case, cut short. */
export function readableName(name: string): string {
  if (PLAIN.test(name)) return name;
  return name
    .replace(/[^A-Za-z0-9_]/g, "_")
    .slice(0, 30)
    .toLowerCase();
}
