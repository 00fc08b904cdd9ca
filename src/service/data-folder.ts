/** The layout of the data folder, and of data stored elsewhere. */
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";

/** Where tokens are, and endpoints and sources of the API: the path of a file, or the URL of a database. */
export function metadataPlace(settings: Pick<Settings, "dataDir" | "metadataUrl">): string {
  return settings.metadataUrl ?? join(settings.dataDir, "metadata.db");
}

/** The folder of the events. */
export function storeDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "store");
}

/** The folder of events whose server is unavailable. */
export function spoolDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "spool");
}

/** The folder of undelivered drain keys. */
export function drainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "drains");
}
