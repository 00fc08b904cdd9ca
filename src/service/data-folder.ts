/** What is where in the data folder, and what is elsewhere. */
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

/** The folder of events whose server is away. */
export function spoolDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "spool");
}

/** The folder of what waits to be drained. */
export function drainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "drains");
}
