/** Names in printed SQL. */

const PLAIN = /^[a-z0-9_]{1,30}$/;

/** A key of a path of fields. Whatever the names hold, two paths have two keys. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** A name for people to read beside a unique part: letters, digits and underscores, lower case, cut short. */
export function readableName(name: string): string {
  if (PLAIN.test(name)) return name;
  return name
    .replace(/[^A-Za-z0-9_]/g, "_")
    .slice(0, 30)
    .toLowerCase();
}
