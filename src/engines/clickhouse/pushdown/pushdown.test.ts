import { describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/clickhouse/compile-text.ts";
import { planOf } from "../compile-query.ts";
import { explainQuery } from "../explain-query.ts";
import { missingForm } from "../functions/reasons.ts";

/** No constant is in the queries. */
const unasked = async () => "";

/** Where each part runs: `whole`, or the server's statements and the reasons with their positions. */
function divide(query: string) {
  const plan = planOf(compileText(query));
  if (plan.kind === "whole") return "whole";
  return {
    server: plan.remotes.map(({ sql }) => sql),
    reasons: plan.reasons.map(({ reason, line, column }) => `${line}:${column} ${reason}`),
  };
}

const events = "FROM `events_1` AS t1";

const NO_SOUNDEX = missingForm("SOUNDEX", "Function SOUNDEX");

describe("the pushdown planner", () => {
  it.each([
    "SELECT id FROM edge_logs WHERE STARTS_WITH(event_message, 'a') ORDER BY timestamp LIMIT 3",
    "SELECT project, APPROX_QUANTILES(r.port, 100)[OFFSET(95)] FROM edge_logs, UNNEST(metadata) m, UNNEST(m.request) r GROUP BY 1",
    "SELECT COUNT(DISTINCT id) FROM edge_logs WHERE id IN (SELECT id FROM edge_logs WHERE project = 'p')",
    "SELECT id FROM edge_logs UNION ALL SELECT project FROM edge_logs",
    "SELECT id, ROW_NUMBER() OVER (PARTITION BY project ORDER BY timestamp) FROM edge_logs",
    "SELECT tag, COUNT(*) FROM edge_logs, UNNEST(metadata) m, UNNEST(m.tags) AS tag GROUP BY tag",
  ])("runs the query wholly on the server: %s", (query) => {
    expect(divide(query)).toBe("whole");
  });

  it("computes functions that the server lacks after its filters, order and limit", () => {
    expect(
      divide("SELECT SOUNDEX(id) AS s FROM edge_logs WHERE project = 'a' ORDER BY timestamp DESC LIMIT 3"),
    ).toEqual({
      server: [
        `SELECT t1.\`timestamp\` AS o1, t1.\`id\` AS o2 ${events} WHERE (t1.\`c_project\` = 'a') ` +
          "ORDER BY t1.`timestamp` DESC NULLS LAST LIMIT 3",
      ],
      reasons: [`1:8 ${NO_SOUNDEX}`],
    });
  });

  it("pushes every condition it can, and a limit only if no condition remains", () => {
    const query = "SELECT id FROM edge_logs WHERE SOUNDEX(id) = 'a' AND project = 'a' ORDER BY timestamp LIMIT 3";
    expect(divide(query)).toEqual({
      server: [
        `SELECT t1.\`id\` AS o1, t1.\`timestamp\` AS o2 ${events} WHERE (t1.\`c_project\` = 'a') ` +
          "ORDER BY t1.`timestamp` ASC NULLS FIRST",
      ],
      reasons: [`1:32 ${NO_SOUNDEX}`],
    });
  });

  it("joins on the server by no column that may fail: it would be computed before the sub-query's filter", () => {
    const side = "(SELECT CAST(project AS INT64) AS n FROM edge_logs WHERE project != 'x')";
    const other = "(SELECT CHAR_LENGTH(id) AS n FROM edge_logs)";
    const joined = (left: string) => planOf(compileText(`SELECT a.n FROM ${left} a JOIN ${other} b ON a.n = b.n`));
    const plan = joined(side);
    expect(plan.kind === "divided" && plan.reasons[0]?.reason).toBe("a join's condition that may fail");
    expect(joined(side.replace("CAST(project", "CHAR_LENGTH(project").replace(" AS INT64)", ")")).kind).toBe("whole");
    expect(joined(`(SELECT n FROM ${side} LIMIT 5)`).kind).toBe("divided");
    expect(joined(`(SELECT 1 AS n UNION ALL ${side})`).kind).toBe("divided");
  });

  it("pushes nothing that may fail ahead of a remaining condition", () => {
    const query = "SELECT id FROM edge_logs WHERE SOUNDEX(id) = 'a' AND DIV(1, LENGTH(id)) = 1 AND project = 'a'";
    expect(divide(query)).toMatchObject({
      server: [`SELECT t1.\`id\` AS o1 ${events} WHERE (t1.\`c_project\` = 'a')`],
    });
  });

  it("pushes what cannot fail of a sub-query in a branch that may not be taken, and computes the rest locally", () => {
    const query =
      "SELECT IF(project = 'a', 1, (SELECT SUM(CAST(x.id AS INT64)) FROM edge_logs x WHERE x.project = 'b')) FROM edge_logs";
    const { server, reasons } = divide(query) as Exclude<ReturnType<typeof divide>, string>;
    expect(reasons).toEqual(["1:29 a sub-query that may fail, in a branch that may not be taken"]);
    expect(server).toEqual([
      "SELECT t1.`c_project` AS o1 FROM `events_1` AS t1",
      "SELECT t2.`id` AS o1 FROM `events_1` AS t2 WHERE (t2.`c_project` = 'b')",
    ]);
    expect(divide("SELECT IF(project = 'a', 1, (SELECT COUNT(*) FROM edge_logs)) FROM edge_logs")).toBe("whole");
  });

  it("filters on the server below an UNNEST that runs locally", () => {
    const query = "SELECT s.ms FROM edge_logs, UNNEST(metadata) m, UNNEST(m.spans) s WHERE project = 'a' AND s.ms > 1";
    expect(divide(query)).toEqual({
      server: [`SELECT t1.\`json_1\` AS o1 ${events} WHERE t1.\`p_metadata\` AND (t1.\`c_project\` = 'a')`],
      reasons: ["1:58 UNNEST of a record that events have more than one of"],
    });
  });

  it("reads both sides of a join that cannot be pushed", () => {
    const query = "SELECT a.id FROM edge_logs a LEFT JOIN edge_logs b ON a.timestamp < b.timestamp";
    expect(divide(query)).toEqual({
      server: [
        "SELECT t1.`id` AS o1, t1.`timestamp` AS o2 FROM `events_1` AS t1",
        "SELECT t2.`timestamp` AS o1 FROM `events_1` AS t2",
      ],
      reasons: [expect.stringContaining("LEFT JOIN on more than equalities of columns")],
    });
  });

  it("claims no column of a step that it refuses after a part of it", () => {
    const windows = "ROW_NUMBER() OVER (ORDER BY id) AS n, LAST_VALUE(project IGNORE NULLS) OVER (ORDER BY id) AS l";
    expect(divide(`SELECT ${windows} FROM edge_logs`)).toEqual({
      server: [`SELECT t1.\`id\` AS o1, t1.\`c_project\` AS o2 ${events}`],
      reasons: ["1:46 Function LAST_VALUE: IGNORE NULLS"],
    });
    const joined = "FROM edge_logs, UNNEST(metadata) m JOIN UNNEST(m.request) r ON SOUNDEX(r.path) = id";
    expect(divide(`SELECT r.port ${joined}`)).toEqual({
      server: [`SELECT t1.\`json_1\` AS o1, t1.\`id\` AS o2 ${events} WHERE t1.\`p_metadata\``],
      reasons: [`1:78 ${NO_SOUNDEX}`],
    });
    const grouped = "SELECT project, COUNT(*) AS n, APPROX_TOP_COUNT(id, 2) AS t FROM edge_logs GROUP BY project";
    expect(divide(grouped)).toMatchObject({
      server: [`SELECT t1.\`id\` AS o1, t1.\`c_project\` AS o2 ${events}`],
    });
  });

  it("leaves a query without tables to the embedded engine, unless told to push constants", () => {
    expect(divide("SELECT 1 + 1 AS two")).toEqual({ server: [], reasons: [] });
    expect(planOf(compileText("SELECT 1 + 1 AS two", { pushesConstants: true })).kind).toBe("whole");
  });

  it("passes each parameter to the part that reads it", () => {
    const compiled = compileText("SELECT STARTS_WITH(SOUNDEX(id), @a) AS s FROM edge_logs WHERE project = @b");
    const plan = planOf(compiled);
    expect(compiled.parameters.map(({ key }) => key)).toEqual(["b", "a"]);
    if (plan.kind !== "divided") throw new Error("All of it was pushed");
    expect([...(plan.remotes[0]?.parameters ?? [])]).toContain("p1");
    expect(plan.residual.parameters.map(({ key }) => key)).toContain("a");
  });

  it("rejects a query that becomes too much SQL, as the embedded engine does", () => {
    const nested = (depth: number): string =>
      depth === 0 ? "SELECT id FROM edge_logs" : `SELECT id FROM edge_logs WHERE id IN (${nested(depth - 1)})`;
    expect(planOf(compileText(nested(4))).kind).toBe("whole");
    expect(() => compileText(nested(8))).toThrow("more than 250000 parts of SQL; ask for less at once");
  });

  it("computes what needs more than 60 sub-selects in the embedded engine", () => {
    let nested = "SELECT id FROM edge_logs";
    for (let level = 0; level < 70; level++) nested = `SELECT CONCAT(id, 'a') AS id FROM (${nested}) LIMIT 5`;
    expect(divide(nested)).toMatchObject({
      server: [expect.stringContaining("LIMIT 5")],
      reasons: [expect.stringContaining("sub-queries over more than 60 levels")],
    });
  });

  it("rejects queries nested deeper than 400 levels", () => {
    const tables = Array.from({ length: 2_000 }, (_, index) => `t${index + 1} AS (SELECT id FROM t${index})`);
    const text = `WITH t0 AS (SELECT id FROM edge_logs), ${tables.join(", ")} SELECT id FROM t2000`;
    expect(planOf(compileText(text.replace("FROM t2000", "FROM t390"))).kind).toBe("whole");
    expect(() => compileText(text)).toThrow("nested deeper than 400 levels");
  });

  it("bounds the SQL length when each of many tables is read twice", () => {
    const tables = Array.from({ length: 30 }, (_, index) => {
      return `t${index + 1} AS (SELECT a.id FROM t${index} AS a JOIN t${index} AS b USING (id))`;
    });
    const compiled = compileText(`WITH t0 AS (SELECT id FROM edge_logs), ${tables.join(", ")} SELECT id FROM t30`);
    expect(compiled.sql.length).toBeLessThan(1_000_000);
  });

  it("reads a long value that is used many times from a sub-select", () => {
    let doubled = "SELECT id AS x FROM edge_logs";
    for (let level = 0; level < 40; level++) doubled = `SELECT CONCAT(x, x) AS x FROM (${doubled})`;
    expect(compileText(doubled).sql.length).toBeLessThan(100_000);

    const fields = Array.from({ length: 300 }, (_, n) => `CONCAT(id, '${n}') AS f${n}`).join(", ");
    const read = Array.from({ length: 300 }, (_, n) => `s.f${n}`).join(", ");
    const compiled = compileText(`SELECT ${read} FROM (SELECT STRUCT(${fields}) AS s FROM edge_logs)`);
    expect(compiled.sql.length).toBeLessThan(100_000);
    const same = Array(300).fill("s").join(", ");
    const array = `SELECT ${same} FROM (SELECT [${fields.replaceAll(/ AS f\d+/g, "")}] AS s FROM edge_logs)`;
    expect(compileText(array).sql.length).toBeLessThan(100_000);
  });

  it("takes 500 statements of the server, and refuses more", () => {
    const union = (count: number) => Array(count).fill("SELECT SOUNDEX(id) FROM edge_logs").join(" UNION ALL ");
    const plan = planOf(compileText(union(500)));
    expect(plan.kind === "divided" && plan.remotes.length).toBe(500);
    const message = "The query takes more than 500 statements of the server; read rows once, in WITH";
    expect(() => compileText(union(501))).toThrow(message);
  });

  it("explains a divided query part by part, with every reason", async () => {
    const query = compileText("SELECT SOUNDEX(id) AS s, NORMALIZE_AND_CASEFOLD(id) AS f FROM edge_logs");
    const [server, first, second, ...others] = await explainQuery(unasked, query);
    expect(server).toEqual({ runsOn: "clickhouse", sql: `SELECT t1.\`id\` AS o1 ${events}` });
    expect(first).toMatchObject({ runsOn: "duckdb", sql: expect.stringContaining("soundex"), line: 1, column: 8 });
    expect(second).toMatchObject({
      ...{ runsOn: "duckdb", reason: expect.stringContaining("Function NORMALIZE_AND_CASEFOLD has no form") },
      ...{ line: 1, column: 26 },
    });
    expect(others).toEqual([]);
    const whole = compileText("SELECT id FROM edge_logs");
    expect(await explainQuery(unasked, whole)).toEqual([{ runsOn: "clickhouse", sql: whole.sql }]);
  });
});
