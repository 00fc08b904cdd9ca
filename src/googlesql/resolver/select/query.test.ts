import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf } from "../testing/resolved.ts";

describe("the resolver of set operations", () => {
  it("coerces columns to their supertype, and literals to the columns' type", () => {
    expect(
      dumpOf(`SELECT 1 AS a, NULL AS b UNION ALL SELECT 2.5, 'x' UNION ALL SELECT NULL, NULL`),
    ).toMatchInlineSnapshot(`
      "select a=a#11:FLOAT64, b=b#12:STRING
        union all a#11, b#12
          (a#3, b#4)
            compute FLOAT64'1' as a#3, NULL:STRING as b#4
              compute 1 as a#1, NULL as b#2
                one row
          (f0#5, f1#6)
            compute FLOAT64'2.5' as f0#5, "x" as f1#6
              one row
          (a#9, b#10)
            compute NULL:FLOAT64 as a#9, NULL:STRING as b#10
              compute NULL as f0#7, NULL as f1#8
                one row"
    `);
    expect(dumpOf(`SELECT day FROM orders UNION DISTINCT SELECT '2024-01-01'`)).toMatchInlineSnapshot(`
      "select day=day#10:DATE
        union day#10
          (day#4)
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)
          (day#9)
            compute DATE'2024-01-01' as day#9
              compute "2024-01-01" as f0#8
                one row"
    `);
    expect(dumpOf(`SELECT id FROM people INTERSECT DISTINCT SELECT total FROM orders`)).toMatchInlineSnapshot(`
      "select id=id#12:NUMERIC
        intersect id#12
          (id#4)
            compute coerce(id#1 as NUMERIC) as id#4
              table people(id#1, name#2, score#3)
          (total#7)
            table orders(id#5, customer#6, total#7, day#8, placed#9, items#10, doc#11)"
    `);
    expect(dumpOf(`SELECT id FROM people EXCEPT DISTINCT SELECT 1`)).toMatchInlineSnapshot(`
      "select id=id#5:INT64
        except id#5
          (id#1)
            table people(id#1, name#2, score#3)
          (f0#4)
            compute 1 as f0#4
              one row"
    `);
  });

  it("applies ORDER BY and LIMIT to the whole set operation", () => {
    expect(
      dumpOf(`SELECT id FROM people UNION ALL SELECT id FROM orders ORDER BY id + 1 LIMIT 2`),
    ).toMatchInlineSnapshot(`
      "select id=id#11:INT64
        limit 2
          order by sort_key#12
            compute $add(id#11, 1) as sort_key#12
              union all id#11
                (id#1)
                  table people(id#1, name#2, score#3)
                (id#4)
                  table orders(id#4, customer#5, total#6, day#7, placed#8, items#9, doc#10)"
    `);
  });

  it("matches columns by name for BY NAME", () => {
    expect(dumpOf(`SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS a`)).toMatchInlineSnapshot(`
      "select a=a#5:INT64, b=b#6:INT64
        union all a#5, b#6
          (a#1, b#2)
            compute 1 as a#1, 2 as b#2
              one row
          (a#4, b#3)
            compute 3 as b#3, 4 as a#4
              one row"
    `);
    expect(dumpOf(`SELECT 1 AS a, 2 AS b FULL OUTER UNION ALL BY NAME SELECT 3 AS b, 'x' AS c`)).toMatchInlineSnapshot(`
      "select a=a#7:INT64, b=b#8:INT64, c=c#9:STRING
        union all a#7, b#8, c#9
          (a#1, b#2, c#3)
            compute NULL:STRING as c#3
              compute 1 as a#1, 2 as b#2
                one row
          (a#6, b#4, c#5)
            compute NULL:INT64 as a#6
              compute 3 as b#4, "x" as c#5
                one row"
    `);
    expect(dumpOf(`SELECT 1 AS a, 2 AS b LEFT UNION ALL BY NAME SELECT 3 AS b, 'x' AS c`)).toMatchInlineSnapshot(`
      "select a=a#6:INT64, b=b#7:INT64
        union all a#6, b#7
          (a#1, b#2)
            compute 1 as a#1, 2 as b#2
              one row
          (a#5, b#3)
            compute NULL:INT64 as a#5
              compute 3 as b#3, "x" as c#4
                one row"
    `);
    expect(dumpOf(`SELECT 1 AS a, 2 AS b UNION ALL CORRESPONDING SELECT 3 AS b, 'x' AS c`)).toMatchInlineSnapshot(`
      "select b=b#5:INT64
        union all b#5
          (b#2)
            compute 1 as a#1, 2 as b#2
              one row
          (b#3)
            compute 3 as b#3, "x" as c#4
              one row"
    `);
    expect(dumpOf(`SELECT 1 AS a, 2 AS b UNION ALL BY NAME ON (b) SELECT 3 AS b, 'x' AS c`)).toMatchInlineSnapshot(`
      "select b=b#5:INT64
        union all b#5
          (b#2)
            compute 1 as a#1, 2 as b#2
              one row
          (b#3)
            compute 3 as b#3, "x" as c#4
              one row"
    `);
  });

  it("reports columns that do not match", () => {
    expect(errorsOf(`SELECT 1, 2 UNION ALL SELECT 3`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1, 2 UNION ALL SELECT 3": Queries in UNION ALL have mismatched column count; query 1 has 2 columns, query 2 has 1 columns",
      ]
    `);
    expect(errorsOf(`SELECT 1 UNION ALL SELECT 'a'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT 1 UNION ALL SELECT 'a'": Column 1 in UNION ALL has incompatible types: INT64, STRING",
      ]
    `);
    expect(errorsOf(`SELECT doc FROM orders UNION DISTINCT SELECT doc FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT doc FROM orders UNION DISTINCT SELECT doc FROM orders": Column 1 in UNION DISTINCT has type JSON, which cannot be compared",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a UNION ALL BY NAME SELECT 1 AS b`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1 AS a UNION ALL BY NAME SELECT 1 AS b": The inputs of UNION ALL BY NAME must have the same column names; use FULL, LEFT or INNER to allow others",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a, 2 AS a UNION ALL BY NAME SELECT 1 AS a`)).toMatchInlineSnapshot(`
      [
        "duplicate_name at "SELECT 1 AS a, 2 AS a UNION ALL BY NAME SELECT 1 AS a": Duplicate column a in query 1 of BY NAME",
      ]
    `);
    expect(errorsOf(`SELECT 1 UNION ALL BY NAME SELECT 1 AS a`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1 UNION ALL BY NAME SELECT 1 AS a": Anonymous columns cannot be used with BY NAME: query 1",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a INNER UNION ALL BY NAME SELECT 1 AS b`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1 AS a INNER UNION ALL BY NAME SELECT 1 AS b": The inputs of UNION ALL BY NAME have no column names in common",
      ]
    `);
    expect(errorsOf(`SELECT 1 AS a UNION ALL BY NAME ON (z) SELECT 2 AS a`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "z": Column z is not in every input of BY NAME ON",
      ]
    `);
  });

  it("makes a value table of value tables", () => {
    expect(
      dumpOf(`SELECT t.a FROM (SELECT AS STRUCT 1 AS a UNION ALL SELECT AS STRUCT 2.5) AS t`),
    ).toMatchInlineSnapshot(`
      "select a=a#8:FLOAT64
        compute f0#7[0] as a#8
          union all f0#7
            (f0#3)
              compute {coerce(a#1 as FLOAT64)} as f0#3
                compute {a#1} as value#2
                  compute 1 as a#1
                    one row
            (f0#6)
              compute {f0#4} as f0#6
                compute {f0#4} as value#5
                  compute FLOAT64'2.5' as f0#4
                    one row"
    `);
  });
});

describe("the resolver of common table expressions", () => {
  it("lets an expression read earlier ones, and hide tables", () => {
    expect(
      dumpOf(`WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b`),
    ).toMatchInlineSnapshot(`
      "select x=x#4:INT64, y=y#5:INT64
        with
          a(x#1) =
            compute 1 as x#1
              one row
          b(y#3) =
            compute $add(x#2, 1) as y#3
              cte a(x#2)
          cross join
            cte a(x#4)
            cte b(y#5)"
    `);
    expect(dumpOf(`WITH people AS (SELECT 5 AS id) SELECT PEOPLE.id FROM People`)).toMatchInlineSnapshot(`
      "select id=id#2:INT64
        with
          people(id#1) =
            compute 5 as id#1
              one row
          cte people(id#2)"
    `);
  });

  it("accepts WITH in sub-queries, without access to outer names", () => {
    expect(dumpOf(`SELECT (WITH a AS (SELECT 1 AS x) SELECT x FROM a)`)).toMatchInlineSnapshot(`
      "select f0_=f0#3:INT64
        compute scalar(x#2 from with < a(x#1) = < compute 1 as x#1 < one row < cte a(x#2)) as f0#3
          one row"
    `);
  });

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

describe("the order of the result", () => {
  it("is inherited from the single ordered relation that a query reads", () => {
    expect(
      dumpOf(`WITH t AS (SELECT id, name FROM people ORDER BY score DESC) SELECT name FROM t WHERE id > 1 LIMIT 10`),
    ).toMatchInlineSnapshot(`
      "select name=name#5:STRING
        with
          t(id#1, name#2, score#3) =
            table people(id#1, name#2, score#3)
          limit 10
            order by score#6 desc
              filter $greater(id#4, 1)
                cte t(id#4, name#5, score#6)"
    `);
    expect(dumpOf(`SELECT x FROM (SELECT name AS x FROM people ORDER BY 1)`)).toMatchInlineSnapshot(`
      "select x=name#2:STRING
        order by name#2
          table people(id#1, name#2, score#3)"
    `);
    expect(
      dumpOf(
        "WITH t AS (SELECT id, timestamp, metadata FROM logs ORDER BY timestamp DESC) SELECT id FROM t CROSS " +
          "JOIN UNNEST(metadata) AS m",
      ),
    ).toMatchInlineSnapshot(`
      "select id=id#5:STRING
        order by timestamp#6 desc
          with
            t(id#1, timestamp#2, metadata#4) =
              table logs(id#1, timestamp#2, event_message#3, metadata#4)
            unnest metadata#7 as m#8
              cte t(id#5, timestamp#6, metadata#7)"
    `);
  });

  it("is not inherited through aggregation, joins, set operations or another ORDER BY", () => {
    expect(dumpOf(`WITH t AS (SELECT id FROM people ORDER BY id) SELECT DISTINCT id FROM t`)).toMatchInlineSnapshot(`
      "select id=id#5:INT64
        with
          t(id#1) =
            table people(id#1, name#2, score#3)
          distinct id#4 as id#5
            cte t(id#4)"
    `);
    expect(dumpOf(`WITH t AS (SELECT id FROM people ORDER BY id) SELECT a.id FROM t a, t b`)).toMatchInlineSnapshot(`
      "select id=id#4:INT64
        with
          t(id#1) =
            table people(id#1, name#2, score#3)
          cross join
            cte t(id#4)
            cte t(id#5)"
    `);
    expect(
      dumpOf(`WITH t AS (SELECT id FROM people ORDER BY id) SELECT id FROM t ORDER BY id DESC`),
    ).toMatchInlineSnapshot(`
      "select id=id#4:INT64
        order by id#4 desc
          with
            t(id#1) =
              table people(id#1, name#2, score#3)
            cte t(id#4)"
    `);
    expect(
      dumpOf(`WITH t AS (SELECT id FROM people ORDER BY id) SELECT id FROM t UNION ALL SELECT 1`),
    ).toMatchInlineSnapshot(`
      "select id=id#6:INT64
        with
          t(id#1) =
            table people(id#1, name#2, score#3)
          union all id#6
            (id#4)
              cte t(id#4)
            (f0#5)
              compute 1 as f0#5
                one row"
    `);
  });
});
