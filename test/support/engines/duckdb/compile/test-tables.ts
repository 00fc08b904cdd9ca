/** The tables of the resolver's tests, with rows: what its trees answer on the engine. */

import type { LeafLayout, TableLayout } from "../../../../../src/engines/schema/layout.ts";
import { arrayOf, BOOL, FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../../../../src/googlesql/types.ts";
import { logs } from "../../../googlesql/resolver/resolved.ts";
import { openMemoryDatabase } from "../driver/memory-database.ts";
import { bindCall } from "./bind-call.ts";
import { compileText, type TestDatabase } from "./compile-text.ts";

function leaf(column: string, type: SqlType): readonly [string, LeafLayout] {
  return [column, { type, variants: [{ column: `c_${column.replaceAll(".", "_")}`, type }] }];
}

const logsLayout: TableLayout = {
  definition: logs,
  table: "events_1",
  recordColumns: new Map([["metadata", "json_1"]]),
  leaves: new Map([
    leaf("id", STRING),
    leaf("timestamp", TIMESTAMP),
    leaf("event_message", STRING),
    leaf("metadata.level", STRING),
    leaf("metadata.attempt", INT64),
    leaf("metadata.ok", BOOL),
    leaf("metadata.tags", arrayOf(STRING)),
    leaf("metadata.request.path", STRING),
    leaf("metadata.request.method", STRING),
    leaf("metadata.response.status_code", INT64),
    leaf("metadata.response.origin_time", FLOAT64),
  ]),
  presence: new Map([
    ["metadata", "p_metadata"],
    ["metadata.request", "p_request"],
    ["metadata.response", "p_response"],
  ]),
};

/** Three events: one with all fields, one with few, one without metadata. */
const setup: readonly string[] = [
  `CREATE TABLE events_1 (c_id VARCHAR, c_timestamp TIMESTAMP, c_event_message VARCHAR, json_1 VARCHAR,
     c_metadata_level VARCHAR, c_metadata_attempt BIGINT, c_metadata_ok BOOLEAN, c_metadata_tags VARCHAR[],
     c_metadata_request_path VARCHAR, c_metadata_request_method VARCHAR, c_metadata_response_status_code BIGINT,
     c_metadata_response_origin_time DOUBLE, p_metadata BOOLEAN, p_request BOOLEAN, p_response BOOLEAN)`,
  `INSERT INTO events_1 VALUES
     ('5', '2026-01-01 10:00:00', 'first',
      '[{"level":"error","attempt":3,"ok":true,"tags":["x","y"],"request":[{"path":"/a","method":"GET","Host":"H","headers":[{"host":"h"}]}],"response":[{"status_code":500,"origin_time":1.5}],"spans":[{"name":"s1","ms":1},{"name":"s2","ms":20}],"extra":[{"known":"k","other":"7"}]}]',
      'error', 3, true, ['x', 'y'], '/a', 'GET', 500, 1.5, true, true, true),
     ('b', '2026-01-02 11:30:00', 'second', '[{"level":"info","attempt":1,"request":[{"path":"/b"}],"extra":[{"other":"1"}]}]',
      'info', 1, NULL, NULL, '/b', NULL, NULL, NULL, true, true, NULL),
     ('c', '2026-01-03 12:00:00', 'third', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
];

const people = `people AS (SELECT 1 AS id, 'a' AS name, 2.5 AS score UNION ALL SELECT 2, 'b', -1.0
  UNION ALL SELECT 3, 'a', NULL UNION ALL SELECT 4, NULL, 7.25)`;
const orders = `orders AS (SELECT 1 AS id, 'a' AS customer, NUMERIC '2' AS total, DATE '2026-01-01' AS day,
  DATETIME '2026-01-01 10:00:00' AS placed, [STRUCT('s1' AS sku, 2 AS quantity), ('s2', 1)] AS items,
  JSON '{"a": {"b": 1}, "n": [1, 2]}' AS doc
  UNION ALL SELECT 3, 'c', NUMERIC '-1.5', DATE '2026-02-28', DATETIME '2026-02-28 00:00:00', [], JSON 'null')`;

/** A query with the rows of `people` and `orders` in front, if it reads them. */
function withTables(query: string): string {
  const read = [...(/\bpeople\b/i.test(query) ? [people] : []), ...(/\borders\b/i.test(query) ? [orders] : [])].join(
    ", ",
  );
  if (read === "") return query;
  const [, recursive = "", rest] = /^\s*WITH\s+(RECURSIVE\s+)?(?!\()(.*)$/is.exec(query) ?? [];
  return rest === undefined ? `WITH ${read} ${query}` : `WITH ${recursive}${read}, ${rest}`;
}

/** A database in memory that holds them. */
export async function openTestTables(): Promise<TestDatabase> {
  const database = await openMemoryDatabase();
  for (const statement of setup) await database.query(statement);
  return {
    database,
    async rows(query, values = {}) {
      const compiled = compileText(withTables(query), [logsLayout]);
      const given = compiled.parameters.map(({ key }) => values[key] ?? null);
      const { sql, parameters } = await bindCall(database.all, compiled, given);
      return database.encode(sql, compiled.columns, "cells", parameters);
    },
  };
}
