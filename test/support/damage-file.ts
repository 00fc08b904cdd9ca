import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

const changeBytes = (change: (bytes: Buffer) => Buffer) => async (path: string) => {
  await writeFile(path, change(await readFile(path)));
};

const lineOf = (bytes: Buffer) => bytes.indexOf(0x0a, Math.floor(bytes.length / 2)) + 1;

/** Damages of a file of lines, by disks, file system checks and people; `isSeen`: also where it is the last one. */
export const fileDamages: readonly {
  readonly name: string;
  readonly isSeen: boolean;
  readonly damage: (path: string) => Promise<void>;
}[] = [
  { name: "cut after a line", isSeen: false, damage: changeBytes((bytes) => bytes.subarray(0, lineOf(bytes))) },
  { name: "cut in a line", isSeen: false, damage: changeBytes((bytes) => bytes.subarray(0, lineOf(bytes) + 5)) },
  { name: "emptied", isSeen: false, damage: (path) => writeFile(path, "") },
  { name: "filled with zeros", isSeen: false, damage: changeBytes((bytes) => Buffer.alloc(bytes.length)) },
  {
    name: "zeros in the middle",
    isSeen: true,
    damage: changeBytes((bytes) => bytes.fill(0, bytes.length >> 2, bytes.length >> 1)),
  },
  {
    name: "a changed byte",
    isSeen: true,
    damage: changeBytes((bytes) => {
      bytes[2] = 0x21;
      return bytes;
    }),
  },
  {
    name: "a line end less",
    isSeen: true,
    damage: changeBytes((bytes) => {
      bytes[bytes.indexOf(0x0a)] = 0x20;
      return bytes;
    }),
  },
  {
    name: "a folder instead",
    isSeen: true,
    async damage(path) {
      await rm(path);
      await mkdir(path);
      await writeFile(`${path}/other`, "");
    },
  },
];

/** None of what is no file. */
async function linesIn(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Damages a file of lines, and returns those that are still as they were, and whether others are there now. */
export async function damageLines(path: string, damage: (path: string) => Promise<void>) {
  const before = await linesIn(path);
  await damage(path);
  const after = await linesIn(path);
  const whole = after.filter((line) => before.includes(line));
  return { whole, hasOthers: whole.length < after.length };
}
