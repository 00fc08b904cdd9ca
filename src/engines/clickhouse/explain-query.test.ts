import { describe, expect, it } from "vitest";
import { compileText } from "../../../test/support/engines/clickhouse/compile-text.ts";
import { STRING } from "../../googlesql/types.ts";
import { explainQuery } from "./explain-query.ts";

function compile(condition: string) {
  return compileText(`SELECT id FROM edge_logs WHERE ${condition}`, { parameters: new Map([["s", STRING]]) });
}

describe("explainQuery", () => {
  const query = compile("@s = '' OR timestamp > CAST(@s AS TIMESTAMP)");

  it("shows the statement of a call with the values", () => {
    const [all, ...others] = explainQuery(query, [""]);
    expect(others).toEqual([]);
    expect(all).toMatchObject({ runsOn: "clickhouse", sql: expect.not.stringContaining("timestamp") });
    expect(explainQuery(query, ["2026-08-20"])).toMatchObject([
      { runsOn: "clickhouse", sql: expect.stringContaining("(t1.`timestamp` > {k1:Nullable(Int64)})") },
    ]);
  });

  it("shows what the embedded engine runs of a call for whose values the constants fail", () => {
    expect(explainQuery(query, ["yesterday"]).map(({ runsOn }) => runsOn)).toEqual(["clickhouse", "duckdb"]);
  });

  it("leaves open without values what they would decide", () => {
    expect(explainQuery(query)).toEqual([{ runsOn: "clickhouse", sql: query.sql }]);
    expect(query.sql).toContain("{p1:");
  });

  it("decides a query without parameters by the time of now", () => {
    const [part] = explainQuery(compile("CURRENT_TIMESTAMP() < TIMESTAMP '2020-01-01' OR id = 'a'"));
    expect(part).toMatchObject({ runsOn: "clickhouse", sql: expect.stringContaining("WHERE (t1.`id` = 'a')") });
  });
});
