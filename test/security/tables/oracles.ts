/**
 * Expressions that fail for events of the other project only, and places where a consumer may put them. If one is ever computed for
 * an event that the saved query takes away, the error tells that the event is there, and `error(event_message)` tells the event.
 */

const isOther = "strpos(event_message, 'SECRET') > 0";

/** Conditions by name. */
export const failingConditions: Readonly<Record<string, string>> = {
  "ERROR of the row": `if(${isOther}, error(event_message), 'x') = 'x'`,
  "a division": `1 / (case when ${isOther} then 0 else 1 end) > 0`,
  "a division without a condition": "1 / (strpos(event_message, 'S') - 6) is not null",
  DIV: `div(1, if(${isOther}, 0, 1)) > 0`,
  MOD: `mod(1, if(${isOther}, 0, 1)) = 0`,
  "a cast to a number": `cast(if(${isOther}, 'abc', '1') as int64) = 1`,
  "a cast of the text": "cast(replace(substr(event_message, 6, 3), 'own', '1') as int64) = 1",
  "a cast to BOOL": `cast(if(${isOther}, 'abc', 'true') as bool)`,
  "a cast to DATE": `cast(if(${isOther}, 'abc', '2020-01-01') as date) is not null`,
  "a cast to NUMERIC": `cast(if(${isOther}, '1e50', '1') as numeric) = 1`,
  "a subscript": `[1, 2][offset(if(${isOther}, 5, 0))] = 1`,
  "a sum that overflows": `9223372036854775807 + if(${isOther}, 1, 0) > 0`,
  EXP: `exp(if(${isOther}, 10000, 1)) > 0`,
  LN: `ln(if(${isOther}, 0, 1)) is not null`,
  SQRT: "sqrt(4 - strpos(event_message, 'S')) is not null",
  REPEAT: `repeat('x', if(${isOther}, -1, 1)) = 'x'`,
  SUBSTR: `substr('x', 1, if(${isOther}, -1, 1)) = 'x'`,
  PARSE_DATE: `parse_date('%Y', if(${isOther}, 'zz', '2020')) is not null`,
  PARSE_JSON: `parse_json(if(${isOther}, '{', '{}')) is not null`,
  "a regular expression": `regexp_contains('x', if(${isOther}, '(', 'x'))`,
  FROM_BASE64: `from_base64(if(${isOther}, '!', 'aaaa')) is not null`,
  FROM_HEX: `from_hex(if(${isOther}, 'zz', 'aa')) is not null`,
  CHR: `chr(if(${isOther}, -1, 65)) = 'A'`,
  "NET.IP_FROM_STRING": `net.ip_from_string(if(${isOther}, 'x', '1.1.1.1')) is not null`,
  "a scalar sub-query of two rows": `(select x from unnest(if(${isOther}, [1, 2], [1])) as x) = 1`,
  "an array that is too long": `array_length(generate_array(1, if(${isOther}, 100000000, 1))) > 0`,
  "SAFE_DIVIDE with an outside that fails": `1 / ifnull(safe_cast(if(${isOther}, '0', '1') as int64), 1) > 0`,
};

/** Queries by the place of the condition in them. */
export const oraclePlaces: Readonly<Record<string, (table: string, condition: string) => string>> = {
  WHERE: (table, condition) => `select count(*) as n from ${table} where ${condition}`,
  "WHERE below a LIMIT": (table, condition) =>
    `select id from ${table} where ${condition} order by timestamp desc limit 3`,
  "WHERE beside a condition without rows": (table, condition) =>
    `select count(*) as n from ${table} where id = 'nothing' and ${condition}`,
  SELECT: (table, condition) => `select ${condition} as x from ${table} limit 5`,
  "an aggregate": (table, condition) => `select countif(${condition}) as x from ${table}`,
  "JOIN ON": (table, condition) => `select count(*) as n from ${table} join (select 1 as one) as o on ${condition}`,
  "a join with itself": (table, condition) =>
    `select count(*) as n from ${table} a join (select id as i from ${table} where ${condition}) b on a.id = b.i`,
  HAVING: (table, condition) =>
    `select event_message, count(*) as n from ${table} group by event_message having ${condition} limit 2`,
  EXISTS: (table, condition) => `select exists(select 1 from ${table} where ${condition}) as x`,
  "ORDER BY": (table, condition) => `select id from ${table} order by ${condition}, timestamp desc limit 1`,
};

/** The tables of `oracle-endpoints/logs.all.sql`: each leaves the other project's events out in a way of its own. */
export const oracleTables: readonly string[] = [
  "plain",
  "lowered",
  "regexed",
  "deep",
  "nested",
  "joined",
  "joined_view",
  "in_subquery",
  "exists_subquery",
  "qualified",
  "anded",
  "alternatives",
  "grouped",
  "unioned",
  "coalesced",
];
