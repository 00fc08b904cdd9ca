import { describe, expect, it } from "vitest";
import { printSql, readSql } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { FIRST_BOUND, FIRST_LIMIT, orderPlaceholders } from "./limits.ts";
import { emit, guarded } from "./statements.ts";

describe("the placeholders of a statement", () => {
  it("are found in the order in which they stand, each once", () => {
    expect(guarded(readSql("SELECT $12, lw_parse_date($3, $12 + $1)")).placeholders).toEqual([12, 3, 1]);
  });

  it("are no text and no name that looks like one", () => {
    expect(guarded(readSql(`SELECT '$1 it''s $2', "a""$3", $2`)).placeholders).toEqual([2]);
  });

  it("are written with the numbers that they are given", () => {
    expect(emit(guarded(readSql("SELECT $12, '$12', $3")), (index) => index + 1)).toBe("SELECT $13, '$12', $4");
    expect(printSql(readSql("SELECT $12"))).toBe("SELECT $12");
  });

  it("have limits after parameters, and bounds of times last, in the order of their own numbers", () => {
    const [limit, bound] = [FIRST_LIMIT, FIRST_BOUND];
    expect(orderPlaceholders([bound + 1, 3, limit + 1, 1, limit, bound])).toEqual([
      ...[3, 1, limit, limit + 1, bound, bound + 1],
    ]);
  });
});
