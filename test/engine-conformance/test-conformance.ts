import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench, conformanceCases, type OpenEngine } from "./index.ts";

export interface ConformanceSubject {
  /** The name of the engine in the tests' titles. */
  readonly name: string;
  readonly open: OpenEngine;
  /** The cases that the engine fails, by name, with the reason. A case that it passes must not be listed. */
  readonly notSupported: Readonly<Record<string, string>>;
  /** The cases that run; long ones have a suite of their own where the others are part of `npm test`. */
  readonly cases: "short" | "long" | "all";
}

/** Runs the suite as tests. */
export function testConformance({ name, open, notSupported, cases: wanted }: ConformanceSubject): void {
  describe(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await Bench.open(open);
    }, 60_000);
    afterAll(() => bench.close());

    for (const [topic, cases] of Object.entries(conformanceCases)) {
      const chosen = cases.filter(({ isLong }) => wanted === "all" || wanted === (isLong === true ? "long" : "short"));
      if (chosen.length === 0) continue;
      describe(topic, () => {
        for (const each of chosen) {
          const reason = notSupported[each.name];
          if (reason === undefined) it(each.name, () => each.run(bench), 120_000);
          else it(`does not pass: ${each.name} (${reason})`, () => expect(each.run(bench)).rejects.toThrow(), 120_000);
        }
      });
    }

    it("lists only existing cases as unsupported", () => {
      const names = new Set(Object.values(conformanceCases).flatMap((cases) => cases.map((each) => each.name)));
      expect(names.size).toBe(Object.values(conformanceCases).flat().length);
      expect(Object.keys(notSupported).filter((each) => !names.has(each))).toEqual([]);
    });
  });
}
