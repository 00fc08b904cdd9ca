import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The file has all of the text or is as it was, even when the machine ends. */
export async function writeDurably(path: string, text: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, text, { flush: true });
    await rename(`${path}.new`, path);
  } catch (error) {
    // On a full disk, a part of it would take what is left.
    await rm(`${path}.new`, { force: true }).catch(() => undefined);
    throw error;
  }
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
