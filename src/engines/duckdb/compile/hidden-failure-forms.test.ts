/** Shows rewrites that leave no failure hidden, as text; `hidden-failures.test.ts` runs them. */
import { describe, expect, it } from "vitest";
import { guardText, printSql } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { variableSql } from "../sql/atoms.ts";
import { sql } from "../sql/sql.ts";
import { guardHiddenFailures } from "./hidden-failures.ts";

describe("guardHiddenFailures", () => {
  it.each([
    ["statements without such functions", "SELECT s, 'lw_fail(1)' FROM \"lw_fail(\" WHERE s + 1 > 2"],
    ["functions that fail for no value", "SELECT lw_lower(s), lw_net_host('(')"],
    ["lambdas that fail for no value", "SELECT list_transform(a, lambda v: coalesce(v, 'x') || ',')"],
    [
      "patterns that are literals",
      "SELECT regexp_extract_all(s, 'a''(', 1), regexp_replace(s, 'x', CAST($1 AS VARCHAR), 'g')",
    ],
    ["lambdas over a struct", "SELECT list_transform([{'a0': s}], lambda lw_x: CAST(lw_x.a0 AS BIGINT))[1]"],
    [
      "lambdas over constants that read nothing else",
      "SELECT list_transform([{'a0': 1 + 1}], lambda lw_x: lw_x.a0 / 2)[1]",
    ],
    [
      "patterns from a struct",
      "SELECT list_transform([{'a0': s}], lambda lw_x: regexp_full_match(lw_x.a0, lw_x.a0))[1]",
    ],
  ])("leaves %s unchanged", (_, sql) => {
    expect(guardText(sql)).toBe(sql);
  });

  it.each([
    ["a list that is computed", "list_transform(a, lambda v: CAST(v AS BIGINT))", "[{'a0': a}]", "lw_row1.a0"],
    ["a filter", "list_filter(a, lambda v: v / 2 > 1)", "[{'a0': a}]", "lw_row1.a0"],
    ["a pattern with ESCAPE", "list_filter(a, lambda v: v LIKE b ESCAPE 'x')", "[{'a0': a}]", "lw_row1.a0"],
    ["a function that is not known", "list_filter(a, lambda v: chr(v))", "[{'a0': a}]", "lw_row1.a0"],
  ])("binds the list of a lambda that can fail: %s", (_, call, struct, field) => {
    const [name = "", list = "", body = ""] = call.split(/\((a), (.*)\)$/);
    expect(guardText(`SELECT ${name}(${list}, ${body})`)).toBe(
      `SELECT list_transform(${struct}, lambda lw_row1: ${name}(${field}, ${body}))[1]`,
    );
  });

  it("binds something volatile beside a constant list, but not in TRY, which takes none", () => {
    const call = "list_transform([1], lambda v: CAST(s AS BIGINT))";
    const bound = (others: string) =>
      `list_transform([{'a0': [1]${others}}], lambda lw_row1: list_transform(lw_row1.a0, lambda v: CAST(s AS BIGINT)))[1]`;
    expect(guardText(`SELECT ${call}`)).toBe(`SELECT ${bound(", 'a1': random()")}`);
    expect(guardText(`SELECT TRY(${call})`)).toBe(`SELECT TRY(${bound("")})`);
    const within = (inner: string) => `SELECT TRY(list_max(${inner}))`;
    expect(guardText(within(call))).toBe(`SELECT TRY(coalesce(list_max(${bound("")})))`);
    expect(guardText(`SELECT TRY(s), ${call}`)).toBe(`SELECT TRY(s), ${bound(", 'a1': random()")}`);
  });

  it("looks through a lambda within a lambda for what can fail and for what is read", () => {
    const inner = (body: string) => `lambda v: coalesce(list_max(list_transform(v, lambda w: ${body})))`;
    const outer = (body: string) => `SELECT list_transform(a, ${inner(body).replace(/coalesce\((.*)\)$/, "$1")})`;
    expect(guardText(outer("upper(w)"))).toBe(
      `SELECT list_transform([{'a0': a}], lambda lw_row1: list_transform(lw_row1.a0, ${inner("upper(w)")}))[1]`,
    );
  });

  it("treats a parameter used as a pattern as one that may fail", () => {
    expect(guardText("SELECT like_escape(s, CAST($1 AS VARCHAR), '\\')")).toBe(
      "SELECT list_transform([{'a0': s, 'a1': CAST($1 AS VARCHAR)}], lambda lw_row1: like_escape(lw_row1.a0, " +
        "lw_row1.a1, '\\'))[1]",
    );
  });

  it("packs arguments within any brackets and quotes", () => {
    expect(guardText("SELECT lw_parse_date('%,)', lw_format_date(s[1], (a, \"b)\")))")).toBe(
      "SELECT lw_parse_date({'a0': '%,)', 'a1': lw_format_date({'a0': s[1], 'a1': (a, \"b)\")})})",
    );
  });

  it("leaves its own output unchanged", () => {
    const guarded = guardText("SELECT list_transform(a, lambda v: lw_fail(v)), regexp_full_match(s, t)");
    expect(guardText(guarded)).toBe(guarded);
  });

  it("takes time linear in the statement's length", () => {
    // Quadratic time would be hours.
    let nested = variableSql("s");
    for (let depth = 0; depth < 30_000; depth++) nested = sql`lw_lower(lw_parse_json(${nested}))`;
    expect(printSql(guardHiddenFailures(nested)).length).toBe(printSql(nested).length + 30_000 * "{'a0': }".length);
  });
});
