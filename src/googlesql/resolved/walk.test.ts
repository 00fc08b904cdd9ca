import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { resolveText } from "../../../test/support/googlesql/resolver/resolved.ts";
import type { AnyExpr, Scan } from "../resolved.ts";
import { INT64 } from "../types.ts";
import { createMapping } from "./map.ts";
import { reaches, scanExpressions, someExpression, someScanned } from "./walk.ts";

const corpus = new URL("../../../test/support/googlesql/resolver/resolutions.json", import.meta.url);
const cases = JSON.parse(readFileSync(corpus, "utf8")) as readonly {
  readonly query: string;
  readonly error?: string;
}[];

/** Queries that the corpus lacks. */
const others: readonly string[] = [
  "SELECT name FROM people LIMIT @n OFFSET @m",
  "SELECT ARRAY_AGG(name ORDER BY score LIMIT 2), COUNT(* WHERE id > 1) FROM people",
  "SELECT SUM(score) OVER (PARTITION BY name ORDER BY id ROWS BETWEEN @n PRECEDING AND 2 FOLLOWING) FROM people",
  "SELECT (SELECT name FROM people LIMIT 1), id IN (SELECT id FROM orders TABLESAMPLE BERNOULLI (@p PERCENT)) FROM people",
  "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + @n FROM r WHERE n < 9) SELECT * FROM r, r AS s",
];

const parameters = new Map(["n", "m", "p", "inner", "outer"].map((name) => [name, INT64]));
const resolve = (query: string): Scan => resolveText(query, { parameters }).scan;

const queries = [...cases.filter(({ error }) => error === undefined).map(({ query }) => query), ...others].map(
  (query) => ({ query, scan: resolve(query) }),
);

const scanKinds = kindsOf<Scan>({
  ...{ SingleRow: 0, Table: 0, Cte: 0, Unnest: 0, Join: 0, Filter: 0, Project: 0, Aggregate: 0, Window: 0 },
  ...{ Distinct: 0, SetOperation: 0, OrderBy: 0, Limit: 0, Sample: 0, With: 0, Recursive: 0 },
});
const expressionKinds = kindsOf<AnyExpr>({
  ...{ Literal: 0, Parameter: 0, Column: 0, Field: 0, RecordField: 0, Call: 0, Case: 0, Cast: 0, MakeArray: 0 },
  ...{ MakeStruct: 0, Subquery: 0, InSubquery: 0, Lambda: 0, Variable: 0, Let: 0, DatePart: 0 },
  ...{ AggregateCall: 0, WindowCall: 0 },
});

/** Every kind of node, or the list does not compile. */
function kindsOf<Node extends { readonly kind: string }>(
  kinds: Readonly<Record<Node["kind"], 0>>,
): ReadonlySet<string> {
  return new Set(Object.keys(kinds));
}

/** Every node, found without knowing the tree. */
function nodesOf(root: Scan): { readonly expressions: ReadonlySet<unknown>; readonly scans: ReadonlySet<unknown> } {
  const expressions = new Set<unknown>();
  const scans = new Set<unknown>();
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const kind = "kind" in node ? String(node.kind) : "";
    if (scanKinds.has(kind)) scans.add(node);
    else if (expressionKinds.has(kind)) expressions.add(node);
    for (const [key, value] of Object.entries(node)) if (key !== "type" && key !== "table") open.push(value);
  }
  return { expressions, scans };
}

function differences(one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): number {
  return [...one].filter((item) => !other.has(item)).length + [...other].filter((item) => !one.has(item)).length;
}

/** A copy of every expression that has none below it. */
const copying = () =>
  createMapping({
    expression: (at) =>
      at.kind === "Literal" || at.kind === "Parameter" || at.kind === "Column" ? { ...at } : undefined,
  });

describe("a resolved query", () => {
  it("is walked whole, of whatever kinds its nodes are", () => {
    const kinds = new Set<string>();
    for (const { query, scan } of queries) {
      const { expressions, scans } = nodesOf(scan);
      const walked = new Set<unknown>();
      const read = new Set<unknown>();
      someScanned(scan, (at) => {
        walked.add(at);
        return false;
      });
      reaches(scan, (at) => {
        read.add(at);
        return false;
      });
      for (const node of [...expressions, ...scans]) kinds.add((node as { readonly kind: string }).kind);
      expect([query, differences(expressions, walked), differences(scans, read)]).toEqual([query, 0, 0]);
    }
    expect(kinds).toEqual(new Set([...scanKinds, ...expressionKinds]));
  });

  it("is mapped where it is walked, and nothing else of it changes", () => {
    for (const { query, scan } of queries) {
      const mapped = copying().scan(scan);
      const before = nodesOf(scan).expressions;
      const leaves = [...nodesOf(mapped).expressions].filter((at) => {
        const { kind } = at as AnyExpr;
        return (kind === "Literal" || kind === "Parameter" || kind === "Column") && before.has(at);
      });
      expect([query, leaves]).toEqual([query, []]);
      expect(mapped).toEqual(scan);
    }
  });

  it("is the same object where nothing of it is replaced", () => {
    for (const { query, scan } of queries) {
      const same = createMapping({ expression: () => undefined, scan: () => undefined }).scan(scan);
      expect([query, same === scan]).toEqual([query, true]);
    }
  });

  it("keeps constants that the language asks for where told to", () => {
    const scan = resolve("SELECT SUM(@n) OVER (ORDER BY id ROWS @n PRECEDING) AS s FROM people LIMIT @n");
    const mapping = createMapping({
      expression: (at) => (at.kind === "Parameter" ? { ...at, key: "other" } : undefined),
      bound: (at) => at,
    });
    const keys: unknown[] = [];
    someScanned(mapping.scan(scan), (at) => {
      if (at.kind === "Parameter") keys.push(at.key);
      return false;
    });
    expect(keys.toSorted()).toEqual(["n", "n", "n", "other"]);
  });

  it("looks into sub-queries only when asked to", () => {
    const scan = resolve("SELECT (SELECT MAX(id) + @inner FROM people) + @outer AS s");
    const isParameter = (name: string) => (at: AnyExpr) => at.kind === "Parameter" && at.key === name;
    const some = (name: string, inSubqueries: boolean) =>
      scanExpressions(scan).some((expression) => someExpression(expression, isParameter(name), inSubqueries));
    expect([some("outer", false), some("inner", false), some("inner", true)]).toEqual([true, false, true]);
  });

  it("has one definition for all scans of a recursive table, its own step's too", () => {
    const scan = resolve(others.at(-1) ?? "");
    const mapped = copying().scan(scan);
    const definitions = new Set<unknown>();
    reaches(mapped, (at) => {
      if (at.kind === "Cte") definitions.add(at.cte);
      if (at.kind === "With") for (const cte of at.ctes) definitions.add(cte);
      return false;
    });
    expect(definitions.size).toBe(1);
    expect(reaches(mapped, (at) => at.kind === "With" && definitions.has(at.ctes[0]))).toBe(true);
  });
});
