/** Shows queries that the compiler itself refuses. */
import { expect, it } from "vitest";
import { compileText, refusalOf } from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import type { ResolvedQuery } from "../../../../googlesql/resolved.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { compileQuery } from "../compile.ts";

const tables = { findTable: () => undefined, tableNames: () => [] };

it.each([
  ["an aggregate", "SELECT BIT_XOR(x) FROM UNNEST([1]) AS x", "BIT_XOR"],
  ["a window function", "SELECT RANK() OVER (ORDER BY x) FROM UNNEST([1]) AS x", "RANK"],
])("%s without a row in the function tables is unsupported, where it stands", (_, text, name) => {
  const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
  const unknown = JSON.parse(
    JSON.stringify(query).replaceAll(`"function":"${name}"`, '"function":"NONE"'),
  ) as ResolvedQuery;
  const [refusal] = refusalOf(() => compileQuery(unknown, () => undefined, { text })) ?? [];
  expect(refusal).toMatchObject({ code: "unsupported", message: "Function NONE is not supported by this engine" });
  expect(text.slice(refusal?.span.start).startsWith(name)).toBe(true);
});

it("a sub-query in the condition of a LEFT JOIN with UNNEST is unsupported where the array reads a column", () => {
  const on = "(SELECT MAX(b.id) FROM edge_logs AS b) = x";
  const message = "A sub-query in the ON condition of a LEFT JOIN with UNNEST is not supported";
  const text = `SELECT 1 FROM edge_logs AS a LEFT JOIN UNNEST([a.id]) AS x ON ${on}`;
  const span = { start: text.indexOf(on), end: text.length };
  expect(refusalOf(() => compileText(text))).toEqual([{ code: "unsupported", message, span }]);
});

it("several empty grouping sets beside others are unsupported in a correlated sub-query", () => {
  const query = (sets: string) =>
    `SELECT (SELECT MAX(x) FROM UNNEST([a.id]) AS x GROUP BY GROUPING SETS (${sets}) LIMIT 1) FROM edge_logs AS a`;
  const message = "GROUPING SETS with several empty sets beside others are not supported in a correlated sub-query";
  const refusals = ["(), ()", "x, ()", "x, (), ()"].map((sets) => refusalOf(() => compileText(query(sets))));
  expect(refusals).toEqual([undefined, undefined, [expect.objectContaining({ code: "unsupported", message })]]);
});
