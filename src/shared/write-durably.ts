import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** The file has all of the text or is as it was, even when the machine ends. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
