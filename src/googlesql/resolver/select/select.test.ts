import { describe, expect, it } from "vitest";
import { columnsOf, dumpOf, errorsOf } from "../testing/resolved.ts";

describe("the resolver of the SELECT list", () => {
  it("names a column by its alias or the last part of its path, or generates a name", () => {
    expect(
      columnsOf(`SELECT 1 AS a, customer, o.id, items[0].sku, id + 1, (SELECT 2), doc.a.b FROM orders o`),
    ).toMatchInlineSnapshot(`"a INT64, customer STRING, id INT64, sku STRING, f0_ INT64, f1_ INT64, b JSON"`);
  });

  it("makes repeated names unique", () => {
    expect(columnsOf(`SELECT id, id, ID AS Id_1, 1, 2 AS f0_, 3 FROM people`)).toMatchInlineSnapshot(
      `"id INT64, id_2 INT64, Id_1 INT64, f1_ INT64, f0_ INT64, f2_ INT64"`,
    );
  });

  it("expands stars in the order of FROM", () => {
    expect(dumpOf(`SELECT *, p.* FROM people p, UNNEST([1, 2]) AS n WITH OFFSET`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64, name=name#2:STRING, score=score#3:FLOAT64, n=n#4:INT64, offset=offset#5:INT64, id_1=id#6:INT64, name_1=name#7:STRING, score_1=score#8:FLOAT64
        compute id#1 as id#6, name#2 as name#7, score#3 as score#8
          unnest [1, 2] as n#4 offset offset#5
            table people(id#1, name#2, score#3)"
    `);
  });

  it("applies EXCEPT and REPLACE to a star", () => {
    expect(dumpOf(`SELECT * EXCEPT (score) REPLACE (UPPER(name) AS name) FROM people`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64, name=name#4:STRING
        compute UPPER(name#2) as name#4
          table people(id#1, name#2, score#3)"
    `);
  });

  it("expands the fields of a struct", () => {
    expect(
      dumpOf(`SELECT items[OFFSET(0)].*, s.* EXCEPT (a) FROM orders, (SELECT STRUCT(1 AS a, 2 AS b) AS s)`),
    ).toMatchInlineSnapshot(`
      "select sku=sku#9:STRING, quantity=quantity#10:INT64, b=b#11:INT64
        compute $array_at_offset(items#6, 0)[0] as sku#9, $array_at_offset(items#6, 0)[1] as quantity#10, s#8[1] as b#11
          cross join
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)
            compute {1, 2} as s#8
              one row"
    `);
  });

  it("reports invalid stars", () => {
    expect(errorsOf(`SELECT *`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "*": SELECT * must have a FROM clause",
      ]
    `);
    expect(errorsOf(`SELECT * EXCEPT (nope, id, ID) FROM people`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in SELECT * EXCEPT list does not exist",
        "duplicate_name at "ID": Duplicate column ID in SELECT * EXCEPT list",
      ]
    `);
    expect(errorsOf(`SELECT * EXCEPT (id) REPLACE (1 AS id) FROM people`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "id": Column id in SELECT * REPLACE list does not exist",
      ]
    `);
    expect(errorsOf(`SELECT id.* FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id": Dot-star is not supported for type INT64",
      ]
    `);
    expect(errorsOf(`SELECT * EXCEPT (id, name, score) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "* EXCEPT (id, name, score)": SELECT * EXCEPT (...) leaves no columns",
      ]
    `);
  });

  it("does not see the aliases of its own list", () => {
    expect(errorsOf(`SELECT 1 AS a, a + 1`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "a": Unrecognized name: a",
      ]
    `);
  });

  it("resolves a table's name to the whole row as a struct", () => {
    expect(dumpOf(`SELECT p FROM people p`)).toMatchInlineSnapshot(`
      "select p=p#4:STRUCT<id INT64, name STRING, score FLOAT64>
        compute {id#1, name#2, score#3} as p#4
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT AS STRUCT p.id, p FROM people p`)).toMatchInlineSnapshot(`
      "select id=id#6:INT64, p=p#7:STRUCT<id INT64, name STRING, score FLOAT64>
        compute value#5[0] as id#6, value#5[1] as p#7
          compute {id#1, p#4} as value#5
            compute {id#1, name#2, score#3} as p#4
              table people(id#1, name#2, score#3)"
    `);
  });
});

describe("the resolver of WHERE, HAVING and QUALIFY", () => {
  it("filters before aggregation, after it and after window functions", () => {
    expect(
      dumpOf(
        "SELECT name, SUM(score) AS s, RANK() OVER (ORDER BY SUM(score) DESC) AS r FROM people WHERE id > 1 " +
          "GROUP BY name HAVING s > 2 QUALIFY r < 3 ORDER BY r LIMIT 5 OFFSET 1",
      ),
    ).toMatchInlineSnapshot(`
      "select name=name#4:STRING, s=sum#5:FLOAT64, r=rank#6:INT64
        limit 5 offset 1
          order by rank#6
            filter $less(rank#6, 3)
              window RANK() over (order by sum#5 desc) as rank#6
                filter $greater(sum#5, FLOAT64'2')
                  aggregate [SUM(score#3) as sum#5] by name#2 as name#4
                    filter $greater(id#1, 1)
                      table people(id#1, name#2, score#3)"
    `);
  });

  it("reports conditions that are not BOOL", () => {
    expect(errorsOf(`SELECT 1 FROM people WHERE id`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id": The condition of the WHERE clause must be BOOL, but it is INT64",
      ]
    `);
    expect(errorsOf(`SELECT COUNT(*) FROM people HAVING 'x'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'x'": The condition of the HAVING clause must be BOOL, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT id FROM people WHERE SUM(id) > 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id)": Aggregate function SUM not allowed in WHERE clause",
      ]
    `);
    expect(errorsOf(`SELECT id FROM people WHERE ROW_NUMBER() OVER () = 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "ROW_NUMBER() OVER ()": Window function ROW_NUMBER not allowed in WHERE clause",
      ]
    `);
    expect(errorsOf(`SELECT SUM(SUM(id)) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id)": Aggregations of aggregations are not allowed",
      ]
    `);
  });

  it("reports HAVING without aggregation, and QUALIFY without a window function", () => {
    expect(errorsOf(`SELECT id FROM people HAVING id > 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id > 1": The HAVING clause requires GROUP BY or aggregation in the select list to be present",
      ]
    `);
    const nested = "SELECT id FROM (SELECT id, LAG(id) OVER (ORDER BY id) AS l FROM people) QUALIFY id > 1";
    expect(errorsOf(nested)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id > 1": The QUALIFY clause requires a window function to be present",
      ]
    `);
    expect(errorsOf(`SELECT 1 WHERE TRUE`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "TRUE": Query without FROM clause cannot have a WHERE clause",
      ]
    `);
  });

  it("does not see SELECT aliases in WHERE", () => {
    expect(errorsOf(`SELECT id AS k FROM people WHERE k = 1`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "k": Unrecognized name: k",
      ]
    `);
  });
});

describe("the resolver of GROUP BY", () => {
  it("accepts positions, aliases and expressions", () => {
    expect(dumpOf(`SELECT UPPER(name), id + 1 AS k, COUNT(*) FROM people GROUP BY 1, k`)).toMatchInlineSnapshot(`
      "select f0_=key#4:STRING, k=k#5:INT64, f1_=count#6:INT64
        aggregate [$count_star() as count#6] by UPPER(name#2) as key#4, $add(id#1, 1) as k#5
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT UPPER(name), COUNT(*) FROM people GROUP BY UPPER(name)`)).toMatchInlineSnapshot(`
      "select f0_=key#4:STRING, f1_=count#5:INT64
        aggregate [$count_star() as count#5] by UPPER(name#2) as key#4
          table people(id#1, name#2, score#3)"
    `);
  });

  it("prefers an alias to a column of the same name", () => {
    expect(
      dumpOf(
        "SELECT TIMESTAMP_TRUNC(t.timestamp, DAY) AS timestamp, COUNT(*) AS n FROM logs t GROUP BY timestamp " +
          "ORDER BY timestamp",
      ),
    ).toMatchInlineSnapshot(`
      "select timestamp=timestamp#5:TIMESTAMP, n=count#6:INT64
        order by timestamp#5
          aggregate [$count_star() as count#6] by TIMESTAMP_TRUNC(timestamp#2, DAY) as timestamp#5
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("finds grouped expressions inside other expressions and in sub-queries", () => {
    expect(
      dumpOf(
        "SELECT CONCAT(UPPER(name), 'x'), (SELECT MAX(n) FROM UNNEST([1]) n WHERE n > people.id) FROM people " +
          "GROUP BY UPPER(name), id",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#6:STRING, f1_=f1#9:INT64
        compute CONCAT(key#4, "x") as f0#6, scalar(max#8 from aggregate [MAX(n#7) as max#8] < filter $greater(n#7, id#5) < unnest [1] as n#7) as f1#9
          aggregate [] by UPPER(name#2) as key#4, id#1 as id#5
            table people(id#1, name#2, score#3)"
    `);
  });

  it("computes equal aggregates once", () => {
    expect(
      dumpOf(
        `SELECT SUM(score), SUM(score) + 1, COUNT(*), COUNT(*) FROM people HAVING SUM(score) > 1 ORDER BY SUM(score)`,
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=sum#4:FLOAT64, f1_=f1#6:FLOAT64, f2_=count#5:INT64, f3_=f3#7:INT64
        order by sum#4
          compute $add(sum#4, FLOAT64'1') as f1#6, count#5 as f3#7
            filter $greater(sum#4, FLOAT64'1')
              aggregate [SUM(score#3) as sum#4, $count_star() as count#5]
                table people(id#1, name#2, score#3)"
    `);
  });

  it("reports columns that are neither grouped nor aggregated", () => {
    expect(errorsOf(`SELECT id, name, COUNT(*) FROM people GROUP BY name`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": SELECT list expression references column id which is neither grouped nor aggregated",
      ]
    `);
    expect(errorsOf(`SELECT name FROM people GROUP BY name ORDER BY id`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": ORDER BY clause expression references column id which is neither grouped nor aggregated",
      ]
    `);
    expect(errorsOf(`SELECT COUNT(*), (SELECT id) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": SELECT list expression references column id which is neither grouped nor aggregated",
      ]
    `);
    expect(errorsOf(`SELECT *, COUNT(*) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "*": SELECT list expression references column id which is neither grouped nor aggregated",
      ]
    `);
  });

  it("reports invalid grouping keys", () => {
    expect(errorsOf(`SELECT COUNT(*) AS n FROM people GROUP BY n`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "n": GROUP BY cannot use a column of the SELECT list that contains an aggregate or window function",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people GROUP BY 2`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "2": GROUP BY is out of SELECT column number range: 2",
      ]
    `);
    expect(errorsOf(`SELECT doc FROM orders GROUP BY doc`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "doc": Grouping by expressions of type JSON is not allowed",
      ]
    `);
    expect(errorsOf(`SELECT 'a' FROM people GROUP BY 'a'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'a'": Cannot GROUP BY literal values",
      ]
    `);
    expect(errorsOf(`SELECT id AS k, name AS k FROM people GROUP BY k`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "k": Name k in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list",
      ]
    `);
    expect(errorsOf(`SELECT id FROM people GROUP BY COUNT(*)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "COUNT(*)": Aggregate function COUNT not allowed in GROUP BY clause",
      ]
    `);
  });

  it("groups by every item without an aggregate for ALL", () => {
    expect(dumpOf(`SELECT name, id + 1 AS k, COUNT(*), 'x' FROM people GROUP BY ALL`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, k=k#5:INT64, f0_=count#6:INT64, f1_=f3#7:STRING
        compute "x" as f3#7
          aggregate [$count_star() as count#6] by name#2 as name#4, $add(id#1, 1) as k#5
            table people(id#1, name#2, score#3)"
    `);
  });

  it("expands ROLLUP, CUBE and GROUPING SETS", () => {
    expect(dumpOf(`SELECT name, id, COUNT(*) FROM people GROUP BY ROLLUP (name, id)`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, id=id#5:INT64, f0_=count#6:INT64
        aggregate [$count_star() as count#6] by name#2 as name#4, id#1 as id#5 sets (name#4, id#5) (name#4) ()
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT name, id, COUNT(*) FROM people GROUP BY CUBE (name, id)`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, id=id#5:INT64, f0_=count#6:INT64
        aggregate [$count_star() as count#6] by name#2 as name#4, id#1 as id#5 sets (name#4, id#5) (name#4) (id#5) ()
          table people(id#1, name#2, score#3)"
    `);
    expect(
      dumpOf(
        `SELECT name, id, GROUPING(name), COUNT(*) FROM people GROUP BY GROUPING SETS ((name, id), ROLLUP (name), ())`,
      ),
    ).toMatchInlineSnapshot(`
      "select name=name#4:STRING, id=id#5:INT64, f0_=grouping#6:INT64, f1_=count#7:INT64
        aggregate [GROUPING(name#2) as grouping#6, $count_star() as count#7] by name#2 as name#4, id#1 as id#5 sets (name#4, id#5) (name#4) () ()
          table people(id#1, name#2, score#3)"
    `);
  });

  it("accepts only grouping keys in GROUPING", () => {
    expect(errorsOf(`SELECT GROUPING(id) FROM people GROUP BY ROLLUP (name)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "GROUPING(id)": GROUPING must have an argument that exists within the GROUP BY clause",
      ]
    `);
  });

  it("makes one row for ()", () => {
    expect(dumpOf(`SELECT COUNT(*) FROM people GROUP BY ()`)).toMatchInlineSnapshot(`
      "select f0_=count#4:INT64
        aggregate [$count_star() as count#4]
          table people(id#1, name#2, score#3)"
    `);
  });
});

describe("the resolver of DISTINCT", () => {
  it("gives the columns new identities and sorts by them", () => {
    expect(dumpOf(`SELECT DISTINCT name, id AS k FROM people ORDER BY k, UPPER(name)`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, k=id#5:INT64
        order by id#5, sort_key#6
          compute UPPER(name#4) as sort_key#6
            distinct name#2 as name#4, id#1 as id#5
              table people(id#1, name#2, score#3)"
    `);
  });

  it("reports columns that are not groupable or no longer visible", () => {
    expect(errorsOf(`SELECT DISTINCT doc FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SELECT DISTINCT doc FROM orders": Column doc of type JSON cannot be used in SELECT DISTINCT",
      ]
    `);
    expect(errorsOf(`SELECT DISTINCT name FROM people ORDER BY id`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": ORDER BY clause expression references column id which is not visible after SELECT DISTINCT",
      ]
    `);
  });
});

describe("the resolver of value tables", () => {
  it("makes one column for AS STRUCT and AS VALUE, with the fields as result columns", () => {
    expect(dumpOf(`SELECT AS STRUCT 1 AS a, 'x' AS b`)).toMatchInlineSnapshot(`
      "select a=a#4:INT64, b=b#5:STRING
        compute value#3[0] as a#4, value#3[1] as b#5
          compute {a#1, b#2} as value#3
            compute 1 as a#1, "x" as b#2
              one row"
    `);
    expect(dumpOf(`SELECT AS VALUE STRUCT(id, name) FROM people ORDER BY id`)).toMatchInlineSnapshot(`
      "select id=id#5:INT64, name=name#6:STRING
        order by id#1
          compute f0#4[0] as id#5, f0#4[1] as name#6
            compute {id#1, name#2} as f0#4
              table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT AS VALUE id FROM people`)).toMatchInlineSnapshot(`
      "select f0_=id#1:INT64
        table people(id#1, name#2, score#3)"
    `);
  });

  it("resolves the alias to the value, and bare names to its fields", () => {
    expect(dumpOf(`SELECT v, v.a, a FROM (SELECT AS STRUCT 1 AS a) AS v`)).toMatchInlineSnapshot(`
      "select v=value#2:STRUCT<a INT64>, a=a#3:INT64, a_1=a#4:INT64
        compute value#2[0] as a#3, value#2[0] as a#4
          compute {a#1} as value#2
            compute 1 as a#1
              one row"
    `);
    expect(dumpOf(`SELECT * FROM (SELECT AS STRUCT 1 AS a, 2 AS b) AS v`)).toMatchInlineSnapshot(`
      "select a=a#4:INT64, b=b#5:INT64
        compute value#3[0] as a#4, value#3[1] as b#5
          compute {a#1, b#2} as value#3
            compute 1 as a#1, 2 as b#2
              one row"
    `);
    expect(dumpOf(`WITH t AS (SELECT AS STRUCT 1 AS a) SELECT t.a, a FROM t`)).toMatchInlineSnapshot(`
      "select a=a#4:INT64, a_1=a#5:INT64
        with
          t(value#2) =
            compute {a#1} as value#2
              compute 1 as a#1
                one row
          compute value#3[0] as a#4, value#3[0] as a#5
            cte t(value#3)"
    `);
  });

  it("requires exactly one column for AS VALUE", () => {
    expect(errorsOf(`SELECT AS VALUE 1, 2`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT AS VALUE 1, 2": SELECT AS VALUE query must have exactly one column",
      ]
    `);
    expect(errorsOf(`SELECT AS my.type 1`)).toMatchInlineSnapshot(`
      [
        "unsupported at "SELECT AS my.type 1": SELECT AS with a named type is not supported",
      ]
    `);
  });
});

describe("the resolver of ORDER BY and LIMIT", () => {
  it("sorts by positions, aliases, columns and expressions, with GoogleSQL's NULL order", () => {
    expect(
      dumpOf(`SELECT id AS k, name FROM people ORDER BY 2 DESC, k, score DESC NULLS FIRST, id + 1 NULLS LAST`),
    ).toMatchInlineSnapshot(`
      "select k=id#1:INT64, name=name#2:STRING
        order by name#2 desc, id#1, score#3 desc nulls first, sort_key#4 nulls last
          compute $add(id#1, 1) as sort_key#4
            table people(id#1, name#2, score#3)"
    `);
  });

  it("prefers an alias to a column of the same name", () => {
    expect(dumpOf(`SELECT -id AS id FROM people ORDER BY id`)).toMatchInlineSnapshot(`
      "select id=id#4:INT64
        order by id#4
          compute $negate(id#1) as id#4
            table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT name, MAX(id) AS m FROM people GROUP BY name ORDER BY MAX(id), m`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, m=max#5:INT64
        order by max#5, max#5
          aggregate [MAX(id#1) as max#5] by name#2 as name#4
            table people(id#1, name#2, score#3)"
    `);
    expect(errorsOf(`SELECT name, MAX(id) AS id FROM people GROUP BY name ORDER BY MAX(id)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "MAX(id)": Aggregations of aggregations are not allowed",
      ]
    `);
    expect(dumpOf(`SELECT -id AS id FROM people GROUP BY id HAVING MAX(id) > -2`)).toMatchInlineSnapshot(`
      "select id=id#4:INT64
        filter $greater(max#5, -2)
          aggregate [MAX($negate(id#1)) as max#5] by $negate(id#1) as id#4
            table people(id#1, name#2, score#3)"
    `);
  });

  it("computes a volatile expression once, even if its alias is read again", () => {
    expect(dumpOf("SELECT RAND() AS r, id FROM people QUALIFY RANK() OVER (ORDER BY id) > r ORDER BY r + 1")).toBe(
      [
        "select r=r#4:FLOAT64, id=id#1:INT64",
        "  order by sort_key#6",
        "    compute $add(r#4, FLOAT64'1') as sort_key#6",
        "      filter $greater(coerce(rank#5 as FLOAT64), r#4)",
        "        window RANK() over (order by id#1) as rank#5",
        "          compute RAND() as r#4",
        "            table people(id#1, name#2, score#3)",
      ].join("\n"),
    );
  });

  it("reports invalid sort keys", () => {
    expect(errorsOf(`SELECT id FROM people ORDER BY 2`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "2": ORDER BY is out of SELECT column number range: 2",
      ]
    `);
    expect(errorsOf(`SELECT items FROM orders ORDER BY items`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "items": ORDER BY does not support expressions of type ARRAY<STRUCT<sku STRING, quantity INT64>>",
      ]
    `);
    expect(errorsOf(`SELECT doc FROM orders ORDER BY doc`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "doc": ORDER BY does not support expressions of type JSON",
      ]
    `);
    expect(errorsOf(`SELECT id AS a, name AS a FROM people ORDER BY a`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "a": Column name a is ambiguous; give one of its columns another name with AS",
      ]
    `);
  });

  it("accepts only constants in LIMIT", () => {
    expect(errorsOf(`SELECT 1 LIMIT -1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "-1": LIMIT expects a non-negative integer literal or parameter",
      ]
    `);
    expect(errorsOf(`SELECT id FROM people LIMIT id`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "id": Unrecognized name: id",
      ]
    `);
    expect(errorsOf(`SELECT 1 LIMIT 'a'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'a'": LIMIT must be INT64, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT 1 LIMIT 1 + 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1 + 1": LIMIT expects an integer literal or parameter",
      ]
    `);
  });

  it("drops the order of a sub-query unless a LIMIT needs it", () => {
    expect(
      dumpOf(`SELECT name FROM (SELECT name, id FROM people ORDER BY id) WHERE id > 1 LIMIT 3`),
    ).toMatchInlineSnapshot(`
      "select name=name#2:STRING
        limit 3
          order by id#1
            filter $greater(id#1, 1)
              table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT COUNT(*) FROM (SELECT id FROM people ORDER BY id)`)).toMatchInlineSnapshot(`
      "select f0_=count#4:INT64
        aggregate [$count_star() as count#4]
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT COUNT(*) FROM (SELECT id FROM people ORDER BY id LIMIT 3)`)).toMatchInlineSnapshot(`
      "select f0_=count#4:INT64
        aggregate [$count_star() as count#4]
          limit 3
            order by id#1
              table people(id#1, name#2, score#3)"
    `);
  });
});
