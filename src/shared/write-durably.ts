import { open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The file has all of the text or is as it was, even when the machine ends. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
