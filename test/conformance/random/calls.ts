/**
 * Calls and operators by the type that they give. `{INT64}` stands for an expression of that type, `{small}` for one of
 * `literals.ts`; `{O}` is any type that sorts, `{C}` one that compares, `{A}` any at all, the same through one call.
 */
const FOR_TEXT_AND_BYTES = {
  INT64: ["LENGTH({X})", "BYTE_LENGTH({X})", "STRPOS({X}, {X})", "INSTR({X}, {X}, {small}, {count})", "ASCII({X})"],
  BOOL: ["STARTS_WITH({X}, {X})", "ENDS_WITH({X}, {X})"],
  X: [
    "CONCAT({X}, {X})",
    "SUBSTR({X}, {small}, {count})",
    "SUBSTR({X}, {INT64})",
    "LPAD({X}, {count}, {X})",
    "RPAD({X}, {small})",
    "LEFT({X}, {small})",
    "RIGHT({X}, {count})",
    "REVERSE({X})",
    "REPEAT({X}, {small})",
    "REPLACE({X}, {X}, {X})",
    "TRIM({X}, {X})",
    "LTRIM({X}, {X})",
    "RTRIM({X}, {X})",
    "UPPER({X})",
    "LOWER({X})",
    "{X} || {X}",
    "TRANSLATE({X}, {X}, {X})",
  ],
};

function each(types: readonly string[], templates: readonly string[]): readonly string[] {
  return types.flatMap((type) => templates.map((template) => template.replaceAll("{X}", `{${type}}`)));
}

const INTEGERS = [
  ...[
    "{INT64} + {INT64}",
    "{INT64} - {INT64}",
    "{INT64} * {INT64}",
    "SAFE.DIV({INT64}, {INT64})",
    "SAFE.MOD({INT64}, {INT64})",
  ],
  ...["ABS({INT64})", "SIGN({INT64})", "-{INT64}", "{INT64} & {INT64}", "{INT64} | {INT64}", "{INT64} ^ {INT64}"],
  ...["~{INT64}", "{INT64} << {shift}", "{INT64} >> {shift}", "BIT_COUNT({INT64})", "BIT_COUNT({BYTES})"],
  ...["UNICODE({STRING})", "FARM_FINGERPRINT({STRING})", "FARM_FINGERPRINT({BYTES})", "CHAR_LENGTH({STRING})"],
  ...["REGEXP_INSTR({STRING}, {pattern})", "REGEXP_INSTR({STRING}, {pattern}, {count}, {count}, 1)"],
  ...["REGEXP_INSTR({BYTES}, {bytesPattern})", "EXTRACT({dayField} FROM {DATE})", "EXTRACT({timePart} FROM {TIME})"],
  ...["EXTRACT({anyPart} FROM {DATETIME})", "EXTRACT({anyPart} FROM {TIMESTAMP})"],
  ...["EXTRACT({anyPart} FROM {TIMESTAMP} AT TIME ZONE {zone})", "EXTRACT({intervalField} FROM {INTERVAL})"],
  ...["DATE_DIFF({DATE}, {DATE}, {datePart})", "TIME_DIFF({TIME}, {TIME}, {timePart})", "UNIX_DATE({DATE})"],
  ...["DATETIME_DIFF({DATETIME}, {DATETIME}, {anyPart})", "TIMESTAMP_DIFF({TIMESTAMP}, {TIMESTAMP}, {dayStep})"],
  ...["UNIX_SECONDS({TIMESTAMP})", "UNIX_MILLIS({TIMESTAMP})", "UNIX_MICROS({TIMESTAMP})"],
  ...["ARRAY_LENGTH({ARRAY<INT64>})", "{ARRAY<INT64>}[SAFE_OFFSET({count})]", "{ARRAY<INT64>}[SAFE_ORDINAL({small})]"],
  ...["{ARRAY<INT64>}[OFFSET({count})]", "ARRAY_LENGTH({ARRAY<STRUCT<a INT64, b STRING>>})"],
  ...["CAST({FLOAT64} AS INT64)", "CAST({NUMERIC} AS INT64)", "CAST({BIGNUMERIC} AS INT64)", "CAST({BOOL} AS INT64)"],
  ...["SAFE_CAST({STRING} AS INT64)", "SAFE_CAST({FLOAT64} AS INT64)", "SAFE_ADD({INT64}, {INT64})"],
  ...["SAFE_SUBTRACT({INT64}, {INT64})", "SAFE_MULTIPLY({INT64}, {INT64})", "SAFE_NEGATE({INT64})"],
  ...["RANGE_BUCKET({INT64}, [1, 5, 10])", "RANGE_BUCKET({FLOAT64}, {ARRAY<FLOAT64>})", "SAFE.INT64({JSON})"],
  ...["LAX_INT64({JSON})", "ARRAY_LENGTH(GENERATE_ARRAY({count}, {count}, {small}))", "{STRUCT<a INT64, b STRING>}.a"],
  ...["ARRAY_LENGTH(SPLIT({STRING}, {delimiter}))", "(SELECT SUM(u) FROM UNNEST({ARRAY<INT64>}) u)"],
  ...["(SELECT COUNT(*) FROM UNNEST({ARRAY<STRING>}) u WHERE u >= {STRING})", "ARRAY_FIRST({ARRAY<INT64>})"],
  ...["(SELECT MAX(u.a) FROM UNNEST({ARRAY<STRUCT<a INT64, b STRING>>}) u WHERE u.b != {STRING})"],
  ...["DATE_DIFF({DATE}, {DATE}, {datePart})", "BIT_COUNT({INT64} - {INT64})"],
  ...each(["STRING", "BYTES"], FOR_TEXT_AND_BYTES.INT64),
];

const FLOATS = [
  ...["{FLOAT64} + {FLOAT64}", "{FLOAT64} - {FLOAT64}", "{FLOAT64} * {FLOAT64}", "IEEE_DIVIDE({FLOAT64}, {FLOAT64})"],
  ...[
    "SAFE_DIVIDE({INT64}, {INT64})",
    "ABS({FLOAT64})",
    "SIGN({FLOAT64})",
    "ROUND({FLOAT64})",
    "ROUND({FLOAT64}, {digits})",
  ],
  ...["TRUNC({FLOAT64}, {digits})", "CEIL({FLOAT64})", "FLOOR({FLOAT64})", "SAFE.SQRT({FLOAT64})", "CBRT({FLOAT64})"],
  ...[
    "SAFE.POW({FLOAT64}, {FLOAT64})",
    "SAFE.EXP({FLOAT64})",
    "SAFE.LN({FLOAT64})",
    "SAFE.LOG({FLOAT64}, {FLOAT64})",
    "SAFE.LOG10({FLOAT64})",
  ],
  ...[
    "SIN({FLOAT64})",
    "COS({FLOAT64})",
    "TAN({FLOAT64})",
    "SAFE.ASIN({FLOAT64})",
    "SAFE.ACOS({FLOAT64})",
    "ATAN({FLOAT64})",
  ],
  ...[
    "ATAN2({FLOAT64}, {FLOAT64})",
    "SAFE.SINH({FLOAT64})",
    "SAFE.COSH({FLOAT64})",
    "TANH({FLOAT64})",
    "ASINH({FLOAT64})",
  ],
  ...[
    "SAFE.ACOSH({FLOAT64})",
    "SAFE.ATANH({FLOAT64})",
    "SAFE_DIVIDE({FLOAT64}, {FLOAT64})",
    "IEEE_DIVIDE({FLOAT64}, {FLOAT64})",
  ],
  ...["CAST({INT64} AS FLOAT64)", "CAST({NUMERIC} AS FLOAT64)", "CAST({BIGNUMERIC} AS FLOAT64)", "-{FLOAT64}"],
  ...["SAFE_CAST({STRING} AS FLOAT64)", "{FLOAT64} + {INT64}", "{NUMERIC} * {FLOAT64}", "{FLOAT64} - {BIGNUMERIC}"],
  ...["SAFE.FLOAT64({JSON})", "LAX_FLOAT64({JSON})", "SAFE_ADD({FLOAT64}, {FLOAT64})", "SAFE_NEGATE({FLOAT64})"],
  ...["{ARRAY<FLOAT64>}[SAFE_OFFSET({count})]", "(SELECT AVG(u) FROM UNNEST({ARRAY<FLOAT64>}) u)", "SAFE.EXP({INT64})"],
  ...["(SELECT MIN(u) FROM UNNEST({ARRAY<FLOAT64>}) u)", "{STRUCT<a FLOAT64, b DATE>}.a", "SAFE.POW({INT64}, {INT64})"],
];

function decimals(type: string): readonly string[] {
  return [
    ...[
      "{X} + {X}",
      "{X} - {X}",
      "{X} * {X}",
      "SAFE_DIVIDE({X}, {X})",
      "-{X}",
      "ABS({X})",
      "SIGN({X})",
      "CEIL({X})",
      "FLOOR({X})",
    ],
    ...[
      "ROUND({X})",
      "ROUND({X}, {digits})",
      "ROUND({X}, {digits}, {rounding})",
      "TRUNC({X}, {digits})",
      "{X} + {INT64}",
    ],
    ...[
      "SAFE.MOD({X}, {X})",
      "SAFE.DIV({X}, {X})",
      "SAFE_DIVIDE({X}, {X})",
      "SAFE_ADD({X}, {X})",
      "SAFE_MULTIPLY({X}, {X})",
    ],
    ...[
      "SAFE.SQRT({X})",
      "SAFE.POW({X}, {X})",
      "SAFE.LN({X})",
      "SAFE.LOG10({X})",
      "SAFE.EXP({X})",
      "CAST({INT64} AS TYPE)",
      "{INT64} - {X}",
    ],
    ...["CAST({FLOAT64} AS TYPE)", "SAFE_CAST({FLOAT64} AS TYPE)", "SAFE_CAST({STRING} AS TYPE)", "LOG({X}, {X})"],
    ...[
      "GREATEST({X}, {X}, {X})",
      "(SELECT AVG(u) FROM UNNEST([{X}, {X}]) u)",
      "(SELECT SUM(u) FROM UNNEST([{X}, {X}]) u)",
    ],
    type === "NUMERIC" ? "SAFE_CAST({BIGNUMERIC} AS NUMERIC)" : "{NUMERIC} * {BIGNUMERIC}",
    type === "NUMERIC" ? "SAFE.PARSE_NUMERIC({STRING})" : "SAFE.PARSE_BIGNUMERIC({STRING})",
  ].map((template) => template.replaceAll("{X}", `{${type}}`).replaceAll("TYPE", type));
}

const TEXTS = [
  ...each(["STRING"], FOR_TEXT_AND_BYTES.X),
  ...["TRIM({STRING})", "INITCAP({STRING})", "TO_HEX({BYTES})", "TO_BASE64({BYTES})"],
  ...["CAST({C} AS STRING)", "CAST({O} AS STRING)", "FORMAT('{specifier}', {A})", "FORMAT('%t|%T', {O}, {A})"],
  ...["FORMAT('{intFormat}', {INT64})", "FORMAT('{floatFormat}', {FLOAT64})", "FORMAT('{floatFormat}', {NUMERIC})"],
  ...["FORMAT('{textFormat}', {STRING})", "FORMAT('{floatFormat}', {BIGNUMERIC})", "FORMAT('%*d', {small}, {INT64})"],
  ...["REGEXP_EXTRACT({STRING}, {pattern})", "REGEXP_EXTRACT({STRING}, {pattern}, {count}, {count})"],
  ...[
    "REGEXP_REPLACE({STRING}, {pattern}, {STRING})",
    "FORMAT_DATE({dateFormat}, {DATE})",
    "SPLIT({STRING})[SAFE_OFFSET(1)]",
  ],
  ...["FORMAT_TIME({timeFormat}, {TIME})", "FORMAT_DATETIME({momentFormat}, {DATETIME})"],
  ...["FORMAT_TIMESTAMP({momentFormat}, {TIMESTAMP})", "FORMAT_TIMESTAMP({momentFormat}, {TIMESTAMP}, {zone})"],
  ...["CAST({DATE} AS STRING FORMAT {castDate})", "CAST({TIME} AS STRING FORMAT {castTime})"],
  ...["CAST({DATETIME} AS STRING FORMAT {castMoment})", "CAST({TIMESTAMP} AS STRING FORMAT {castZone})"],
  ...[
    "CAST({TIMESTAMP} AS STRING FORMAT {castZone} AT TIME ZONE {zone})",
    "CAST({INT64} AS STRING FORMAT {castNumber})",
  ],
  ...["CAST({FLOAT64} AS STRING FORMAT {castNumber})", "CAST({NUMERIC} AS STRING FORMAT {castNumber})"],
  ...["CAST({BYTES} AS STRING FORMAT {castBytes})", "SAFE_CAST({BYTES} AS STRING)", "STRING({TIMESTAMP}, {zone})"],
  ...["ARRAY_TO_STRING({ARRAY<STRING>}, {STRING})", "ARRAY_TO_STRING({ARRAY<STRING>}, {STRING}, {STRING})"],
  ...["{ARRAY<STRING>}[SAFE_OFFSET({count})]", "TO_JSON_STRING({A})", "TO_JSON_STRING(STRUCT({A} AS a, {O} AS b))"],
  ...[
    "JSON_VALUE({JSON}, {path})",
    "JSON_EXTRACT_SCALAR({JSON}, {plainPath})",
    "LAX_STRING({JSON})",
    "JSON_TYPE({JSON})",
  ],
  ...["JSON_VALUE({STRING}, {path})", "JSON_QUERY({STRING}, '$')", "SAFE_CONVERT_BYTES_TO_STRING({BYTES})"],
  ...[
    "NORMALIZE({STRING}, {form})",
    "NORMALIZE_AND_CASEFOLD({STRING}, {form})",
    "SAFE.CHR({INT64})",
    "SAFE.STRING({JSON})",
  ],
  ...[
    "SAFE.CODE_POINTS_TO_STRING({ARRAY<INT64>})",
    "NET.HOST({STRING})",
    "{STRUCT<a INT64, b STRING>}.b",
    "TO_JSON_STRING({A}, TRUE)",
  ],
  ...[
    "(SELECT STRING_AGG(u, {delimiter} ORDER BY u DESC) FROM UNNEST({ARRAY<STRING>}) u)",
    "JSON_QUERY({STRING}, {path})",
  ],
  ...[
    "(SELECT MAX(u) FROM UNNEST({ARRAY<STRING>}) u)",
    "FORMAT('%s %d', {STRING}, {INT64})",
    "SAFE_CAST({BYTES} AS STRING)",
  ],
];

const BYTES = [
  ...each(["BYTES"], FOR_TEXT_AND_BYTES.X),
  ...["CAST({STRING} AS BYTES)", "MD5({STRING})", "SHA1({BYTES})", "SHA256({STRING})", "SHA512({BYTES})", "~{BYTES}"],
  ...["SAFE.FROM_HEX({STRING})", "FROM_HEX(TO_HEX({BYTES}))", "SAFE.FROM_BASE64({STRING})", "{BYTES} << {shift}"],
  ...["{BYTES} >> {shift}", "SAFE_CAST({STRING} AS BYTES)", "REGEXP_EXTRACT({BYTES}, {bytesPattern})"],
  ...["REGEXP_REPLACE({BYTES}, {bytesPattern}, {BYTES})", "SAFE.CODE_POINTS_TO_BYTES({ARRAY<INT64>})"],
  ...["CAST({STRING} AS BYTES FORMAT {castBytes})", "SAFE_CAST({STRING} AS BYTES FORMAT {castBytes})"],
  ...["SPLIT({BYTES}, {BYTES})[SAFE_OFFSET({count})]", "NET.SAFE_IP_FROM_STRING({STRING})"],
];

const TRUTHS = [
  ...[
    "{C} = {C}",
    "{C} != {C}",
    "{O} < {O}",
    "{O} <= {O}",
    "{O} > {O}",
    "{O} >= {O}",
    "{A} IS NULL",
    "{A} IS NOT NULL",
  ],
  ...["NOT {BOOL}", "{BOOL} AND {BOOL}", "{BOOL} OR {BOOL}", "{O} BETWEEN {O} AND {O}", "{O} NOT BETWEEN {O} AND {O}"],
  ...["{C} IN ({C}, {C})", "{C} NOT IN ({C}, {C})", "{C} IS DISTINCT FROM {C}", "{C} IS NOT DISTINCT FROM {C}"],
  ...[
    "{C} IN UNNEST([{C}, {C}])",
    "{C} IN (SELECT u FROM UNNEST([{C}, {C}]) u)",
    "{C} NOT IN (SELECT {C} UNION ALL SELECT {C})",
  ],
  ...[
    "{STRING} LIKE {like}",
    "{STRING} NOT LIKE {like}",
    "{BYTES} LIKE {bytesLike}",
    "{STRING} LIKE ANY ({like}, {like})",
  ],
  ...["{STRING} LIKE ALL ({like}, {like})", "{STRING} NOT LIKE ANY ({like}, {STRING})"],
  ...["REGEXP_CONTAINS({STRING}, {pattern})", "REGEXP_CONTAINS({BYTES}, {bytesPattern})", "IS_NAN({FLOAT64})"],
  ...[
    "IS_INF({FLOAT64})",
    "{INT64} IN UNNEST({ARRAY<INT64>})",
    "{FLOAT64} IN UNNEST({ARRAY<FLOAT64>})",
    "{BOOL} IS TRUE",
  ],
  ...[
    "{BOOL} IS NOT FALSE",
    "({C}, {INT64}) = ({C}, {INT64})",
    "({C}, {FLOAT64}) IN (({C}, {FLOAT64}), ({C}, {FLOAT64}))",
  ],
  ...[
    "{ARRAY<INT64>} = {ARRAY<INT64>}",
    "{ARRAY<FLOAT64>} != {ARRAY<FLOAT64>}",
    "{INT64} < {FLOAT64}",
    "{NUMERIC} = {INT64}",
  ],
  ...["{FLOAT64} >= {NUMERIC}", "{BIGNUMERIC} < {FLOAT64}", "{NUMERIC} != {BIGNUMERIC}", "{INT64} = {BIGNUMERIC}"],
  ...["EXISTS(SELECT 1 FROM UNNEST({ARRAY<INT64>}) u WHERE u > {INT64})", "LAX_BOOL({JSON})", "{STRING} < {STRING}"],
  ...[
    "{INT64} IN (SELECT u FROM UNNEST({ARRAY<INT64>}) u)",
    "{STRING} NOT IN (SELECT u FROM UNNEST({ARRAY<STRING>}) u)",
  ],
  ...[
    "STRUCT({INT64}, {STRING}) IN (STRUCT({INT64}, {STRING}))",
    "IF({BOOL}, {BOOL}, {BOOL})",
    "SAFE_CAST({STRING} AS BOOL)",
  ],
  ...["CONTAINS_SUBSTR({STRING}, {delimiter})"],
  ...["RANGE_OVERLAPS({RANGE<DATE>}, {RANGE<DATE>})", "RANGE_OVERLAPS({RANGE<DATETIME>}, {RANGE<DATETIME>})"],
  ...[
    "{RANGE<DATE>} < {RANGE<DATE>}",
    "CAST({INT64} AS BOOL)",
    "SAFE.BOOL({JSON})",
    "{DATE} < {DATETIME}".replace("DATETIME", "DATE"),
  ],
  ...["{C} IN UNNEST([{C}])", "{STRING} LIKE CONCAT('%', {STRING})"],
  ...each(["STRING", "BYTES"], FOR_TEXT_AND_BYTES.BOOL),
];

const DATES = [
  ...[
    "DATE_ADD({DATE}, INTERVAL {small} {dateStep})",
    "DATE_SUB({DATE}, INTERVAL {small} {dateStep})",
    "DATE({DATETIME})",
  ],
  ...[
    "DATE_TRUNC({DATE}, {datePart})",
    "LAST_DAY({DATE}, {datePart})",
    "DATE({TIMESTAMP})",
    "DATE({TIMESTAMP}, {zone})",
  ],
  ...[
    "CAST({TIMESTAMP} AS DATE)",
    "SAFE_CAST({STRING} AS DATE)",
    "{DATE} + {small}",
    "{DATE} - {INT64}",
    "{INT64} + {DATE}",
  ],
  ...[
    "SAFE.DATE_FROM_UNIX_DATE({INT64})",
    "SAFE.PARSE_DATE('%F', {STRING})",
    "DATE(2020, 1 + {count}, 2)",
    "RANGE_START({RANGE<DATE>})",
  ],
  ...[
    "EXTRACT(DATE FROM {TIMESTAMP} AT TIME ZONE {zone})",
    "RANGE_END({RANGE<DATE>})",
    "{ARRAY<DATE>}[SAFE_OFFSET({count})]",
  ],
  ...[
    "SAFE_CAST({STRING} AS DATE FORMAT {castDate})",
    "CAST(CAST({DATE} AS STRING FORMAT 'YYYY-MM-DD') AS DATE FORMAT 'YYYY-MM-DD')",
  ],
  ...[
    "SAFE.PARSE_DATE({dateFormat}, FORMAT_DATE({dateFormat}, {DATE}))",
    "LAST_DAY({DATETIME})",
    "{STRUCT<a FLOAT64, b DATE>}.b",
  ],
];

const CLOCKS = [
  ...[
    "TIME_ADD({TIME}, INTERVAL {small} {timeStep})",
    "TIME_SUB({TIME}, INTERVAL {small} {timeStep})",
    "TIME({DATETIME})",
  ],
  ...[
    "TIME_TRUNC({TIME}, {timePart})",
    "CAST({TIMESTAMP} AS TIME)",
    "TIME({count}, {count}, {count})",
    "TIME({TIMESTAMP}, {zone})",
  ],
  ...["EXTRACT(TIME FROM {TIMESTAMP})", "EXTRACT(TIME FROM {DATETIME})", "SAFE_CAST({STRING} AS TIME)"],
  ...["SAFE.PARSE_TIME({timeFormat}, FORMAT_TIME({timeFormat}, {TIME}))", "SAFE.PARSE_TIME('%T', {STRING})"],
];

const DATETIMES = [
  ...["DATETIME_ADD({DATETIME}, INTERVAL {small} {anyStep})", "DATETIME_SUB({DATETIME}, INTERVAL {small} {anyStep})"],
  ...[
    "DATETIME_TRUNC({DATETIME}, {anyPart})",
    "DATETIME({DATE}, {TIME})",
    "DATETIME({TIMESTAMP})",
    "DATETIME({TIMESTAMP}, {zone})",
  ],
  ...[
    "CAST({DATE} AS DATETIME)",
    "{DATETIME} + {INTERVAL}",
    "{DATETIME} - {INTERVAL}",
    "{DATE} + {INTERVAL}",
    "{DATE} - {INTERVAL}",
  ],
  ...[
    "DATETIME(2020, 1 + {count}, 2, {count}, 0, 0)",
    "SAFE_CAST({STRING} AS DATETIME)",
    "RANGE_START({RANGE<DATETIME>})",
  ],
  ...[
    "SAFE.PARSE_DATETIME({momentFormat}, FORMAT_DATETIME({momentFormat}, {DATETIME}))",
    "EXTRACT(DATETIME FROM {TIMESTAMP} AT TIME ZONE {zone})",
  ],
];

const TIMESTAMPS = [
  ...[
    "TIMESTAMP_ADD({TIMESTAMP}, INTERVAL {small} {dayStep})",
    "TIMESTAMP_SUB({TIMESTAMP}, INTERVAL {small} {dayStep})",
  ],
  ...[
    "TIMESTAMP_TRUNC({TIMESTAMP}, {anyPart})",
    "TIMESTAMP_TRUNC({TIMESTAMP}, {anyPart}, {zone})",
    "TIMESTAMP({DATE})",
  ],
  ...[
    "TIMESTAMP({DATETIME})",
    "TIMESTAMP({DATETIME}, {zone})",
    "TIMESTAMP({DATE}, {zone})",
    "TIMESTAMP_SECONDS({INT64})",
  ],
  ...[
    "TIMESTAMP_MILLIS({INT64})",
    "TIMESTAMP_MICROS({INT64})",
    "CAST({DATETIME} AS TIMESTAMP)",
    "SAFE_CAST({STRING} AS TIMESTAMP)",
  ],
  ...["{TIMESTAMP} + {INTERVAL}", "{TIMESTAMP} - {INTERVAL}", "SAFE.PARSE_TIMESTAMP('%F', {STRING}, {zone})"],
  ...["SAFE.PARSE_TIMESTAMP({momentFormat}, FORMAT_TIMESTAMP({momentFormat}, {TIMESTAMP}))"],
];

const INTERVALS = [
  ...[
    "{DATE} - {DATE}",
    "{TIMESTAMP} - {TIMESTAMP}",
    "{DATETIME} - {DATETIME}",
    "{TIME} - {TIME}",
    "{INTERVAL} + {INTERVAL}",
  ],
  ...[
    "{INTERVAL} - {INTERVAL}",
    "{INTERVAL} * {small}",
    "{INTERVAL} / {count}",
    "JUSTIFY_DAYS({INTERVAL})",
    "-{INTERVAL}",
  ],
  ...[
    "JUSTIFY_HOURS({INTERVAL})",
    "JUSTIFY_INTERVAL({INTERVAL})",
    "MAKE_INTERVAL({small}, {small}, {small}, {small}, {small}, {small})",
  ],
  ...[
    "INTERVAL {small} {anyStep}".replace("anyStep", "intervalPart"),
    "INTERVAL {small} {intervalPart}",
    "SAFE_CAST({STRING} AS INTERVAL)",
  ],
  ...["CAST(CAST({INTERVAL} AS STRING) AS INTERVAL)", "(SELECT SUM(u) FROM UNNEST([{INTERVAL}, {INTERVAL}]) u)"],
  ...["(SELECT AVG(u) FROM UNNEST([{INTERVAL}, {INTERVAL}, {INTERVAL}]) u)"],
];

const DOCUMENTS = [
  ...[
    "TO_JSON({A})",
    "TO_JSON(STRUCT({A} AS k))",
    "JSON_QUERY({JSON}, {path})",
    "{JSON}.a",
    "{JSON}[{count}]",
    "{JSON}['b']",
  ],
  ...["JSON_ARRAY({A}, {A})", "JSON_OBJECT('a', {A})", "SAFE.PARSE_JSON({STRING})", "JSON_SET({JSON}, {path}, {A})"],
  ...[
    "JSON_STRIP_NULLS({JSON})",
    "JSON_REMOVE({JSON}, {path})",
    "JSON_ARRAY_APPEND({JSON}, {path}, {INT64})",
    "PARSE_JSON(TO_JSON_STRING({A}))",
  ],
  ...[
    "JSON_ARRAY_INSERT({JSON}, {path}, {STRING})",
    "JSON_STRIP_NULLS({JSON}, {path})",
    "JSON_EXTRACT({JSON}, {plainPath})",
  ],
  ...["TO_JSON({A}, stringify_wide_numbers => TRUE)", "SAFE.JSON_OBJECT({ARRAY<STRING>}, {ARRAY<INT64>})"],
];

export const CALLS: Readonly<Record<string, readonly string[]>> = {
  INT64: INTEGERS,
  FLOAT64: FLOATS,
  NUMERIC: decimals("NUMERIC"),
  BIGNUMERIC: decimals("BIGNUMERIC"),
  STRING: TEXTS,
  BYTES,
  BOOL: TRUTHS,
  DATE: DATES,
  TIME: CLOCKS,
  DATETIME: DATETIMES,
  TIMESTAMP: TIMESTAMPS,
  INTERVAL: INTERVALS,
  JSON: DOCUMENTS,
  "RANGE<DATE>": [
    "SAFE.RANGE({DATE}, {DATE})",
    "RANGE_INTERSECT({RANGE<DATE>}, {RANGE<DATE>})",
    "SAFE_CAST({STRING} AS RANGE<DATE>)",
  ],
  "RANGE<DATETIME>": ["SAFE.RANGE({DATETIME}, {DATETIME})", "RANGE_INTERSECT({RANGE<DATETIME>}, {RANGE<DATETIME>})"],
  "ARRAY<INT64>": [
    ...[
      "ARRAY_CONCAT({ARRAY<INT64>}, {ARRAY<INT64>})",
      "ARRAY_REVERSE({ARRAY<INT64>})",
      "GENERATE_ARRAY({count}, {count}, {small})",
    ],
    ...[
      "ARRAY(SELECT u + 1 FROM UNNEST({ARRAY<INT64>}) u WITH OFFSET o ORDER BY o)",
      "[{INT64}, {INT64}]",
      "TO_CODE_POINTS({STRING})",
    ],
    ...["ARRAY(SELECT u FROM UNNEST({ARRAY<INT64>}) u WHERE u > {small} ORDER BY u DESC)", "TO_CODE_POINTS({BYTES})"],
    ...[
      "ARRAY_SLICE({ARRAY<INT64>}, {small}, {small})",
      "ARRAY(SELECT DISTINCT u FROM UNNEST({ARRAY<INT64>}) u ORDER BY u)",
    ],
    ...["ARRAY(SELECT u.a FROM UNNEST({ARRAY<STRUCT<a INT64, b STRING>>}) u WITH OFFSET o ORDER BY o DESC)"],
    ...[
      "{ARRAY<INT64>} || {ARRAY<INT64>}",
      "ARRAY(SELECT x FROM UNNEST({ARRAY<STRUCT<a INT64, b STRING>>}.a) x WITH OFFSET o ORDER BY o)",
    ],
  ],
  "ARRAY<FLOAT64>": [
    ...["GENERATE_ARRAY({FLOAT64}, {FLOAT64}, 1e299)", "[{FLOAT64}, {FLOAT64}]", "ARRAY_REVERSE({ARRAY<FLOAT64>})"],
    ...[
      "ARRAY(SELECT u FROM UNNEST({ARRAY<FLOAT64>}) u ORDER BY u)",
      "ARRAY_CONCAT({ARRAY<FLOAT64>}, {ARRAY<FLOAT64>})",
    ],
    "ARRAY(SELECT u FROM UNNEST({ARRAY<FLOAT64>}) u ORDER BY u DESC NULLS FIRST LIMIT 2)",
  ],
  "ARRAY<STRING>": [
    ...[
      "SPLIT({STRING}, {delimiter})",
      "ARRAY_CONCAT({ARRAY<STRING>}, {ARRAY<STRING>})",
      "REGEXP_EXTRACT_ALL({STRING}, {pattern})",
    ],
    ...["[{STRING}, {STRING}]", "ARRAY(SELECT UPPER(u) FROM UNNEST({ARRAY<STRING>}) u WITH OFFSET o ORDER BY o DESC)"],
    ...[
      "JSON_VALUE_ARRAY({JSON}, {path})",
      "ARRAY(SELECT u.b FROM UNNEST({ARRAY<STRUCT<a INT64, b STRING>>}) u ORDER BY u.b)",
    ],
    ...["JSON_VALUE_ARRAY({STRING})", "JSON_EXTRACT_STRING_ARRAY({JSON}, {plainPath})"],
  ],
  "ARRAY<NUMERIC>": ["[{NUMERIC}, {NUMERIC}]", "GENERATE_ARRAY(NUMERIC '1', NUMERIC '2', {NUMERIC})"],
  "ARRAY<DATE>": [
    "GENERATE_DATE_ARRAY(DATE '2020-01-31', DATE '2020-06-30', INTERVAL {small} MONTH)",
    "GENERATE_DATE_ARRAY({DATE}, {DATE}, INTERVAL {small} YEAR)",
    "[{DATE}, {DATE}]",
  ],
  "ARRAY<STRUCT<a INT64, b STRING>>": [
    "ARRAY(SELECT AS STRUCT u AS a, CAST(u AS STRING) AS b FROM UNNEST({ARRAY<INT64>}) u WITH OFFSET o ORDER BY o)",
    "ARRAY_REVERSE({ARRAY<STRUCT<a INT64, b STRING>>})",
    "[{STRUCT<a INT64, b STRING>}]",
  ],
  "STRUCT<a INT64, b STRING>": [
    "STRUCT({INT64} AS a, {STRING} AS b)",
    "{ARRAY<STRUCT<a INT64, b STRING>>}[SAFE_OFFSET({count})]",
    "(SELECT AS STRUCT {INT64} AS a, {STRING} AS b)",
  ],
  "STRUCT<a FLOAT64, b DATE>": ["STRUCT({FLOAT64} AS a, {DATE} AS b)"],
};
