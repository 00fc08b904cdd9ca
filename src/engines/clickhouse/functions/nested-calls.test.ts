import { expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { nestedCalls, nestedRow } from "../../../../test/support/engines/nested-calls.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import type { TableDefinition } from "../../../googlesql/relation.ts";
import { resolveQuery } from "../../../googlesql/resolver/resolve.ts";
import { columnOf } from "../../sql/atoms.ts";
import { cheapBinding } from "../compile/scope.ts";
import { compileQuery, planOf } from "../compile-query.ts";

function resolve(text: string, found?: TableDefinition) {
  return resolveQuery(parseQuery(text), text, { tables: { findTable: () => found, tableNames: () => [] } });
}

const { columns } = resolve(`SELECT * FROM ${nestedRow}`);
const table = { name: "v", columns: columns.map(({ name, column }) => ({ name, type: column.type })) };
const server = { name: "v", column: (alias: string, source: string) => cheapBinding(columnOf(alias, source)) };
const residual = {
  compile: () => {
    throw new Error("not whole");
  },
};

/** The length of the server's statement for the call; 0 where the server does not run it. */
function lengthOf(call: string): number {
  const query = resolve(`SELECT ${call} AS x FROM v`, table);
  try {
    const plan = planOf(compileQuery(query, { tables: () => server, residual }));
    return plan.kind === "whole" ? plan.statement.sql.length : 0;
  } catch (error) {
    if (error instanceof Error && error.message === "not whole") return 0;
    throw error;
  }
}

it("prints calls in each other's operands once each, whatever the function is", () => {
  const tried = nestedCalls.flatMap(({ name, form, innermost }) => {
    const nested = (levels: number) => Array.from({ length: levels }).reduce<string>(form, innermost);
    if (refusalOf(() => resolve(`SELECT ${nested(1)} FROM v`, table)) !== undefined) return [];
    const [few, many] = [lengthOf(nested(4)), lengthOf(nested(8))];
    return few > 0 ? [{ name, ratio: many / few }] : [];
  });
  expect(tried.length).toBeGreaterThan(100);
  expect(tried.filter(({ ratio }) => ratio > 2.1 || ratio < 1)).toEqual([]);
});
