/** Names in printed SQL. */

/** A name for people to read beside a unique part: letters, digits and underscores, lower case, cut short. */
export function readableName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_]/g, "_")
    .slice(0, 30)
    .toLowerCase();
}
