import { describe, expect, it } from "vitest";
import { columnsOf, dumpOf, errorsOf } from "../../../../test/support/googlesql/resolver/resolved.ts";

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

  it("expands the fields of a struct", () => {
    expect(
      dumpOf(`SELECT items[OFFSET(0)].*, s.* EXCEPT (a) FROM orders, (SELECT STRUCT(1 AS a, 2 AS b) AS s)`),
    ).toMatchInlineSnapshot(`
      "select sku=sku#10:STRING, quantity=quantity#11:INT64, b=b#12:INT64
        compute struct#9[0] as sku#10, struct#9[1] as quantity#11, s#8[1] as b#12
          compute $array_at_offset(items#6, 0) as struct#9
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

  it("accepts only grouping keys in GROUPING", () => {
    expect(errorsOf(`SELECT GROUPING(id) FROM people GROUP BY ROLLUP (name)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "GROUPING(id)": GROUPING must have an argument that exists within the GROUP BY clause",
      ]
    `);
  });
});

describe("the resolver of DISTINCT", () => {
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
  it("prefers an alias to a column of the same name", () => {
    expect(errorsOf(`SELECT name, MAX(id) AS id FROM people GROUP BY name ORDER BY MAX(id)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "MAX(id)": Aggregations of aggregations are not allowed",
      ]
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
});
