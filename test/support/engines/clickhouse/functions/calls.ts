/** Calls of every function that is pushed, over the columns of `oddValues`. */
const text = [
  ..."ASCII(s)|BYTE_LENGTH(s)|BYTE_LENGTH(y)|CHAR_LENGTH(s)|LENGTH(y)|CONCAT(s, r)|CONCAT(s, i)|CONCAT(y, y)".split(
    "|",
  ),
  ..."ENDS_WITH(s, r)|STARTS_WITH(s, r)|STARTS_WITH(y, y)|FROM_HEX(s)|INSTR(s, r)|STRPOS(s, r)|LEFT(s, i)|LEFT(y, j)".split(
    "|",
  ),
  ..."RIGHT(s, i)|RIGHT(y, j)|SUBSTR(s, i)|SUBSTR(s, i, j)|SUBSTR(y, i, j)|SUBSTR(s, j)|LOWER(s)|UPPER(s)|LOWER(y)".split(
    "|",
  ),
  ..."LPAD(s, 5)|LPAD(s, 7, 'é')|RPAD(s, 5)|RPAD(s, 3, 'xy')|TRIM(s)|LTRIM(s)|RTRIM(s)|TRIM(s, 'a b')".split("|"),
  ..."MD5(s)|SHA1(s)|SHA256(y)|SHA512(s)|REPEAT(s, 3)|REPLACE(s, 'a', 'bb')|REVERSE(s)|REVERSE(y)|SPLIT(s)".split("|"),
  ..."SPLIT(s, 'X')|TO_BASE64(y)|TO_HEX(y)|UNICODE(s)|CHR(i)|CHR(j)|TO_CODE_POINTS(s)|CODE_POINTS_TO_STRING(a)|CODE_POINTS_TO_STRING([i, j])".split(
    "|",
  ),
  ..."s LIKE '%a%'|s LIKE '_b%'|s LIKE r'\\%\\_'|s LIKE ANY ('a%', '%c')|s LIKE ALL ('%a%', '%b%')".split("|"),
  ..."TRANSLATE(s, 'ab', 'x')|FROM_BASE64(s)|FROM_BASE64(TO_BASE64(y))|NORMALIZE(s)|TO_BASE32(y)".split("|"),
  ..."SAFE_CONVERT_BYTES_TO_STRING(y)|FARM_FINGERPRINT(s)|FARM_FINGERPRINT(y)|EDIT_DISTANCE(s, r)|TYPEOF(a)".split("|"),
  ..."FORMAT('%s=%d', s, i)|FORMAT('%d%%', i)|FORMAT('%s', s)".split("|"),
  ..."FROM_BASE64(k64)|FROM_BASE32(k32)|FROM_BASE32(TO_BASE32(y))|CODE_POINTS_TO_BYTES(a)|CODE_POINTS_TO_BYTES([i, j])".split(
    "|",
  ),
  ..."SAFE.FROM_BASE64(s)|SAFE.FROM_BASE32(k32)|SAFE.CODE_POINTS_TO_BYTES(a)|IF(s = 'abc', ERROR('no'), r)".split("|"),
  ..."NET.IP_FROM_STRING(p)|NET.SAFE_IP_FROM_STRING(p)|NET.SAFE_IP_FROM_STRING(s)|NET.IP_TO_STRING(q)".split("|"),
  ..."NET.IP_TO_STRING(NET.SAFE_IP_FROM_STRING(p))|NET.IP_TRUNC(q, i)|NET.IP_TRUNC(q, 20)|NET.IP_NET_MASK(4, i)".split(
    "|",
  ),
  ..."NET.IP_NET_MASK(i, j)|SAFE.NET.IP_TRUNC(q, i)".split("|"),
  "s || r",
  "y || y",
  "REGEXP_CONTAINS(s, r'^[a-c]+$')",
  "REGEXP_CONTAINS(s, r'a.b')",
  "REGEXP_CONTAINS(s, r'(?i)ABC')",
  "REGEXP_EXTRACT(s, r'[a-z]+')",
  "REGEXP_EXTRACT(s, r'a([a-z])')",
  "REGEXP_EXTRACT_ALL(s, r'[a-z]')",
  "REGEXP_EXTRACT_ALL(s, r'([a-c])')",
  "REGEXP_REPLACE(s, r'[ab]', 'z')",
  "REGEXP_REPLACE(s, r'([a-z])b', r'<\\1>')",
];

const numbers = [
  ..."i + j|i - j|i * j|-i|f + g|f - g|f * g|f / g|i / j|DIV(i, j)|MOD(i, j)|n + n|n - NUMERIC '1'|-n".split("|"),
  ..."SAFE_ADD(i, j)|SAFE_SUBTRACT(i, j)|SAFE_MULTIPLY(i, j)|SAFE_DIVIDE(f, g)|SAFE_NEGATE(i)|SAFE_ADD(f, g)".split(
    "|",
  ),
  ..."i & j|i ^ j|~i|i << j|i >> j|BIT_COUNT(i)|ABS(i)|ABS(f)|ABS(n)|SIGN(i)|SIGN(f)|CEIL(f)|FLOOR(f)".split("|"),
  ..."ROUND(f)|TRUNC(f)|SQRT(f)|SQRT(i)|IS_NAN(f)|IS_INF(f)|GREATEST(i, j)|LEAST(f, g)|GREATEST(s, r)|LEAST(d, e)".split(
    "|",
  ),
  ..."IEEE_DIVIDE(f, g)|CAST(f AS INT64)|CAST(i AS FLOAT64)|CAST(b AS INT64)|CAST(i AS BOOL)|CAST(s AS INT64)".split(
    "|",
  ),
  ..."SAFE_CAST(s AS INT64)|CAST(i AS STRING)|CAST(s AS BOOL)|SAFE_CAST(s AS BOOL)|CAST(b AS STRING)|CAST(n AS STRING)".split(
    "|",
  ),
  ..."SAFE_CAST(f AS INT64)|CAST(i AS NUMERIC)|SAFE_CAST(s AS FLOAT64)|SAFE_CAST(hex AS FLOAT64)|SAFE.DIV(i, j)|SAFE.MOD(i, j)|SAFE.SQRT(f)".split(
    "|",
  ),
  "RANGE_BUCKET(i, [0, 10, 20])",
  "RANGE_BUCKET(i, [5, 5])",
  "i | j",
];

const comparisons = [
  ..."f = g|f != g|f < g|f <= g|f > g|f >= g|s = r|s < r|i = j|b AND i > j|b OR i > j|NOT b|f BETWEEN g AND 5.0".split(
    "|",
  ),
  ..."i IN (1, 2, 3)|i IN (1, NULL)|f IN (g, 1.0)|i IN UNNEST(a)|s IN UNNEST(z)|i IS NULL|b IS TRUE|b IS FALSE".split(
    "|",
  ),
  ..."i IS DISTINCT FROM j|s IS NOT DISTINCT FROM r|a IS NULL|IF(b, i, j)|IFNULL(i, j)|COALESCE(i, j, 1)|NULLIF(i, j)".split(
    "|",
  ),
  ..."CASE WHEN b THEN i WHEN i > j THEN j END|CASE i WHEN 1 THEN s WHEN j THEN r ELSE 'z' END|IFNULL(a, [9])".split(
    "|",
  ),
  ..."IF(j != 0, DIV(i, j), 0)|IF(b, a, NULL)|COALESCE(a, [1], [2])".split("|"),
  "CASE WHEN j IS NULL OR j = 0 THEN -1 WHEN b THEN DIV(7, j) ELSE MOD(7, j) END",
];

const dateParts = "DAY WEEK WEEK(MONDAY) WEEK(SATURDAY) ISOWEEK MONTH QUARTER YEAR ISOYEAR".split(" ");
const clockParts = "MICROSECOND MILLISECOND SECOND MINUTE HOUR".split(" ");
const extracted = "YEAR ISOYEAR QUARTER MONTH DAY DAYOFWEEK DAYOFYEAR WEEK WEEK(TUESDAY) ISOWEEK".split(" ");

const times = [
  ...dateParts.flatMap((part) => [`DATE_TRUNC(d, ${part})`, `DATE_DIFF(d, e, ${part})`, `DATETIME_TRUNC(m, ${part})`]),
  ...[...clockParts, ...dateParts].map((part) => `TIMESTAMP_TRUNC(t, ${part})`),
  ...[...clockParts, "DAY"].flatMap((part) => [
    `TIMESTAMP_DIFF(t, u, ${part})`,
    `TIMESTAMP_ADD(u, INTERVAL j ${part})`,
  ]),
  ...[...clockParts, ...dateParts].map((part) => `DATETIME_DIFF(m, DATETIME '2024-01-01T23:00:00', ${part})`),
  ...["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"].flatMap((part) => [
    ...[`DATE_ADD(d, INTERVAL j ${part})`, `DATE_SUB(e, INTERVAL i ${part})`, `DATETIME_ADD(m, INTERVAL j ${part})`],
  ]),
  ...extracted.flatMap((part) => [`EXTRACT(${part} FROM d)`, `EXTRACT(${part} FROM t)`]),
  ...clockParts.flatMap((part) => [`EXTRACT(${part} FROM t)`, `EXTRACT(${part} FROM h)`, `TIME_TRUNC(h, ${part})`]),
  ...clockParts.flatMap((part) => [`TIME_ADD(h, INTERVAL i ${part})`, `TIME_DIFF(h, TIME '12:00:00', ${part})`]),
  ..."DATE(t)|DATETIME(t)|TIME(t)|TIMESTAMP(d)|TIMESTAMP(m)|DATE(m)|DATETIME(d)|DATETIME(d, h)|DATE(i, j, 5)|TIME(i, j, 5)".split(
    "|",
  ),
  ..."TIMESTAMP_SECONDS(i)|TIMESTAMP_MILLIS(i)|TIMESTAMP_MICROS(i)|UNIX_SECONDS(t)|UNIX_MILLIS(t)|UNIX_MICROS(t)".split(
    "|",
  ),
  ..."UNIX_DATE(d)|DATE_FROM_UNIX_DATE(i)|LAST_DAY(d)|LAST_DAY(d, QUARTER)|LAST_DAY(m, YEAR)|d + j|d - 1|d = e|t < u".split(
    "|",
  ),
  ..."CAST(d AS STRING)|CAST(t AS STRING)|CAST(m AS STRING)|CAST(h AS STRING)|CAST(t AS DATE)|CAST(d AS TIMESTAMP)".split(
    "|",
  ),
  ..."FORMAT_DATE('%Y-%m-%d %j %B %b %A %a %u %w %y %F', d)|FORMAT_TIMESTAMP('%H:%M:%S %I %p %T %R %Z %E*S %Ez', t)".split(
    "|",
  ),
  ..."FORMAT_DATETIME('%FT%T', m)|FORMAT_TIME('%T %E3S', h)|TIMESTAMP_SUB(u, INTERVAL 90 MINUTE)|STRING(t)|STRING(d)".split(
    "|",
  ),
  ..."GENERATE_DATE_ARRAY(DATE '2024-02-27', DATE '2024-03-02')|GENERATE_DATE_ARRAY(e, DATE '1970-01-05', INTERVAL 2 DAY)".split(
    "|",
  ),
  ..."TIMESTAMP_BUCKET(t, INTERVAL 15 MINUTE)|DATE_BUCKET(d, INTERVAL 7 DAY)|DATETIME_BUCKET(m, INTERVAL 12 HOUR)".split(
    "|",
  ),
];

const parsed = [
  ..."PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*S%Ez', zoned)|PARSE_TIMESTAMP('%F %T%Ez', zoned)".split("|"),
  ..."DATETIME_SUB(m, INTERVAL j HOUR)|TIME_SUB(h, INTERVAL j MINUTE)|TIMESTAMP_FROM_UNIX_SECONDS(j)".split("|"),
  ..."TIMESTAMP_FROM_UNIX_MILLIS(j)|TIMESTAMP_FROM_UNIX_MICROS(i)|CURRENT_TIMESTAMP() > u".split("|"),
  ..."CURRENT_DATE() = DATE(CURRENT_TIMESTAMP())|CURRENT_DATETIME() = DATETIME(CURRENT_TIMESTAMP())".split("|"),
  "CURRENT_TIME() = TIME(CURRENT_TIMESTAMP())",
  ..."PARSE_DATE('%Y-%m-%d', c)|PARSE_DATE('%F', c)|PARSE_DATE('%d/%m/%Y', c)|PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', c)".split(
    "|",
  ),
  ..."PARSE_TIMESTAMP('%FT%TZ', c)|PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', c)|PARSE_TIMESTAMP('%F %R', c)".split("|"),
  ..."PARSE_DATETIME('%FT%T', c)|PARSE_DATETIME('%Y-%m-%d %H:%M:%E*S', c)|PARSE_TIME('%T', c)|PARSE_TIME('%H:%M', c)".split(
    "|",
  ),
  ..."PARSE_TIME('%H:%M:%E*S', c)|SAFE.PARSE_DATE('%Y-%m-%d', s)|SAFE.PARSE_TIMESTAMP(' %F  %T ', c)|PARSE_DATE('%Y', c)".split(
    "|",
  ),
  "GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '2024-02-29 00:00:00+00', u, INTERVAL 7 HOUR)",
  "GENERATE_TIMESTAMP_ARRAY(u, t, INTERVAL 90 DAY)",
];

/** Whose last digits are each library's own. */
const floats = [
  ...["x", "i", "f"].flatMap((value) =>
    "EXP LN LOG LOG10 CBRT COS COSH ACOS ACOSH COT COTH CSC CSCH SEC SECH SIN SINH ASIN ASINH TAN TANH ATAN ATANH"
      .split(" ")
      .map((name) => `${name}(${value})`),
  ),
  ..."POW(x, x)|POW(ABS(x), f)|POW(x, i)|POW(x, g)|POW(f, x)|POW(i, j)|POW(g, f)|SAFE.POW(g, f)|LOG(x, 2)|LOG(f, g)|ATAN2(f, g)|ATAN2(x, x)".split(
    "|",
  ),
  ..."COSINE_DISTANCE(w, w)|COSINE_DISTANCE(w, [1.0, 2.0])|EUCLIDEAN_DISTANCE(w, [1.0, 2.0])".split("|"),
];

const arrays = [
  ..."ARRAY_LENGTH(a)|ARRAY_LENGTH(z)|a[SAFE_OFFSET(j)]|a[SAFE_ORDINAL(j)]|a[OFFSET(j)]|z[ORDINAL(j)]|ARRAY_REVERSE(a)".split(
    "|",
  ),
  ..."ARRAY_CONCAT(a, a)|ARRAY_FIRST(a)|ARRAY_LAST(z)|ARRAY_TO_STRING(z, ',')|ARRAY_TO_STRING(z, ',', '-')".split("|"),
  ..."GENERATE_ARRAY(1, j)|GENERATE_ARRAY(5, 1, j)|ARRAY_SLICE(a, 0, 1)|ARRAY_SLICE(a, j, -1)|ARRAY_SLICE(a, 1, j)|[i, j]".split(
    "|",
  ),
  ..."STRUCT(i, s).i|STRUCT(a AS x, b AS y)|NET.IPV4_TO_INT64(b'\\x01\\x02\\x03\\x04')|NET.IPV4_FROM_INT64(i)".split(
    "|",
  ),
];

const aggregates = [
  ..."COUNT(*)|COUNT(i)|COUNT(DISTINCT i)|COUNT(DISTINCT f)|COUNT(DISTINCT s)|COUNTIF(b)|COUNT(a)|SUM(j)|SUM(MOD(i, 100))".split(
    "|",
  ),
  ..."AVG(MOD(i, 100))|MIN(i)|MAX(i)|MIN(s)|MAX(s)|MIN(f)|MAX(f)|MAX(t)|MIN(d)|LOGICAL_AND(b)|LOGICAL_OR(b)".split("|"),
  ..."BIT_AND(i)|BIT_OR(i)|BIT_XOR(i)|ARRAY_AGG(i ORDER BY k)|ARRAY_AGG(s IGNORE NULLS ORDER BY k DESC LIMIT 3)".split(
    "|",
  ),
  ..."STRING_AGG(s, '-' ORDER BY k)|STRING_AGG(DISTINCT s ORDER BY s DESC)|APPROX_QUANTILES(i, 4)|APPROX_QUANTILES(s, 2)".split(
    "|",
  ),
  ..."APPROX_COUNT_DISTINCT(s)|MAX_BY(s, k)|MIN_BY(i, s)|ANY_VALUE(b) IS NULL|ARRAY_CONCAT_AGG(a ORDER BY k)".split(
    "|",
  ),
  ...["i", "f", "s", "t", "d"].flatMap((column) =>
    [
      "3)[OFFSET(0)]",
      "3)[ORDINAL(2)]",
      "100)[OFFSET(50)]",
      "100)[OFFSET(95)]",
      "7)[OFFSET(7)]",
      "2)[SAFE_OFFSET(3)]",
    ].map((rest) => `APPROX_QUANTILES(${column}, ${rest}`),
  ),
];

/** Whose last digits depend on the order of the rows. */
const statistics = [
  ...["VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP"].flatMap((name) => [
    ...[`${name}(x)`, `${name}(j)`, `${name}(MOD(i, 100))`, `${name}(f)`, `${name}(f * 1e-20)`],
    `${name}(IF(NOT IS_INF(f) AND NOT IS_NAN(f), f, NULL))`,
  ]),
  ...["CORR", "COVAR_POP", "COVAR_SAMP"].flatMap((name) => [
    ...[
      `${name}(x, MOD(i, 100))`,
      `${name}(x, x)`,
      `${name}(x, IF(NOT IS_INF(f) AND NOT IS_NAN(f), f, NULL))`,
      `${name}(x, f)`,
    ],
    `${name}(x, 5)`,
  ]),
];

const windows = [
  ..."ROW_NUMBER() OVER (ORDER BY k)|RANK() OVER (ORDER BY b, r)|DENSE_RANK() OVER (PARTITION BY b ORDER BY r DESC)".split(
    "|",
  ),
  ..."SUM(j) OVER (PARTITION BY b ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)|COUNT(*) OVER (PARTITION BY r)".split(
    "|",
  ),
  ..."LAG(i) OVER (ORDER BY k)|LEAD(s, 2) OVER (PARTITION BY b ORDER BY k)|LAG(i, 1, -5) OVER (ORDER BY k)".split("|"),
  ..."FIRST_VALUE(i) OVER (PARTITION BY b ORDER BY k)|LAST_VALUE(s) OVER (ORDER BY k)|NTILE(4) OVER (ORDER BY k)".split(
    "|",
  ),
  ..."NTH_VALUE(i, 2) OVER (ORDER BY k)|PERCENT_RANK() OVER (ORDER BY r, k)|CUME_DIST() OVER (PARTITION BY b ORDER BY r)".split(
    "|",
  ),
  ..."MAX(i) OVER (ORDER BY k RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)|AVG(j) OVER (PARTITION BY b)".split(
    "|",
  ),
].map((call) => call.replace("SUM(j)", "SUM(MOD(j, 100))").replace("AVG(j)", "AVG(MOD(j, 100))"));

export const calls = { text, numbers, comparisons, times, parsed, floats, arrays, aggregates, statistics, windows };
