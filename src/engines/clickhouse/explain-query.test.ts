import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbedded } from "../../../test/support/engines/clickhouse/ask-embedded.ts";
import { compileText } from "../../../test/support/engines/clickhouse/compile-text.ts";
import { STRING } from "../../googlesql/types.ts";
import type { CompiledQuery, ParameterValue } from "../contract/query-engine.ts";
import { explainQuery } from "./explain-query.ts";

let embedded: Awaited<ReturnType<typeof openEmbedded>>;
beforeAll(async () => {
  embedded = await openEmbedded();
});
afterAll(() => embedded.close());

const explain = (query: CompiledQuery, values?: readonly ParameterValue[]) => explainQuery(embedded.ask, query, values);

function compile(condition: string) {
  return compileText(`SELECT id FROM edge_logs WHERE ${condition}`, { parameters: new Map([["s", STRING]]) });
}

describe("explainQuery", () => {
  const query = compile("@s = '' OR timestamp > CAST(@s AS TIMESTAMP)");

  it("shows the statement of a call with the values", async () => {
    const [all, ...others] = await explain(query, [""]);
    expect(others).toEqual([]);
    expect(all).toMatchObject({ runsOn: "clickhouse", sql: expect.not.stringContaining("timestamp") });
    expect(await explain(query, ["2026-08-20"])).toMatchObject([
      { runsOn: "clickhouse", sql: expect.stringContaining("(t1.`timestamp` > {k1:Nullable(Int64)})") },
    ]);
  });

  it("shows what the embedded engine runs of a call for whose values the constants fail", async () => {
    expect((await explain(query, ["yesterday"])).map(({ runsOn }) => runsOn)).toEqual(["clickhouse", "duckdb"]);
  });

  it("leaves open without values what they would decide", async () => {
    expect(await explain(query)).toEqual([{ runsOn: "clickhouse", sql: query.sql }]);
    expect(query.sql).toContain("{p1:");
  });

  it("decides a query without parameters by the time of now", async () => {
    const [part] = await explain(compile("CURRENT_TIMESTAMP() < TIMESTAMP '2020-01-01' OR id = 'a'"));
    expect(part).toMatchObject({ runsOn: "clickhouse", sql: expect.stringContaining("WHERE (t1.`id` = 'a')") });
  });
});
