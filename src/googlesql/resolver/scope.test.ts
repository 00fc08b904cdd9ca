import { describe, expect, it } from "vitest";
import type { Column } from "../resolved.ts";
import { INT64 } from "../types.ts";
import { ColumnSet } from "./column-set.ts";
import { findName, namedColumn, scopeOf } from "./scope.ts";

const column = (id: number, name: string): Column => ({ id, name, type: INT64 });

describe("findName", () => {
  it("gives the same answer on the first lookup and on all later ones", () => {
    const [a, b, other] = [column(1, "A"), column(2, "b"), column(3, "B")];
    const columns = [namedColumn("A", a), namedColumn("b", b), namedColumn("B", other), namedColumn("t", b)];
    const ranges = ["t", "u", "U"].map((name) => ({ name, columns, isLenient: false }));
    const scope = scopeOf({ columns: [...columns, namedColumn("a", a)], ranges }, undefined);
    for (let round = 0; round < 4; round++) {
      expect(findName(scope, "a")).toMatchObject({ kind: "column", column: a });
      expect(findName(scope, "B")).toEqual({ kind: "ambiguous" });
      expect(findName(scope, "T")).toMatchObject({ kind: "range", range: ranges[0] });
      expect(findName(scope, "u")).toEqual({ kind: "ambiguous" });
      expect(findName(scope, "missing")).toBeUndefined();
    }
  });
});

describe("ColumnSet", () => {
  it("contains exactly the added ids, in whatever order they were added", () => {
    const ids = new ColumnSet();
    for (const id of [70_000, 3, 5]) ids.add(id);
    expect([3, 4, 5, 70_000, -1].map((id) => ids.has(id))).toEqual([true, false, true, true, false]);
  });
});
