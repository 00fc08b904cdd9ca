import { existsSync } from "node:fs";
import type { MetadataDatabase } from "./database.ts";

/**
 * Opens metadata, makes it when missing, and brings its tables up to date: a file by its path, or a PostgreSQL database
 * by its URL. Throws `UserError` where it cannot be used, and warns where a file is missing that was there before.
 */
export async function openMetadata(
  place: string,
  warn: (message: string) => void = () => undefined,
): Promise<MetadataDatabase> {
  if (isDatabaseUrl(place)) {
    const { openPostgres } = await import("./postgres/open-postgres.ts");
    return openPostgres(place);
  }
  const { openSqlite } = await import("./sqlite/open-sqlite.ts");
  return openSqlite(place, warn);
}

/** Whether metadata was created there before. Changes nothing. Throws `UserError` when that cannot be determined. */
export async function hasMetadata(place: string): Promise<boolean> {
  return isDatabaseUrl(place) ? (await import("./postgres/open-postgres.ts")).hasTables(place) : existsSync(place);
}

function isDatabaseUrl(place: string): boolean {
  return /^[a-z]+:\/\//i.test(place);
}
