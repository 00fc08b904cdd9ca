import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf } from "../testing/resolved.ts";

describe("the resolver of pipe operators", () => {
  it("resolves SELECT, EXTEND, SET, DROP, RENAME and AS", () => {
    expect(dumpOf(`FROM people |> SELECT id, name AS n |> WHERE id > 1`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64, n=name#2:STRING
        filter $greater(id#1, 1)
          table people(id#1, name#2, score#3)"
    `);
    expect(
      dumpOf(
        "FROM people |> EXTEND id + 1 AS k, SUM(id) OVER () AS s |> SET name = UPPER(name), id = 2 |> DROP " +
          "score |> RENAME k AS key",
      ),
    ).toMatchInlineSnapshot(`
      "select id=id#7:INT64, name=name#6:STRING, key=k#5:INT64, s=sum#4:INT64
        compute UPPER(name#2) as name#6, 2 as id#7
          compute $add(id#1, 1) as k#5
            window SUM(id#1) over (rows -inf..+inf) as sum#4
              table people(id#1, name#2, score#3)"
    `);
    expect(
      dumpOf(`FROM people AS p |> SET id = 5 |> WHERE p.id > 1 AND id = 5 |> AS q |> SELECT q.id`),
    ).toMatchInlineSnapshot(`
      "select id=id#4:INT64
        filter $and($greater(id#1, 1), $equal(id#4, 5))
          compute 5 as id#4
            table people(id#1, name#2, score#3)"
    `);
  });

  it("puts the keys of AGGREGATE before its aggregates", () => {
    expect(
      dumpOf(`FROM orders |> AGGREGATE SUM(total) AS s, COUNT(*) GROUP BY customer, EXTRACT(YEAR FROM day) AS year`),
    ).toMatchInlineSnapshot(`
      "select customer=customer#8:STRING, year=year#9:INT64, s=sum#10:NUMERIC, f0_=count#11:INT64
        aggregate [SUM(total#3) as sum#10, $count_star() as count#11] by customer#2 as customer#8, $extract(day#4, YEAR) as year#9
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
    expect(dumpOf(`FROM people |> AGGREGATE COUNT(*) AS n DESC GROUP AND ORDER BY name`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, n=count#5:INT64
        order by name#4, count#5 desc
          aggregate [$count_star() as count#5] by name#2 as name#4
            table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`FROM people |> AGGREGATE MAX(id) + 1 AS m`)).toMatchInlineSnapshot(`
      "select m=m#5:INT64
        compute $add(max#4, 1) as m#5
          aggregate [MAX(id#1) as max#4]
            table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`FROM people |> AGGREGATE COUNT(*) GROUP BY ROLLUP(name)`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING, f0_=count#5:INT64
        aggregate [$count_star() as count#5] by name#2 as name#4 sets (name#4) ()
          table people(id#1, name#2, score#3)"
    `);
  });

  it("resolves ORDER BY, LIMIT, DISTINCT and TABLESAMPLE", () => {
    expect(dumpOf(`FROM people |> ORDER BY score DESC |> LIMIT 2 OFFSET 1 |> SELECT name`)).toMatchInlineSnapshot(`
      "select name=name#2:STRING
        order by score#3 desc
          limit 2 offset 1
            order by score#3 desc
              table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`FROM people |> SELECT name |> DISTINCT`)).toMatchInlineSnapshot(`
      "select name=name#4:STRING
        distinct name#2 as name#4
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`FROM people |> TABLESAMPLE BERNOULLI (50 PERCENT)`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64, name=name#2:STRING, score=score#3:FLOAT64
        sample bernoulli FLOAT64'50' percent
          table people(id#1, name#2, score#3)"
    `);
  });

  it("resolves JOIN and set operations", () => {
    expect(dumpOf(`FROM people p |> JOIN orders o ON p.id = o.id |> SELECT p.name, o.total`)).toMatchInlineSnapshot(`
      "select name=name#2:STRING, total=total#6:NUMERIC
        inner join on $equal(id#1, id#4)
          table people(id#1, name#2, score#3)
          table orders(id#4, customer#5, total#6, day#7, placed#8, items#9, doc#10)"
    `);
    expect(dumpOf(`FROM people |> LEFT JOIN orders USING (id) |> SELECT id`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64
        left join on $equal(id#1, id#4)
          table people(id#1, name#2, score#3)
          table orders(id#4, customer#5, total#6, day#7, placed#8, items#9, doc#10)"
    `);
    expect(dumpOf(`FROM orders |> CROSS JOIN UNNEST(items) AS i |> SELECT id, i.sku`)).toMatchInlineSnapshot(`
      "select id=id#1:INT64, sku=sku#9:STRING
        compute i#8[0] as sku#9
          unnest items#6 as i#8
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
    expect(dumpOf(`SELECT 1 AS a |> UNION ALL (SELECT 2.5), (SELECT 3)`)).toMatchInlineSnapshot(`
      "select a=a#6:FLOAT64
        union all a#6
          (a#2)
            compute FLOAT64'1' as a#2
              compute 1 as a#1
                one row
          (f0#3)
            compute FLOAT64'2.5' as f0#3
              one row
          (a#5)
            compute FLOAT64'3' as a#5
              compute 3 as f0#4
                one row"
    `);
  });

  it("resolves PIVOT, UNPIVOT and WITH", () => {
    expect(dumpOf(`FROM people |> SELECT id, score |> PIVOT (SUM(score) FOR id IN (1 AS one))`)).toMatchInlineSnapshot(`
      "select one=one#5:FLOAT64
        aggregate [SUM(score#3 where $not($is_distinct(pivot_input#4, 1))) as one#5]
          compute id#1 as pivot_input#4
            table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT 1 AS a, 2 AS b |> UNPIVOT (v FOR k IN (a, b))`)).toMatchInlineSnapshot(`
      "select v=v#5:INT64, k=k#4:STRING
        filter $not($is_null(v#5))
          compute unpivot#3[0] as k#4, unpivot#3[1] as v#5
            unnest [{"a", a#1}, {"b", b#2}] as unpivot#3
              compute 1 as a#1, 2 as b#2
                one row"
    `);
    expect(dumpOf(`FROM people |> WITH t AS (SELECT 1 AS x) |> JOIN t ON id = x |> SELECT id`)).toMatchInlineSnapshot(`
      "select id=id#2:INT64
        with
          t(x#1) =
            compute 1 as x#1
              one row
          inner join on $equal(id#2, x#5)
            table people(id#2, name#3, score#4)
            cte t(x#5)"
    `);
  });

  it("applies pipe operators to a whole query", () => {
    expect(
      dumpOf(`SELECT id FROM people ORDER BY id LIMIT 3 |> WHERE id > 1 |> SELECT AS STRUCT id`),
    ).toMatchInlineSnapshot(`
      "select id=id#5:INT64
        order by id#1
          compute value#4[0] as id#5
            compute {id#1} as value#4
              filter $greater(id#1, 1)
                limit 3
                  order by id#1
                    table people(id#1, name#2, score#3)"
    `);
  });

  it("reports the problems of every operator", () => {
    expect(errorsOf(`FROM people |> SELECT idd |> WHERE x`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "idd": Unrecognized name: idd; did you mean id?",
        "unknown_column at "x": Unrecognized name: x",
      ]
    `);
    expect(errorsOf(`FROM people |> SET nope = 1, id = 1, id = 2`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe SET does not exist in the input",
        "duplicate_name at "id = 2": Pipe SET has duplicate update of column id",
      ]
    `);
    expect(errorsOf(`FROM people |> DROP nope, id, id`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe DROP does not exist in the input",
        "duplicate_name at "id": Duplicate column id in pipe DROP",
      ]
    `);
    expect(errorsOf(`FROM people |> RENAME nope AS x`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe RENAME does not exist in the input",
      ]
    `);
    expect(errorsOf(`FROM people |> AGGREGATE id`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": Pipe AGGREGATE expression references column id which is neither grouped nor aggregated",
      ]
    `);
    expect(errorsOf(`FROM people |> WHERE COUNT(*) > 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "COUNT(*)": Aggregate function COUNT not allowed in WHERE clause",
      ]
    `);
    expect(errorsOf(`FROM people |> CALL f()`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "f": Table-valued function not found: f",
      ]
    `);
    expect(errorsOf(`FROM people |> EXTEND SUM(id)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id)": Aggregate function SUM not allowed in pipe EXTEND",
      ]
    `);
    expect(errorsOf(`FROM people |> AGGREGATE COUNT(*) GROUP BY doc`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "doc": Unrecognized name: doc",
      ]
    `);
    expect(errorsOf(`FROM people |> UNION ALL (SELECT 1)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "|> UNION ALL (SELECT 1)": Queries in UNION ALL have mismatched column count; query 1 has 3 columns, query 2 has 1 columns",
      ]
    `);
    expect(errorsOf(`FROM people |> DROP id, name, score`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": Pipe DROP must leave at least one column",
      ]
    `);
  });
});
