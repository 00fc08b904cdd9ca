import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../user-error.ts";

/** Raised by a change of any file in the folder that this version could not read; a folder without the note has 1. */
const FORMAT = 1;

/** Refuses a folder of waiting events whose file `format` says that a later version wrote it. */
export async function checkFormat(folder: string): Promise<void> {
  const format = Number((await readFile(join(folder, "format"), "utf8").catch(() => "")).trim());
  if (!(format > FORMAT)) return;
  throw new UserError(
    `${folder} has format ${format}; this version reads format ${FORMAT}. Use the version of Logweir that wrote it; ` +
      "nothing was changed",
  );
}
