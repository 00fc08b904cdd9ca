/** What is where in the data folder. */
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";

/** The file of tokens, and of endpoints and sources of the API. */
export function metadataPath(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "metadata.db");
}

/** The folder of the events. */
export function storeDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "store");
}

/** The folder of what waits to be drained. */
export function drainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "drains");
}
