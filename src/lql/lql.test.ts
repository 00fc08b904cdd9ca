import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../test/support/code-point.ts";
import { printQuery } from "../../test/support/googlesql/print-query.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import { parseQuery } from "../googlesql/parse.ts";
import { compileLql } from "./compile-lql.ts";
import { LqlError } from "./lql-error.ts";

const nowMs = Date.parse("2026-08-20T09:30:15.250Z");

function compile(lql: string, defaultTable: string | undefined = "edge_logs"): string {
  return printQuery(compileLql(lql, { defaultTable, nowMs, maxRows: 1_000 })).replaceAll("`", "");
}

function where(lql: string): string {
  return / WHERE (.*?) (?:ORDER BY lql_row|GROUP BY 1)/.exec(compile(lql))?.[1] ?? "";
}

function failure(lql: string): { readonly column: number; readonly message: string } {
  try {
    compile(lql);
  } catch (error) {
    if (error instanceof LqlError) return { column: error.offset + 1, message: error.message };
    throw error;
  }
  throw new Error(`${lql} parses`);
}

const between = (low: string, high: string) => `timestamp BETWEEN TIMESTAMP "${low}Z" AND TIMESTAMP "${high}Z"`;

describe("the compiler of LQL filters", () => {
  it.each([
    ["error", 'STRPOS(event_message, "error") > 0'],
    ['"staging error"', 'STRPOS(event_message, "staging error") > 0'],
    ["error timeout", 'STRPOS(event_message, "error") > 0 AND STRPOS(event_message, "timeout") > 0'],
    ["-debug", '(STRPOS(event_message, "debug") > 0) IS NOT TRUE'],
    ["~^GET", 'REGEXP_CONTAINS(event_message, "^GET")'],
    [String.raw`~"(?i)log message \d\d"`, String.raw`REGEXP_CONTAINS(event_message, "(?i)log message \\d\\d")`],
    [String.raw`"user \"sign\" up \\"`, String.raw`STRPOS(event_message, "user \"sign\" up \\") > 0`],
    [String.raw`a\"b`, String.raw`STRPOS(event_message, "a\\\"b") > 0`],
    ["grüße", 'STRPOS(event_message, "grüße") > 0'],
    ["count(*)", 'STRPOS(event_message, "count(*)") > 0'],
    ['"a""b"', 'STRPOS(event_message, "a") > 0 AND STRPOS(event_message, "b") > 0'],
    ["m.response.status_code:500", "SAFE_CAST(metadata.response.status_code AS FLOAT64) = 500.0"],
    [
      "metadata.x:>=400 m.x:<500",
      "SAFE_CAST(metadata.x AS FLOAT64) >= 400.0 AND SAFE_CAST(metadata.x AS FLOAT64) < 500.0",
    ],
    ["m.x:>1 m.y:<=2", "SAFE_CAST(metadata.x AS FLOAT64) > 1.0 AND SAFE_CAST(metadata.y AS FLOAT64) <= 2.0"],
    ["m.x:400..499", "SAFE_CAST(metadata.x AS FLOAT64) BETWEEN 400.0 AND 499.0"],
    ["m.latency:30.1..300.5", "SAFE_CAST(metadata.latency AS FLOAT64) BETWEEN 30.1 AND 300.5"],
    ["m.x:-5..-1", "SAFE_CAST(metadata.x AS FLOAT64) BETWEEN -5.0 AND -1.0"],
    ["m.x:-3", "SAFE_CAST(metadata.x AS FLOAT64) = -3.0"],
    ["m.id:9007199254740993", 'CAST(metadata.id AS STRING) = "9007199254740993"'],
    ["m.level:error", 'CAST(metadata.level AS STRING) = "error"'],
    ["metadata.level:warning..critical", 'CAST(metadata.level AS STRING) IN ("warning", "error", "critical")'],
    ["-m.level:info", '(CAST(metadata.level AS STRING) = "info") IS NOT TRUE'],
    ['m.path:~"^/rest"', 'REGEXP_CONTAINS(CAST(metadata.path AS STRING), "^/rest")'],
    ["m.user.plan:NULL", "metadata.user.plan IS NULL"],
    ["-m.user.plan:NULL", "(metadata.user.plan IS NULL) IS NOT TRUE"],
    ["m.door_open:true", 'CAST(metadata.door_open AS STRING) = "true"'],
    ['m.user.company:"My Company"', 'CAST(metadata.user.company AS STRING) = "My Company"'],
    ["m.user.company:(My Company)", 'CAST(metadata.user.company AS STRING) = "My Company"'],
    ["m.host:api.example.com", 'CAST(metadata.host AS STRING) = "api.example.com"'],
    ["m.version:1.2.3", 'CAST(metadata.version AS STRING) = "1.2.3"'],
    ["id:abc", 'CAST(id AS STRING) = "abc"'],
    ['m.name:>"m"', 'CAST(metadata.name AS STRING) > "m"'],
    [
      'm.roles:@>"admin"',
      'EXISTS(SELECT 1 FROM UNNEST(metadata.roles) AS lql_item WHERE CAST(lql_item AS STRING) = "admin")',
    ],
    [
      'm.roles:@>~"^adm"',
      'EXISTS(SELECT 1 FROM UNNEST(metadata.roles) AS lql_item WHERE REGEXP_CONTAINS(CAST(lql_item AS STRING), "^adm"))',
    ],
    [
      "m.roles:@>10.0",
      "EXISTS(SELECT 1 FROM UNNEST(metadata.roles) AS lql_item WHERE SAFE_CAST(lql_item AS FLOAT64) = 10.0)",
    ],
    ["m.x:5..1", "SAFE_CAST(metadata.x AS FLOAT64) BETWEEN 5.0 AND 1.0"],
    [
      "m.at:>2026-01-01",
      'SAFE_CAST(metadata.at AS TIMESTAMP) > TIMESTAMP "2026-01-01T00:00:00.000000Z" OR ' +
        "SAFE_CAST(metadata.at AS FLOAT64) >= 1000000000.0 AND SAFE_CAST(metadata.at AS FLOAT64) * " +
        "IF(SAFE_CAST(metadata.at AS FLOAT64) < 100000000000.0, 1000000.0, " +
        "IF(SAFE_CAST(metadata.at AS FLOAT64) < 100000000000000.0, 1000.0, 1.0)) > 1767225600000000.0",
    ],
    [
      "(a OR b) c",
      '(STRPOS(event_message, "a") > 0 OR STRPOS(event_message, "b") > 0) AND STRPOS(event_message, "c") > 0',
    ],
    ["a b OR c", 'STRPOS(event_message, "a") > 0 AND STRPOS(event_message, "b") > 0 OR STRPOS(event_message, "c") > 0'],
    ["-(a b)", '(STRPOS(event_message, "a") > 0 AND STRPOS(event_message, "b") > 0) IS NOT TRUE'],
    ["ORDER or", 'STRPOS(event_message, "ORDER") > 0 AND STRPOS(event_message, "or") > 0'],
  ])("compiles %s to %s", (lql, expected) => {
    expect(where(lql)).toBe(expected);
  });
});

describe("the compiler of LQL times", () => {
  it.each([
    ["t:now", 'timestamp = TIMESTAMP "2026-08-20T09:30:15.250000Z"'],
    ["t:today", between("2026-08-20T00:00:00.000000", "2026-08-20T23:59:59.000000")],
    ["t:yesterday", between("2026-08-19T00:00:00.000000", "2026-08-19T23:59:59.000000")],
    ["t:this@minute", between("2026-08-20T09:30:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:this@week", between("2026-08-17T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:this@mm", between("2026-08-01T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:this@y", between("2026-01-01T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@2h", between("2026-08-20T07:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@hour", between("2026-08-20T08:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@90s", between("2026-08-20T09:28:45.250000", "2026-08-20T09:30:15.250000")],
    ["t:last@2weeks", between("2026-08-06T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@1month", between("2026-07-20T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@6month", between("2026-02-20T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:last@1y", between("2025-08-20T00:00:00.000000", "2026-08-20T09:30:15.250000")],
    ["t:2026-08-20", between("2026-08-20T00:00:00.000000", "2026-08-20T23:59:59.999999")],
    ["t:2020-01-{01..03}", between("2020-01-01T00:00:00.000000", "2020-01-03T00:00:00.000000")],
    [
      "t:2022-04-{07..09}T00:{00..40}:00.{001..314}",
      between("2022-04-07T00:00:00.001000", "2022-04-09T00:40:00.314000"),
    ],
    ["t:2022-04-07T{00..02}:00:00+02:00", between("2022-04-06T22:00:00.000000", "2022-04-07T00:00:00.000000")],
    ["t:1710683222..1710684222", between("2024-03-17T13:47:02.000000", "2024-03-17T14:03:42.000000")],
    ["t:1710683222123", 'timestamp = TIMESTAMP "2024-03-17T13:47:02.123000Z"'],
    ["timestamp:>2026-03-17T14:47:02+02:00", 'timestamp > TIMESTAMP "2026-03-17T12:47:02.000000Z"'],
    ["t:>=2026-08-20", 'timestamp >= TIMESTAMP "2026-08-20T00:00:00.000000Z"'],
    ["t:<now", 'timestamp < TIMESTAMP "2026-08-20T09:30:15.250000Z"'],
    [
      "t:2026-01-01T00:00:00..2026-01-01T00:00:01.5",
      between("2026-01-01T00:00:00.000000", "2026-01-01T00:00:01.500000"),
    ],
  ])("compiles %s to %s", (lql, expected) => {
    expect(where(lql)).toBe(expected);
  });
});

describe("the compiler of LQL queries", () => {
  it("selects four columns of the newest 100 rows of the default table", () => {
    expect(compile("error")).toBe(
      "SELECT id AS id, timestamp AS timestamp, event_message AS event_message, metadata AS metadata FROM edge_logs AS lql_row " +
        'WHERE STRPOS(event_message, "error") > 0 ORDER BY lql_row.timestamp DESC LIMIT 100',
    );
  });

  it("limits the query to the rows that the endpoint allows", () => {
    expect(printQuery(compileLql("a", { defaultTable: "x", nowMs, maxRows: 7 }))).toMatch(/LIMIT 7$/);
    const paged = { defaultTable: "x", nowMs, maxRows: 700, pageRows: 500 };
    expect(printQuery(compileLql("a", paged))).toMatch(/LIMIT 500$/);
    expect(printQuery(compileLql("a", { ...paged, maxRows: 7 }))).toMatch(/LIMIT 7$/);
  });

  it.each([
    ["f:db_logs s:id", "SELECT id AS id FROM db_logs AS lql_row ORDER BY"],
    ["from:db_logs select:id", "SELECT id AS id FROM db_logs AS lql_row ORDER BY"],
    ["s:m.request.path s:t@at", "SELECT metadata.request.path AS path, timestamp AS at FROM edge_logs"],
    ["s:*", "SELECT * FROM edge_logs"],
  ])("compiles %s to a query that contains %s", (lql, expected) => {
    expect(compile(lql)).toContain(expected);
  });

  it("rejects a text without a table when there is no default table", () => {
    expect(() => compileLql("error", { defaultTable: undefined, nowMs, maxRows: 1 })).toThrow("name one with f:");
    expect(printQuery(compileLql("f:x", { defaultTable: undefined, nowMs, maxRows: 1 }))).toContain("FROM `x`");
  });
});

describe("the compiler of LQL charts", () => {
  const chart = (period: string, measure: string) =>
    `SELECT TIMESTAMP_TRUNC(lql_row.timestamp, ${period}) AS timestamp, ${measure} FROM edge_logs AS lql_row GROUP BY 1 ORDER BY 1`;

  it.each([
    ["c:count(*)", chart("MINUTE", "COUNT(*) AS count")],
    ["c:group_by(t::day)", chart("DAY", "COUNT(*) AS count")],
    ["c:count(*) c:group_by(timestamp::h)", chart("HOUR", "COUNT(*) AS count")],
    ["chart:count(m.x)", chart("MINUTE", "COUNT(metadata.x) AS count")],
    ["c:countd(*)", chart("MINUTE", "COUNT(*) AS count")],
    ["s:m.x c:group_by(t::hour)", chart("HOUR", "COUNT(*) AS count")],
    ["c:countd(m.x)", chart("MINUTE", "COUNT(DISTINCT metadata.x) AS count")],
    ["c:avg(m.x)", chart("MINUTE", "AVG(SAFE_CAST(metadata.x AS FLOAT64)) AS count")],
    ["c:sum(m.x)", chart("MINUTE", "SUM(SAFE_CAST(metadata.x AS FLOAT64)) AS count")],
    ["c:min(m.x)", chart("MINUTE", "MIN(metadata.x) AS count")],
    ["c:max(m.x)", chart("MINUTE", "MAX(metadata.x) AS count")],
    ["c:p95(m.x)", chart("MINUTE", "APPROX_QUANTILES(SAFE_CAST(metadata.x AS FLOAT64), 100)[OFFSET(95)] AS count")],
    ["c:sum(m.x) c:avg(m.y) c:group_by(t::s)", chart("SECOND", "AVG(SAFE_CAST(metadata.y AS FLOAT64)) AS count")],
  ])("compiles %s to %s", (lql, expected) => {
    expect(compile(lql)).toBe(expected);
  });
});

describe("an LQL text that does not parse", () => {
  it.each([
    ["", 1, "empty"],
    ["   ", 1, "empty"],
    ["m.level:", 9, "The value of metadata.level is missing"],
    ["error m.level:", 15, "The value of metadata.level is missing"],
    ["t:", 3, "The value of timestamp is missing"],
    ["t:blah", 3, "Not a timestamp"],
    ["t:2026-02-30", 3, "There is no such time"],
    ["t:last@2q", 9, "A period is one of"],
    ["t:this@2d", 8, "A period is one of"],
    ["t:>today", 4, "Not a timestamp"],
    ["t:~2026", 4, "A timestamp is compared with"],
    ["t:2026-01-02..2026-01-01", 3, "ends before it begins"],
    ["t:2026-01-01..2026-01-02T00:00:00Z", 15, "cannot mix"],
    ["s:field@", 9, "The alias behind @ is missing"],
    ["s:", 3, "The selected field is missing"],
    ["f:", 3, "The table's name is missing"],
    ["f:a f:b", 5, "more than one f:"],
    ["-f:a", 1, "stand for themselves"],
    ["(f:a)", 2, "stand for themselves"],
    ["c:foo(m.x)", 3, "A chart is"],
    ["c:avg(*)", 7, "avg wants a field"],
    ["c:avg(m.x", 10, "closing parenthesis"],
    ["c:group_by(t::year)", 15, "The period is one of"],
    ["m.a:x-y", 6, "does not parse"],
    ["m.a:1:2", 6, "does not parse"],
    ["m.a:>1..2", 6, "A range stands behind"],
    ["metadata.level:error..debug", 16, "A range of levels"],
    ["m.a:>NULL", 6, "NULL stands behind"],
    ['"abc', 1, "no end"],
    ['m.a:"abc', 5, "no end"],
    ["(a", 1, "no closing parenthesis"],
    ["a ) b", 3, "closes no group"],
    ["()", 1, "empty"],
    ["a OR", 3, "OR stands between"],
    ["OR a", 1, "OR stands between"],
    ["a OR OR b", 6, "OR stands between"],
    ["a-b:1", 4, "does not parse"],
    ["f:x m.a:1 :::", 11, "does not parse"],
    [`${"a ".repeat(101)}`, 201, "More than 100 clauses"],
    [`${"(".repeat(50)}a${")".repeat(50)}`, 21, "nest deeper"],
  ])("%j fails in column %i", (lql, column, message) => {
    expect(failure(lql)).toMatchObject({ column, message: expect.stringContaining(message) });
  });
});

it("any text compiles to a query that parses, or fails with a position inside the text", () => {
  const pieces = fc.constantFrom(
    "m.",
    "a",
    ":",
    '"',
    "..",
    "1",
    "-",
    "OR",
    " ",
    "(",
    ")",
    "t:",
    "f:",
    "c:",
    "s:",
    "@>",
    "~",
    "{",
    "\\",
    "é",
    "::",
    "NULL",
  );
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 40 }),
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (lql) => {
      try {
        const printed = printQuery(compileLql(lql, { defaultTable: "edge_logs", nowMs, maxRows: 100 }));
        expect(printQuery(parseQuery(printed))).toBe(printed);
      } catch (error) {
        if (!(error instanceof LqlError)) throw error;
        expect(error.offset).toBeGreaterThanOrEqual(0);
        expect(error.offset).toBeLessThanOrEqual(lql.length);
      }
    }),
    { seed: 1, numRuns: sampleSize(60, 10_000) },
  );
});
