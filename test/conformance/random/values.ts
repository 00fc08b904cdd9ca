/** Values of every type as a query writes them: ordinary ones, the ends of the types, NULL, NaN and infinities. */

function written(type: string, texts: readonly string[]): readonly string[] {
  return [...texts.map((text) => `${type} '${text}'`), `CAST(NULL AS ${type})`];
}

const DATES = [
  "2020-01-31",
  "2020-02-29",
  "1970-01-01",
  "2021-12-26",
  "2020-12-31",
  "1969-12-31",
  "0001-01-01",
  "9999-12-31",
];
const TIMES = ["00:00:00", "12:34:56.789", "23:59:59.999999", "01:02:03"];
const DATETIMES = [
  "2020-01-31 10:20:30",
  "1969-12-31 23:59:59.5",
  "2021-03-14 02:30:00",
  "0001-01-01 00:00:00",
  "9999-12-31 23:59:59.999999",
];
const TIMESTAMPS = [
  "2020-01-31 10:20:30+00",
  "1970-01-01 00:00:00+00",
  "1969-12-31 23:59:59.999999+00",
  "2020-07-01 00:00:00+00",
  "2021-03-14 10:30:00.123456+00",
  "9999-12-31 23:59:59.999999+00",
  "0001-01-01 00:00:00+00",
];
const INTERVALS = [
  "INTERVAL 1 DAY",
  "INTERVAL -1 MONTH",
  "INTERVAL '1-2 3 4:5:6.789' YEAR TO SECOND",
  "INTERVAL 0 HOUR",
  "INTERVAL 100 MINUTE",
  "INTERVAL '-0-1 5 -0:0:0.000001' YEAR TO SECOND",
  "INTERVAL 10000 YEAR",
  "INTERVAL 3660000 DAY",

  "INTERVAL 1 MONTH",
];
const DOCUMENTS = [
  "1",
  "null",
  '{"a": [1, 2.5, "x"], "b": {"c": true}}',
  '[1, "a", null]',
  '"s"',
  '{"a": null, "a.b": 5, "c": []}',
  "1.5",
  "-0.0",
  '"12"',
  "true",
  '[[1], {"a": [{"b": 1}, {"b": 2}]}]',
  "9007199254740993",
  "{}",
  '"\\\\u00e9\\\\n"',
];

/** By the type's name; each list has a NULL. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  INT64: ["0", "1", "2", "3", "-1", "7", "-5", "10", "100", "2147483648", "9223372036854775807"].concat(
    "-9223372036854775808",
    "CAST(NULL AS INT64)",
  ),
  FLOAT64: [
    "0.0",
    "1.0",
    "-1.5",
    "2.5",
    "0.1",
    "1e10",
    "1e-5",
    "1e300",
    "-0.0",
    "3.7",
    "1.7976931348623157e308",
  ].concat(
    "5e-324",
    "CAST('nan' AS FLOAT64)",
    "CAST('inf' AS FLOAT64)",
    "CAST('-inf' AS FLOAT64)",
    "CAST(NULL AS FLOAT64)",
  ),
  NUMERIC: written("NUMERIC", [
    "0",
    "1.5",
    "-2.25",
    "0.000000001",
    "123.456",
    "10",
    "99999999999999999999999999999.999999999",
    "-99999999999999999999999999999.999999999",
  ]),
  BIGNUMERIC: written("BIGNUMERIC", [
    "0",
    "1.5",
    "-2.25",
    "1e37",
    "0.00000000000000000000000000000000000001",
    "578960446186580977117854925043439539266.34992332820282019728792003956564819967",
    "12345678901234567890.123456789",
  ]),
  STRING: [
    "''",
    "'a'",
    "'abc'",
    "'Hello World'",
    "'é€'",
    "'a,b,c'",
    "'12'",
    "' x '",
    "'ABC'",
    "'%_'",
    "'aa'",
    "'b'",
  ].concat(
    "'2020-01-02'",
    "'1.5'",
    "'\\\\'",
    "'😀z'",
    "'\\n\\t'",
    "'I\u0307ß'",
    "'0x1F'",
    "'true'",
    "'-inf'",
    "CAST(NULL AS STRING)",
  ),
  BYTES: ["b''", "b'a'", "b'abc'", "b'\\xff\\x00'", "b'AbC'", "b'\\xc3\\xa9'", "b'\\xe2\\x82'", "CAST(NULL AS BYTES)"],
  BOOL: ["TRUE", "FALSE", "CAST(NULL AS BOOL)"],
  DATE: written("DATE", DATES),
  TIME: written("TIME", TIMES),
  DATETIME: written("DATETIME", DATETIMES),
  TIMESTAMP: written("TIMESTAMP", TIMESTAMPS),
  INTERVAL: [...INTERVALS, "CAST(NULL AS INTERVAL)"],
  JSON: written("JSON", DOCUMENTS),
  "RANGE<DATE>": written("RANGE<DATE>", [
    "[2020-01-01, 2020-02-01)",
    "[UNBOUNDED, 2020-01-15)",
    "[2020-01-15, UNBOUNDED)",
    "[UNBOUNDED, UNBOUNDED)",
    "[2020-02-01, 2020-02-05)",
    "[0001-01-01, 9999-12-31)",
  ]),
  "RANGE<DATETIME>": written("RANGE<DATETIME>", [
    "[2020-01-01 00:00:00, 2020-01-02 12:00:00)",
    "[UNBOUNDED, 2020-01-15 10:00:00.5)",
    "[2020-01-01 12:00:00, UNBOUNDED)",
  ]),
  "ARRAY<INT64>": ["[1, 2, 3]", "[1, NULL]", "[5]", "[3, 1, 3]", "[9223372036854775807, -1]", "[0, 0]"].concat(
    "CAST([] AS ARRAY<INT64>)",
    "CAST(NULL AS ARRAY<INT64>)",
  ),
  "ARRAY<FLOAT64>": [
    "[1.5, CAST('nan' AS FLOAT64), NULL]",
    "[0.0, -0.0]",
    "[CAST('inf' AS FLOAT64), 2.5]",
    "[1.0]",
    "CAST([] AS ARRAY<FLOAT64>)",
    "CAST(NULL AS ARRAY<FLOAT64>)",
  ],
  "ARRAY<STRING>": ["['a', 'b']", "['x', NULL]", "['']", "['a', 'a', 'é']", "['b,c', 'A']"].concat(
    "CAST([] AS ARRAY<STRING>)",
    "CAST(NULL AS ARRAY<STRING>)",
  ),
  "ARRAY<NUMERIC>": ["[NUMERIC '1.5', NULL]", "[NUMERIC '3']", "CAST(NULL AS ARRAY<NUMERIC>)"],
  "ARRAY<DATE>": ["[DATE '2020-01-31', NULL]", "[DATE '1970-01-01', DATE '2020-02-29']", "CAST(NULL AS ARRAY<DATE>)"],
  "ARRAY<STRUCT<a INT64, b STRING>>": [
    "[STRUCT(1 AS a, 'x' AS b), STRUCT(2, NULL)]",
    "[STRUCT(NULL AS a, 'y' AS b)]",
    "[STRUCT(3 AS a, 'x' AS b), NULL]",
    "CAST([] AS ARRAY<STRUCT<a INT64, b STRING>>)",
    "CAST(NULL AS ARRAY<STRUCT<a INT64, b STRING>>)",
  ],
  "STRUCT<a INT64, b STRING>": [
    "STRUCT(1 AS a, 'x' AS b)",
    "STRUCT(CAST(NULL AS INT64) AS a, 'x' AS b)",
    "STRUCT(2 AS a, CAST(NULL AS STRING) AS b)",
    "CAST(NULL AS STRUCT<a INT64, b STRING>)",
  ],
  "STRUCT<a FLOAT64, b DATE>": [
    "STRUCT(1.5 AS a, DATE '2020-01-31' AS b)",
    "STRUCT(CAST('nan' AS FLOAT64) AS a, DATE '1970-01-01' AS b)",
    "STRUCT(CAST(NULL AS FLOAT64) AS a, CAST(NULL AS DATE) AS b)",
    "CAST(NULL AS STRUCT<a FLOAT64, b DATE>)",
  ],
};

export const NUMBERS = ["INT64", "FLOAT64", "NUMERIC", "BIGNUMERIC"];
const DATED = ["DATE", "TIME", "DATETIME", "TIMESTAMP", "INTERVAL"];
/** Types whose values can be sorted and grouped by. */
export const ORDERED = [...NUMBERS, "STRING", "BYTES", "BOOL", ...DATED];
/** Types whose values can be compared for equality. */
export const COMPARED = [
  ...ORDERED,
  ...ORDERED,
  "RANGE<DATE>",
  "STRUCT<a INT64, b STRING>",
  "STRUCT<a FLOAT64, b DATE>",
];
export const TYPES = Object.keys(VALUES);
