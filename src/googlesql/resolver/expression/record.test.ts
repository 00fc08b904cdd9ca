import { describe, expect, it } from "vitest";
import { columnsOf, dumpOf, errorsOf } from "../testing/resolved.ts";

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

  it("finds fields by bare names through every alias, after columns", () => {
    expect(
      dumpOf(
        "SELECT id, level, path, status_code FROM logs CROSS JOIN UNNEST(metadata) AS m CROSS " +
          "JOIN UNNEST(m.request) AS request LEFT JOIN UNNEST(m.response) AS response",
      ),
    ).toMatchInlineSnapshot(`
      "select id=id#1:STRING, level=level#8:STRING, path=path#9:STRING, status_code=status_code#10:INT64
        compute m#5->level as level#8, request#6->path as path#9, response#7->status_code as status_code#10
          outer unnest m#5->response as response#7
            unnest m#5->request as request#6
              unnest metadata#4 as m#5
                table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("resolves a field that no event has carried to NULL", () => {
    expect(
      dumpOf(
        "SELECT m.nope, m.nope.deeper, nope, t.nope, metadata[0].nope[0].x, m.extra.known, m.extra.surprise " +
          "FROM logs t, UNNEST(metadata) AS m",
      ),
    ).toMatchInlineSnapshot(`
      "select nope=nope#6:UNKNOWN, deeper=deeper#7:UNKNOWN, nope_1=nope#8:UNKNOWN, nope_2=nope#9:UNKNOWN, x=x#10:UNKNOWN, known=known#11:STRING, surprise=surprise#12:MIXED
        compute m#5->nope as nope#6, NULL as deeper#7, NULL as nope#8, NULL as nope#9, NULL as x#10, m#5->extra->known as known#11, m#5->extra->surprise as surprise#12
          unnest metadata#4 as m#5
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("unnests a field that no event has carried to no rows, or to NULL in an outer join", () => {
    expect(
      dumpOf(`SELECT n.x, k.y FROM logs, UNNEST(metadata) m, UNNEST(m.nope) AS n LEFT JOIN UNNEST(n.more) AS k`),
    ).toMatchInlineSnapshot(`
      "select x=x#8:UNKNOWN, y=y#9:UNKNOWN
        compute n#6->x as x#8, k#7->y as y#9
          outer unnest NULL:ARRAY<STRUCT<>> as k#7
            unnest NULL:ARRAY<STRUCT<>> as n#6
              unnest metadata#4 as m#5
                table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("unnests arrays of several elements, or reads them at a position", () => {
    expect(
      dumpOf(
        "SELECT s.name, metadata.spans[1].name, metadata.spans[ORDINAL(id_)].ms " +
          "FROM (SELECT metadata, 2 AS id_ FROM logs), UNNEST(metadata) m, UNNEST(m.spans) s",
      ),
    ).toMatchInlineSnapshot(`
      "select name=name#8:STRING, name_1=name#9:STRING, ms=ms#10:INT64
        compute s#7->name as name#8, $safe_array_at_offset(metadata#4->spans, 1)->name as name#9, $safe_array_at_ordinal(metadata#4->spans, id_#5)->ms as ms#10
          unnest m#6->spans as s#7
            unnest metadata#4 as m#6
              compute 2 as id_#5
                table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("preserves field types through sub-queries, CTEs and unions", () => {
    expect(
      dumpOf(
        "WITH a AS (SELECT metadata FROM logs), b AS (SELECT metadata FROM a UNION ALL SELECT metadata " +
          "FROM logs) SELECT metadata.level, m.request.path FROM b, UNNEST(metadata) m",
      ),
    ).toMatchInlineSnapshot(`
      "select level=level#13:STRING, path=path#14:STRING
        with
          a(metadata#4) =
            table logs(id#1, timestamp#2, event_message#3, metadata#4)
          b(metadata#10) =
            union all metadata#10
              (metadata#5)
                cte a(metadata#5)
              (metadata#9)
                table logs(id#6, timestamp#7, event_message#8, metadata#9)
          compute metadata#11->level as level#13, m#12->request->path as path#14
            unnest metadata#11 as m#12
              cte b(metadata#11)"
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
  it("coerces safely in comparisons", () => {
    expect(
      dumpOf(
        "SELECT level = 200, 2.5 < level, level = TRUE, level > TIMESTAMP '2024-01-01', attempt = '3', " +
          "attempt IN ('1', '2'), attempt = 'many', attempt BETWEEN '1' " +
          "AND '2.5', ok = 'true', ok = 1, attempt = level, attempt IS DISTINCT FROM '1' " +
          "FROM logs, UNNEST(metadata) m",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#6:BOOL, f1_=f1#7:BOOL, f2_=f2#8:BOOL, f3_=f3#9:BOOL, f4_=f4#10:BOOL, f5_=f5#11:BOOL, f6_=f6#12:BOOL, f7_=f7#13:BOOL, f8_=f8#14:BOOL, f9_=f9#15:BOOL, f10_=f10#16:BOOL, f11_=f11#17:BOOL
        compute $equal(safe_coerce(m#5->level as INT64), 200) as f0#6, $less(FLOAT64'2.5', safe_coerce(m#5->level as FLOAT64)) as f1#7, $equal(safe_coerce(m#5->level as BOOL), true) as f2#8, $greater(safe_coerce(m#5->level as TIMESTAMP), TIMESTAMP'1704067200000000') as f3#9, $equal(m#5->attempt, 3) as f4#10, $in(m#5->attempt, 1, 2) as f5#11, $equal(safe_coerce(m#5->attempt as STRING), "many") as f6#12, $between(coerce(m#5->attempt as FLOAT64), FLOAT64'1', FLOAT64'2.5') as f7#13, $equal(m#5->ok, true) as f8#14, $equal(safe_coerce(m#5->ok as INT64), 1) as f9#15, $equal(safe_coerce(m#5->attempt as STRING), m#5->level) as f10#16, $is_distinct(m#5->attempt, 1) as f11#17
          unnest metadata#4 as m#5
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("coerces safely in CASE and IN queries", () => {
    expect(
      dumpOf(
        "SELECT CASE attempt WHEN '1' THEN 'one' WHEN 2 THEN level " +
          "END, IF(ok, attempt, 'none'), level IN (SELECT id FROM people), COALESCE(attempt, level) " +
          "FROM logs, UNNEST(metadata) m",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#6:STRING, f1_=f1#7:STRING, f2_=f2#11:BOOL, f3_=f3#12:STRING
        compute case(when $equal(m#5->attempt, 1) then "one" when $equal(m#5->attempt, 2) then m#5->level) as f0#6, IF(m#5->ok, safe_coerce(m#5->attempt as STRING), "none") as f1#7, (safe_coerce(m#5->level as INT64) IN (id#8 from table people(id#8, name#9, score#10))) as f2#11, COALESCE(safe_coerce(m#5->attempt as STRING), m#5->level) as f3#12
          unnest metadata#4 as m#5
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("coerces safely in arguments", () => {
    expect(
      dumpOf(
        "SELECT LOWER(attempt), ABS(level), SUM(level), attempt || 'x', attempt + level, " +
          "TIMESTAMP_TRUNC(level, DAY), level LIKE attempt FROM logs, UNNEST(metadata) m " +
          "GROUP BY attempt, level",
      ),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#9:STRING, f1_=f1#10:FLOAT64, f2_=sum#8:FLOAT64, f3_=f3#11:STRING, f4_=f4#12:INT64, f5_=f5#13:TIMESTAMP, f6_=f6#14:BOOL
        compute LOWER(safe_coerce(attempt#6 as STRING)) as f0#9, ABS(safe_coerce(level#7 as FLOAT64)) as f1#10, $concat_op(attempt#6, "x") as f3#11, $add(attempt#6, safe_coerce(level#7 as INT64)) as f4#12, TIMESTAMP_TRUNC(safe_coerce(level#7 as TIMESTAMP), DAY) as f5#13, $like(level#7, safe_coerce(attempt#6 as STRING)) as f6#14
          aggregate [SUM(safe_coerce(m#5->level as FLOAT64)) as sum#8] by m#5->attempt as attempt#6, m#5->level as level#7
            unnest metadata#4 as m#5
              table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("coerces leaves that are CTE columns or grouping keys too", () => {
    expect(
      dumpOf(`WITH t AS (SELECT attempt FROM logs, UNNEST(metadata) m) SELECT attempt = '1' FROM t GROUP BY attempt`),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#9:BOOL
        with
          t(attempt#6) =
            compute m#5->attempt as attempt#6
              unnest metadata#4 as m#5
                table logs(id#1, timestamp#2, event_message#3, metadata#4)
          compute $equal(attempt#8, 1) as f0#9
            aggregate [] by attempt#7 as attempt#8
              cte t(attempt#7)"
    `);
  });

  it("accepts string literals and parameters in comparisons with timestamps", () => {
    expect(
      dumpOf(`SELECT 1 FROM logs WHERE timestamp > '2024-01-01' AND timestamp < '2024-01-02T03:04:05Z'`),
    ).toMatchInlineSnapshot(`
      "select f0_=f0#5:INT64
        compute 1 as f0#5
          filter $and($greater(timestamp#2, TIMESTAMP'1704067200000000'), $less(timestamp#2, TIMESTAMP'1704164645000000'))
            table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("rejects string literals that are not timestamps", () => {
    expect(errorsOf(`SELECT 1 FROM logs WHERE timestamp > 'yesterday'`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "'yesterday'": Could not cast literal "yesterday" to type TIMESTAMP",
      ]
    `);
  });
});
