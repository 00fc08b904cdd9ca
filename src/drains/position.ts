import { readFile, rename, rm, writeFile } from "node:fs/promises";

/** The delivery position of a rule, on disk. */
export interface Position {
  /** The number of the first key that is still to be delivered. */
  readonly number: number;
  moveTo(number: number): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Reads a position, or starts at `otherwise` when the file is missing or damaged. The file is replaced without an
 * fsync: after a crash of the machine an older position is found, and events from there are sent again.
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
