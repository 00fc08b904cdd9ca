import { describe, expect, it } from "vitest";
import { fragmentOf } from "./fragment.ts";

describe("a fragment of printed SQL", () => {
  it("holds a sub-query where SELECT is a word of its own", () => {
    expect(fragmentOf("(SELECT 1)").holdsQuery).toBe(true);
    expect(fragmentOf("EXISTS (SELECT 1 AS one FROM t WHERE x = 'a')").holdsQuery).toBe(true);
    expect(fragmentOf("concat('it''s', (SELECT \"a\"))").holdsQuery).toBe(true);
  });

  it("holds none where literals, quoted names or parts of names say so", () => {
    for (const sql of [
      "'SELECT'",
      "'it''s (SELECT 1)'",
      't1."SELECT"',
      't1."a""(SELECT 1)"',
      "s1.c4_SELECT",
      "vc1_SELECTED",
    ])
      expect([sql, fragmentOf(sql).holdsQuery]).toEqual([sql, false]);
  });

  it("holds a lambda where it is printed as one", () => {
    expect(fragmentOf("list_transform(l, lambda x: x + 1)").holdsLambda).toBe(true);
    for (const sql of ["'lambda x: 1'", 't1."lambda "', "c1_lambda"]) expect(fragmentOf(sql).holdsLambda).toBe(false);
  });

  it("reads one query only where it holds a lambda or TRY", () => {
    expect(fragmentOf("TRY(t1.a * t2.b)").readsOneQuery).toBe(true);
    expect(fragmentOf("list_filter(l, lambda x: x)").readsOneQuery).toBe(true);
    expect(fragmentOf("concat('TRY(x)', COUNTRY(1))").readsOneQuery).toBe(false);
  });
});
