import { describe, expect, it } from "vitest";
import { errorsOf, resolveText } from "../../../../test/support/googlesql/resolver/resolved.ts";
import type { Expr } from "../../resolved.ts";
import { STRING } from "../../types.ts";
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
});

describe("the resolver of conditionals", () => {
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

  it("reports a lambda where the function takes none", () => {
    expect(errorsOf(`SELECT UPPER(e -> e)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "UPPER(e -> e)": No matching signature for function UPPER for argument types: LAMBDA. Supported: UPPER(STRING) -> STRING; UPPER(BYTES) -> BYTES",
      ]
    `);
  });
});

describe("the resolver of casts", () => {
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
