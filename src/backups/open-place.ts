import { statSync } from "node:fs";
import { UserError } from "../shared/user-error.ts";
import { findDataFolder, openFolderPlace } from "./folder-place.ts";
import type { BackupPlace } from "./place.ts";
import type { S3Access } from "./s3-place.ts";

/**
 * Opens a folder, or `s3://BUCKET/PREFIX`. Throws `UserError` for a folder in the data folder of a service, and for
 * other addresses.
 */
export async function openPlace(name: string, access: S3Access): Promise<BackupPlace> {
  if (/^s3:/i.test(name)) {
    const { openS3Place } = await import("./s3-place.ts");
    return openS3Place(name, access);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
    throw new UserError(`Backups are kept in a folder or at s3://BUCKET/PREFIX, not at ${name}`);
  }
  if (name === "") throw new UserError("Name the folder of backups: an empty name was given");
  if (statSync(name, { throwIfNoEntry: false })?.isFile()) throw new UserError(`${name} is a file; name a folder`);
  const dataFolder = findDataFolder(name);
  if (dataFolder !== undefined) {
    throw new UserError(
      `${name} is in the data folder ${dataFolder} of a service; nothing was changed. Choose a folder outside, if ` +
        "possible on another disk",
    );
  }
  return openFolderPlace(name);
}
