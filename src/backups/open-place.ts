import { join } from "node:path";
import { UserError } from "../shared/user-error.ts";
import { findDataFolder, openFolderPlace } from "./folder-place.ts";
import type { BackupPlace } from "./place.ts";

/** A place, and a folder that is not there, where a copy of the store's file may lie for a while. */
export interface OpenPlace {
  readonly place: BackupPlace;
  readonly scratch: string;
}

/** Opens a folder. Throws `UserError` for one in the data folder of a service, and for an address. */
export function openPlace(name: string): OpenPlace {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
    throw new UserError(`Backups are kept in folders, not at ${name}. Name a folder`);
  }
  const dataFolder = findDataFolder(name);
  if (dataFolder !== undefined) {
    throw new UserError(
      `${name} is in the data folder ${dataFolder} of a service; nothing was changed. Choose a folder outside, if ` +
        "possible on another disk",
    );
  }
  return { place: openFolderPlace(name), scratch: join(name, "checking") };
}
