import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    // A running service replaces files between the listing and the read.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** The bytes of all files in a folder and below, as Latin-1; of a file that was removed meanwhile, nothing. */
export async function readStoredTexts(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readIfThere(join(parentPath, name))));
}
