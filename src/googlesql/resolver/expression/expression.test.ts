import { describe, expect, it } from "vitest";
import type { Expr } from "../../resolved.ts";
import { STRING } from "../../types.ts";
import { dumpOf, errorsOf, expressionOf, resolveText } from "../testing/resolved.ts";
import { columnExpr } from "./expr.ts";
import { ExpressionIndex } from "./expression-index.ts";
import { isSameExpr } from "./same-expression.ts";

describe("two expressions", () => {
  /** No two of them say the same, but for the volatile ones, which do not even say what they say themselves. */
  const texts = [
    ...["1", "1.0", "'1'", "b'1'", "NUMERIC '1'", "TRUE", "NULL", "CAST(NULL AS INT64)", "CAST(NULL AS STRING)", "2"],
    ...["DATE '2024-01-01'", "TIMESTAMP '2024-01-01'", "@a", "@b", "id", "name", "score", "id + 1", "1 + id", "id - 1"],
    ...["SAFE.SUBSTR(name, id)", "SUBSTR(name, id)", "SUBSTR(name, id, 1)", "UPPER(name)", "LOWER(name)", "-id"],
    ...[
      "CAST(id AS STRING)",
      "SAFE_CAST(id AS STRING)",
      "CAST(id AS FLOAT64)",
      "CAST(name AS BYTES)",
      "[id]",
      "[id, id]",
    ],
    ...["CAST(id AS STRING FORMAT '9')", "CAST(id AS STRING FORMAT '99')", "[score]", "CAST(l AS ARRAY<STRING>)"],
    ...["CAST(placed AS STRING FORMAT 'Y')", "CAST(placed AS STRING FORMAT 'Y' AT TIME ZONE 'UTC')"],
    ...["CAST(l AS ARRAY<FLOAT64>)", "ARRAY<INT64>[]", "ARRAY<STRING>[]", "CAST(NULL AS ARRAY<INT64>)", "l", "l[0]"],
    ...[
      "STRUCT(id AS a)",
      "STRUCT(id AS b)",
      "STRUCT(id AS a, id AS b)",
      "STRUCT(id AS b, id AS a)",
      "STRUCT(name AS a)",
    ],
    ...["s.a", "s.b", "t.a", "STRUCT(id AS a).a", "metadata.request.path", "metadata.request.method", "metadata.level"],
    ...["metadata.request", "other.request.path", "CASE WHEN id = 1 THEN 2 END", "CASE WHEN id = 1 THEN 2 ELSE 3 END"],
    ...["CASE WHEN id = 2 THEN 2 END", "CASE WHEN id = 1 THEN 3 END", "CASE WHEN id = 1 THEN 2 WHEN id = 1 THEN 2 END"],
    ...["DATE_TRUNC(day, WEEK)", "DATE_TRUNC(day, WEEK(MONDAY))", "DATE_TRUNC(day, MONTH)", "IF(id = 1, 2, 3)"],
    ...["JSON_VALUE(name)", "JSON_VALUE(name, '$')", "FORMAT('%d', id)", "ROUND(score, 1)", "ROUND(score)", "(id, 1)"],
  ];
  const from = `FROM (SELECT id, name, score, [id] AS l, STRUCT(id AS a, id AS b) AS s, STRUCT(id AS a) AS t,
    DATE '2024-01-01' AS day, TIMESTAMP '2024-01-01' AS placed FROM people), (SELECT metadata, metadata AS other FROM logs)`;
  const text = `SELECT ${texts.map((each, i) => `${each} AS c${i}`).join(", ")} ${from}`;
  const parameters = new Map([
    ["a", STRING],
    ["b", STRING],
  ]);
  /** Made anew with each call; columns have the same numbers. */
  const resolved = (query = text): readonly Expr[] => {
    const { scan, columns } = resolveText(query, { parameters });
    const computed = scan.kind === "Project" ? scan.computed : [];
    return columns.map(
      ({ column }) =>
        computed.find((item) => item.column.id === column.id)?.expression ?? columnExpr(column, { start: 0, end: 0 }),
    );
  };

  it("are the same if they say the same of the same columns, and have the same type", () => {
    const again = resolved();
    const pairs = resolved().flatMap((a, i) =>
      again.flatMap((b, j) => (isSameExpr(a, b) ? [[texts[i], texts[j]]] : [])),
    );
    expect(pairs).toEqual(texts.map((each) => [each, each]));
  });

  it("are found by what they say, among few and among many", () => {
    const entries = resolved().map((expression, i) => ({ expression, i }));
    const again = resolved();
    for (const count of [1, 7, 8, 9, 10, texts.length]) {
      const index = new ExpressionIndex(entries.slice(0, count));
      expect(again.map((expression) => index.find(expression)?.i)).toEqual(
        texts.map((_, i) => (i < count ? i : undefined)),
      );
    }
    const growing = new ExpressionIndex<(typeof entries)[number]>();
    for (const [i, entry] of entries.entries()) {
      expect(growing.find(again[i] ?? entry.expression)).toBeUndefined();
      growing.add(entry);
      growing.add({ ...entry, i: -1 });
      expect(growing.find(again[i] ?? entry.expression)).toBe(entry);
    }
  });

  it("are never the same if they are volatile or sub-queries, but are themselves", () => {
    const volatile = "SELECT RAND(), RAND() + 1, GENERATE_UUID(), (SELECT 1), [RAND()], EXISTS(SELECT 1) FROM people";
    const [left, right] = [resolved(volatile), resolved(volatile)];
    expect(left.map((each, i) => isSameExpr(each, right[i] ?? each))).toEqual(left.map(() => false));
    expect(left.map((each) => isSameExpr(each, each))).toEqual(left.map(() => true));
  });
});

describe("the resolver of literals", () => {
  it("gives each literal its type within the type's range", () => {
    expect(expressionOf(`9223372036854775807`)).toMatchInlineSnapshot(`"9223372036854775807 : INT64"`);
    expect(expressionOf(`-9223372036854775808`)).toMatchInlineSnapshot(`"-9223372036854775808 : INT64"`);
    expect(expressionOf(`0x1F`)).toMatchInlineSnapshot(`"31 : INT64"`);
    expect(expressionOf(`1.5e3`)).toMatchInlineSnapshot(`"FLOAT64'1500' : FLOAT64"`);
    expect(expressionOf(`-0.0`)).toMatchInlineSnapshot(`"FLOAT64'-0' : FLOAT64"`);
    expect(expressionOf(`b'ab'`)).toMatchInlineSnapshot(`"BYTES'YWI=' : BYTES"`);
    expect(expressionOf(`r'\\d'`)).toMatchInlineSnapshot(`""\\\\d" : STRING"`);
    expect(expressionOf(`NULL`)).toMatchInlineSnapshot(`"NULL : UNKNOWN"`);
    expect(expressionOf(`TRUE`)).toMatchInlineSnapshot(`"true : BOOL"`);
  });

  it("brings typed literals into canonical form", () => {
    expect(expressionOf(`DATE '2024-2-3'`)).toMatchInlineSnapshot(`"DATE'2024-02-03' : DATE"`);
    expect(expressionOf(`DATETIME '2024-02-03 4:05:06.5'`)).toMatchInlineSnapshot(
      `"DATETIME'2024-02-03T04:05:06.500000' : DATETIME"`,
    );
    expect(expressionOf(`TIME '1:2:3.000001'`)).toMatchInlineSnapshot(`"TIME'01:02:03.000001' : TIME"`);
    expect(expressionOf(`TIMESTAMP '2024-02-03 04:05:06+01'`)).toMatchInlineSnapshot(
      `"TIMESTAMP'1706929506000000' : TIMESTAMP"`,
    );
    expect(expressionOf(`TIMESTAMP '2024-02-03'`)).toMatchInlineSnapshot(`"TIMESTAMP'1706918400000000' : TIMESTAMP"`);
    expect(expressionOf(`NUMERIC '-001.50'`)).toMatchInlineSnapshot(`"NUMERIC'-1.5' : NUMERIC"`);
    expect(expressionOf(`BIGNUMERIC '1e-3'`)).toMatchInlineSnapshot(`"BIGNUMERIC'0.001' : BIGNUMERIC"`);
    expect(expressionOf(`JSON '{"a": 1}'`)).toMatchInlineSnapshot(`"JSON'{"a":1}' : JSON"`);
    expect(expressionOf(`INTERVAL 5 DAY`)).toMatchInlineSnapshot(`"INTERVAL'0-0 5 0:0:0' : INTERVAL"`);
    expect(expressionOf(`INTERVAL -2 WEEK`)).toMatchInlineSnapshot(`"INTERVAL'0-0 -14 0:0:0' : INTERVAL"`);
    expect(expressionOf(`INTERVAL '1-2 3 4:5:6.7' YEAR TO SECOND`)).toMatchInlineSnapshot(
      `"INTERVAL'1-2 3 4:5:6.700000' : INTERVAL"`,
    );
    expect(expressionOf(`INTERVAL '1:30' HOUR TO MINUTE`)).toMatchInlineSnapshot(`"INTERVAL'0-0 0 1:30:0' : INTERVAL"`);
  });

  it("reports literals that are out of range or malformed", () => {
    expect(errorsOf(`SELECT 9223372036854775808`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "9223372036854775808": Invalid integer literal: 9223372036854775808",
      ]
    `);
    expect(errorsOf(`SELECT 1e999`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1e999": Invalid floating point literal: 1e999",
      ]
    `);
    expect(errorsOf(`SELECT DATE '2023-02-29'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "DATE '2023-02-29'": Invalid DATE literal",
      ]
    `);
    expect(errorsOf(`SELECT TIMESTAMP '2024-01-01 25:00:00'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "TIMESTAMP '2024-01-01 25:00:00'": Invalid TIMESTAMP literal",
      ]
    `);
    expect(errorsOf(`SELECT NUMERIC '1e40'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "NUMERIC '1e40'": Invalid NUMERIC literal",
      ]
    `);
    expect(errorsOf(`SELECT JSON '{'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "JSON '{'": Invalid JSON literal: unexpected end of input; expected a string",
      ]
    `);
    expect(errorsOf(`SELECT INTERVAL 'x' DAY`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INTERVAL 'x' DAY": Invalid INTERVAL literal "x"",
      ]
    `);
    expect(errorsOf(`SELECT INTERVAL 1 CENTURY`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "CENTURY": CENTURY is no part of an INTERVAL",
      ]
    `);
    expect(errorsOf(`SELECT INTERVAL 100000 YEAR`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INTERVAL 100000 YEAR": Invalid INTERVAL: 100000 YEAR is out of range",
      ]
    `);
    expect(errorsOf(`SELECT INTERVAL '1' YEAR TO MONTH`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INTERVAL '1' YEAR TO MONTH": Invalid INTERVAL literal "1"",
      ]
    `);
  });
});

describe("the resolver of operators", () => {
  it("finds the nearest common type of the operands", () => {
    expect(
      dumpOf(
        "SELECT 1 + 2, 1 + 2.5, 1 / 2, NUMERIC '1' * 2, id + total, -total, ~id, 'a' || 'b', [1] || [2.5], id " +
          "<< 2, id & 3 FROM orders",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#8:INT64, f1_=f1#9:FLOAT64, f2_=f2#10:FLOAT64, f3_=f3#11:NUMERIC, f4_=f4#12:NUMERIC, f5_=f5#13:NUMERIC, f6_=f6#14:INT64, f7_=f7#15:STRING, f8_=f8#16:ARRAY<FLOAT64>, f9_=f9#17:INT64, f10_=f10#18:INT64
        compute $add(1, 2) as f0#8, $add(FLOAT64'1', FLOAT64'2.5') as f1#9, $divide(FLOAT64'1', FLOAT64'2') as f2#10, $multiply(NUMERIC'1', NUMERIC'2') as f3#11, $add(coerce(id#1 as NUMERIC), total#3) as f4#12, $negate(total#3) as f5#13, $bit_not(id#1) as f6#14, $concat_op("a", "b") as f7#15, $concat_op([FLOAT64'1'], [FLOAT64'2.5']) as f8#16, $shift_left(id#1, 2) as f9#17, $bit_and(id#1, 3) as f10#18
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("adds and subtracts dates, times and intervals", () => {
    expect(
      dumpOf(
        "SELECT day + 1, day - INTERVAL 1 MONTH, placed - placed, day - day, TIMESTAMP '2024-01-01' + " +
          "INTERVAL id HOUR, 2 * INTERVAL 1 DAY FROM orders",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#8:DATE, f1_=f1#9:DATETIME, f2_=f2#10:INTERVAL, f3_=f3#11:INTERVAL, f4_=f4#12:TIMESTAMP, f5_=f5#13:INTERVAL
        compute $add(day#4, 1) as f0#8, $subtract(day#4, INTERVAL'0-1 0 0:0:0') as f1#9, $subtract(placed#5, placed#5) as f2#10, $subtract(day#4, day#4) as f3#11, $add(TIMESTAMP'1704067200000000', $interval(id#1, HOUR)) as f4#12, $multiply(2, INTERVAL'0-0 1 0:0:0') as f5#13
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("coerces a literal to the type it is compared with", () => {
    expect(
      dumpOf(
        "SELECT day = '2024-01-02', placed < '2024-01-02 03:04:05', total > 1.5, id = 1.5, day IN " +
          "('2024-01-01', day), placed BETWEEN '2024-01-01' AND day FROM orders",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#8:BOOL, f1_=f1#9:BOOL, f2_=f2#10:BOOL, f3_=f3#11:BOOL, f4_=f4#12:BOOL, f5_=f5#13:BOOL
        compute $equal(day#4, DATE'2024-01-02') as f0#8, $less(placed#5, DATETIME'2024-01-02T03:04:05') as f1#9, $greater(total#3, NUMERIC'1.5') as f2#10, $equal(coerce(id#1 as FLOAT64), FLOAT64'1.5') as f3#11, $in(day#4, DATE'2024-01-01', day#4) as f4#12, $between(placed#5, DATETIME'2024-01-01T00:00:00', coerce(day#4 as DATETIME)) as f5#13
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("reports operands of incompatible types", () => {
    expect(errorsOf(`SELECT 'a' + 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'a'": Could not cast literal "a" to type DATE",
      ]
    `);
    expect(errorsOf(`SELECT id = 'x' FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id = 'x'": No matching signature for operator = for argument types: INT64, STRING",
      ]
    `);
    expect(errorsOf(`SELECT day > 5 FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "day > 5": No matching signature for operator > for argument types: DATE, INT64",
      ]
    `);
    expect(errorsOf(`SELECT doc = doc FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "doc = doc": No matching signature for operator = for argument types: JSON, JSON",
      ]
    `);
    expect(errorsOf(`SELECT 1 AND TRUE`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "1": An operand of AND must be BOOL, but it is INT64",
      ]
    `);
    expect(errorsOf(`SELECT NOT 'a'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "NOT 'a'": No matching signature for operator NOT for argument types: STRING",
      ]
    `);
    expect(errorsOf(`SELECT items < items FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "items < items": No matching signature for operator < for argument types: ARRAY<STRUCT<sku STRING, quantity INT64>>, ARRAY<STRUCT<sku STRING, quantity INT64>>",
      ]
    `);
    expect(errorsOf(`SELECT 'a' || b'x'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'a' || b'x'": No matching signature for operator || for argument types: STRING, BYTES",
      ]
    `);
    expect(errorsOf(`SELECT day = '2024-13-01' FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'2024-13-01'": Could not cast literal "2024-13-01" to type DATE",
      ]
    `);
    expect(errorsOf(`SELECT -'a', +'a'`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "-'a'": No matching signature for operator - for argument types: STRING",
        "type_mismatch at "+'a'": No matching signature for operator + for argument types: STRING",
      ]
    `);
  });

  it("reports the problems of every operand of AND and OR", () => {
    expect(errorsOf(`SELECT 1 FROM people WHERE idd = 1 AND nam = 'x' AND id = 'y'`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "idd": Unrecognized name: idd; did you mean id?",
        "unknown_column at "nam": Unrecognized name: nam; did you mean name?",
        "type_mismatch at "id = 'y'": No matching signature for operator = for argument types: INT64, STRING",
      ]
    `);
  });

  it("resolves the operators of the IS family to calls of type BOOL", () => {
    expect(
      dumpOf(
        "SELECT id IS NULL, id IS NOT NULL, (id > 1) IS TRUE, (id > 1) IS NOT FALSE, (id > 1) IS UNKNOWN, id " +
          "IS DISTINCT FROM NULL, id IS NOT DISTINCT FROM score FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#4:BOOL, f1_=f1#5:BOOL, f2_=f2#6:BOOL, f3_=f3#7:BOOL, f4_=f4#8:BOOL, f5_=f5#9:BOOL, f6_=f6#10:BOOL
        compute $is_null(id#1) as f0#4, $not($is_null(id#1)) as f1#5, $is_true($greater(id#1, 1)) as f2#6, $not($is_false($greater(id#1, 1))) as f3#7, $is_null($greater(id#1, 1)) as f4#8, $is_distinct(id#1, NULL:INT64) as f5#9, $not($is_distinct(coerce(id#1 as FLOAT64), score#3)) as f6#10
          table people(id#1, name#2, score#3)"
    `);
  });

  it("accepts lists, arrays and queries after IN and LIKE", () => {
    expect(
      dumpOf(
        "SELECT id IN (1, 2.5), id NOT IN UNNEST([1]), id IN (SELECT score " +
          "FROM people), name LIKE 'a%', name NOT LIKE ANY ('a', 'b'), name LIKE ALL UNNEST(['a']), (id, name) " +
          "IN ((1, 'a')) FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#4:BOOL, f1_=f1#5:BOOL, f2_=f2#9:BOOL, f3_=f3#10:BOOL, f4_=f4#11:BOOL, f5_=f5#12:BOOL, f6_=f6#13:BOOL
        compute $in(coerce(id#1 as FLOAT64), FLOAT64'1', FLOAT64'2.5') as f0#4, $not($in_array(id#1, [1])) as f1#5, (coerce(id#1 as FLOAT64) IN (score#8 from table people(id#6, name#7, score#8))) as f2#9, $like(name#2, "a%") as f3#10, $not($like_any(name#2, "a", "b")) as f4#11, $like_all_array(name#2, ["a"]) as f5#12, $in({id#1, name#2}, {1, "a"}) as f6#13
          table people(id#1, name#2, score#3)"
    `);
  });
});

describe("the resolver of conditionals", () => {
  it("gives CASE the common type of its results", () => {
    expect(
      dumpOf(
        "SELECT CASE WHEN id > 1 THEN 1 WHEN id > 2 THEN 2.5 END, CASE name WHEN 'a' THEN 1 ELSE NULL " +
          "END, CASE UPPER(name) WHEN 'A' THEN 1 WHEN 'B' THEN 2 END FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#4:FLOAT64, f1_=f1#5:INT64, f2_=f2#7:INT64
        compute case(when $greater(id#1, 1) then FLOAT64'1' when $greater(id#1, 2) then FLOAT64'2.5') as f0#4, case(when $equal(name#2, "a") then 1 else NULL:INT64) as f1#5, let(operand#6 = UPPER(name#2) in case(when $equal(operand#6, "A") then 1 when $equal(operand#6, "B") then 2)) as f2#7
          table people(id#1, name#2, score#3)"
    `);
  });

  it("gives IF, COALESCE, IFNULL and NULLIF the common type of their arguments", () => {
    expect(
      dumpOf(
        "SELECT IF(id > 1, 1, score), COALESCE(NULL, id, 2.5), IFNULL(name, 'x'), NULLIF(id, 1.5), IF(TRUE, " +
          "NULL, NULL) FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#4:FLOAT64, f1_=f1#5:FLOAT64, f2_=f2#6:STRING, f3_=f3#7:FLOAT64, f4_=f4#8:UNKNOWN
        compute IF($greater(id#1, 1), FLOAT64'1', score#3) as f0#4, COALESCE(NULL:FLOAT64, coerce(id#1 as FLOAT64), FLOAT64'2.5') as f1#5, IFNULL(name#2, "x") as f2#6, NULLIF(coerce(id#1 as FLOAT64), FLOAT64'1.5') as f3#7, IF(true, NULL, NULL) as f4#8
          table people(id#1, name#2, score#3)"
    `);
  });

  it("reports results without a common type", () => {
    expect(errorsOf(`SELECT CASE WHEN TRUE THEN 1 ELSE 'a' END`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "CASE WHEN TRUE THEN 1 ELSE 'a' END": The results of CASE have no common type: INT64, STRING",
      ]
    `);
    expect(errorsOf(`SELECT CASE WHEN 1 THEN 2 END`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "1": A WHEN condition must be BOOL, but it is INT64",
      ]
    `);
    expect(errorsOf(`SELECT IF(1, 2, 3)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "IF(1, 2, 3)": No matching signature for function IF for argument types: INT64, INT64, INT64. Supported: IF(BOOL, T, T) -> T",
      ]
    `);
    expect(errorsOf(`SELECT COALESCE(1, 'a')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "COALESCE(1, 'a')": No matching signature for function COALESCE for argument types: INT64, STRING. Supported: COALESCE(T, T...) -> T",
      ]
    `);
  });
});

describe("the resolver of constructors and accessors", () => {
  it("infers the types of arrays and structs", () => {
    expect(
      dumpOf(
        "SELECT [1, NULL, 2.5], [], ARRAY<DATE>['2024-01-01'], STRUCT(id, score AS s, 1), (1, 'a'), STRUCT<a " +
          "INT64, b DATE>(1, '2024-01-01'), [(1, 'a'), (2.5, NULL)] FROM people",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#4:ARRAY<FLOAT64>, f1_=f1#5:ARRAY<INT64>, f2_=f2#6:ARRAY<DATE>, f3_=f3#7:STRUCT<id INT64, s FLOAT64, INT64>, f4_=f4#8:STRUCT<INT64, STRING>, f5_=f5#9:STRUCT<a INT64, b DATE>, f6_=f6#10:ARRAY<STRUCT<FLOAT64, STRING>>
        compute [FLOAT64'1', NULL:FLOAT64, FLOAT64'2.5'] as f0#4, [] as f1#5, [DATE'2024-01-01'] as f2#6, {id#1, score#3, 1} as f3#7, {1, "a"} as f4#8, {1, DATE'2024-01-01'} as f5#9, [{FLOAT64'1', "a"}, {FLOAT64'2.5', NULL:STRING}] as f6#10
          table people(id#1, name#2, score#3)"
    `);
  });

  it("reports elements of the wrong type", () => {
    expect(errorsOf(`SELECT [1, 'a']`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "[1, 'a']": Array elements of types {INT64, STRING} do not have a common supertype",
      ]
    `);
    expect(errorsOf(`SELECT [[1]]`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "[[1]]": Cannot construct array with element type ARRAY because nested arrays are not supported",
      ]
    `);
    expect(errorsOf(`SELECT ARRAY<INT64>['a']`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'a'": An array element must be INT64, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT STRUCT<a INT64>('x')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'x'": A field of the STRUCT must be INT64, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT STRUCT<INT64, INT64>(1)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "STRUCT<INT64, INT64>(1)": STRUCT type has 2 fields but constructor call has 1 fields",
      ]
    `);
    expect(errorsOf(`SELECT STRUCT<a INT64>(1 AS a)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1 AS a": STRUCT constructors cannot specify both an explicit type and field names with AS",
      ]
    `);
    expect(errorsOf(`SELECT CAST([] AS ARRAY<ARRAY<INT64>>)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "ARRAY<ARRAY<INT64>>": Arrays of arrays are not supported",
      ]
    `);
  });

  it("resolves field and element accesses of structs, arrays and JSON", () => {
    expect(
      dumpOf(
        "SELECT items[0].sku, items[SAFE_OFFSET(1)], items[ORDINAL(1)].quantity, doc.a[0]['b'], (1, " +
          "'a')[OFFSET(1)] FROM orders",
      ),
    ).toMatchInlineSnapshot(`
      "select sku=sku#8:STRING, f0_=f1#9:STRUCT<sku STRING, quantity INT64>, quantity=quantity#10:INT64, f1_=f3#11:JSON, f2_=f4#12:STRING
        compute $array_at_offset(items#6, 0)[0] as sku#8, $safe_array_at_offset(items#6, 1) as f1#9, $array_at_ordinal(items#6, 1)[1] as quantity#10, $json_subscript($json_subscript($json_subscript(doc#7, "a"), 0), "b") as f3#11, {1, "a"}[1] as f4#12
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("reports accesses to a value without fields or elements", () => {
    expect(errorsOf(`SELECT id.x FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "x": Cannot access field x on a value with type INT64",
      ]
    `);
    expect(errorsOf(`SELECT items.sku FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "sku": Cannot access field sku on a value with type ARRAY<STRUCT<sku STRING, quantity INT64>>; read one element, or use UNNEST",
      ]
    `);
    expect(errorsOf(`SELECT items[0].skuu FROM orders`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "skuu": Field name skuu does not exist in STRUCT<sku STRING, quantity INT64>; did you mean sku?",
      ]
    `);
    expect(errorsOf(`SELECT id[0] FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id[0]": Subscript access is not supported on a value with type INT64",
      ]
    `);
    expect(errorsOf(`SELECT items['a'] FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'a'": An array position must be INT64, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT items[KEY('a')] FROM orders`)).toMatchInlineSnapshot(`
      [
        "unsupported at "items[KEY('a')]": Subscript access using [KEY()] is not supported on arrays",
      ]
    `);
    expect(errorsOf(`SELECT doc[1.5] FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "1.5": A subscript of JSON must be INT64 or STRING, but it is FLOAT64",
      ]
    `);
    expect(errorsOf(`SELECT STRUCT(1 AS a, 2 AS a).a`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "a": Struct field name a is ambiguous",
      ]
    `);
    expect(errorsOf(`SELECT (1, 2)[OFFSET(5)]`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "5": A subscript of a STRUCT must be a literal position of one of its fields",
      ]
    `);
  });

  it("computes each variable of WITH once", () => {
    expect(dumpOf(`SELECT WITH(a AS id + 1, b AS a * 2, a + b) FROM people`)).toMatchInlineSnapshot(`
      "select f0_=f0#6:INT64
        compute let(a#4 = $add(id#1, 1), b#5 = $multiply(a#4, 2) in $add(a#4, b#5)) as f0#6
          table people(id#1, name#2, score#3)"
    `);
  });

  it("reports a lambda where the function takes none", () => {
    expect(errorsOf(`SELECT UPPER(e -> e)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "UPPER(e -> e)": No matching signature for function UPPER for argument types: LAMBDA. Supported: UPPER(STRING) -> STRING; UPPER(BYTES) -> BYTES",
      ]
    `);
  });
});

describe("the resolver of casts", () => {
  it("follows the conversion rules", () => {
    expect(
      dumpOf(
        "SELECT CAST(id AS STRING), SAFE_CAST(name AS INT64), CAST('2024-01-02' AS DATE), SAFE_CAST('x' AS " +
          "DATE), CAST(NULL AS BYTES), CAST([1] AS ARRAY<FLOAT64>), CAST(items AS ARRAY<STRUCT<a STRING, b " +
          "STRING>>), CAST(id AS DECIMAL), name::text, CAST(day AS STRING FORMAT 'YYYY'), CAST('x' AS TIMESTAMP " +
          "FORMAT 'YY' AT TIME ZONE 'UTC') FROM orders JOIN people USING (id)",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#11:STRING, f1_=f1#12:INT64, f2_=f2#13:DATE, f3_=f3#14:DATE, f4_=f4#15:BYTES, f5_=f5#16:ARRAY<FLOAT64>, f6_=f6#17:ARRAY<STRUCT<a STRING, b STRING>>, f7_=f7#18:NUMERIC, f8_=f8#19:STRING, f9_=f9#20:STRING, f10_=f10#21:TIMESTAMP
        compute cast(id#1 as STRING) as f0#11, safe_cast(name#9 as INT64) as f1#12, DATE'2024-01-02' as f2#13, NULL:DATE as f3#14, NULL:BYTES as f4#15, [FLOAT64'1'] as f5#16, cast(items#6 as ARRAY<STRUCT<a STRING, b STRING>>) as f6#17, cast(id#1 as NUMERIC) as f7#18, cast(name#9 as STRING) as f8#19, cast(day#4 as STRING format "YYYY") as f9#20, cast("x" as TIMESTAMP format "YY" zone "UTC") as f10#21
          inner join on $equal(id#1, id#8)
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)
            table people(id#8, name#9, score#10)"
    `);
  });

  it("checks and rounds values to type parameters", () => {
    expect(expressionOf(`CAST('abc' AS STRING(2))`)).toMatchInlineSnapshot(
      `"let(value#1 = cast("abc" as STRING) in case(when $greater(CHAR_LENGTH(value#1), 2) then ` +
        `ERROR("STRING(2) has maximum length 2 but got a longer value") else value#1)) : STRING"`,
    );
    expect(expressionOf(`CAST(1.25 AS NUMERIC(3, 1))`)).toMatchInlineSnapshot(
      `"let(value#1 = ROUND(NUMERIC'1.25', 1) in case(when $greater_or_equal(ABS(value#1), NUMERIC'100') then ` +
        `ERROR("A value does not fit NUMERIC(3, 1)") else value#1)) : NUMERIC"`,
    );
    expect(expressionOf(`SAFE_CAST(b'a' AS BYTES(1))`)).toMatchInlineSnapshot(
      `"let(value#1 = safe_cast(BYTES'YQ==' as BYTES) in case(when $greater(BYTE_LENGTH(value#1), 1) then ` +
        `NULL:BYTES else value#1)) : BYTES"`,
    );
    expect(expressionOf(`CAST(1 AS NUMERIC(29))`)).toMatchInlineSnapshot(`"ROUND(cast(1 as NUMERIC), 0) : NUMERIC"`);
  });

  it("reports casts that do not exist", () => {
    expect(errorsOf(`SELECT CAST(TRUE AS FLOAT64)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "CAST(TRUE AS FLOAT64)": Invalid cast from BOOL to FLOAT64",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS DATE)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "CAST(1 AS DATE)": Invalid cast from INT64 to DATE",
      ]
    `);
    expect(errorsOf(`SELECT CAST('2024-13-01' AS DATE)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'2024-13-01'": Could not cast literal "2024-13-01" to type DATE",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS INT6)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INT6": Type not found: INT6; did you mean INT64?",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS INT32)`)).toMatchInlineSnapshot(`
      [
        "unsupported at "INT32": The type INT32 is not part of this dialect; use INT64",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS GEOGRAPHY)`)).toMatchInlineSnapshot(`
      [
        "unsupported at "GEOGRAPHY": The type GEOGRAPHY is not supported here",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS BOOL FORMAT 'x')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "CAST(1 AS BOOL FORMAT 'x')": FORMAT is not allowed for cast from INT64 to BOOL",
      ]
    `);
    expect(errorsOf(`SELECT CAST('a' AS STRING(0))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "STRING(0)": STRING does not support these type parameters",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS INT64(3))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INT64(3)": INT64 does not support these type parameters",
      ]
    `);
    expect(errorsOf(`SELECT CAST([1] AS ARRAY<INT64(2)>)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "INT64(2)": INT64 does not support these type parameters",
      ]
    `);
    expect(errorsOf(`SELECT CAST(1 AS STRING FORMAT 5)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "5": FORMAT must be STRING, but it is INT64",
      ]
    `);
  });
});

describe("the resolver of date parts", () => {
  it("accepts the parts that the type of EXTRACT's operand has", () => {
    expect(
      dumpOf(
        "SELECT EXTRACT(YEAR FROM day), EXTRACT(WEEK(MONDAY) FROM day), EXTRACT(DATE " +
          "FROM placed), EXTRACT(HOUR FROM TIMESTAMP '2024-01-01' AT TIME ZONE 'Asia/Tokyo'), EXTRACT(DAY " +
          "FROM placed - placed), EXTRACT(YEAR FROM '2024-01-01') FROM orders",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#8:INT64, f1_=f1#9:INT64, f2_=f2#10:DATE, f3_=f3#11:INT64, f4_=f4#12:INT64, f5_=f5#13:INT64
        compute $extract(day#4, YEAR) as f0#8, $extract(day#4, WEEK(MONDAY)) as f1#9, $extract(placed#5, DATE) as f2#10, $extract(TIMESTAMP'1704067200000000', HOUR, "Asia/Tokyo") as f3#11, $extract($subtract(placed#5, placed#5), DAY) as f4#12, $extract(TIMESTAMP'1704067200000000', YEAR) as f5#13
          table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("reports a part that the type of EXTRACT's operand lacks", () => {
    expect(errorsOf(`SELECT EXTRACT(HOUR FROM day) FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "HOUR": EXTRACT from DATE does not support the HOUR date part",
      ]
    `);
    expect(errorsOf(`SELECT EXTRACT(YAER FROM day) FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "YAER": EXTRACT from DATE does not support the YAER date part; did you mean YEAR?",
      ]
    `);
    expect(errorsOf(`SELECT EXTRACT(YEAR FROM id) FROM people`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id": EXTRACT does not take INT64",
      ]
    `);
    expect(errorsOf(`SELECT EXTRACT(DAY FROM day AT TIME ZONE 'UTC') FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "EXTRACT(DAY FROM day AT TIME ZONE 'UTC')": EXTRACT from DATE does not take AT TIME ZONE",
      ]
    `);
    expect(errorsOf(`SELECT EXTRACT(DAY(MONDAY) FROM day) FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "DAY(MONDAY)": DAY(MONDAY) is no date part",
      ]
    `);
  });

  it("reads a part as a keyword even if a column has its name", () => {
    expect(
      dumpOf(
        "SELECT DATE_TRUNC(day, MONTH), DATE_DIFF(day, '2024-01-01', WEEK(SUNDAY)), DATE_ADD(day, INTERVAL id " +
          "DAY) FROM (SELECT day, id, 1 AS month FROM orders)",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#9:DATE, f1_=f1#10:INT64, f2_=f2#11:DATE
        compute DATE_TRUNC(day#4, MONTH) as f0#9, DATE_DIFF(day#4, DATE'2024-01-01', WEEK(SUNDAY)) as f1#10, DATE_ADD(day#4, $interval(id#1, DAY)) as f2#11
          compute 1 as month#8
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
  });

  it("suggests the nearest part for an unknown one", () => {
    expect(errorsOf(`SELECT DATE_TRUNC(day, MONHT) FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "MONHT": A valid date part name is required but found MONHT; did you mean MONTH?",
      ]
    `);
    expect(errorsOf(`SELECT DATE_TRUNC(day, WEEK(FUNDAY)) FROM orders`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "WEEK(FUNDAY)": WEEK takes one of SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY and SATURDAY",
      ]
    `);
    expect(errorsOf(`SELECT DATE_TRUNC(day, 'MONTH') FROM orders`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "DATE_TRUNC(day, 'MONTH')": No matching signature for function DATE_TRUNC for argument types: DATE, STRING. Supported: DATE_TRUNC(DATE, DATEPART) -> DATE; DATE_TRUNC(DATETIME, DATEPART) -> DATETIME; DATE_TRUNC(TIMESTAMP, DATEPART, [STRING]) -> TIMESTAMP",
      ]
    `);
  });
});
