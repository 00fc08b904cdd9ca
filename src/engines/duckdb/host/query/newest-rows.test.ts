import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TIMESTAMP } from "../../../../googlesql/types.ts";
import type { BoundValue, Connection } from "../../driver/connection.ts";
import { DuckDBTimestampValue, type DuckDBValue } from "../../driver/driver.ts";
import { FIRST_US, LAST_US, type NewestPlan } from "../../statement-plan.ts";
import type { HostQuery } from "../protocol.ts";
import { beginsOf, NewestFinder } from "./newest-rows.ts";

const plan: NewestPlan = {
  table: "events_1",
  count: 2,
  times: { sql: "TIMES", values: [1] },
  rows: { sql: "ROWS", values: [0, 1] },
  from: [],
  until: [],
};
const values = ["a", "b"].map((value) => ({ value }));
const microsOf = ({ value }: BoundValue = { value: null }) =>
  value instanceof DuckDBTimestampValue ? value.micros : value;

/** A table of so many rows, at these times, newest first. */
function open(times: readonly bigint[], rowCount = BigInt(times.length)) {
  const asked: { readonly sql: string; readonly values: readonly DuckDBValue[] }[] = [];
  let nowMs = 1_000;
  const all = async (sql: string, bound: readonly BoundValue[] = []): Promise<DuckDBValue[][]> => {
    asked.push({ sql, values: bound.map(microsOf) });
    if (sql !== "TIMES") {
      const ends = [times.at(-1), times[0]].map((us) => (us === undefined ? null : new DuckDBTimestampValue(us)));
      return [[rowCount, ...ends]];
    }
    const beginUs = microsOf(bound.at(-1)) as bigint;
    return times.filter((us) => us >= beginUs).map((us) => [new DuckDBTimestampValue(us)]);
  };
  const finder = new NewestFinder(() => nowMs, { minRows: 3, firstRows: 1 });
  const find = async (some: Partial<NewestPlan> = {}, parameters: HostQuery["parameters"] = []) => {
    const query = { parameters } as HostQuery;
    const found = await finder.find({ all } as unknown as Connection, { ...plan, ...some }, query, values);
    return { sql: found.sql, values: found.values.map(microsOf) };
  };
  const isWorthIt = () => finder.isWorthIt({ all } as unknown as Connection, plan);
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { asked, find, isWorthIt, wait };
}

describe("windows of time", () => {
  const times = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });

  it("become longer, and the last holds all rows", () => {
    fc.assert(
      fc.property(
        fc.tuple(times, times, times),
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.array(times, { maxLength: 3 }),
        fc.array(times, { maxLength: 3 }),
        ([a, b, nowUs], rowCount, from, until) => {
          const [firstUs, lastUs] = a < b ? [a, b] : [b, a];
          const begins = beginsOf({ rowCount, firstUs, lastUs }, { from, until, nowUs }, 50_000);
          expect(begins.at(-1)).toBe(FIRST_US);
          expect(begins).toEqual([...begins].sort((one, other) => (one < other ? 1 : -1)));
          // Each is sixteen times as long, over 6,000 years of microseconds.
          expect(begins.length).toBeLessThan(18);
          for (const beginUs of begins.slice(0, -1)) {
            expect(beginUs < lastUs && beginUs < nowUs && beginUs > firstUs).toBe(true);
            if (from.length > 0) expect(from.some((each) => each < beginUs)).toBe(true);
            if (until.length > 0) expect(until.some((each) => each > beginUs)).toBe(true);
          }
        },
      ),
    );
  });

  it("begin with a part of the table that holds about so many rows, before the end of what is wanted", () => {
    const extent = { rowCount: 1_000n, firstUs: 0n, lastUs: 1_000_000n };
    const wanted = { from: [], until: [], nowUs: 10n ** 15n };
    expect(beginsOf(extent, wanted, 10)[0]).toBe(989_999n);
    expect(beginsOf(extent, { ...wanted, nowUs: 500_000n }, 10)[0]).toBe(489_999n);
    expect(beginsOf(extent, { ...wanted, until: [300_000n] }, 10)).toEqual([289_999n, 139_984n, FIRST_US]);
    expect(beginsOf(extent, { ...wanted, from: [980_000n] }, 10)).toEqual([989_999n, FIRST_US]);
    expect(beginsOf(extent, wanted, 10_000)).toEqual([FIRST_US]);
    const sixHours = 6n * 3_600_000_000n;
    expect(beginsOf({ ...extent, lastUs: 10n ** 15n }, wanted, 10)[0]).toBe(10n ** 15n - sixHours);
  });
});

describe("the finder of newest rows", () => {
  const rows = Array.from({ length: 100 }, (_, index) => BigInt(1_000_000 - index * index * 100));

  it("reads from the time of the last row of the answer, once a window holds so many", async () => {
    const { find, asked } = open(rows);
    expect(await find()).toEqual({ sql: "ROWS", values: ["a", "b", 999_900n] });
    expect(asked.slice(1)).toEqual([{ sql: "TIMES", values: ["b", 1_000_000n - 9_802n] }]);
    expect((await find({ count: 20 })).values.at(-1)).toBe(rows[19]);
    expect(asked.slice(2).map((each) => each.values[1])).toEqual([1_000_000n - 9_802n, 1_000_000n - 16n * 9_802n]);
  });

  it("reads from the last row of all where there are fewer, and nothing where there is none", async () => {
    expect((await open(rows).find({ count: 500 })).values.at(-1)).toBe(rows.at(-1));
    expect((await open([], 5n).find()).values.at(-1)).toBe(LAST_US);
  });

  it("begins where the values of the call say that rows end, and skips windows before they begin", async () => {
    const { find, asked } = open(rows);
    const time = (us: bigint) => ({ type: TIMESTAMP, value: String(us) });
    const parameters = [time(400_000n), time(300_000n), { type: TIMESTAMP, value: null }];
    await find({ until: [0, 2], from: [1, "200000"], count: 500 }, parameters);
    expect(asked.slice(1).map((each) => each.values[1])).toEqual([
      400_000n - 9_802n,
      400_000n - 16n * 9_802n,
      FIRST_US,
    ]);
  });

  it("asks again how large a table is, but not each time", async () => {
    const { isWorthIt, asked, wait } = open([3n, 2n, 1n]);
    expect([await isWorthIt(), await isWorthIt()]).toEqual([true, true]);
    expect(asked).toHaveLength(1);
    wait(60_000);
    expect(await isWorthIt()).toBe(true);
    expect(asked).toHaveLength(2);
    expect(await open([2n, 1n]).isWorthIt()).toBe(false);
  });
});
