import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createProgressFile,
  drainOutcomes,
  numberOf,
  openPosition,
  type Progress,
  readProgress,
  sumOf,
  writeProgress,
} from "./position.ts";

const folder = () => mkdtemp(join(tmpdir(), "position-"));
const warn = () => undefined;

describe("a position", () => {
  it("moves by what became of events alone, and is found again with the same counts", async () => {
    const path = join(await folder(), "p");
    const passed = fc.record(Object.fromEntries(drainOutcomes.map((each) => [each, fc.nat({ max: 9 })])));
    await fc.assert(
      fc.asyncProperty(fc.array(passed, { maxLength: 5 }), fc.nat({ max: 1_000 }), async (steps, start) => {
        await createProgressFile(path, warn).remove();
        const position = await openPosition(createProgressFile(path, warn), start, warn);
        for (const step of steps) await position.advance(step);
        expect(position.number).toBe(start + steps.reduce((sum, step) => sum + sumOf(step), 0));
        expect(position.number - start).toBe(sumOf(position.tally));
        const again = await openPosition(createProgressFile(path, warn), 5_000, warn);
        expect([again.number, again.tally]).toEqual([position.number, position.tally]);
      }),
      { numRuns: 30 },
    );
  });

  it("counts events without a key as dropped, and keeps its number there and in another journal", async () => {
    const path = join(await folder(), "p");
    const position = await openPosition(createProgressFile(path, warn), 10, warn);
    await position.advance({ delivered: 4 });
    await position.countUnwritten(3);
    expect([position.number, position.tally.dropped]).toEqual([14, 3]);
    await position.restartAt(2);
    await position.advance({ refused: 1 });
    const again = await openPosition(createProgressFile(path, warn), 0, warn);
    expect([again.number, again.tally]).toEqual([3, { ...position.tally, delivered: 4, dropped: 3, refused: 1 }]);
  });

  it("is read from the file of an earlier release, and begins anew where the file is damaged", async () => {
    const path = join(await folder(), "p");
    for (const [text, number] of [
      ["12345\n", 12_345],
      ["", 7],
      ["x", 7],
      ["1 2\n", 7],
      ["1 2 3 4 5 6 7 8\n", 7],
    ] as const) {
      await writeFile(path, text);
      expect([text, (await openPosition(createProgressFile(path, warn), 7, warn)).number]).toEqual([text, number]);
    }
    expect(readProgress("-3 1 2 3 4 5 6")?.start).toBe(-3);
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
        return true;
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

  it("is durable once its file was flushed, which is so at first and after thousands of events", async () => {
    const path = join(await folder(), "p");
    const position = await openPosition(createProgressFile(path, warn), 0, warn);
    expect(position.durable).toBe(0);
    await position.advance({ delivered: 4_095 });
    expect([position.durable, await readFile(path, "utf8")]).toEqual([0, "0 4095 0 0 0 0 0\n"]);
    await position.advance({ delivered: 1 });
    expect(position.durable).toBe(4_096);
    expect(writeProgress({ start: 1, tally: position.tally })).toBe("1 4096 0 0 0 0 0");
  });
});
