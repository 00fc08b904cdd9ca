/** Problems of the data folder that no engine knows of. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { StoreProblem } from "../engines/contract/query-engine.ts";
import { hasStore } from "../engines/index.ts";
import { findSetAside } from "../shared/journal/set-aside.ts";
import { drainDirectory, spoolDirectory, storeDirectory } from "./data-folder.ts";

const SHOWN = 3;

/** Finds damaged files of waiting events that were set aside, until somebody deletes them. */
export async function findDamagedFiles(settings: Pick<Settings, "dataDir">): Promise<readonly StoreProblem[]> {
  const folders = [spoolDirectory(settings), drainDirectory(settings)];
  const paths = (await Promise.all(folders.map(findSetAside))).flat();
  if (paths.length === 0) return [];
  const named = `${paths.slice(0, SHOWN).join(", ")}${paths.length > SHOWN ? ", ..." : ""}`;
  const message =
    `Files of events that wait for drains or for the server were damaged, and set aside (${paths.length}: ${named}): ` +
    "what of them could not be read was not sent, and the log of that time says so. Delete them once you have looked";
  return [{ code: "damaged_files", message }];
}

/**
 * Reports events that should be there: the service ran on this data folder before, and there is no store in it. To be
 * asked before the store is opened, which makes one.
 */
export function findMissingStore(settings: Pick<Settings, "dataDir" | "engineServer">): readonly StoreProblem[] {
  const { dataDir, engineServer } = settings;
  const wasUsed = ["last-run.json", "cursor.key"].some((name) => existsSync(join(dataDir, name)));
  const directory = storeDirectory(settings);
  if (!wasUsed || engineServer !== undefined || hasStore(directory)) return [];
  const message =
    `There is no store in ${directory}, though a service ran on this data folder before: it starts without events. ` +
    "Unless you emptied it, or the events were on a server, stop the service and bring a backup back with " +
    "`logweir restore`";
  return [{ code: "store_missing", message }];
}
