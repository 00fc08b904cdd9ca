/**
 * A query that asks for too much. It is answered right, refused (400), over a budget (413, 422), or cut off (504): never
 * 500 or 503, and within the deadline and a second.
 */
export interface ResourceAttempt {
  readonly name: string;
  readonly sql: string;
}

const many = "unnest(generate_array(1, 1000000))";
const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(", ");
const nest = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth);

const rows: readonly (readonly [name: string, sql: string])[] = [
  [
    "a recursion without an end",
    "with recursive t as (select 1 as n union all select n + 1 from t) select max(n) from t",
  ],
  [
    "a recursion that doubles",
    "with recursive t as (select 1 as n union all select n from t union all select n from t) select count(*) from t",
  ],
  [
    "a recursion that grows texts",
    "with recursive t as (select 'x' as s union all select s || s from t) select max(length(s)) from t",
  ],
  [
    "a recursion that grows arrays",
    "with recursive t as (select [1] as a union all select array_concat(a, a) from t) select max(array_length(a)) from t",
  ],
  [
    "a recursion of distinct rows",
    "with recursive t as (select 1 as n union distinct select n + 1 from t) select count(*) from t",
  ],
  ["a cross join of a million by a million", `select count(*) from ${many} a, ${many} b where a + b = 0`],
  [
    "a cross join of six tables of a thousand",
    `select count(*) from ${list(6, (index) => `unnest(generate_array(1, 1000)) t${index}`)} where t0 + t1 + t2 + t3 + t4 + t5 = -1`,
  ],
  ["a join on an inequality", `select count(*) from ${many} a join ${many} b on a < b and a * b < 0`],
  [
    "a correlated sub-query over a million rows",
    `select sum((select count(*) from ${many} b where b < a)) from ${many} a`,
  ],
  [
    "a sort of a cross join",
    `select a from ${many} a, unnest(generate_array(1, 1000)) b order by a * b desc, b limit 10`,
  ],
  [
    "a window over a cross join",
    `select max(sum(a) over (order by b rows between 100000 preceding and current row)) from unnest(generate_array(1, 1000)) a, unnest(generate_array(1, 1000)) b group by a, b`,
  ],
  [
    "GROUP BY of everything",
    `select count(*) from (select a, b, count(*) n from ${many} a, unnest(generate_array(1, 1000)) b group by a, b)`,
  ],
  [
    "DISTINCT of everything",
    `select count(*) from (select distinct a * 1000 + b from ${many} a, unnest(generate_array(1, 1000)) b)`,
  ],
  ["GENERATE_ARRAY of 10^12", "select array_length(generate_array(1, 1000000000000))"],
  ["GENERATE_ARRAY with the smallest step", "select array_length(generate_array(0.0, 1.0, 1e-300))"],
  [
    "GENERATE_ARRAY over all of INT64",
    "select array_length(generate_array(-9223372036854775808, 9223372036854775807))",
  ],
  ["GENERATE_ARRAY in a WHERE", "select count(*) from edge_logs where 5 in unnest(generate_array(1, 10000000000))"],
  ["GENERATE_DATE_ARRAY of all days", "select array_length(generate_date_array('0001-01-01', '9999-12-31'))"],
  [
    "GENERATE_TIMESTAMP_ARRAY by microseconds",
    "select array_length(generate_timestamp_array('2000-01-01', '2020-01-01', interval 1 microsecond))",
  ],
  ["REPEAT of a gigabyte", "select length(repeat('x', 1000000000))"],
  ["REPEAT of REPEAT", "select length(repeat(repeat(repeat('x', 10000), 10000), 10000))"],
  ["REPEAT with the greatest count", "select length(repeat('ab', 9223372036854775807))"],
  ["REPEAT of bytes", "select length(repeat(b'x', 10000000000))"],
  ["LPAD to a gigabyte", "select length(lpad('x', 1000000000, 'ab'))"],
  ["RPAD to a gigabyte", "select length(rpad('x', 1000000000))"],
  ["LPAD in every row", `select sum(length(lpad('x', 10000000, cast(a as string)))) from ${many} a`],
  ["doubling by CONCAT", `select length(${nest(40, "with(a as ", "repeat('x', 1000)", ", concat(a, a))")})`],
  [
    "doubling by ARRAY_CONCAT",
    `select array_length(${nest(40, "with(a as ", "generate_array(1, 1000)", ", array_concat(a, a))")})`,
  ],
  [
    "doubling by sub-queries",
    `select length(s) from ${nest(30, "(select concat(s, s) as s from ", "(select repeat('x', 1000) as s)", ")")}`,
  ],
  ["REPLACE that grows", "select length(replace(repeat('a', 10000000), 'a', repeat('b', 10000)))"],
  ["REGEXP_REPLACE that grows", "select length(regexp_replace(repeat('a', 10000000), 'a', repeat('b', 10000)))"],
  ["TRANSLATE of a long text", "select length(translate(repeat('a', 10000000), 'a', 'b'))"],
  ["STRING_AGG of a million long texts", `select length(string_agg(repeat('x', 10000))) from ${many} a`],
  ["ARRAY_AGG of a cross join", `select array_length(array_agg(a)) from ${many} a, unnest(generate_array(1, 1000)) b`],
  [
    "ARRAY_AGG of arrays",
    `select length(to_json_string(array_agg(struct(generate_array(1, 10000) as x)))) from ${many} a`,
  ],
  ["ARRAY_CONCAT_AGG", `select array_length(array_concat_agg(generate_array(1, 10000))) from ${many} a`],
  [
    "ARRAY_TO_STRING of a million texts",
    "select length(array_to_string(array(select repeat('x', 10000) from unnest(generate_array(1, 1000000))), ','))",
  ],
  ["SPLIT into characters", "select array_length(split(repeat('a,', 8000000)))"],
  ["TO_JSON_STRING of a large array", "select length(to_json_string(generate_array(1, 1000000)))"],
  ["FORMAT with a huge width", "select length(format('%1000000000d', 1))"],
  ["FORMAT with a width from an argument", "select length(format('%*d', 1000000000, 1))"],
  ["FORMAT with a huge precision", "select length(format('%.1000000000f', 1.5))"],
  ["FORMAT of a large array", "select length(format('%T', generate_array(1, 1000000)))"],
  [
    "FORMAT_TIMESTAMP with a long format",
    "select length(format_timestamp(repeat('%F', 1000000), current_timestamp()))",
  ],
  ["PARSE_TIMESTAMP with a long format", "select parse_timestamp(repeat('%Y', 100000), repeat('2020', 100000))"],
  [
    "CAST with a long FORMAT",
    "select length(cast(timestamp '2020-01-01' as string format 'YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY'))",
  ],
  ["an IN list of 100,000 numbers", `select count(*) from edge_logs where length(id) in (${list(100_000, String)})`],
  [
    "an IN list of 50,000 texts",
    `select count(*) from edge_logs where id in (${list(50_000, (index) => `'k${index}'`)})`,
  ],
  ["an array literal of 100,000", `select array_length([${list(100_000, String)}])`],
  ["a SELECT list of 9,000", `select ${list(9_000, (index) => `${index} as c${index}`)}`],
  ["a SELECT list of 20,000", `select ${list(20_000, (index) => `${index} as c${index}`)}`],
  ["CONCAT of 20,000 arguments", `select length(concat(${list(20_000, () => "'x'")}))`],
  [
    "an OR chain of 20,000",
    `select count(*) from edge_logs where ${Array.from({ length: 20_000 }, (_, index) => `length(id) = ${index}`).join(" or ")}`,
  ],
  ["a sum of 50,000", `select ${"1 + ".repeat(50_000)}1`],
  ["UNION ALL of 5,000", `${"select 1 as x union all ".repeat(5_000)}select 2`],
  [
    "a CASE of 20,000 branches",
    `select case length(id) ${Array.from({ length: 20_000 }, (_, index) => `when ${index} then ${index}`).join(" ")} end from edge_logs`,
  ],
  [
    "2,000 CTEs, each reading the one before",
    `with c0 as (select 1 as x), ${list(2_000, (index) => `c${index + 1} as (select x + 1 as x from c${index})`)} select x from c2000`,
  ],
  [
    "30 CTEs, each reading the one before twice",
    `with c0 as (select 1 as x), ${list(30, (index) => `c${index + 1} as (select a.x from c${index} a, c${index} b)`)} select count(*) from c30`,
  ],
  [
    "300 joins",
    `select count(*) from edge_logs t0 ${Array.from({ length: 300 }, (_, index) => `join edge_logs t${index + 1} on true`).join(" ")}`,
  ],
  ["ten thousand parentheses", `select ${nest(10_000, "(", "1", ")")}`],
  ["a hundred thousand parentheses that stay open", `select ${"(".repeat(100_000)}`],
  ["ten thousand sub-queries", nest(10_000, "select * from (", "select 1", ")")],
  ["150 sub-queries in FROM", nest(150, "select * from (", "select id from edge_logs", ")")],
  ["ten thousand NOTs", `select ${"not ".repeat(10_000)}true`],
  ["ten thousand minus signs", `select ${"- ".repeat(10_000)}1`],
  ["ten thousand array brackets", `select ${nest(10_000, "[", "1", "]")}`],
  ["ten thousand CASTs", `select ${nest(10_000, "cast(", "1", " as int64)")}`],
  ["ten thousand type brackets", `select cast(null as ${nest(10_000, "array<struct<a ", "int64", ">>")})`],
  ["ten thousand field accesses", `select e${".a".repeat(10_000)} from edge_logs e`],
  ["ten thousand subscripts", `select metadata${"[0]".repeat(10_000)} from edge_logs`],
  ["ten thousand pipes", `from edge_logs ${"|> where true ".repeat(10_000)}`],
  ["nested EXISTS", nest(100, "select exists(", "select 1", ")")],
  ["CUBE of 20", `select count(*) from edge_logs group by cube(${list(20, (index) => `${index} + length(id)`)})`],
  [
    "ROLLUP of 2,000",
    `select count(*) from edge_logs group by rollup(${list(2_000, (index) => `${index} + length(id)`)})`,
  ],
  [
    "PIVOT of 5,000 values",
    `select * from (select length(id) n from edge_logs) pivot(count(*) for n in (${list(5_000, String)}))`,
  ],
  ["a megabyte of spaces", `select${" ".repeat(1_000_000)}1`],
  ["a megabyte of comments", `select ${"/* x */ ".repeat(125_000)}1`],
  ["two megabytes of SQL", `select '${"x".repeat(2_000_000)}'`],
  ["a name of a megabyte", `select 1 as \`${"n".repeat(900_000)}\``],
  ["a number of a hundred thousand digits", `select ${"9".repeat(100_000)}`],
  ["a float of a hundred thousand digits", `select 1.${"9".repeat(100_000)}`],
  ["a BIGNUMERIC of a hundred thousand digits", `select bignumeric '${"9".repeat(100_000)}'`],
  ["a BIGNUMERIC with a huge exponent", "select bignumeric '1e1000000000'"],
  ["a power tower", "select pow(pow(pow(10, 300), 300), 300)"],
  ["a shift by the greatest count", "select 1 << 9223372036854775807"],
  ["the smallest integer negated", "select -(-9223372036854775807 - 1)"],
  ["the smallest integer divided", "select div(-9223372036854775808, -1)"],
  ["a regular expression of nested repeats", "select regexp_contains(repeat('a', 100000), '((a{0,30}){0,30}){0,30}b')"],
  [
    "a regular expression of alternatives",
    `select regexp_contains(repeat('a', 1000000), '(${"a?".repeat(2_000)})${"a".repeat(500)}')`,
  ],
  ["a regular expression with a huge repeat", "select regexp_contains('a', 'a{1000000000}')"],
  ["a regular expression of a hundred thousand groups", `select regexp_contains('a', '${"(a)".repeat(100_000)}')`],
  ["a regular expression of nested groups", `select regexp_contains('a', '${nest(50_000, "(", "a", ")")}')`],
  ["a backtracking expression over a megabyte", "select regexp_extract(repeat('a', 1000000), '(a*)*(a*)*(a*)*b')"],
  [
    "a regular expression over many rows",
    `select countif(regexp_contains(cast(a as string), '(.*)(.*)(.*)(.*)(.*)[a-z]')) from ${many} a`,
  ],
  ["REGEXP_EXTRACT_ALL of every character", "select array_length(regexp_extract_all(repeat('a', 10000000), 'a'))"],
  ["LIKE with many wildcards", `select repeat('a', 1000000) like '${"%a".repeat(2_000)}%b'`],
  ["JSON ten thousand deep", `select json_value('${nest(10_000, "[", "1", "]")}', '$[0]')`],
  ["PARSE_JSON a hundred thousand deep", `select parse_json('${nest(100_000, "[", "", "]")}')`],
  ["a JSON path ten thousand deep", `select json_value('{}', '$${".a".repeat(10_000)}')`],
  ["JSON of ten megabytes", "select json_value(concat('[', repeat('1,', 5000000), '1]'), '$[4999999]')"],
  ["JSON of repeated brackets", "select json_value(repeat('[', 1000000), '$[0]')"],
  ["EDIT_DISTANCE of long texts", "select edit_distance(repeat('a', 1000000), repeat('b', 1000000))"],
  ["EDIT_DISTANCE of rows", `select sum(edit_distance(repeat('a', 1000), repeat('b', 1000))) from ${many} a`],
  ["NORMALIZE of a long text", "select length(normalize(repeat('\\ufdfa', 1000000), NFKD))"],
  ["UPPER that grows", "select length(upper(repeat('\u0149', 5000000)))"],
  ["TO_HEX of a long text", "select length(to_hex(cast(repeat('a', 16000000) as bytes)))"],
  ["TO_BASE32 in a chain", `select length(${nest(20, "to_base32(cast(", "repeat('a', 1000000)", " as bytes))")})`],
  [
    "ten thousand hashes of long texts",
    "select count(distinct sha512(repeat('a', 1000000) || cast(a as string))) from unnest(generate_array(1, 10000)) a",
  ],
  ["APPROX_QUANTILES with a huge count", `select array_length(approx_quantiles(a, 1000000000)) from ${many} a`],
  ["APPROX_TOP_COUNT with a huge count", `select array_length(approx_top_count(a, 1000000000)) from ${many} a`],
  ["PERCENTILE_CONT over a cross join", `select percentile_cont(a, 0.5) over () from ${many} a limit 1`],
  ["an answer of a gigabyte", `select repeat('x', 1000000) from unnest(generate_array(1, 1000)) a`],
  ["an answer of many columns and rows", `select ${list(500, (index) => `a as c${index}`)} from ${many} a`],
  ["RANGE_BUCKET of a large array", "select range_bucket(5, generate_array(1, 1000000))"],
  [
    "GENERATE_RANGE_ARRAY by microseconds",
    "select array_length(generate_range_array(range(timestamp '2000-01-01', timestamp '2020-01-01'), interval 1 microsecond))",
  ],
  [
    "CODE_POINTS_TO_STRING of a million",
    "select length(code_points_to_string(array(select 65 from unnest(generate_array(1, 1000000)))))",
  ],
  [
    "ARRAY_REVERSE of arrays of arrays",
    "select array_length(array_reverse(array(select struct(generate_array(1, 1000) as x) from unnest(generate_array(1, 100000)))))",
  ],
];

export const resourceAttempts: readonly ResourceAttempt[] = rows.map(([name, sql]) => ({ name, sql }));
