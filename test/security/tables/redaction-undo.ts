/**
 * Queries that try to get at redacted values, on a table with one row: `event_message` is
 * `client 203.0.113.9 mail ada@example.com card 4111 1111 1111 1111`, `metadata.request.headers.ip` is `2001:db8::7`, and
 * `metadata.tags` is `["10.1.2.3", "plain"]`. With redaction on, none of them may answer a piece of these.
 */
export interface UndoAttempt {
  readonly name: string;
  readonly sql: string;
  /** The cells of the answer; an error is as good where there are none. */
  readonly cells?: readonly (readonly unknown[])[];
}

const message = "client REDACTED mail REDACTED card REDACTED";
const fields =
  "edge_logs t cross join unnest(metadata) m cross join unnest(m.request) r cross join unnest(r.headers) h";

const rows: readonly (readonly [name: string, sql: string, cells?: readonly (readonly unknown[])[]])[] = [
  ["the value itself", "select event_message from edge_logs", [[message]]],
  ["REVERSE", "select reverse(event_message) from edge_logs", [[[...message].reverse().join("")]]],
  ["REPLACE of the dots", "select replace(event_message, '.', '-') from edge_logs", [[message]]],
  ["SPLIT at the dots", "select split(event_message, '.') from edge_logs", [[[message]]]],
  ["SPLIT and one part", "select split(event_message, '.')[safe_offset(1)] from edge_logs", [[null]]],
  ["SUBSTR", "select substr(event_message, 8, 5) from edge_logs", [["REDAC"]]],
  [
    "LEFT and RIGHT",
    "select left(event_message, 10), right(event_message, 4) from edge_logs",
    [["client RED", "CTED"]],
  ],
  ["TO_HEX", "select to_hex(cast(substr(event_message, 8, 8) as bytes)) from edge_logs", [["5245444143544544"]]],
  ["TO_BASE64", "select to_base64(cast(substr(event_message, 8, 8) as bytes)) from edge_logs", [["UkVEQUNURUQ="]]],
  ["TO_CODE_POINTS", "select to_code_points(substr(event_message, 8, 3)) from edge_logs", [[[82, 69, 68]]]],
  ["ASCII", "select ascii(substr(event_message, 8)) from edge_logs", [[82]]],
  ["LENGTH", "select length(event_message) from edge_logs", [[message.length]]],
  ["STRPOS", "select strpos(event_message, '203') from edge_logs", [[0]]],
  ["LIKE", "select count(*) from edge_logs where event_message like '%203.0%'", [[0]]],
  [
    "=",
    "select count(*) from edge_logs where event_message = 'client 203.0.113.9 mail ada@example.com card 4111 1111 1111 1111'",
    [[0]],
  ],
  ["<", "select count(*) from edge_logs where event_message < 'client 3'", [[0]]],
  [
    "IN",
    "select count(*) from edge_logs, unnest(metadata) m, unnest(m.request) r, unnest(r.headers) h where h.ip in ('2001:db8::7')",
    [[0]],
  ],
  ["BETWEEN", `select count(*) from ${fields} where h.ip between '2' and '3'`, [[0]]],
  ["STARTS_WITH", `select starts_with(h.ip, '2001') from ${fields}`, [[false]]],
  ["REGEXP_CONTAINS", "select regexp_contains(event_message, r'\\d') from edge_logs", [[false]]],
  ["REGEXP_EXTRACT", "select regexp_extract(event_message, r'(\\d+)') from edge_logs", [[null]]],
  ["REGEXP_REPLACE", "select regexp_replace(event_message, r'(\\d)', r'<\\1>') from edge_logs", [[message]]],
  ["TRANSLATE", "select translate(event_message, '0123456789.', 'abcdefghijk') from edge_logs", [[message]]],
  ["a field", `select h.ip from ${fields}`, [["REDACTED"]]],
  ["a field reversed", `select reverse(h.ip) from ${fields}`, [["DETCADER"]]],
  ["a field by path", "select reverse(metadata[0].request[0].headers[0].ip) from edge_logs", [["DETCADER"]]],
  ["a field in ORDER BY", `select t.id from ${fields} order by h.ip limit 1`, [["r1"]]],
  ["GROUP BY a field", `select substr(h.ip, 1, 4), count(*) from ${fields} group by h.ip`, [["REDA", 1]]],
  ["MIN of a field", `select reverse(min(h.ip)) from ${fields}`, [["DETCADER"]]],
  ["STRING_AGG of a field", `select reverse(string_agg(h.ip)) from ${fields}`, [["DETCADER"]]],
  ["ARRAY_AGG of a field", `select reverse(array_agg(h.ip)[offset(0)]) from ${fields}`, [["DETCADER"]]],
  ["a window over a field", `select reverse(first_value(h.ip) over (order by t.id)) from ${fields}`, [["DETCADER"]]],
  [
    "COUNT(DISTINCT) of a prefix",
    `select count(distinct substr(h.ip, 1, 4) || 'x') from ${fields} where h.ip like '2001%'`,
    [[0]],
  ],
  [
    "an array of strings",
    "select reverse(tag) from edge_logs, unnest(metadata) m, unnest(m.tags) tag order by 1",
    [["DETCADER"], ["nialp"]],
  ],
  ["an array's element", "select reverse(metadata[0].tags[offset(0)]) from edge_logs", [["DETCADER"]]],
  ["ARRAY_TO_STRING", "select reverse(array_to_string(metadata[0].tags, ' ')) from edge_logs", [["nialp DETCADER"]]],
  [
    "the record as JSON text",
    "select strpos(to_json_string(metadata), '2001') + strpos(to_json_string(metadata), '10.1') from edge_logs",
    [[0]],
  ],
  [
    "the record as JSON text reversed",
    "select strpos(reverse(to_json_string(m)), '7::') from edge_logs, unnest(metadata) m",
    [[0]],
  ],
  ["the whole row as JSON text reversed", "select strpos(reverse(to_json_string(t)), '9.311') from edge_logs t", [[0]]],
  [
    "TO_JSON and a path",
    "select reverse(json_value(to_json(t), '$.event_message')) from edge_logs t",
    [[[...message].reverse().join("")]],
  ],
  [
    "a JSON path below the record",
    "select reverse(json_value(to_json_string(metadata), '$[0].request[0].headers[0].ip')) from edge_logs",
    [["DETCADER"]],
  ],
  [
    "FORMAT with %T",
    "select reverse(format('%T', event_message)) from edge_logs",
    [[`"${[...message].reverse().join("")}"`]],
  ],
  ["FORMAT of the row", "select strpos(reverse(format('%t', t)), '9.311') from edge_logs t", [[0]]],
  [
    "CAST to BYTES and back",
    "select reverse(safe_convert_bytes_to_string(cast(event_message as bytes))) from edge_logs",
    [[[...message].reverse().join("")]],
  ],
  ["NET.IP_FROM_STRING", `select to_hex(net.safe_ip_from_string(h.ip)) from ${fields}`, [[null]]],
  ["a hash to guess by", `select to_hex(md5(h.ip)) = to_hex(md5('2001:db8::7')) from ${fields}`, [[false]]],
  [
    "FARM_FINGERPRINT to guess by",
    `select farm_fingerprint(h.ip) = farm_fingerprint('2001:db8::7') from ${fields}`,
    [[false]],
  ],
  ["a join to guess by", `select count(*) from ${fields} join (select '2001:db8::7' as ip) g on g.ip = h.ip`, [[0]]],
  ["a sub-query to guess by", `select exists(select 1 from ${fields} where h.ip like '%db8%')`, [[false]]],
  [
    "a CTE in between",
    "with x as (select event_message as v from edge_logs) select reverse(v) from x",
    [[[...message].reverse().join("")]],
  ],
  ["a CTE of the same name", "with edge_logs as (select * from edge_logs) select id from edge_logs"],
  ["an error that quotes a value", "select cast(event_message as int64) from edge_logs"],
  ["ERROR() with a value reversed", "select error(reverse(event_message)) from edge_logs"],
  ["a failed cast of a part", "select cast(split(event_message, ' ')[offset(1)] as int64) from edge_logs"],
  ["a failed PARSE_JSON", "select parse_json(reverse(event_message)) from edge_logs"],
  ["a failed SUBSTR", "select substr(event_message, 1, -length(event_message)) from edge_logs"],
  ["IF on a value", "select if(event_message like '%203%', 'yes', 'no') from edge_logs", [["no"]]],
  ["CASE on a value", `select case when h.ip = '2001:db8::7' then 1 else 0 end from ${fields}`, [[0]]],
  ["EDIT_DISTANCE", `select edit_distance(h.ip, '2001:db8::7') = 0 from ${fields}`, [[false]]],
  ["SOUNDEX", "select soundex(split(event_message, ' ')[offset(3)]) from edge_logs", [["R323"]]],
  ["CONTAINS_SUBSTR of the row", "select contains_substr(t, '203.0') from edge_logs t", [[false]]],
  ["APPROX_TOP_COUNT", `select reverse(approx_top_count(h.ip, 1)[offset(0)].value) from ${fields}`, [["DETCADER"]]],
  [
    "UNION with itself",
    "select reverse(event_message) from edge_logs union distinct select reverse(event_message) from edge_logs",
    [[[...message].reverse().join("")]],
  ],
  [
    "PIVOT by a value",
    "select * from (select substr(event_message, 8, 3) as p from edge_logs) pivot(count(*) as c for p in ('203' as hit, 'RED' as miss))",
    [[0, 1]],
  ],
  ["a pipe", "from edge_logs |> extend reverse(event_message) as v |> select v", [[[...message].reverse().join("")]]],
  [
    "a WITH expression",
    "select with(v as event_message, reverse(v)) from edge_logs",
    [[[...message].reverse().join("")]],
  ],
];

export const undoAttempts: readonly UndoAttempt[] = rows.map(([name, sql, cells]) =>
  cells === undefined ? { name, sql } : { name, sql, cells },
);
