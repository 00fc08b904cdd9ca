import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { printQuery } from "../../test/support/googlesql/print-query.ts";
import { compileLql } from "./compile-lql.ts";

const nowMs = Date.parse("2026-08-20T09:30:15.250Z");
const page = readFileSync("docs/lql.md", "utf8");
const examples = [...page.slice(page.indexOf("## Examples")).matchAll(/^\| `(.+?)` \| .+ \| `(.+)` \|$/gm)].map(
  ([, lql = "", sql = ""]): [string, string] => [lql, sql],
);

/** The compiled query as the page shows it: without quotes and without the row's alias. */
function inSql(lql: string): string {
  const query = printQuery(compileLql(lql, { defaultTable: "edge_logs", nowMs, maxRows: 1_000 }));
  return query.replaceAll("`", "").replaceAll(" AS lql_row", "").replaceAll("lql_row.", "");
}

describe("the examples in docs/lql.md", () => {
  it("number at least thirty", () => {
    expect(examples.length).toBeGreaterThanOrEqual(30);
  });

  it.each(examples)("compile as shown: %s means %s", (lql, sql) => {
    const whole = inSql(lql);
    const columns = ["id", "timestamp", "event_message", "metadata"].map((name) => `${name} AS ${name}`).join(", ");
    const plain = `SELECT ${columns} FROM edge_logs WHERE ${sql} ORDER BY timestamp DESC LIMIT 100`;
    expect(whole).toBe(sql.startsWith("SELECT ") ? sql : plain);
  });
});
