import { describe, expect, it } from "vitest";
import { printSql } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import {
  bigintSql,
  columnOf,
  NULL,
  numberSql,
  placeholder,
  storedColumnOf,
  textSql,
  variableSql,
} from "../sql/atoms.ts";
import { castTo, select } from "../sql/forms.ts";
import { sql } from "../sql/sql.ts";
import { BIGINT, DOUBLE, TIMESTAMP } from "../sql/types.ts";
import { computeOnce } from "./compute-once.ts";

describe("computeOnce", () => {
  it.each([
    variableSql("c1"),
    castTo(columnOf("s1", "c1_x"), DOUBLE),
    storedColumnOf("t1", 'a "b" c'),
    numberSql(5),
    bigintSql(-5n),
    textSql("it's"),
    castTo(textSql("2024-01-01"), TIMESTAMP),
    castTo(placeholder(1), BIGINT),
    NULL,
  ])("repeats $text without binding it", (value) => {
    expect(printSql(computeOnce([value], "f", (x) => sql`${x} + ${x}`))).toBe(
      `(${printSql(value)} + ${printSql(value)})`,
    );
  });

  it.each([
    sql`random()`,
    sql`${variableSql("a")} + ${variableSql("b")}`,
    castTo(variableSql("c1"), BIGINT),
    castTo(bigintSql(5n), DOUBLE),
    textSql("a\0b"),
    sql`(${select(sql`1`)})`,
  ])("binds $text", (value) => {
    expect(printSql(computeOnce([value], "f", (x) => sql`${x} + ${x}`))).toBe(
      `list_transform([{'a0': ${printSql(value)}}], lambda lw_f: lw_f.a0 + lw_f.a0)[1]`,
    );
  });

  it("binds columns along with a value that must not be repeated, but no constants", () => {
    const args = [variableSql("c"), sql`f(1)`, numberSql(2)];
    expect(
      printSql(
        computeOnce(args, "m", (...values) => sql`${values[0] ?? NULL}, ${values[1] ?? NULL}, ${values[2] ?? NULL}`),
      ),
    ).toBe("list_transform([{'a0': c, 'a1': f(1)}], lambda lw_m: lw_m.a0, lw_m.a1, 2)[1]");
  });
});
