/** A query that is allowed, and what it may show: exactly these cells, row by row. */
export interface AnsweredAttempt {
  readonly name: string;
  readonly sql: string;
  readonly cells: readonly (readonly unknown[])[];
}

const rows: readonly (readonly [name: string, sql: string, cells: readonly (readonly unknown[])[]])[] = [
  [
    "a star shows the table's columns only",
    "select count(*), min(id), max(id) from (select * from edge_logs)",
    [[3, "a1", "a3"]],
  ],
  ["a whole row as JSON", "select to_json_string(e) like '%own/a1%' from edge_logs e where id = 'a1'", [[true]]],
  ["a whole row as a value", "select e.id from (select e from edge_logs e) where e.id = 'a1'", [["a1"]]],
  ["SELECT AS STRUCT of everything", "select (select as struct * from edge_logs where id = 'a2').id", [["a2"]]],
  ["ARRAY of everything", "select array_length(array(select as struct * from edge_logs))", [[3]]],
  ["a CTE named as a source", "with edge as (select 1 as x) select x from edge", [[1]]],
  ["a CTE named as a source's alias", "with `postgres.logs` as (select 2 as x) select x from `postgres.logs`", [[2]]],
  [
    "a CTE named as an alias with dashes",
    "with `deno-relay-logs` as (select 1 as x) select x from `deno-relay-logs`",
    [[1]],
  ],
  ["a CTE named as the physical table", "with events_1 as (select 3 as x) select x from events_1", [[3]]],
  [
    "a CTE named as the compiler names them",
    "with w1_edge_logs as (select 4 as x) select x from w1_edge_logs, edge_logs limit 1",
    [[4]],
  ],
  [
    "a CTE named information_schema",
    "with information_schema as (select 5 as x) select x from information_schema",
    [[5]],
  ],
  [
    "a CTE that hides a table for the consumer only",
    "with db_logs as (select 'mine' as id) select (select max(id) from db_logs), count(*) from edge_logs",
    [["mine", 3]],
  ],
  [
    "a CTE that hides a table and reads it",
    "with edge_logs as (select id from (select 'x' as id)) select id from edge_logs",
    [["x"]],
  ],
  ["a source's name as an alias", "select edge.id from edge_logs edge where edge.id = 'a1'", [["a1"]]],
  ["a source's name as a sub-query's alias", "select edge.n from (select count(*) n from edge_logs) edge", [[3]]],
  ["an alias with dots", "select `postgres.logs`.id from edge_logs as `postgres.logs` where id = 'a1'", [["a1"]]],
  [
    "an alias that closes quotes",
    "select `x\"; drop table events_1; --`.id from edge_logs as `x\"; drop table events_1; --` where id = 'a1'",
    [["a1"]],
  ],
  [
    "an output name that closes quotes",
    "select id as `x\"; drop table events_1; --` from edge_logs where id = 'a1'",
    [["a1"]],
  ],
  [
    "a text that closes quotes",
    "select 'it\\'' || \"'; drop table events_1; --\" from edge_logs where id = 'a1'",
    [["it''; drop table events_1; --"]],
  ],
  ["a text with a backslash and a quote", "select 'a\\'; select 1; --'", [["a'; select 1; --"]]],
  ["a text that looks like a placeholder", "select '$1', \"$2\" from edge_logs where id = 'a1'", [["$1", "$2"]]],
  ["a text with a NUL", "select length('a\\000b')", [[3]]],
  ["a triple-quoted text", 'select \'\'\'it\'s\'\'\', """a "b" c"""', [["it's", 'a "b" c']]],
  ["a comment inside a text", "select '/* x */ -- y'", [["/* x */ -- y"]]],
  ["nested comments do not nest", "select 1 /* a /* b */", [[1]]],
  ["a declared parameter", "select @project", [["inside"]]],
  ["a declared parameter in capitals", "select @PROJECT", [["inside"]]],
  [
    "a parameter does not widen the endpoint's filter",
    "select count(*) from edge_logs where @project = 'inside' or true",
    [[3]],
  ],
  ["a filter that is always true", "select count(*) from edge_logs where 1 = 1 or true", [[3]]],
  ["a cross join with another table", "select count(*) from edge_logs, db_logs", [[3]]],
  ["a table with rows of others only", "select count(*) from realtime_logs", [[0]]],
  [
    "all tables at once",
    "select count(*) from (select id from edge_logs union all select id from db_logs union all select id from realtime_logs union all select id from auth_logs)",
    [[4]],
  ],
  ["LIKE with everything", "select count(*) from edge_logs where event_message like '%'", [[3]]],
  [
    "a search in the other project's texts",
    "select count(*) from edge_logs where event_message like '%SECRET%' or to_json_string(metadata) like '%SECRET%'",
    [[0]],
  ],
  ["a search by the other project's id", "select count(*) from edge_logs where id in ('z1', 'z2')", [[0]]],
  ["the newest of all", "select max(id) from edge_logs", [["a3"]]],
  ["a count of distinct projects", "select count(distinct m.project) from edge_logs, unnest(metadata) m", [[1]]],
  ["approximate quantiles of texts", "select approx_quantiles(id, 2) from edge_logs", [[["a1", "a2", "a3"]]]],
  ["a running window over all rows", "select max(count(*)) over () from edge_logs", [[3]]],
  [
    "LEAD beyond the last row",
    "select lead(id, 1, 'none') over (order by id) from edge_logs order by id desc limit 1",
    [["none"]],
  ],
  [
    "FIRST_VALUE of an unbounded frame",
    "select last_value(id) over (order by id rows between unbounded preceding and unbounded following) from edge_logs limit 1",
    [["a3"]],
  ],
  ["an outer join without a match", "select count(*) from edge_logs e full join realtime_logs r using (id)", [[3]]],
  [
    "a division by zero in rows that are filtered out",
    "select count(*) from edge_logs where id = 'z1' and 1 / (length(id) - 2) > 0",
    [[0]],
  ],
  [
    "ERROR() over the other project's rows",
    "select count(*) from edge_logs where id like 'z%' and error(event_message)",
    [[0]],
  ],
  [
    "a cast that would fail on the other project's rows",
    "select count(*) from edge_logs where id like 'z%' and cast(event_message as int64) = 1",
    [[0]],
  ],
  ["an error behind IF", "select sum(if(id like 'z%', cast(event_message as int64), 1)) from edge_logs", [[3]]],
  ["a scalar sub-query over hidden rows", "select (select event_message from edge_logs where id = 'z1')", [[null]]],
  ["LIMIT ALL", "select id from edge_logs order by id limit all", [["a1"], ["a2"], ["a3"]]],
  ["the type of a column", "select typeof(id) from edge_logs limit 1", [["STRING"]]],
  ["a semicolon at the end", "select 1;", [[1]]],
  ["case does not matter", "SELECT ID FROM EdGe_LoGs WHERE ID = 'a1'", [["a1"]]],
  ["a quoted visible table", "select `id` from `edge_logs` where `id` = 'a1'", [["a1"]]],
  ["an escaped visible table", "select id from `\\x65dge_logs` where id = 'a1'", [["a1"]]],
  ["an alias of the endpoint's", "select count(*) from postgres_logs", [[1]]],
  ["keywords as quoted names", "select 1 as `select`, 2 as `from`", [[1, 2]]],
  [
    "letters that fold to one another stay apart",
    "with `\u017f` as (select 1 as x), s as (select 2 as x) select x from `\u017f`",
    [[1]],
  ],
  [
    "composed and decomposed names stay apart",
    "with `\u00e9` as (select 1 as x), `e\u0301` as (select 2 as x) select x from `e\u0301`",
    [[2]],
  ],
  ["a LIMIT beyond every row", "select count(*) from (select id from edge_logs limit 9223372036854775807)", [[3]]],
  ["an OFFSET beyond every row", "select id from edge_logs limit 1 offset 9223372036854775807", []],
  ["LIMIT zero", "select id from edge_logs limit 0", []],
  ["TABLESAMPLE of everything", "select count(*) from edge_logs tablesample system (100 percent)", [[3]]],
  ["a big hexadecimal integer", "select 0x7fffffffffffffff = 9223372036854775807", [[true]]],
  ["a pipe over a visible table", "from edge_logs |> where id = 'a1' |> select id", [["a1"]]],
  [
    "a regular expression that would backtrack",
    "select regexp_contains(repeat('a', 5000) || 'b', '^(a+)+$')",
    [[false]],
  ],
  ["a field by a name with dots", "select m.`a.b` from edge_logs, unnest(metadata) m where id = 'a1'", [[null]]],
  [
    "a field by a name with a quote",
    "select m.`x\"`, m.`y'` from edge_logs, unnest(metadata) m where id = 'a1'",
    [[null, null]],
  ],
  [
    "a field by a name with a slash",
    "select m.`request/path`, m.`~1`, m.`$`, m.`*` from edge_logs, unnest(metadata) m where id = 'a1'",
    [[null, null, null, null]],
  ],
  [
    "a JSON path with wild parts",
    "select json_value('{\"a\":1}', '$.a'), json_query('{\"a\":{\"b\":2}}', '$.a')",
    [["1", '{"b":2}']],
  ],
  ["the clock of the engine only", "select current_timestamp() is not null", [[true]]],
  ["a random number", "select rand() < 1", [[true]]],
  ["a UUID", "select length(generate_uuid())", [[36]]],
];

export const answeredAttempts: readonly AnsweredAttempt[] = rows.map(([name, sql, cells]) => ({ name, sql, cells }));
