import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashId, type TimeRange } from "./id-filter.ts";
import { IdFolder } from "./id-folder.ts";
import { IdIndex } from "./id-index.ts";

const HOUR_US = 3_600_000_000n;
const HOUR_MS = 3_600_000;
const windowMs = 48 * HOUR_MS;

describe("the index of ids", () => {
  let directory: string;
  let nowMs: number;
  let damages: unknown[];
  const open: IdIndex[] = [];
  const folders: IdFolder[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "logweir-ids-"));
    nowMs = 1_000 * HOUR_MS;
    damages = [];
  });
  afterEach(async () => {
    for (const index of open.splice(0)) index.close();
    for (const folder of folders.splice(0)) await folder.changesDone();
    rmSync(directory, { recursive: true });
  });

  function openIndex(lastRun = 0): IdIndex {
    const options = {
      table: "events_1",
      windowMs,
      nowMs: () => nowMs,
      onDamage: (error: unknown) => damages.push(error),
    };
    const folder = new IdFolder(directory);
    folders.push(folder);
    const index = new IdIndex({ ...options, folder }, lastRun);
    open.push(index);
    return index;
  }

  async function store(index: IdIndex, coveredRun: number | null = 0): Promise<void> {
    index.seal(coveredRun);
    await index.store();
  }

  function addMany(index: IdIndex, from: number, to: number, timeOf: (n: number) => bigint): void {
    for (let n = from; n < to; n++) index.add(hashId(`id-${n}`), timeOf(n));
  }

  const isIn = (range: TimeRange | null, time: bigint) =>
    range === undefined || (range !== null && range.fromUs <= time && time < range.toUs);

  it("finds an id by its hash wherever it is, and rules out all others", async () => {
    const index = openIndex();
    index.complete(index.uncovered);
    const timeOf = (n: number) => BigInt(n % 700) * HOUR_US + BigInt(n);
    for (const [from, to] of [
      [0, 1_300],
      [1_300, 1_301],
      [1_301, 5_000],
    ] as const) {
      addMany(index, from, to, timeOf);
      await store(index);
    }
    addMany(index, 5_000, 5_100, timeOf);
    const again = openIndex();
    again.complete(again.uncovered);
    const lost = Array.from({ length: 5_100 }, (_, n) => n).filter(
      (n) => !isIn(index.find(hashId(`id-${n}`)), timeOf(n)),
    );
    const stored = Array.from({ length: 5_100 }, (_, n) => n).filter((n) => again.find(hashId(`id-${n}`)) !== null);
    const others = Array.from({ length: 20_000 }, (_, n) => n).filter((n) => index.find(hashId(`no-${n}`)) !== null);
    expect([lost, stored.length, others]).toEqual([[], 5_000, []]);
  });

  it("recognises an id for the length of the window, and after it with the same time only", async () => {
    const index = openIndex();
    index.complete(index.uncovered);
    const time = BigInt(nowMs) * 1000n;
    index.add(hashId("a"), time);
    await store(index);
    const other = time - 5n * HOUR_US;
    expect(index.findRepeats(hashId("a"), other)).toMatchObject([{ isSameTime: false }]);
    nowMs += windowMs;
    expect(index.findRepeats(hashId("a"), other)).toMatchObject([{ isSameTime: false }]);
    nowMs += 1;
    expect(index.findRepeats(hashId("a"), other)).toEqual([]);
    const stored = { range: { fromUs: time, toUs: time + 1n }, isSameTime: true };
    expect(index.findRepeats(hashId("a"), time)).toEqual([stored]);
    // One that has come since with another time may be of another tenant: both places count.
    index.add(hashId("a"), other);
    expect(index.findRepeats(hashId("a"), time)).toEqual([expect.objectContaining({ isSameTime: false }), stored]);
    expect(isIn(index.find(hashId("a")), time)).toBe(true);
  });

  it("finds every repeat by these rules, in whatever order ids arrive, are stored and are opened again", async () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant("add" as const),
          id: fc.nat(40),
          hour: fc.integer({ min: -2, max: 1_100 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("store" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("open" as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.nat(40) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        rmSync(directory, { recursive: true });
        nowMs = 1_000 * HOUR_MS;
        let index = openIndex();
        index.complete(index.uncovered);
        const arrived: { id: string; time: bigint; atMs: number }[] = [];
        for (const each of steps) {
          if (each.kind === "wait") nowMs += each.hours * HOUR_MS;
          if (each.kind === "store") await store(index);
          if (each.kind === "open") {
            await store(index);
            index = openIndex();
            index.complete(index.uncovered);
          }
          if (each.kind !== "add") continue;
          const [id, time] = [`id-${each.id}`, BigInt(each.hour) * HOUR_US + 7n];
          const matches = index.findRepeats(hashId(id), time);
          const isRepeat = (before: (typeof arrived)[number]) =>
            before.id === id && (before.time === time || nowMs - before.atMs <= windowMs);
          for (const before of arrived.filter(isRepeat)) {
            expect(matches.some(({ range }) => isIn(range, before.time))).toBe(true);
          }
          for (const before of arrived) expect(isIn(index.find(hashId(before.id)), before.time)).toBe(true);
          index.add(hashId(id), time);
          arrived.push({ id, time, atMs: nowMs });
        }
      }),
    );
    expect(damages).toEqual([]);
  });

  it("tells which rows it lacks: none of the table, until they are read; later those after the last file", async () => {
    const index = openIndex(4);
    expect([index.uncovered, index.find(hashId("a"))]).toEqual([["true"], undefined]);
    addMany(index, 0, 10, () => 0n);
    await store(index, null);
    expect(readdirSync(directory)).toHaveLength(2);
    expect(openIndex(4).uncovered).toEqual(["true"]);
    expect(readdirSync(directory)).toEqual(["manifest.json"]);
    const whole = openIndex(4);
    whole.complete(whole.uncovered);
    addMany(whole, 0, 10, () => 0n);
    await store(whole, 4);
    const again = openIndex(6);
    expect(again.uncovered).toEqual(["lw_run IS NULL", "lw_run > 4"]);
    expect(again.findRepeats(hashId("id-3"), 0n)).toHaveLength(1);
    addMany(again, 10, 20, () => 0n);
    await store(again, null);
    expect(openIndex(6).uncovered).toEqual(["lw_run IS NULL", "lw_run > 4"]);
  });

  it("uses no files of a table that has fewer runs, and none that its manifest does not name", async () => {
    const index = openIndex(4);
    index.complete(index.uncovered);
    addMany(index, 0, 10, () => 0n);
    await store(index, 4);
    writeFileSync(join(directory, "events_1-9.ids"), "x");
    expect(openIndex(4).uncovered).toContain("lw_run > 4");
    expect(existsSync(join(directory, "events_1-9.ids"))).toBe(false);
    expect([openIndex(3).uncovered, damages.length]).toEqual([["true"], 1]);
  });

  it("keeps in memory what cannot be stored, and stores it later", async () => {
    const index = openIndex();
    index.complete(index.uncovered);
    addMany(index, 0, 1_000, () => 0n);
    rmSync(directory, { recursive: true });
    await expect(store(index)).rejects.toThrow(/ENOENT/);
    addMany(index, 1_000, 1_100, () => 0n);
    expect([index.heldCount, index.find(hashId("id-5")), index.find(hashId("id-1050"))]).toEqual([
      1_100,
      expect.anything(),
      expect.anything(),
    ]);
    new IdFolder(directory);
    await store(index);
    expect([index.heldCount, index.find(hashId("id-5"))]).toEqual([100, expect.anything()]);
  });

  it("forgets files whose hours have all passed, and those of a dropped table", async () => {
    const index = openIndex();
    index.complete(index.uncovered);
    for (const hour of [10n, 20n, 30n]) {
      index.add(hashId(`at-${hour}`), hour * HOUR_US);
      await store(index);
    }
    await index.forgetBefore(20n * HOUR_US + 5n);
    expect(readdirSync(directory).sort()).toEqual(["events_1-2.ids", "events_1-3.ids", "manifest.json"]);
    expect([10n, 20n, 30n].map((hour) => index.find(hashId(`at-${hour}`)) !== null)).toEqual([false, true, true]);
    index.add(hashId("late"), 25n * HOUR_US);
    await store(index);
    expect(index.find(hashId("late"))).not.toBeNull();
    await index.drop();
    expect(readdirSync(directory)).toEqual(["manifest.json"]);
  });

  it("reads the table again where a byte of a file is another, or missing", async () => {
    const index = openIndex();
    index.complete(index.uncovered);
    addMany(index, 0, 1_200, (n) => BigInt(n) * HOUR_US);
    await store(index);
    const path = join(directory, "events_1-1.ids");
    const [bytes, manifest] = [readFileSync(path), readFileSync(join(directory, "manifest.json"))];
    const { size } = statSync(path);
    const restore = () => {
      writeFileSync(path, bytes);
      writeFileSync(join(directory, "manifest.json"), manifest);
    };
    const places = Array.from({ length: 40 }, (_, n) => Math.floor((n * (size - 1)) / 39));
    for (const place of places) {
      restore();
      const damaged = Buffer.from(bytes);
      damaged[place] = (damaged[place] ?? 0) ^ 0x10;
      writeFileSync(path, damaged);
      damages = [];
      const again = openIndex();
      const missed = Array.from({ length: 1_200 }, (_, n) => n).filter((n) => again.find(hashId(`id-${n}`)) === null);
      again.complete(again.uncovered);
      const found = Array.from({ length: 1_200 }, (_, n) => again.findRepeats(hashId(`id-${n}`), BigInt(n) * HOUR_US));
      expect([place, missed, damages.length >= 1 || found.every((each) => each.length > 0)]).toEqual([place, [], true]);
    }
    for (const length of [0, 31, 32, size - 4, size - 4096]) {
      restore();
      truncateSync(path, length);
      damages = [];
      expect([length, openIndex().uncovered, damages.length]).toEqual([length, ["true"], 1]);
    }
    restore();
    rmSync(path);
    expect(openIndex().uncovered).toEqual(["true"]);
    restore();
    writeFileSync(join(directory, "manifest.json"), "{");
    expect(openIndex().uncovered).toEqual(["true"]);
  });

  describe("where a file is found damaged while it is in use", () => {
    const coveredRun = () => new IdFolder(directory).filesOf("events_1").coveredRun;

    async function damagedIndex(): Promise<IdIndex> {
      const first = openIndex();
      first.complete(first.uncovered);
      addMany(first, 0, 1_200, (n) => BigInt(n) * HOUR_US);
      await store(first, 4);
      return openIndex(6);
    }
    function meetDamage(index: IdIndex): void {
      const path = join(directory, "events_1-1.ids");
      writeFileSync(path, Buffer.alloc(statSync(path).size, 1));
      for (let n = 0; n < 1_200 && damages.length === 0; n++) index.find(hashId(`id-${n}`));
      for (let n = 0; n < 1_200 && damages.length === 0; n++) index.findRepeats(hashId(`id-${n}`), BigInt(n) * HOUR_US);
      expect(damages).toHaveLength(1);
    }

    it("reading later rows to their end does not count as having read all", async () => {
      const index = await damagedIndex();
      const { uncovered } = index;
      meetDamage(index);
      index.complete(uncovered);
      expect([index.uncovered, index.find(hashId("id-5"))]).toEqual([["true"], undefined]);
      const all = index.uncovered;
      addMany(index, 0, 1_200, (n) => BigInt(n) * HOUR_US);
      index.complete(all);
      expect([index.uncovered, index.find(hashId("id-5"))]).toEqual([undefined, expect.anything()]);
    });

    it("what was sealed before covers nothing, also when it is stored after all rows were read again", async () => {
      const index = await damagedIndex();
      index.complete(index.uncovered);
      index.add(hashId("late"), 0n);
      index.seal(6);
      meetDamage(index);
      addMany(index, 0, 1_200, (n) => BigInt(n) * HOUR_US);
      index.complete(index.uncovered);
      await index.store();
      expect(coveredRun()).toBeNull();
      await store(index, 6);
      expect([coveredRun(), openIndex(6).find(hashId("id-5"))]).toEqual([6, undefined]);
    });

    it("a file that is being written meanwhile covers nothing", async () => {
      const index = await damagedIndex();
      index.complete(index.uncovered);
      index.add(hashId("late"), 0n);
      index.seal(6);
      const storing = index.store();
      meetDamage(index);
      await storing;
      expect(coveredRun()).toBeNull();
    });
  });
});
