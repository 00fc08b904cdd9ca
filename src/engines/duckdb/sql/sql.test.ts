import { describe, expect, it } from "vitest";
import { printSql } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { bigintSql, boolSql, columnOf, decimalSql, NULL, numberSql, textSql, variableSql } from "./atoms.ts";
import { castTo, fallible, infallible, isConstantKey, lambda, raiseText, select, tried } from "./forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "./sql.ts";
import { DOUBLE, VARCHAR } from "./types.ts";

const query = sql`(${select(sql`1 AS one`)})`;
const each = variableSql("x");
const list = sql`list_transform(l, ${lambda(each, sql`${each} + 1`)})`;

/** The forms in which a fragment may be part of another. */
const holders: readonly ((piece: Sql) => Sql)[] = [
  (piece) => sql`f(${piece}, 1)`,
  (piece) => sql`CASE WHEN ${NULL} IS NULL THEN ${piece} END`,
  (piece) => joinSql([NULL, piece], ", "),
  (piece) => joinSql([piece], ", "),
  (piece) => castTo(piece, VARCHAR),
  (piece) => lambda(each, piece),
  (piece) => select(piece),
  (piece) => tried(piece),
];

describe("an Sql fragment", () => {
  it("contains a query, a lambda or TRY if one of its parts does", () => {
    for (const hold of holders) {
      expect(hold(query).holdsQuery).toBe(true);
      expect(hold(list).holdsLambda).toBe(true);
      expect(hold(list).readsOneQuery).toBe(true);
      expect(hold(tried(each)).readsOneQuery).toBe(true);
    }
    expect(list.holdsQuery).toBe(false);
    expect(query.readsOneQuery).toBe(false);
  });

  it("contains them too where a template's own text says so", () => {
    expect([sql`(SELECT 1)`.holdsQuery, sql`f(lambda x: 1)`.holdsLambda, sql`TRY(x)`.readsOneQuery]).toEqual([
      ...[true, true, true],
    ]);
  });

  it("contains none for a text or a name that looks like one", () => {
    for (const word of ["SELECT", "it's (SELECT 1)", "lambda x: 1", "TRY(x)"]) {
      for (const piece of [textSql(word), sql`concat(${textSql(word)}, 'a')`, columnOf("t1", `"${word}"`)])
        expect([printSql(piece), piece.holdsQuery, piece.readsOneQuery]).toEqual([printSql(piece), false, false]);
    }
  });

  it("can fail if a part can, except within TRY or where a failure becomes NULL", () => {
    const failing = raiseText("no");
    expect(sql`CASE WHEN ${each} THEN ${failing} END`.canFail).toBe(true);
    expect(sql`[${fallible(sql`lw_f(${each})`)}]`.canFail).toBe(true);
    expect(tried(failing).canFail).toBe(false);
    expect(infallible(failing).canFail).toBe(false);
    expect(infallible(each)).toBe(each);
  });

  it("is a column or a constant only if nothing surrounds it", () => {
    expect([each.isColumn, each.isRepeatable, each.isConstant]).toEqual([true, true, false]);
    expect([textSql("a").isConstant, numberSql(-1).isConstant, NULL.isConstant]).toEqual([true, true, true]);
    for (const piece of [each, textSql("a"), numberSql(1)]) {
      const around = sql`(${piece})`;
      expect([around.isColumn, around.isRepeatable, around.isConstant, around.literal]).toEqual([
        ...[false, false, false],
        undefined,
      ]);
    }
  });

  it("exposes the value of a literal", () => {
    expect([printSql(bigintSql(-5n)), bigintSql(-5n).integer]).toEqual(["(-5)::BIGINT", -5n]);
    expect(printSql(bigintSql(-9223372036854775808n))).toBe("CAST('-9223372036854775808' AS BIGINT)");
    expect(printSql(textSql("it's"))).toBe("'it''s'");
    expect(textSql("it's")).toMatchObject({ literalText: "it's", integer: undefined });
    expect(boolSql(true).literal).toBe(true);
    expect([NULL, textSql("")].map(isConstantKey)).toEqual([true, true]);
    expect([numberSql(1), each, castTo(NULL, DOUBLE)].map(isConstantKey)).toEqual([false, false, false]);
  });

  it("exposes no integer that was rounded", () => {
    expect(numberSql(0.5).integer).toBeUndefined();
    expect(printSql(decimalSql("0.25"))).toBe("0.25");
    expect(() => decimalSql("1; DROP TABLE t")).toThrow("Not a number");
  });

  it("throws when put into a plain string, and an empty join is empty", () => {
    expect(() => `${each}`).toThrow("SQL in a plain string: column x");
    expect(joinSql([], ", ")).toBe(EMPTY);
  });
});
