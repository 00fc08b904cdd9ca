import type { Backup } from "../../../backups/manifest.ts";

/** The bytes of a backup's files. */
export function sizeOf({ files }: Pick<Backup, "files">): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function countEvents({ sources }: Pick<Backup, "sources">): number {
  return sources.reduce((sum, { rows }) => sum + rows, 0);
}

/** A backup in readable form. */
export function describeBackup(title: string, backup: Backup, news = ""): string {
  const isWhole = backup.files.some(({ path }) => path === "metadata.db");
  const rest = isWhole
    ? ""
    : " Tokens, endpoints and sources are in PostgreSQL and not in it: back them up with pg_dump.";
  const rows = countEvents(backup).toLocaleString("en");
  const megabytes = (sizeOf(backup) / 1e6).toFixed(1);
  return `${title}: ${rows} events of ${backup.sources.length} sources, ${megabytes} MB${news}, verified.${rest}`;
}
