import fc from "fast-check";
import { expect, it } from "vitest";
import { Agenda } from "./agenda.ts";

it("an agenda gives what is due, the earliest first, and nothing before its time", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 })), fc.nat({ max: 50 }), (times, nowMs) => {
      const agenda = new Agenda<number>();
      for (const atMs of times) agenda.add(atMs, atMs);
      const takeAll = (untilMs: number) => {
        const taken: number[] = [];
        for (let each = agenda.take(untilMs); each !== undefined; each = agenda.take(untilMs)) taken.push(each);
        return taken;
      };
      const sorted = times.toSorted((a, b) => a - b);
      expect(agenda.nextMs).toBe(sorted[0] ?? Number.POSITIVE_INFINITY);
      expect(takeAll(nowMs)).toEqual(sorted.filter((atMs) => atMs <= nowMs));
      expect(takeAll(50)).toEqual(sorted.filter((atMs) => atMs > nowMs));
      agenda.add(1, 1);
      agenda.clear();
      expect(takeAll(50)).toEqual([]);
    }),
  );
});
