/** Values of every type that functions are tried with: odd ones, then random ones by a seed. */

/** Literals of GoogleSQL, by the names of the columns that hold them. */
const oddValues: Readonly<Record<string, readonly string[]>> = {
  i: [
    ..."0 1 -1 2 3 -3 7 10 -7 12 31 62 63 64 65 100 1000000 4294967296 9007199254740993".split(" "),
    ...["9223372036854775807", "-9223372036854775808", "CAST(NULL AS INT64)"],
  ],
  j: ["1", "2", "0", "-1", "3", "5", "-2", "-9223372036854775808", "9223372036854775807", "CAST(NULL AS INT64)"],
  f: [
    ..."0.0 -0.0 1.0 -1.0 0.5 -0.5 1.5 2.5 -1.5 -2.5 0.1 3.0 100.25 1e15 -1e15 1e300 -1e308 1e308 5e-324".split(" "),
    ..."0.49999999999999994 4503599627370497.5 9223372036854775807.0 123456789.123 700.0 710.0 -746.0".split(" "),
    ...["CAST('nan' AS FLOAT64)", "CAST('inf' AS FLOAT64)", "CAST('-inf' AS FLOAT64)", "CAST(NULL AS FLOAT64)"],
  ],
  g: [
    "2.0",
    "0.0",
    "-1.0",
    "0.5",
    "1e308",
    "CAST('nan' AS FLOAT64)",
    "CAST('-inf' AS FLOAT64)",
    "CAST(NULL AS FLOAT64)",
  ],
  s: [
    ...[
      "''",
      "'a'",
      "'abc'",
      "'ABC'",
      "'é'",
      "'аpple'",
      "'😀a'",
      "' a b '",
      "'\\t x\\n'",
      "'İstanbul'",
      "'ΑΣ'",
      "'ß ǆ'",
    ],
    ...[
      "'%_'",
      "r'\\\\'",
      '"it\'s"',
      "'a,b,,c'",
      "'true'",
      "'False'",
      "'12'",
      "' -7 '",
      "'+5'",
      "'1.5'",
      "'1e5'",
      "'nan'",
    ],
    ...[
      "'0x1F'",
      "'-0xff'",
      "'9223372036854775808'",
      "'.5'",
      "'5.'",
      "'1e400'",
      "'inf'",
      "'\\u00a0x\\u3000'",
      "'a\\nb'",
    ],
    ...["'null'", "'2024-02-29'", "'hello world'", "'aXbXc'", "'{p1:String}'", "'\\u0000z'", "CAST(NULL AS STRING)"],
  ],
  r: ["'a'", "''", "'b'", "'X'", "','", "'é'", "' '", "'abc'", "CAST(NULL AS STRING)"],
  x: ["0.0", "1.0", "-1.0", "0.5", "-0.25", "2.0", "1e-10", "20.0", "-3.14159", "CAST(NULL AS FLOAT64)"],
  w: [
    ...["[1.0, 2.0]", "[0.0, 0.0]", "[3.0]", "CAST(NULL AS ARRAY<FLOAT64>)", "[-1.5, NULL]", "[1e10, -2.0]"],
    ...["CAST([] AS ARRAY<FLOAT64>)", "[CAST('nan' AS FLOAT64), 1.0]", "[CAST('inf' AS FLOAT64), 1.0]"],
  ],
  c: [
    ..."2024-02-29|2023-02-29|24-2-9|02024-1-1|10000-01-01|0-1-1|0001-01-01|9999-12-31| 2024-2-9 |2024-13-01".split(
      "|",
    ),
    ..."2024-02-29 12:34:56|2024-02-29  1:2:3 |2024-02-29T12:34:56Z|2024-02-29T12:34:56.789Z|2024-02-29T12:34:60Z".split(
      "|",
    ),
    ..."2024-02-29T12:34:60.5Z|9999-12-31T23:59:60Z|2024-02-29 12:34|29/02/2024|1/1/1|12:34:56|24:00:00|12:60|12:34".split(
      "|",
    ),
    ..."12:34:60|1:2:3.123456789|12:34:56.|2024- 02- 29|2024-02-29 12:34:56.5|-2024-01-01|2024|20240|99999||x".split(
      "|",
    ),
    "２０２４-01-01",
  ].map((text) => `'${text}'`),
  p: [
    ..."1.2.3.4|255.255.255.255|256.1.1.1|01.2.3.4|0.0.0.0|::|::1|1::|2001:db8::1|1:2:3:4:5:6:7:8|1:2:3:4:5:6:7".split(
      "|",
    ),
    ..."1:2:3:4:5:6:7::|::2:3:4:5:6:7:8|1::2:3:4:5:6:7|1:2:3:4::5:6:7:8|::ffff:1.2.3.4|::1.2.3.4|1:2:3:4:5:6:1.2.3.4".split(
      "|",
    ),
    ..."1::2::3|:::|12345::|::1.2.3.4:5|1.2.3|1.2.3.4 |FE80::A|0:0:1:0:0:0:1:0|::1%eth0|1:2:3:4:5:6:7:1.2.3.4|::256.1.1.1".split(
      "|",
    ),
    ..."1.2.3.4::|1:0:0:2:0:0:3:4|:1|1:".split("|"),
  ].map((text) => `'${text}'`),
  q: [
    ...[
      "b'\\x01\\x02\\x03\\x04'",
      "b'\\xff\\xff\\xff\\xff'",
      "b''",
      "b'abc'",
      "CAST(NULL AS BYTES)",
      "CAST(REPEAT('a', 16) AS BYTES)",
    ],
    ...["FROM_HEX('20010db8000000000000000000000001')", "FROM_HEX('00000000000000000000ffff01020304')"],
    ...[
      "FROM_HEX('00000000000000000000000000010000')",
      "FROM_HEX('00010000000000000001000000000000')",
      "FROM_HEX('ffffffffffffffffffffffffffffffff')",
    ],
  ],
  hex: [
    ..."0x1p3|-0x1.8p1|0x.8|0x.|0x|0x0p999999|0x1p-1074|0x1.8p-1074|0x1p1024|0x1fffffffffffff8|0x1fffffffffffff80".split(
      "|",
    ),
    ..."0x1fffffffffffff80000000000000001|0x20000000000001|0x20000000000003p-3|+0X1P3| 0x0000000000000000000000001 |0x1p1000000".split(
      "|",
    ),
    ..."0x1.fffffffffffff8p1023|0x1.fffffffffffffp-1023|-0x0|1e400|-1e-400|0x1p99999|0x1p+5|1p3|0x1.2.3|0x1p".split(
      "|",
    ),
  ].map((text) => `'${text}'`),
  zoned: [
    ..."2024-02-29T12:34:56.789Z|2024-02-29T12:34:56+02:00|2024-02-29T12:34:56-0330|2024-02-29T12:34:56+05".split("|"),
    ..."2024-02-29T12:34:56+05:|2024-02-29T12:34:56+15|2024-02-29T12:34:56+14:00|2024-02-29T12:34:56+14:01".split("|"),
    ..."2024-02-29T12:34:56|2024-02-29T12:34:56z|0001-01-01T00:00:00+01:00|9999-12-31T23:59:59-01:00".split("|"),
    ..."2024-02-29T12:34:56+24:00|2024-02-29T12:34:56+02:60|2024-02-29 12:34:56-00:30|2024-02-29 1:2:3+1 |2024-02-29T12:34:56+02:0".split(
      "|",
    ),
  ].map((text) => `'${text}'`),
  k64: [
    "'YWJj'",
    "'YW Jj'",
    "'YWI='",
    "'YWI'",
    "'YW=='",
    "'Y'",
    "'YW='",
    "'YWJj===='",
    "''",
    "'='",
    "'YW-_'",
    "'12'",
    "CAST(NULL AS STRING)",
  ],
  k32: [
    "'ME======'",
    "'ME'",
    "'MFRA===='",
    "'MFRGG==='",
    "'MFRGGZDF'",
    "'mfrgg'",
    "'M'",
    "'MFR'",
    "''",
    "'M1'",
    "'MFRGGZDFMY======'",
    "'ME='",
  ],
  y: [
    "b''",
    "b'\\xe2\\x82'",
    "b'\\xf0\\x9f\\x98\\x80'",
    "b'a\\xed\\xa0\\x80b'",
    "b'\\xf0\\x9f\\x98a\\xc3'",
    "b'abc'",
    "b'\\xff\\x00'",
    "b'\\xc3\\xa9'",
    "b' '",
    "CAST(NULL AS BYTES)",
  ],
  b: ["TRUE", "FALSE", "CAST(NULL AS BOOL)"],
  d: [
    ..."1970-01-01 1969-12-31 2024-02-29 2023-12-31 2024-01-01 0001-01-01 9999-12-31 1900-02-28 2000-02-29".split(" "),
    ..."1582-10-15 2299-12-31 2300-01-01 1899-12-31 2026-03-29 2020-12-28 2021-01-03".split(" "),
  ].map((text) => `DATE '${text}'`),
  e: ["DATE '2024-02-29'", "DATE '1970-01-01'", "DATE '0001-01-01'", "DATE '9999-12-31'", "CAST(NULL AS DATE)"],
  t: [
    ..."1970-01-01 00:00:00,1969-12-31 23:59:59.999999,2024-02-29 12:34:56.789012,0001-01-01 00:00:00".split(","),
    ..."9999-12-31 23:59:59.999999,2026-03-29 01:30:00,1899-12-31 05:06:07.5,2300-01-01 10:00:00".split(","),
  ].map((text) => `TIMESTAMP '${text}+00'`),
  u: ["TIMESTAMP '2024-02-29 12:00:00+00'", "TIMESTAMP '1969-12-31 23:00:00+00'", "CAST(NULL AS TIMESTAMP)"],
  m: [
    "DATETIME '2024-02-29T12:34:56.789012'",
    "DATETIME '0001-01-01T00:00:00'",
    "DATETIME '1969-12-31T23:59:59.999999'",
  ],
  h: ["TIME '00:00:00'", "TIME '23:59:59.999999'", "TIME '12:34:56.5'", "CAST(NULL AS TIME)"],
  n: ["NUMERIC '0'", "NUMERIC '1.5'", "NUMERIC '-2.000000001'", "NUMERIC '99999999999999999999999999999.999999999'"],
  a: ["[1, 2, 3]", "[0]", "CAST([] AS ARRAY<INT64>)", "CAST(NULL AS ARRAY<INT64>)", "[NULL, 5]", "[-1, 7, 7, 9]"],
  z: ["['a', 'b']", "['']", "CAST([] AS ARRAY<STRING>)", "CAST(NULL AS ARRAY<STRING>)", "['é', NULL, 'x,y']"],
};

/** The same numbers for the same seed. */
function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const pick = <T>(values: readonly T[], next: () => number): T => values[Math.floor(next() * values.length)] as T;

function randomValue(column: string, next: () => number): string | undefined {
  switch (column) {
    case "i":
      return String(Math.floor((next() - 0.5) * 10 ** Math.floor(next() * 15)));
    case "f":
    case "g":
      return `(${((next() - 0.5) * 10 ** Math.floor(next() * 40 - 15)).toExponential()})`;
    case "x":
      return `(${((next() - 0.5) * 40).toExponential()})`;
    case "d":
      return `DATE_FROM_UNIX_DATE(${Math.floor(next() * 3_652_058) - 719_162})`;
    case "t":
      return `TIMESTAMP_MICROS(${Math.floor((next() - 0.2) * 3e17)})`;
    default:
      return undefined;
  }
}

/** A query whose rows have a value of each type: every odd one at least once, and as many random ones. */
export function valuesQuery(rows: number, seed: number): string {
  const next = seededNumbers(seed);
  const selects = Array.from({ length: rows }, (_, row) => {
    const cells = Object.entries(oddValues).map(([column, values]) => {
      const odd = values[row] ?? (next() < 0.5 ? undefined : pick(values, next));
      const value = odd ?? randomValue(column, next) ?? pick(values, next);
      return `${value} AS ${column}`;
    });
    return `SELECT ${row} AS k, ${cells.join(", ")}`;
  });
  return selects.join(" UNION ALL ");
}
