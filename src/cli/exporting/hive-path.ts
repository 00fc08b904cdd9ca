/** Names of folders in Hive's layout (`source=edge/day=2026-08-20/tenant=abc`), which other tools read as columns. */
import { createHash } from "node:crypto";
import { join } from "node:path";

/** The value that stands for NULL. */
const nullValue = "__HIVE_DEFAULT_PARTITION__";
/** File systems have names of 255 bytes. */
const maxNameBytes = 240;

/** The folder of a source within an export; names of sources need no encoding. */
export function sourceFolder(folder: string, source: string): string {
  return join(folder, `source=${source}`);
}

/**
 * The name of a tenant's folder: percent-encoded, `__HIVE_DEFAULT_PARTITION__` for events without a tenant. Where the
 * name would be too long it is a digest behind a `~`, which no encoded name has.
 */
export function tenantFolder(tenant: string | null): string {
  if (tenant === null) return `tenant=${nullValue}`;
  const name = `tenant=${encode(tenant)}`;
  if (name.length <= maxNameBytes) return name;
  return `tenant=~${createHash("sha256").update(tenant).digest("hex")}`;
}

function encode(value: string): string {
  if (value === nullValue) return value.replace("_", "%5F");
  // DuckDB reads this as no value, in any case of its letters.
  if (/^null$/i.test(value)) return `%${value.charCodeAt(0).toString(16).toUpperCase()}${value.slice(1)}`;
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The source that a path within an export names; undefined where it names none. */
export function sourceOfPath(path: string): string | undefined {
  const part = path.split(/[/\\]/).findLast((each) => each.startsWith("source="));
  return part?.slice("source=".length);
}
