import { describe, expect, it } from "vitest";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { INT64, TIMESTAMP } from "../googlesql/types.ts";
import { compareRows } from "./compare-rows.ts";

const columns: readonly OutputColumn[] = [
  { name: "id", type: INT64 },
  { name: "at", type: TIMESTAMP },
];
const nine = Date.parse("2026-08-20T09:00:00Z") * 1000;

describe("compareRows", () => {
  it("accepts equal rows, with times in ISO 8601 or in microseconds", () => {
    const rows = [{ id: 1, at: nine }];
    expect(compareRows({ rows: [{ id: 1, at: "2026-08-20T11:00:00+02:00" }] }, rows, columns)).toBeUndefined();
    expect(compareRows({ rows: [{ at: nine, id: 1 }] }, rows, columns)).toBeUndefined();
  });

  it("shows the fields that differ, row by row", () => {
    const got = [
      { id: 1, at: nine },
      { id: 2, at: nine },
    ];
    expect(compareRows({ rows: [{ id: 1, at: nine }, { id: 3 }] }, got, columns)).toBe(
      `the rows are others\nrow 2:\n  - "id":3\n  + "id":2\n  - "at" is not there\n  + ` +
        `"at":"2026-08-20T09:00:00.000000Z"`,
    );
  });

  it("shows missing and superfluous rows when the counts differ", () => {
    const row = (id: number) => ({ id });
    expect(compareRows({ rows: [1, 2, 4].map(row) }, [1, 4].map(row), columns)).toBe(
      'expected 3 rows, got 2\n- {"id":2}',
    );
    expect(compareRows({ rows: [1].map(row) }, [3, 1].map(row), columns)).toBe('expected 1 rows, got 2\n+ {"id":3}');
  });

  it("skips ignored columns, and reports an ignored column that does not exist", () => {
    const rows = [{ id: 1, at: nine }];
    expect(compareRows({ rows: [{ id: 1 }], ignore: ["at"] }, rows, columns)).toBeUndefined();
    expect(compareRows({ rows: [{ id: 1 }], ignore: ["att"] }, rows, columns)).toContain("att");
  });

  it("compares rows as a multiset when any order is allowed", () => {
    const rows = [{ id: 1 }, { id: 2 }, { id: 2 }];
    const expected = [{ id: 2 }, { id: 1 }, { id: 2 }];
    expect(compareRows({ rows: expected, any_order: true }, rows, columns)).toBeUndefined();
    expect(compareRows({ rows: [{ id: 1 }, { id: 1 }, { id: 2 }], any_order: true }, rows, columns)).toBe(
      'the rows are others\n- {"id":1}\n+ {"id":2}',
    );
  });
});
