import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf } from "../../../../test/support/googlesql/resolver/resolved.ts";

describe("overload resolution", () => {
  it("reports arguments that match no signature", () => {
    expect(errorsOf(`SELECT ABS('a')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "ABS('a')": No matching signature for function ABS for argument types: STRING. Supported: ABS(NUMBER) -> NUMBER",
      ]
    `);
    expect(errorsOf(`SELECT SUBSTR(1, 2)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SUBSTR(1, 2)": No matching signature for function SUBSTR for argument types: INT64, INT64. Supported: SUBSTR(STRING, INT64, [INT64]) -> STRING; SUBSTR(BYTES, INT64, [INT64]) -> BYTES",
      ]
    `);
    expect(errorsOf(`SELECT LENGTH()`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "LENGTH()": No matching signature for function LENGTH for argument types: none. Supported: LENGTH(STRING) -> INT64; LENGTH(BYTES) -> INT64",
      ]
    `);
    expect(errorsOf(`SELECT UPPER('a', 'b')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "UPPER('a', 'b')": No matching signature for function UPPER for argument types: STRING, STRING. Supported: UPPER(STRING) -> STRING; UPPER(BYTES) -> BYTES",
      ]
    `);
    expect(errorsOf(`SELECT PARSE_JSON('1', nope => 'x')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "PARSE_JSON('1', nope => 'x')": No matching signature for function PARSE_JSON for argument types: STRING, nope => STRING. Supported: PARSE_JSON(STRING, [wide_number_mode => STRING]) -> JSON",
      ]
    `);
    expect(
      errorsOf(`SELECT PARSE_JSON('1', wide_number_mode => 'round', wide_number_mode => 'exact')`),
    ).toMatchInlineSnapshot(`
      [
        "type_mismatch at "PARSE_JSON('1', wide_number_mode => 'round', wide_number_mode => 'exact')": No matching signature for function PARSE_JSON for argument types: STRING, wide_number_mode => STRING, wide_number_mode => STRING. Supported: PARSE_JSON(STRING, [wide_number_mode => STRING]) -> JSON",
      ]
    `);
  });
});

describe("the resolver of function names", () => {
  it("suggests the nearest name for an unknown one", () => {
    expect(errorsOf(`SELECT UPER('a')`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "UPER": Function not found: UPER; did you mean UPPER?",
      ]
    `);
    expect(errorsOf(`SELECT NET.HOTS('a')`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "NET.HOTS": Function not found: NET.HOTS; did you mean NET.HOST?",
      ]
    `);
    expect(errorsOf(`SELECT my.function(1, nope)`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "my.function": Function not found: my.function",
      ]
    `);
    expect(errorsOf(`SELECT XYZZY(idd) FROM people`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "XYZZY": Function not found: XYZZY",
      ]
    `);
  });

  it("says what to write for a function that other databases have, as a table too", () => {
    expect(errorsOf("SELECT now(), 1 FROM Generate_Series(1, 2)")).toEqual([
      'unknown_function at "now": Function not found: now; GoogleSQL has CURRENT_TIMESTAMP()',
      'unknown_function at "Generate_Series": Table-valued function not found: Generate_Series; GoogleSQL has ' +
        "GENERATE_ARRAY(first, last), with UNNEST for rows",
    ]);
    expect(errorsOf("SELECT 1 FROM RANGE_SESSIONIZE(TABLE people, 'a', [])")).toEqual([
      expect.stringMatching(/^unsupported at "RANGE_SESSIONIZE": RANGE_SESSIONIZE is not supported: /),
    ]);
  });

  it("says why a function is refused", () => {
    expect(errorsOf(`SELECT SESSION_USER()`)).toMatchInlineSnapshot(`
      [
        "unsupported at "SESSION_USER": SESSION_USER is not supported: an endpoint's query runs for a token, not for a user's session",
      ]
    `);
    expect(errorsOf(`SELECT EXTERNAL_QUERY('a', 'b')`)).toMatchInlineSnapshot(`
      [
        "unsupported at "EXTERNAL_QUERY": EXTERNAL_QUERY is not supported: a query here reads its own sources only",
      ]
    `);
  });

  it("preserves the prefix SAFE.", () => {
    expect(dumpOf(`SELECT SAFE.SUBSTR('a', 0), SAFE.PARSE_DATE('%Y', 'x')`)).toMatchInlineSnapshot(`
      "select f0_=f0#1:STRING, f1_=f1#2:DATE
        compute SAFE.SUBSTR("a", 0) as f0#1, SAFE.PARSE_DATE("%Y", "x") as f1#2
          one row"
    `);
  });

  it("rejects modifiers on scalar functions", () => {
    expect(errorsOf(`SELECT UPPER(DISTINCT 'a')`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "UPPER(DISTINCT 'a')": DISTINCT is not allowed for the scalar function UPPER",
      ]
    `);
    expect(errorsOf(`SELECT UPPER('a' ORDER BY 1)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "UPPER('a' ORDER BY 1)": ORDER BY is not allowed for the scalar function UPPER",
      ]
    `);
    expect(errorsOf(`SELECT UPPER('a') OVER ()`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "UPPER('a') OVER ()": OVER is not allowed for the scalar function UPPER",
      ]
    `);
    expect(errorsOf(`SELECT LOWER(*)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "LOWER(*)": * is not allowed for the scalar function LOWER",
      ]
    `);
  });
});

describe("the resolver of aggregate functions", () => {
  it("reports modifiers that the function does not allow", () => {
    expect(errorsOf(`SELECT COUNTIF(TRUE ORDER BY 1)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "COUNTIF(TRUE ORDER BY 1)": ORDER BY is not allowed for the function COUNTIF",
        "invalid_query at "1": An aggregate function cannot ORDER BY a literal value",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id ORDER BY id) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id ORDER BY id)": ORDER BY is not allowed for the function SUM",
      ]
    `);
    expect(errorsOf(`SELECT MAX(*) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "MAX(*)": Argument * can only be used in COUNT(*), but was used in MAX",
      ]
    `);
    expect(errorsOf(`SELECT COUNT(DISTINCT doc) FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "COUNT(DISTINCT doc)": Aggregate functions with DISTINCT cannot be used with arguments of type JSON",
      ]
    `);
    expect(errorsOf(`SELECT SUM(name) FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "SUM(name)": No matching signature for function SUM for argument types: STRING. Supported: SUM(FLOAT64) -> FLOAT64; SUM(INT64) -> INT64; SUM(NUMERIC) -> NUMERIC; SUM(BIGNUMERIC) -> BIGNUMERIC; SUM(INTERVAL) -> INTERVAL",
      ]
    `);
    expect(errorsOf(`SELECT MAX(doc) FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "MAX(doc)": No matching signature for function MAX for argument types: JSON. Supported: MAX(T ORDERABLE) -> T",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id LIMIT 3) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id LIMIT 3)": LIMIT is not allowed for the function SUM",
      ]
    `);
  });
});

describe("the resolver of window functions", () => {
  it("writes out the default frame", () => {
    expect(
      dumpOf(
        "SELECT ROW_NUMBER() OVER (PARTITION BY name ORDER BY id), SUM(id) OVER (ORDER BY id), SUM(id) OVER " +
          "(), AVG(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING " +
          "AND CURRENT ROW), LAG(name, 1, 'x') OVER (ORDER BY id), FIRST_VALUE(name IGNORE NULLS) OVER (ORDER " +
          "BY id ROWS 3 PRECEDING), SUM(id) OVER (ORDER BY score RANGE BETWEEN 1 PRECEDING " +
          "AND 2 FOLLOWING), COUNT(DISTINCT id) OVER (PARTITION BY name) FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=row_number#4:INT64, f1_=sum#5:INT64, f2_=sum#6:INT64, f3_=avg#7:FLOAT64, f4_=lag#8:STRING, f5_=first_value#9:STRING, f6_=sum#10:INT64, f7_=count#11:INT64
        window ROW_NUMBER() over (partition by name#2 order by id#1) as row_number#4, SUM(id#1) over (order by id#1 range -inf..0) as sum#5, SUM(id#1) over (rows -inf..+inf) as sum#6, AVG(id#1) over (order by id#1 rows -2..0) as avg#7, LAG(name#2, 1, "x") over (order by id#1) as lag#8, FIRST_VALUE(name#2 ignore nulls) over (order by id#1 rows -3..0) as first_value#9, SUM(id#1) over (order by score#3 range -FLOAT64'1'..+FLOAT64'2') as sum#10, COUNT(distinct id#1) over (partition by name#2) as count#11
          table people(id#1, name#2, score#3)"
    `);
  });

  it.each([
    "SELECT id FROM people WINDOW w AS (ORDER BY nosuch)",
    "SELECT SUM(id) OVER w, MIN(id) OVER w FROM people WINDOW w AS (ORDER BY nosuch)",
    "FROM people |> SELECT id WINDOW w AS (PARTITION BY nosuch)",
    "FROM people |> EXTEND id AS again WINDOW w AS (PARTITION BY nosuch)",
  ])("checks each named window once, whether a function reads it or not: %s", (query) => {
    expect(errorsOf(query)).toEqual(['unknown_column at "nosuch": Unrecognized name: nosuch']);
  });

  it("lets a named window that nothing reads hold aggregates", () => {
    expect(errorsOf("SELECT MAX(id) FROM people WINDOW w AS (ORDER BY COUNT(*))")).toEqual([]);
  });

  it("reports invalid windows", () => {
    expect(errorsOf(`SELECT RANK() OVER () FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "RANK() OVER ()": Window ORDER BY is required for the function RANK",
      ]
    `);
    expect(errorsOf(`SELECT ROW_NUMBER() FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "ROW_NUMBER()": Window function ROW_NUMBER requires an OVER clause",
      ]
    `);
    expect(errorsOf(`SELECT RANK() OVER (ORDER BY id ROWS 1 PRECEDING) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "RANK() OVER (ORDER BY id ROWS 1 PRECEDING)": Window framing clause is not allowed for the function RANK",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER w FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "w": Unrecognized window alias w",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (ww) FROM people WINDOW w AS ()`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "ww": Unrecognized window alias ww; did you mean w?",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (ORDER BY name RANGE 1 PRECEDING) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1": A RANGE frame with an offset needs exactly one numeric ORDER BY key",
      ]
    `);
    expect(
      errorsOf(`SELECT SUM(id) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM people`),
    ).toMatchInlineSnapshot(`
      [
        "invalid_query at "(ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)": The window frame ends before it starts",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (ROWS -1 PRECEDING) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "-1": A window frame's offset must be non-negative and not NULL",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (ROWS id PRECEDING) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": A window frame's offset must be a literal or parameter",
      ]
    `);
    expect(errorsOf(`SELECT SUM(RANK() OVER (ORDER BY id)) OVER () FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "RANK() OVER (ORDER BY id)": Window function RANK not allowed in window function",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (w PARTITION BY id) FROM people WINDOW w AS ()`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "(w PARTITION BY id)": A window that extends a named window cannot have PARTITION BY",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (a) FROM people WINDOW a AS (b), b AS (a)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "b": Unrecognized window alias b",
      ]
    `);
    expect(errorsOf(`SELECT COUNT(DISTINCT id) OVER (ORDER BY id) FROM people`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "COUNT(DISTINCT id) OVER (ORDER BY id)": Window ORDER BY is not allowed if DISTINCT is specified",
      ]
    `);
    expect(errorsOf(`SELECT SUM(id) OVER (PARTITION BY doc) FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "doc": Partitioning by expressions of type JSON is not allowed",
      ]
    `);
  });
});

describe("the resolver of sub-queries in expressions", () => {
  it("accepts scalar, ARRAY and EXISTS sub-queries, correlated or not", () => {
    expect(
      dumpOf(
        "SELECT (SELECT MAX(total) FROM orders o WHERE o.id = p.id), ARRAY(SELECT customer FROM orders " +
          "ORDER BY total LIMIT 2), EXISTS(SELECT 1 FROM orders WHERE id = p.id) FROM people p",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#12:NUMERIC, f1_=f1#20:ARRAY<STRING>, f2_=f2#29:BOOL
        compute scalar(max#11 from aggregate [MAX(total#6) as max#11] < filter $equal(id#4, id#1) < table orders(id#4, customer#5, total#6, day#7, placed#8, items#9, doc#10)) as f0#12, array(customer#14 from limit 2 < order by total#15 < table orders(id#13, customer#14, total#15, day#16, placed#17, items#18, doc#19)) as f1#20, exists(compute 1 as f0#28 < filter $equal(id#21, id#1) < table orders(id#21, customer#22, total#23, day#24, placed#25, items#26, doc#27)) as f2#29
          table people(id#1, name#2, score#3)"
    `);
    expect(dumpOf(`SELECT (SELECT AS STRUCT 1 AS a, 2 AS b).b`)).toMatchInlineSnapshot(`
      "select b=b#4:INT64
        compute scalar(value#3 from compute {a#1, b#2} as value#3 < compute 1 as a#1, 2 as b#2 < one row)[1] as b#4
          one row"
    `);
  });

  it("reports sub-queries of several columns and arrays of arrays", () => {
    expect(errorsOf(`SELECT (SELECT 1, 2)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "(SELECT 1, 2)": Scalar subquery cannot have more than one column unless it uses SELECT AS STRUCT to build STRUCT values",
      ]
    `);
    expect(errorsOf(`SELECT ARRAY(SELECT 1, 2)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "ARRAY(SELECT 1, 2)": ARRAY subquery cannot have more than one column unless it uses SELECT AS STRUCT to build STRUCT values",
      ]
    `);
    expect(errorsOf(`SELECT 1 IN (SELECT 1, 2)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1 IN (SELECT 1, 2)": Subquery of type IN cannot have more than one column unless it uses SELECT AS STRUCT to build STRUCT values",
      ]
    `);
    expect(errorsOf(`SELECT ARRAY(SELECT [1])`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "ARRAY(SELECT [1])": Cannot use array subquery with column of type ARRAY<INT64>: arrays of arrays are not supported",
      ]
    `);
    expect(errorsOf(`SELECT 1 IN (SELECT 'a')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "1 IN (SELECT 'a')": Cannot execute IN subquery with uncomparable types INT64 and STRING",
      ]
    `);
  });
});
