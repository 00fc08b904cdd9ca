import { describe, expect, it } from "vitest";
import { columnsOf, dumpOf, errorsOf } from "../../../../test/support/googlesql/resolver/resolved.ts";

describe("the resolver of log record fields", () => {
  it("follows paths in any case through arrays of one element", () => {
    expect(
      dumpOf(
        "SELECT metadata.level, metadata[0].request[0].path, t.metadata.REQUEST.host, " +
          "metadata[OFFSET(0)].request[ORDINAL(1)].headers.host, m.request.Host FROM logs t CROSS " +
          "JOIN UNNEST(metadata) AS m",
      ),
    ).toMatchInlineSnapshot(`
      "select level=level#6:STRING, path=path#7:STRING, host=host#8:STRING, host_1=host#9:STRING, Host_2=Host#10:STRING
        compute metadata#4->level as level#6, metadata#4->request->path as path#7, metadata#4->request->Host as host#8, metadata#4->request->headers->host as host#9, m#5->request->Host as Host#10
          unnest metadata#4 as m#5
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("treats records collected into arrays as arrays of several elements", () => {
    expect(
      columnsOf(
        `SELECT ARRAY_AGG(m), ARRAY(SELECT r FROM UNNEST(m.request) r), [m] FROM logs, UNNEST(metadata) m GROUP BY m`,
      ),
    ).toMatchInlineSnapshot(
      `"f0_ ARRAY<STRUCT<level STRING, attempt INT64, ok BOOL, tags ARRAY<STRING>, request ARRAY<STRUCT<path ` +
        "STRING, method STRING, Host STRING, headers ARRAY<STRUCT<host STRING>>>>, response " +
        "ARRAY<STRUCT<status_code INT64, origin_time FLOAT64>>, spans ARRAY<STRUCT<name STRING, ms INT64>>, " +
        "extra ARRAY<STRUCT<known STRING>>>>, f1_ ARRAY<STRUCT<path STRING, method STRING, Host STRING, headers " +
        "ARRAY<STRUCT<host STRING>>>>, f2_ ARRAY<STRUCT<level STRING, attempt INT64, ok BOOL, tags " +
        "ARRAY<STRING>, request ARRAY<STRUCT<path STRING, method STRING, Host STRING, headers ARRAY<STRUCT<host " +
        "STRING>>>>, response ARRAY<STRUCT<status_code INT64, origin_time FLOAT64>>, spans ARRAY<STRUCT<name " +
        `STRING, ms INT64>>, extra ARRAY<STRUCT<known STRING>>>>"`,
    );
  });

  it("reports a bare name as ambiguous when two aliases have the field", () => {
    expect(
      errorsOf(`SELECT host FROM logs, UNNEST(metadata) m, UNNEST(m.request) r, UNNEST(r.headers) h`),
    ).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "host": Column name host is ambiguous; write r.host or h.host",
      ]
    `);
  });

  it("reports unknown fields where no log source is in scope", () => {
    expect(
      errorsOf(`WITH t AS (SELECT id, metadata FROM logs) SELECT levle, t.nope, metadata.nope FROM t`),
    ).toMatchInlineSnapshot(`
      [
        "unknown_column at "levle": Unrecognized name: levle",
        "unknown_column at "nope": Name nope not found inside t",
      ]
    `);
    expect(errorsOf(`SELECT x.nope FROM (SELECT id FROM logs) AS x`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Name nope not found inside x",
      ]
    `);
  });

  it("expands a star to the fields that events have carried", () => {
    expect(
      columnsOf(
        `SELECT m.* EXCEPT (request, response, spans, extra), metadata.request.* FROM logs, UNNEST(metadata) m`,
      ),
    ).toMatchInlineSnapshot(
      `"level STRING, attempt INT64, ok BOOL, tags ARRAY<STRING>, path STRING, method STRING, Host STRING, ` +
        `headers ARRAY<STRUCT<host STRING>>"`,
    );
  });
});

describe("the resolver of log record leaves beside other types", () => {
  it("rejects string literals that are not timestamps", () => {
    expect(errorsOf(`SELECT 1 FROM logs WHERE timestamp > 'yesterday'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'yesterday'": Could not cast literal "yesterday" to type TIMESTAMP",
      ]
    `);
  });
});
