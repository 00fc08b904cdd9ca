import { describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { printRows } from "../../../../test/support/engines/duckdb/compile/print-rows.ts";
import { FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import type { TableLayout } from "../../schema/layout.ts";
import { planOf } from "../query-plan.ts";

const parameters = new Map([["p", STRING]]);
const compile = (text: string) => compileText(text, undefined, parameters);

describe("the plan's conditions on ids", () => {
  it("have time bounds whose placeholders follow the parameters and limits", () => {
    const query = compile(
      "SELECT id FROM edge_logs WHERE id = 'it''s' OR id = @p AND REPEAT(@p, 2) = 'x'".replace("''", "\\'"),
    );
    expect(query.limits).toEqual(["maxStringBytes"]);
    expect(planOf(query).statement?.idConditions).toEqual([
      { table: "events_1", id: "it's" },
      { table: "events_1", id: 0 },
    ]);
    const bounds = (from: number) =>
      `AND t1."timestamp" >= CAST($${from} AS TIMESTAMP) AND t1."timestamp" < CAST($${from + 1} AS TIMESTAMP))`;
    expect(query.sql).toContain(`((t1."id" = 'it''s') ${bounds(3)}`);
    expect(query.sql).toContain(`((t1."id" = CAST($1 AS VARCHAR)) ${bounds(5)}`);
  });

  it("share the bounds when they test for the same id", () => {
    const query = compile("SELECT id FROM edge_logs WHERE id = @p OR NOT id = @p");
    expect(planOf(query).statement?.idConditions).toHaveLength(1);
    expect(query.sql.match(/CAST\(\$2 AS TIMESTAMP\)/g)).toHaveLength(2);
  });

  it.each([
    "SELECT 1 FROM edge_logs WHERE event_message = 'x'",
    "SELECT 1 FROM edge_logs WHERE id = UPPER(id)",
    "SELECT 1 FROM edge_logs WHERE id < 'x'",
    "SELECT 1 FROM edge_logs WHERE id = CAST(NULL AS STRING)",
    "SELECT 1 FROM edge_logs WHERE id = project",
    "SELECT WITH(a AS UPPER(project), id = 'x' AND a = a) FROM edge_logs",
    "SELECT 1 FROM (SELECT 'a' AS id) WHERE id = 'x'",
    `SELECT '(t1."id" = ''x'')' FROM edge_logs`.replaceAll("''", "\\'"),
  ])("are absent for %s", (text) => {
    expect(planOf(compile(text)).statement?.idConditions ?? []).toEqual([]);
  });

  it("are those that the statement holds", () => {
    const dropped = "REGEXP_CONTAINS(CAST(id = 'x' AS STRING), NULL)";
    for (const text of [
      `SELECT ${dropped}, id = 'y' FROM edge_logs`,
      `SELECT id = 'y' FROM edge_logs WHERE ${dropped}`,
      `SELECT ${dropped} FROM edge_logs WHERE id = 'y'`,
    ]) {
      expect(planOf(compile(text)).statement?.idConditions).toEqual([{ table: "events_1", id: "y" }]);
      expect(planOf(compile(text.replace("id = 'y'", "id > 'y'"))).statement).toBeUndefined();
    }
  });

  it("are at most four", () => {
    const list = Array.from({ length: 9 }, (_, n) => `id = '${n}'`).join(" OR ");
    expect(planOf(compile(`SELECT 1 FROM edge_logs WHERE ${list}`)).statement?.idConditions).toHaveLength(4);
  });
});

describe("the plan for plain rows", () => {
  const newest =
    "SELECT id, event_message, timestamp, metadata FROM edge_logs WHERE project = @p ORDER BY timestamp DESC, id DESC LIMIT 100";

  it("contains the parts of the statement", () => {
    const query = compile(newest);
    const rows = planOf(query).statement?.rows;
    expect(rows).toMatchObject({
      table: "events_1",
      alias: "t1",
      columns: [
        { column: "id", isText: false },
        { column: "event_message", isText: true },
        { column: "timestamp", isText: false },
        { column: "json_1", isText: true },
      ],
      isNewestFirst: true,
      limit: 100,
    });
    expect(rows && printRows(rows)).toBe(query.sql);
  });

  it.each([
    ["there is no condition", newest.replace("WHERE project = @p", "")],
    ["a condition calls a function of ours", newest.replace("@p", "REGEXP_REPLACE(event_message, @p, 'x')")],
    ["a condition asks for an id", newest.replace("project", "id")],
    ["a condition holds a query", newest.replace("@p", "(SELECT MAX(id) FROM edge_logs)")],
    ["texts of a query read like SQL", newest.replace("@p", `' ORDER BY x LIMIT 1 UNION "'`)],
  ])("exists and prints the same statement where %s", (_, text) => {
    const query = compile(text);
    const rows = planOf(query).statement?.rows;
    expect(rows && printRows(rows)).toBe(query.sql);
  });

  it("has a column under each of its names", () => {
    const query = compile("SELECT id, id AS again FROM edge_logs ORDER BY id LIMIT 5");
    expect(planOf(query).statement?.rows?.columns.map(({ column }) => column)).toEqual(["id", "id"]);
  });

  it("is absent where rows are sorted by what may be NaN", () => {
    const of = (recordColumns: TableLayout["recordColumns"]) => {
      const columns = [
        { name: "ms", type: FLOAT64 },
        { name: "n", type: INT64 },
      ];
      const leaves = new Map(columns.map(({ name, type }) => [name, { type, variants: [{ column: name, type }] }]));
      const definition = { name: "t", isLenient: true, columns };
      const layout = { definition, table: "t_1", recordColumns, leaves, presence: new Map<string, string>() };
      const plan = (order: string) =>
        planOf(compileText(`SELECT ms, n FROM t ORDER BY ${order} LIMIT 5`, [layout])).statement?.rows;
      return [plan("ms"), plan("n")].map((rows) => rows !== undefined);
    };
    expect(of(new Map())).toEqual([false, true]);
    expect(of(new Map([["r", "json"]]))).toEqual([true, true]);
  });

  it("records whether the newest rows come first", () => {
    const sorted = (order: string) =>
      planOf(compile(newest.replace("timestamp DESC, id DESC", order))).statement?.rows?.isNewestFirst;
    expect(["timestamp DESC", "timestamp", "id DESC", "timestamp DESC NULLS FIRST"].map(sorted)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ["a column is computed", newest.replace("event_message", "UPPER(event_message) AS event_message")],
    ["a text is sorted by", newest.replace("BY timestamp", "BY event_message")],
    ["what is sorted by is not selected", newest.replace("event_message, timestamp", "event_message")],
    ["there is no limit", newest.replace(" LIMIT 100", "")],
    ["the limit is a parameter", newest.replace("LIMIT 100", "LIMIT @n")],
    ["rows are skipped", `${newest} OFFSET 10`],
    ["rows are not sorted", newest.replace("ORDER BY timestamp DESC, id DESC", "")],
    ["rows are grouped", "SELECT id, COUNT(*) AS n FROM edge_logs GROUP BY id ORDER BY id LIMIT 5"],
    ["rows are made distinct", "SELECT DISTINCT id FROM edge_logs ORDER BY id LIMIT 5"],
    [
      "tables are joined",
      "SELECT a.id, a.event_message FROM edge_logs a JOIN edge_logs b ON a.id = b.id ORDER BY a.id LIMIT 5",
    ],
    ["there is another SELECT", `(${newest}) UNION ALL (${newest}) ORDER BY id LIMIT 5`],
    ["it is part of a query", `SELECT id FROM (${newest}) WHERE id > 'x' ORDER BY id LIMIT 5`],
    ["a window is computed", "SELECT id, RANK() OVER (ORDER BY id) AS r FROM edge_logs ORDER BY id LIMIT 5"],
  ])("is absent where %s", (_, text) => {
    expect(planOf(compile(text)).statement?.rows).toBeUndefined();
  });
});

describe("the plan for newest rows", () => {
  const newest =
    "SELECT id, event_message FROM edge_logs WHERE project = @p AND timestamp > @t ORDER BY timestamp DESC, id DESC LIMIT 100";
  const planned = (text: string) =>
    planOf(compileText(text, undefined, new Map<string, SqlType>([...parameters, ["q", STRING], ["t", TIMESTAMP]])))
      .statement?.newest;

  it("has a statement that finds where they begin, and one that reads from there on", () => {
    const where =
      'WHERE (t1."timestamp" >= CAST($3 AS TIMESTAMP)) AND (t1."c_project" = CAST($1 AS VARCHAR)) AND ' +
      '(t1."timestamp" > CAST($2 AS TIMESTAMP))';
    expect(planned(newest)).toEqual({
      table: "events_1",
      count: 100,
      times: {
        sql: `SELECT t1."timestamp" FROM "events_1" AS t1 ${where} ORDER BY t1."timestamp" DESC NULLS LAST LIMIT 1025::BIGINT`,
        values: [0, 1],
      },
      rows: {
        sql: expect.stringMatching(
          /^SELECT t1\."id" AS \S+, .* FROM "events_1" AS t1 .* LIMIT \(SELECT 100::BIGINT\)$/,
        ),
        values: [0, 1],
      },
      from: [1],
      until: [],
    });
    expect(planned(newest)?.rows.sql).toContain(where);
  });

  it("has the values that each statement reads, by their places in the query's own", () => {
    const computed = newest.replace("event_message", "CONCAT(event_message, @q) AS m");
    expect(planned(computed)).toMatchObject({ times: { values: [1, 2] }, rows: { values: [0, 1, 2] }, from: [2] });
  });

  it.each([
    ["there is no condition", newest.replace(/WHERE .* ORDER/, "ORDER")],
    ["columns are computed", newest.replace("event_message", "UPPER(event_message) AS m, LENGTH(id) + 1 AS n")],
    ["rows are skipped", `${newest} OFFSET 10`],
    ["fields of records are filtered by", newest.replace("project = @p", "metadata.response.status_code >= 500")],
    ["rows are filtered afterwards", `SELECT id FROM (${newest}) WHERE id > 'x'`],
    ["rows are counted afterwards", `SELECT COUNT(*) FROM (${newest}), UNNEST([1, 2])`],
    ["the order is that of a CTE", `WITH e AS (${newest.replace(" LIMIT 100", "")}) SELECT id FROM e LIMIT 7`],
  ])("exists where %s", (_, text) => {
    expect(planned(text)).toBeDefined();
  });

  it("knows times from literals and parameters, however they are compared, and which rows end at", () => {
    const bounds = (condition: string) => {
      const { from, until } = planned(newest.replace("timestamp > @t", condition)) ?? {};
      return [from, until];
    };
    expect(bounds("timestamp <= @t")).toEqual([[], [1]]);
    expect(bounds("@t < timestamp")).toEqual([[1], []]);
    expect(bounds("TIMESTAMP '1970-01-01 00:00:01' <= timestamp")).toEqual([["1000000"], []]);
    expect(bounds("timestamp BETWEEN @t AND TIMESTAMP '1970-01-01 00:00:01'")).toEqual([[1], ["1000000"]]);
    expect(bounds("(@t IS NULL OR timestamp > @t)")).toEqual([[1], []]);
    expect(bounds("timestamp > TIMESTAMP_TRUNC(timestamp, DAY)")).toEqual([[], []]);
    expect(bounds(Array.from({ length: 20 }, () => "timestamp > @t").join(" AND "))[0]?.length).toBeLessThan(10);
  });

  it.each([
    ["the oldest come first", newest.replaceAll("DESC", "ASC")],
    ["another key comes first", newest.replace("BY timestamp DESC", "BY id, timestamp DESC")],
    ["the time is computed", newest.replace("BY timestamp", "BY TIMESTAMP_TRUNC(timestamp, HOUR)")],
    ["an id is asked for", newest.replace("project", "id")],
    ["a condition may fail", newest.replace("project = @p", "CAST(project AS INT64) = 1")],
    ["a key may fail", newest.replace("id DESC", "CAST(project AS INT64)")],
    ["a condition holds a query", newest.replace("@p", "(SELECT MAX(project) FROM edge_logs)")],
    ["there is no limit, or it is a parameter", newest.replace("LIMIT 100", "LIMIT @n")],
    ["more rows are asked for than are read late", newest.replace("LIMIT 100", "LIMIT 1000 OFFSET 25")],
    ["no rows are asked for", newest.replace("LIMIT 100", "LIMIT 0")],
    ["rows are grouped", "SELECT timestamp FROM edge_logs GROUP BY timestamp ORDER BY timestamp DESC LIMIT 5"],
    ["rows are made distinct", "SELECT DISTINCT timestamp FROM edge_logs ORDER BY timestamp DESC LIMIT 5"],
    [
      "a window is computed",
      "SELECT timestamp, RANK() OVER (ORDER BY id) FROM edge_logs ORDER BY timestamp DESC LIMIT 5",
    ],
    ["tables are joined", "SELECT a.timestamp FROM edge_logs a, edge_logs b ORDER BY a.timestamp DESC LIMIT 5"],
    ["they are some of a result", `SELECT id FROM edge_logs WHERE id IN (SELECT id FROM (${newest}))`],
  ])("is absent where %s", (_, text) => {
    expect(planned(text)).toBeUndefined();
  });
});
