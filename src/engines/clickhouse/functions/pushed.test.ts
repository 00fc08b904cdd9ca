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
import { divideQuery } from "../pushdown/plan.ts";
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

const server = { name: "v", column: (alias: string, source: string) => cheapBinding(columnOf(alias, source)) };

/** The plan of the call over the columns of the random tests' table. */
function divide(call: string) {
  const query = resolve(`SELECT ${call} AS x FROM v`);
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
    // No text calls this one: it is written for conditions below UNNEST.
    const called = new Set<string>(["$true_or_fails"]);
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

  it("are printed, or refused with a reason, whatever they are called with", () => {
    const lists = [
      "s",
      "i",
      "f",
      "y",
      "d",
      "s, s",
      "i, i",
      "f, i",
      "s, 'a', 'b'",
      "y, 'a'",
      "[i]",
      "t, DAY",
      "'%d', i",
    ];
    const calls = served.flatMap(({ name }) => {
      return lists.flatMap((list) => [
        `${name}(${list})`,
        `SAFE.${name}(${list})`,
        `${name}(${list}) OVER (ORDER BY i)`,
      ]);
    });
    const queries = calls.flatMap((call) => {
      try {
        return [resolve(`SELECT i, ${call} AS x FROM v`)];
      } catch {
        return [];
      }
    });
    expect(queries.length).toBeGreaterThan(500);
    const options = { tables: () => server, timeZone: "UTC", pushesConstants: false, bindsConstants: true };
    for (const query of queries) {
      const division = divideQuery(query, options);
      if (division.kind === "divided") expect(division.reasons.length).toBeGreaterThan(0);
    }
  });

  it("cover at least 70 percent of the catalogue", () => {
    const pushed = served.filter(({ name }) => isPushed(name));
    expect(pushed.length / served.length).toBeGreaterThanOrEqual(0.7);
  });

  it("have a reason only where they are not pushed down", () => {
    const without = new Set(served.filter(({ name }) => !isPushed(name)).map(({ name }) => name));
    expect(Object.keys(reasonsNotPushed).filter((name) => !without.has(name))).toEqual([]);
  });
});
