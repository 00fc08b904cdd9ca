/** A log source as the store would lay it out, with rows for tests. */

import type { LeafLayout, TableLayout } from "../../../../../src/engines/schema/layout.ts";
import {
  arrayOf,
  BOOL,
  FLOAT64,
  INT64,
  type RecordField,
  type SqlType,
  STRING,
  TIMESTAMP,
} from "../../../../../src/googlesql/types.ts";

function record(fields: readonly RecordField[], isRepeated = false): SqlType {
  return arrayOf({ kind: "RECORD", fields, isRepeated, isOpen: false });
}

const metadata = record([
  {
    name: "request",
    type: record([
      { name: "path", type: STRING },
      { name: "method", type: STRING },
      { name: "port", type: INT64 },
      {
        name: "headers",
        type: record([
          { name: "host", type: STRING },
          { name: "rare", type: STRING },
        ]),
      },
    ]),
  },
  {
    name: "response",
    type: record([
      { name: "status", type: STRING },
      { name: "time", type: FLOAT64 },
      { name: "cached", type: BOOL },
    ]),
  },
  { name: "tags", type: arrayOf(STRING) },
  {
    name: "spans",
    type: record(
      [
        { name: "name", type: STRING },
        { name: "ms", type: INT64 },
      ],
      true,
    ),
  },
]);

function leaf(column: string, type: SqlType): LeafLayout {
  return { type, variants: [{ column, type }] };
}

/** `metadata.request.headers.rare` is in the JSON only; `metadata.response.status` came as a number and as text. */
export const edgeLayout: TableLayout = {
  definition: {
    name: "edge_logs",
    isLenient: true,
    columns: [
      { name: "id", type: STRING },
      { name: "timestamp", type: TIMESTAMP },
      { name: "event_message", type: STRING },
      { name: "project", type: STRING },
      { name: "metadata", type: metadata },
    ],
  },
  table: "events_1",
  recordColumns: new Map([["metadata", "json_1"]]),
  leaves: new Map([
    ["id", leaf("id", STRING)],
    ["timestamp", leaf("timestamp", TIMESTAMP)],
    ["event_message", leaf("event_message", STRING)],
    ["project", leaf("c_project", STRING)],
    ["metadata.request.path", leaf("c_path", STRING)],
    ["metadata.request.method", leaf("c_method", STRING)],
    ["metadata.request.port", leaf("c_port", INT64)],
    ["metadata.request.headers.host", leaf("c_host", STRING)],
    [
      "metadata.response.status",
      {
        type: STRING,
        variants: [
          { column: "c_status_int", type: INT64 },
          { column: "c_status_text", type: STRING },
        ],
      },
    ],
    ["metadata.response.time", leaf("c_time", FLOAT64)],
    ["metadata.response.cached", leaf("c_cached", BOOL)],
    ["metadata.tags", leaf("c_tags", arrayOf(STRING))],
  ]),
  presence: new Map([
    ["metadata", "p_metadata"],
    ["metadata.request", "p_request"],
    ["metadata.response", "p_response"],
  ]),
};

/** Makes the source's table with four events; the last carries no metadata, the third no response. */
export const edgeSetup: readonly string[] = [
  `CREATE TABLE events_1 (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, c_project VARCHAR, json_1 VARCHAR,
     c_path VARCHAR, c_method VARCHAR, c_port BIGINT, c_host VARCHAR, c_status_int BIGINT, c_status_text VARCHAR, c_time DOUBLE,
     c_cached BOOLEAN, c_tags VARCHAR[], p_metadata BOOLEAN, p_request BOOLEAN, p_response BOOLEAN)`,
  `INSERT INTO events_1 VALUES
     ('a', '2026-01-01 10:00:00', 'first', 'p1',
      '[{"request":[{"path":"/a","method":"GET","port":443,"headers":[{"host":"h1","rare":"r1"}]}],"response":[{"status":200,"time":1.5,"cached":true}],"tags":["x","y"],"spans":[{"name":"s1","ms":1},{"name":"s2","ms":2}]}]',
      '/a', 'GET', 443, 'h1', 200, NULL, 1.5, true, ['x', 'y'], true, true, true),
     ('b', '2026-01-01 11:00:00', 'second', 'p1',
      '[{"request":[{"path":"/b","method":"POST"}],"response":[{"status":"error"}],"spans":[{"name":"s3","ms":30}]}]',
      '/b', 'POST', NULL, NULL, NULL, 'error', NULL, NULL, NULL, true, true, true),
     ('c', '2026-01-01 12:00:00', 'third', 'p2', '[{"request":[{"path":"/a","headers":[{"rare":"r3"}]}]}]',
      '/a', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, NULL),
     ('d', '2026-01-01 13:00:00', 'fourth', 'p2', NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
];
