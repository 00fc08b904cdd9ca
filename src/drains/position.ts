import { readFile, rename, rm, writeFile } from "node:fs/promises";

/** How far a rule has delivered, on disk. */
export interface Position {
  /** The number of the first key that is still to be delivered. */
  readonly number: number;
  moveTo(number: number): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Reads a position, or begins at `otherwise` where the file is missing or damaged. The file is replaced without
 * waiting for the disk: a machine that ends finds an older position, from which events are sent once more.
 */
export async function openPosition(path: string, otherwise: number): Promise<Position> {
  const text = await readFile(path, "utf8").catch(() => "");
  let number = /^\d{1,15}\n$/.test(text) ? Number(text) : otherwise;
  const write = async () => {
    const draft = `${path}.new`;
    await writeFile(draft, `${number}\n`);
    await rename(draft, path);
  };
  if (text !== `${number}\n`) await write();
  return {
    get number() {
      return number;
    },
    async moveTo(next) {
      if (next === number) return;
      number = next;
      await write();
    },
    remove: () => rm(path, { force: true }),
  };
}
