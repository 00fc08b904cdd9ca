import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ruleOf } from "../../test/support/drains/rules.ts";
import { drainOutcomes, numberOf, openPosition, type Progress, readProgress, sumOf } from "./position.ts";
import { openPositionLog, type PositionLog } from "./position-log.ts";

const folder = () => mkdtemp(join(tmpdir(), "position-"));
const warn = () => undefined;
const rule = ruleOf("r");
const opened: PositionLog[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));
const storeIn = async (place: string) => {
  const positions = await openPositionLog(place, warn);
  opened.push(positions);
  return positions.of(rule);
};

describe("a position", () => {
  it("moves by what became of events alone, and is found again with the same counts", async () => {
    const place = await folder();
    const passed = fc.record(Object.fromEntries(drainOutcomes.map((each) => [each, fc.nat({ max: 9 })])));
    await fc.assert(
      fc.asyncProperty(fc.array(passed, { maxLength: 5 }), fc.nat({ max: 1_000 }), async (steps, start) => {
        await (await storeIn(place)).remove();
        const position = await openPosition(await storeIn(place), start, warn);
        for (const step of steps) await position.advance(step);
        expect(position.number).toBe(start + steps.reduce((sum, step) => sum + sumOf(step), 0));
        expect(position.number - start).toBe(sumOf(position.tally));
        const again = await openPosition(await storeIn(place), 5_000, warn);
        expect([again.number, again.tally]).toEqual([position.number, position.tally]);
      }),
      { numRuns: 30 },
    );
  });

  it("counts events without a key as dropped, and keeps its number there and in another journal", async () => {
    const place = await folder();
    const position = await openPosition(await storeIn(place), 10, warn);
    await position.advance({ delivered: 4 });
    await position.countUnwritten(3);
    expect([position.number, position.tally.dropped]).toEqual([14, 3]);
    await position.restartAt(2);
    await position.advance({ refused: 1 });
    const again = await openPosition(await storeIn(place), 0, warn);
    expect([again.number, again.tally]).toEqual([3, { ...position.tally, delivered: 4, dropped: 3, refused: 1 }]);
  });

  it("warns once while it cannot be saved, goes on, and saves what it has missed", async () => {
    const written: Progress[] = [];
    const warnings: string[] = [];
    let fails = true;
    const store = {
      read: async () => undefined,
      write: async (progress: Progress) => {
        if (fails) throw new Error("full");
        written.push(progress);
      },
      remove: async () => undefined,
    };
    const position = await openPosition(store, 0, (message) => warnings.push(message));
    await position.advance({ delivered: 1 });
    await position.advance({ delivered: 1 });
    expect([position.number, position.durable, warnings.length]).toEqual([2, Number.NEGATIVE_INFINITY, 1]);
    fails = false;
    await position.advance({ delivered: 1 });
    expect([written.map(numberOf), position.durable]).toEqual([[3], 3]);
    fails = true;
    await position.advance({ delivered: 1 });
    expect([position.durable, warnings.length]).toEqual([3, 2]);
  });
});

describe("positions in files", () => {
  const path = (of: string) => join(of, `${"0".repeat(16)}.positions`);

  it("are read from files of their own, as an earlier release wrote them, and are then among the others", async () => {
    for (const [text, number] of [
      ["12345\n", 12_345],
      ["7 1 2 0 0 0 0\n", 10],
      ["", 7],
      ["x", 7],
      ["1 2 3 4 5 6 7 8\n", 7],
    ] as const) {
      const place = await folder();
      await writeFile(join(place, "r"), text);
      const positions = await openPositionLog(place, warn);
      const position = await openPosition(positions.of(rule), 7, warn);
      expect([text, position.number]).toEqual([text, number]);
      await position.advance({ delivered: 1 });
      expect((await readdir(place)).filter((name) => name === "r")).toEqual([]);
      await positions.close();
      const again = await openPositionLog(place, warn);
      expect((await openPosition(again.of(rule), 7, warn)).number).toBe(number + 1);
      await again.close();
    }
    expect(readProgress("-3 1 2 3 4 5 6")?.start).toBe(-3);
  });

  it("stay few lines for each rule, however often they move, and without those that were removed", async () => {
    const place = await folder();
    const positions = await openPositionLog(place, warn);
    const rules = Array.from({ length: 50 }, (_, index) => ruleOf(`${index}`.padStart(1_000, "0")));
    const open = (of: typeof positions) => Promise.all(rules.map((each) => openPosition(of.of(each), 0, warn)));
    const moving = await open(positions);
    for (let round = 0; round < 60; round++) await Promise.all(moving.map((each) => each.advance({ delivered: 1 })));
    const sizes = await Promise.all((await readdir(place)).map(async (name) => (await stat(join(place, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
    await moving[0]?.remove();
    await positions.close();
    const reopened = await openPositionLog(place, warn);
    const again = await open(reopened);
    await reopened.close();
    expect(again.map(({ number }) => number)).toEqual(rules.map((_, index) => (index === 0 ? 0 : 60)));
  });

  it("are those of the lines before where one is damaged, and say so", async () => {
    const place = await folder();
    const positions = await openPositionLog(place, warn);
    const position = await openPosition(positions.of(rule), 0, warn);
    await position.advance({ delivered: 4 });
    await positions.close();
    const whole = await readFile(path(place), "utf8");
    const damages = ["", "\0\0\0", "[]", "5", '["r","edge","1 2 x"]', '["r",1,"9"]', '["r","edge"]'];
    for (const damage of damages) {
      await writeFile(path(place), `${whole}${damage}\n`);
      const warnings: string[] = [];
      const again = await openPositionLog(place, (message) => warnings.push(message));
      expect([damage, (await openPosition(again.of(rule), 0, warn)).number, warnings.length]).toEqual([damage, 4, 1]);
      await again.close();
    }
  });

  it("are of one source: a rule with another begins anew", async () => {
    const place = await folder();
    const positions = await openPositionLog(place, warn);
    await (await openPosition(positions.of(rule), 10, warn)).advance({ delivered: 4 });
    expect((await openPosition(positions.of({ ...rule, source: "auth" }), 2, warn)).number).toBe(2);
    await positions.close();
  });
});
