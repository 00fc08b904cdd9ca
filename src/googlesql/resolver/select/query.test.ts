import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf } from "../../../../test/support/googlesql/resolver/resolved.ts";

describe("the resolver of set operations", () => {
  it("reports columns that do not match", () => {
    expect(errorsOf(`SELECT 1, 2 UNION ALL SELECT 3`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 3": Queries in UNION ALL have mismatched column count; query 1 has 2 columns, query 2 has 1 column",
      ]
    `);
    expect(errorsOf(`SELECT 1 UNION ALL SELECT 'a'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT 'a'": Column 1 in UNION ALL has incompatible types: INT64, STRING",
      ]
    `);
    expect(errorsOf(`SELECT doc FROM orders UNION DISTINCT SELECT doc FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT doc FROM orders": Column 1 in UNION DISTINCT has type JSON, which cannot be compared",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a UNION ALL BY NAME SELECT 1 AS b`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1 AS b": The inputs of UNION ALL BY NAME must have the same column names; use FULL, LEFT or INNER to allow others",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a, 2 AS a UNION ALL BY NAME SELECT 1 AS a`)).toMatchInlineSnapshot(`
      [
        "duplicate_name at "SELECT 1 AS a, 2 AS a": Duplicate column a in query 1 of BY NAME",
      ]
    `);
    expect(errorsOf(`SELECT 1 UNION ALL BY NAME SELECT 1 AS a`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1": Anonymous columns cannot be used with BY NAME: query 1",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a INNER UNION ALL BY NAME SELECT 1 AS b`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1 AS b": The inputs of UNION ALL BY NAME have no column names in common",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a UNION ALL BY NAME ON (z) SELECT 2 AS a`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "z": Column z is not in every input of BY NAME ON",
      ]
    `);
  });
});

describe("the resolver of common table expressions", () => {
  it("reports references to later expressions, and duplicate names", () => {
    expect(errorsOf(`WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "unknown_table at "b": Table not found: b",
      ]
    `);
    expect(errorsOf(`WITH a AS (SELECT 1), A AS (SELECT 2) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "duplicate_name at "A": Duplicate alias A for WITH subquery",
      ]
    `);
    expect(errorsOf(`SELECT (WITH a AS (SELECT id) SELECT * FROM a) FROM people`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "id": Unrecognized name: id",
      ]
    `);
    expect(errorsOf(`WITH a AS (SELECT 1) SELECT * FROM (SELECT * FROM aa)`)).toMatchInlineSnapshot(`
      [
        "unknown_table at "aa": Table not found: aa; did you mean a?",
      ]
    `);
  });

  it("lets a RECURSIVE expression read itself in its last term", () => {
    expect(
      dumpOf(
        "WITH RECURSIVE t AS (SELECT 1 AS n, 1.5 AS m UNION ALL SELECT n + 1, n FROM t WHERE n < 5) SELECT n " +
          "FROM t ORDER BY n",
      ),
    ).toMatchInlineSnapshot(`
      "select n=n#9:INT64
        order by n#9
          with
            recursive t(n#7, m#8) =
              recursion all n#7, m#8 = (n#1, m#2) then (f0#5, m#6)
                compute 1 as n#1, FLOAT64'1.5' as m#2
                  one row
                compute coerce(n#3 as FLOAT64) as m#6
                  compute $add(n#3, 1) as f0#5
                    filter $less(n#3, 5)
                      cte t(n#3, m#4)
            cte t(n#9, m#10)"
    `);
    expect(
      dumpOf(`WITH RECURSIVE b AS (SELECT * FROM a), a AS (SELECT 1 AS x) SELECT * FROM b`),
    ).toMatchInlineSnapshot(`
      "select x=x#3:INT64
        with
          a(x#1) =
            compute 1 as x#1
              one row
          b(x#2) =
            cte a(x#2)
          cte b(x#3)"
    `);
  });

  it("reports RECURSIVE expressions of any other form", () => {
    expect(errorsOf(`WITH RECURSIVE t AS (SELECT * FROM t) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": Recursive query t must have the form: anchor UNION [ALL | DISTINCT] recursive term",
      ]
    `);
    expect(errorsOf(`WITH RECURSIVE t AS (SELECT n FROM t UNION ALL SELECT 1) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": t may only be read in the last term of its recursive query",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT SUM(n) FROM t) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed with aggregation",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n FROM t) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed with SELECT DISTINCT",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT RANK() OVER (ORDER BY n) FROM t) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed with window functions",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL (SELECT n FROM t LIMIT 1)) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed with LIMIT",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT (SELECT n FROM t)) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed in an expression subquery",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT a.n FROM t a JOIN t b USING (n)) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t b": Multiple recursive references to t in one recursive term",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n FROM people LEFT JOIN t ON TRUE) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "t": A recursive reference to t is not allowed on the right of a LEFT JOIN",
      ]
    `);
    expect(errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT 'a' FROM t) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT 'a' FROM t": Column 1 of the recursive term has type STRING, which does not coerce to INT64",
      ]
    `);
    expect(
      errorsOf(`WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT 1, 2 FROM t) SELECT 1`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1, 2 FROM t": The terms of a recursive query must have the same number of columns; they have 1 and 2",
      ]
    `);
    expect(errorsOf(`WITH RECURSIVE a AS (SELECT 1 FROM b), b AS (SELECT 1 FROM a) SELECT 1`)).toMatchInlineSnapshot(`
      [
        "unsupported at "b": Mutual recursion of b and a is not supported",
        "unknown_table at "a": Table not found: a",
      ]
    `);
  });
});
