import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damageLines, fileDamages } from "../../test/support/damage-file.ts";
import type { EventKey } from "../engines/contract/query-engine.ts";
import { findSetAside } from "../shared/journal/set-aside.ts";
import { createFileLog } from "./drain-log.ts";
import { openJournal, parseKey } from "./journal.ts";
import { folderOf } from "./journals.ts";
import { openOutbox } from "./outbox.ts";

const makeFolder = () => mkdtemp(join(tmpdir(), "logweir-damaged-keys-"));
const flush = async () => undefined;
const key = (number: number): EventKey => ({ id: `event ${number}`, timestampUs: BigInt(number), tenant: null });
const keys = (from: number, end: number) => Array.from({ length: end - from }, (_, index) => key(from + index));

/** Three files with ten keys each; returns their paths. */
async function writeFiles(folder: string): Promise<readonly string[]> {
  const journal = await openJournal({ flush, folder, segmentBytes: 100 });
  for (const from of [0, 10, 20]) await journal.note(keys(from, from + 10));
  await journal.close();
  return (await readdir(folder)).map((name) => join(folder, name));
}

const cases = fileDamages.flatMap((each) => [0, 1, 2].map((at) => ({ ...each, at })));

describe("a damaged file of keys", () => {
  it.each(cases)("$name, file $at: costs its own keys alone, and is named", async ({ at, damage, isSeen }) => {
    const folder = await makeFolder();
    const paths = await writeFiles(folder);
    const path = paths[at] ?? "";
    const { whole } = await damageLines(path, damage);
    const left = whole.flatMap((line) => parseKey(line) ?? []);
    const told: string[] = [];
    const journal = await openJournal({ flush, folder, segmentBytes: 100, onDamage: (message) => told.push(message) });
    await journal.note([{ ...key(0), id: "later" }]);
    const read = [...(await journal.read(journal.first, 10))];
    while (journal.first + read.length < journal.end) {
      read.push(...(await journal.read(journal.first + read.length, 10)));
    }
    const ids = read.filter(({ isDamaged }) => isDamaged !== true).map(({ id }) => id);
    const others = keys(0, 30).filter(({ timestampUs: number }) => Math.floor(Number(number) / 10) !== at);
    expect(ids.toSorted()).toEqual([...[...others, ...left].map(({ id }) => id), "later"].toSorted());
    await journal.close();
    if (!isSeen && at === 2) return;
    expect(told.join("\n")).toContain(paths[at]);
    expect(await findSetAside(folder)).not.toEqual([]);
  });

  it("is left where nobody wants its keys, and what else lies there is not read", async () => {
    const folder = await makeFolder();
    await writeFiles(folder);
    for (const name of ["0000000000000005.keys.tmp", "0000000000000005.keys.new", "copy.keys"]) {
      await writeFile(join(folder, name), "7 of something else\n");
    }
    const journal = await openJournal({ flush, folder });
    expect([journal.first, journal.end]).toEqual([0, 30]);
    await journal.close();
  });
});

describe("a damaged position", () => {
  const rule = { id: "rule", source: "edge" };

  async function openLog(folder: string) {
    const told: string[] = [];
    const log = createFileLog({ folder, flush, maxBytes: 1_000_000, warn: (message) => told.push(message) });
    return { log, told };
  }

  it.each(["", "\0\0\0\0\n", "1 2 3\n", "folder"])("%j: sends what waits again, and says so", async (text) => {
    const folder = await makeFolder();
    const before = await openLog(folder);
    const position = await before.log.openPosition(rule, "end");
    await before.log.journals.find("edge")?.note(keys(0, 3));
    await position?.advance({ delivered: 2 });
    await before.log.close();
    const [name = ""] = await readdir(join(folder, "positions"));
    const path = join(folder, "positions", name);
    await writeFile(path, text === "" ? "\n" : text);
    if (text === "folder") {
      await rm(path);
      await mkdir(path);
    }
    const { log, told } = await openLog(folder);
    expect((await log.openPosition(rule, "first"))?.number).toBe(0);
    expect(told.join()).toMatch(/drain's position is damaged|positions cannot be used/);
    expect(await findSetAside(folder)).toHaveLength(1);
    await log.close();
  });

  it.each(["cut after a line", "emptied", "a folder instead"])("counts all keys of a last file, %s", async (name) => {
    const folder = await makeFolder();
    const before = await openLog(folder);
    const position = await before.log.openPosition(rule, "end");
    await before.log.journals.find("edge")?.note(keys(0, 10));
    await position?.advance({ delivered: 2 });
    await before.log.close();
    const [file = ""] = await readdir(folderOf(folder, "edge"));
    await fileDamages.find((each) => each.name === name)?.damage(join(folderOf(folder, "edge"), file));
    const { log } = await openLog(folder);
    expect((await log.openPosition(rule, "first"))?.number).toBe(2);
    const journal = log.journals.find("edge");
    await journal?.note(keys(10, 11));
    const read = [...((await journal?.read(2, 20)) ?? []), ...((await journal?.read(10, 20)) ?? [])];
    expect([read.length, journal?.end, read.at(-1)?.id]).toEqual([9, 11, "event 10"]);
    expect(read.some(({ isDamaged }) => isDamaged)).toBe(true);
    await log.close();
  });

  it("goes on behind the keys that are left where their file was cut, and sends none of them again", async () => {
    const folder = await makeFolder();
    const before = await openLog(folder);
    const position = await before.log.openPosition(rule, "end");
    await before.log.journals.find("edge")?.note(keys(0, 10));
    await position?.advance({ delivered: 9 });
    await before.log.close();
    const [file = "", next = ""] = await readdir(folderOf(folder, "edge"));
    const path = join(folderOf(folder, "edge"), file);
    // As after the end of the machine.
    await rm(join(folderOf(folder, "edge"), next));
    await writeFile(path, (await readFile(path, "utf8")).split("\n").slice(0, 5).join("\n").concat("\n"));
    const { log, told } = await openLog(folder);
    const again = await log.openPosition(rule, "first");
    expect([again?.number, again?.tally.delivered]).toEqual([5, 9]);
    expect(told.join()).toContain("keys of edge are missing at the end of their file");
    await log.close();
  });

  it("or a file in the place of their folder, does not stop the start", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "positions"), "");
    await writeFile(folderOf(folder, "edge"), "");
    const { log } = await openLog(folder);
    expect((await log.openPosition(rule, "first"))?.number).toBe(0);
    await log.close();
  });
});

describe("damaged keys that wait for a database", () => {
  it("are passed on as damaged: those behind them are not held up", async () => {
    const folder = await makeFolder();
    const paths = await writeFiles(folder);
    await fileDamages.find(({ name }) => name === "zeros in the middle")?.damage(paths[0] ?? "");
    await fileDamages.find(({ name }) => name === "a folder instead")?.damage(paths[1] ?? "");
    const told: string[] = [];
    const isWhole = (line: string) => line.endsWith("]") && !line.includes("\0");
    const outbox = await openOutbox({ folder, maxBytes: 1e6, isWhole, onDamage: (message) => told.push(message) });
    const added: string[] = [];
    await outbox.flush(async (lines) => {
      added.push(...lines);
    });
    expect(added.filter((line) => line !== "" && !isWhole(line))).toEqual([]);
    expect(added.slice(-10).join()).toContain("event 29");
    expect(added.filter((line) => line === "").length).toBeGreaterThan(0);
    expect(told).toHaveLength(2);
    await outbox.close();
  });
});
