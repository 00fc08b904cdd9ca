import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbedded } from "../../../test/support/engines/clickhouse/ask-embedded.ts";
import { compileText } from "../../../test/support/engines/clickhouse/compile-text.ts";
import { digestQuery } from "../../endpoints/call/plan/planned-query.ts";
import { type SqlType, STRING } from "../../googlesql/types.ts";
import type { ParameterValue, RunRequest } from "../contract/query-engine.ts";
import { bindPlan } from "./bind-plan.ts";
import { planOf } from "./compile-query.ts";

const NOW_US = 1_787_184_000_000_000n;
const HOUR_US = 3_600_000_000n;

let embedded: Awaited<ReturnType<typeof openEmbedded>>;
beforeAll(async () => {
  embedded = await openEmbedded();
});
afterAll(() => embedded.close());

/** The constants bound before the run for the values of the STRING parameters `s` and `t`, and the chosen plan. */
async function bind(condition: string, values: Readonly<Record<string, ParameterValue>> = {}) {
  const parameters = new Map<string, SqlType>(["s", "t"].map((name) => [name, STRING]));
  const query = compileText(`SELECT id FROM edge_logs WHERE ${condition}`, { parameters });
  const given = query.parameters.map(({ key }) => values[key] ?? null);
  const request: Pick<RunRequest, "query" | "values"> = { query, values: given };
  const { plan, constants } = await bindPlan(planOf(query), request, NOW_US, embedded.ask);
  const sql = plan.kind === "whole" ? plan.statement.sql : plan.remotes.map((remote) => remote.sql).join();
  return { constants, isPerRow: plan === planOf(query).perRow(), kind: plan.kind, sql };
}

describe("bindPlan", () => {
  it("computes an expression that is the same for every row from the values and the time of the run", async () => {
    const bound = "timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CAST(@s AS INT64) HOUR)";
    expect(await bind(bound, { s: "3" })).toMatchObject({
      constants: { k1: NOW_US - 3n * HOUR_US },
      isPerRow: false,
      sql: expect.stringContaining("(t1.`timestamp` > {k1:Nullable(Int64)})"),
    });
    expect((await bind(bound, { s: null })).constants).toEqual({ k1: null });
  });

  it("computes an expression once if it occurs several times", () => {
    const text = "(SELECT id, SAFE_CAST(@s AS INT64) + 1 AS n FROM edge_logs)";
    const query = compileText(`SELECT n, COUNT(*) FROM ${text} GROUP BY n ORDER BY n`);
    const plan = planOf(query);
    expect(plan.kind === "whole" && plan.statement.constants.map(({ name }) => name)).toEqual(["k1"]);
  });

  it("tells queries of the same SQL apart by what is computed", () => {
    const hours = (count: number, item: string) => {
      const bound = `TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${count} HOUR)`;
      return compileText(`SELECT ${item} FROM edge_logs WHERE timestamp > ${bound}`);
    };
    for (const item of ["id", "NORMALIZE(id)"]) {
      const [one, two, again] = [hours(1, item), hours(2, item), hours(1, `  ${item}`)];
      expect(two.sql).toBe(one.sql);
      expect(two.computed).not.toBe(one.computed);
      expect(again.computed).toBe(one.computed);
    }
  });

  it("tells queries apart that hand their parameters to the embedded engine in another order", () => {
    const parameters = new Map<string, SqlType>(["s", "t"].map((name) => [name, STRING]));
    const both = (first: string, second: string) => {
      const list = `FORMAT('%T', [id, ${first}, ${second}])`;
      return compileText(`SELECT ${list} AS c FROM edge_logs WHERE id > @s OR id < @t`, { parameters });
    };
    const [one, other] = [both("@s", "@t"), both("@t", "@s")];
    expect(other.parameters).toEqual(one.parameters);
    expect(digestQuery(other)).not.toBe(digestQuery(one));
    expect(digestQuery(both("@s", "@t"))).toBe(digestQuery(one));
  });

  it("leaves an expression that fails for the call's values to the rows, on the server where possible", async () => {
    const failing = await bind("timestamp > TIMESTAMP_SECONDS(CAST(@s AS INT64))", { s: "none" });
    expect(failing).toMatchObject({ constants: {}, isPerRow: true, kind: "whole" });
    expect(failing.sql).toContain("throwIf");
    const parsed = await bind("timestamp > CAST(@s AS TIMESTAMP)", { s: "yesterday" });
    expect(parsed).toMatchObject({ constants: {}, isPerRow: true, kind: "divided" });
  });

  it.each([
    ["@s = '' OR timestamp > CAST(@s AS TIMESTAMP)", undefined],
    ["@s != '' AND timestamp > CAST(@s AS TIMESTAMP)", "false"],
    ["id = 'b' AND (@s = '' OR timestamp > CAST(@s AS TIMESTAMP))", "(t1.`id` = 'b')"],
    ["IF(@s != '', timestamp > CAST(@s AS TIMESTAMP), TRUE)", undefined],
    ["IF(@s = '', id = 'a', timestamp > CAST(@s AS TIMESTAMP))", "(t1.`id` = 'a')"],
    ["CASE WHEN @s = '' THEN id = 'c' WHEN @t = '' THEN timestamp > CAST(@s AS TIMESTAMP) END", "(t1.`id` = 'c')"],
    ["CASE WHEN @s != '' THEN timestamp > CAST(@s AS TIMESTAMP) ELSE id = 'd' END", "(t1.`id` = 'd')"],
    ["COALESCE(NULLIF(@s, ''), 'now') = 'now' OR timestamp > CAST(@s AS TIMESTAMP)", undefined],
  ])("decides conditions on the call's values and skips the branches they exclude: %s", async (given, left) => {
    const result = await bind(given, { s: "", t: "" });
    expect(result).toMatchObject({ constants: {}, kind: "whole" });
    expect(result.sql).toBe(
      `SELECT t1.\`id\` AS o1 FROM \`events_1\` AS t1${left === undefined ? "" : ` WHERE ${left}`}`,
    );
    const bound = await bind(given, { s: "2026-08-20", t: "" });
    expect(bound.constants).toEqual({ k1: NOW_US });
    expect(bound.sql).toContain("(t1.`timestamp` > {k1:Nullable(Int64)})");
    expect(bound.sql).not.toContain("{p");
    expect((await bind(given, { s: "yesterday", t: "" })).kind).toBe("divided");
  });

  it("leaves a failing expression to the rows if a condition on the row may exclude it", async () => {
    expect((await bind("id = '' OR timestamp > CAST(@s AS TIMESTAMP)", { s: "" })).isPerRow).toBe(true);
  });

  it("binds no constant that the server can compute itself", async () => {
    expect(await bind("event_message = CONCAT(@s, 'b')", { s: "a" })).toMatchObject({
      constants: {},
      sql: expect.stringContaining("{p1:Nullable(String)}"),
    });
  });
});
