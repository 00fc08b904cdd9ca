import { describe, expect, it } from "vitest";
import { calls } from "../../../../test/support/engines/clickhouse/functions/calls.ts";
import { valuesQuery } from "../../../../test/support/engines/clickhouse/functions/values.ts";
import { CATALOGUE } from "../../../googlesql/catalogue/index.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import type { TableDefinition } from "../../../googlesql/relation.ts";
import { someScanned } from "../../../googlesql/resolved/walk.ts";
import type { ResolvedQuery } from "../../../googlesql/resolved.ts";
import { resolveQuery } from "../../../googlesql/resolver/resolve.ts";
import { columnOf } from "../../sql/atoms.ts";
import { cheapBinding } from "../compile/scope.ts";
import { compileQuery, planOf } from "../compile-query.ts";
import { aggregateFunctions } from "./aggregates.ts";
import { isPushed, scalarFunctions } from "./index.ts";
import { reasonsNotPushed } from "./reasons.ts";
import { windowFunctions } from "./windows.ts";

const served = CATALOGUE.definitions.filter(({ name, refused }) => refused === undefined && !name.startsWith("$"));

const values: TableDefinition = { name: "v", columns: resolve(valuesQuery(1, 1)).columns.map(toColumn) };

function toColumn({ name, column }: ResolvedQuery["columns"][number]) {
  return { name, type: column.type };
}

function resolve(text: string): ResolvedQuery {
  const tables = { findTable: (name: string) => (name === "v" ? values : undefined), tableNames: () => ["v"] };
  return resolveQuery(parseQuery(text), text, { tables });
}

/** The plan of the call over the columns of the random tests' table. */
function divide(call: string) {
  const query = resolve(`SELECT ${call} AS x FROM v`);
  const server = { name: "v", column: (alias: string, source: string) => cheapBinding(columnOf(alias, source)) };
  const refuse = (): never => {
    throw new Error(`Not whole: ${call}`);
  };
  const compiled = compileQuery(query, { tables: () => server, residual: { compile: refuse } });
  return { query, plan: planOf(compiled) };
}

const divided = Object.values(calls).flatMap((topic) => topic.map(divide));

describe("functions on ClickHouse", () => {
  it("are all called by the random tests, each in a form that runs wholly on the server", () => {
    expect(divided.filter(({ plan }) => plan.kind !== "whole")).toEqual([]);
    const called = new Set<string>();
    for (const { query } of divided) {
      someScanned(query.scan, (at) => {
        if (at.kind === "Call" || at.kind === "AggregateCall" || at.kind === "WindowCall") called.add(at.function);
        return false;
      });
    }
    const tables = [scalarFunctions, aggregateFunctions, windowFunctions];
    const known = tables.flatMap((table) => Object.keys(table));
    expect(known.filter((name) => !called.has(name))).toEqual([]);
  });

  it("cover at least 70 percent of the catalogue", () => {
    const pushed = served.filter(({ name }) => isPushed(name));
    expect(pushed.length / served.length).toBeGreaterThanOrEqual(0.7);
  });

  it("have a reason exactly where they are not pushed down", () => {
    const without = served.filter(({ name }) => !isPushed(name)).map(({ name }) => name);
    expect(Object.keys(reasonsNotPushed).sort()).toEqual(without.sort());
  });
});
