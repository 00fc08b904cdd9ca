import { describe, expect, it } from "vitest";
import { dumpQuery } from "../../../../test/support/googlesql/resolver/dump.ts";
import { GoogleSqlError } from "../../diagnostic.ts";
import { parseQuery } from "../../parse.ts";
import type { TableCatalog, ViewDefinition } from "../../relation.ts";
import type { ResolvedQuery } from "../../resolved.ts";
import { INT64, type SqlType, STRING, TIMESTAMP } from "../../types.ts";
import { resolveQuery } from "../resolve.ts";
import { resolveSandboxed } from "../sandbox.ts";

const orders = {
  name: "orders",
  columns: [
    { name: "id", type: INT64 },
    { name: "who", type: STRING },
    { name: "day", type: TIMESTAMP },
  ],
};

type Views = Readonly<Record<string, string | (Partial<ViewDefinition> & { readonly text: string })>>;

function catalog(views: Views): TableCatalog {
  return {
    findTable: (name) => (name === "orders" ? orders : undefined),
    findView(name) {
      const given = views[name];
      if (given === undefined) return undefined;
      const view = typeof given === "string" ? { text: given } : given;
      return { key: name, name, query: parseQuery(view.text), parameters: new Map(), ...view };
    },
    tableNames: () => ["orders", ...Object.keys(views)],
  };
}

function resolve(text: string, views: Views, parameters: readonly (readonly [string, SqlType])[] = []): ResolvedQuery {
  const options = { tables: catalog(views), parameters: new Map(parameters), view: { key: "top", name: "top" } };
  return resolveQuery(parseQuery(text), text, options);
}

function errorsOf(text: string, views: Views, parameters: readonly (readonly [string, SqlType])[] = []): string[] {
  try {
    resolve(text, views, parameters);
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    expect(error.text).toBe(text);
    return error.diagnostics.map(({ message, span }) => `"${text.slice(span.start, span.end)}": ${message}`);
  }
  return [];
}

describe("a view", () => {
  it("becomes one common table expression however often it is read, after the views that it reads", () => {
    const views = { a: "SELECT id, who FROM b", b: "SELECT * FROM orders WHERE id > 1 ORDER BY day DESC" };
    const resolved = resolve("SELECT x.id FROM a AS x, a AS y, b", views);
    expect(resolved.scan.kind === "With" && resolved.scan.ctes.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(dumpQuery(resolved).match(/table orders/g)).toHaveLength(1);
  });

  it("can be referred to by the last part of its name and by its alias", () => {
    const views = { "shop.big": "SELECT id FROM orders" };
    expect(errorsOf("SELECT big.id FROM shop.big", views)).toEqual([]);
    expect(errorsOf("SELECT big.id FROM `shop.big`", views)).toEqual([]);
    expect(errorsOf("SELECT x.id FROM `shop.big` AS x", views)).toEqual([]);
    expect(errorsOf("SELECT y.id FROM `shop.big` AS x", views)).toHaveLength(1);
  });

  it("has lower precedence than common table expressions and tables of its name", () => {
    const views = { orders: "SELECT 1 AS other", mine: "SELECT 1 AS other" };
    expect(errorsOf("SELECT who FROM orders", views)).toEqual([]);
    expect(errorsOf("WITH mine AS (SELECT 2 AS own) SELECT own FROM mine", views)).toEqual([]);
  });

  it("cannot see the definitions of the query that reads it", () => {
    const views = { v: "SELECT a FROM theirs" };
    expect(errorsOf("WITH theirs AS (SELECT 1 AS a) SELECT a FROM v", views)).toEqual([
      '"v": v cannot be read: Table not found: theirs',
    ]);
    const correlated = { v: "SELECT outside.id AS x" };
    expect(errorsOf("SELECT (SELECT x FROM v) FROM orders AS outside", correlated)).toHaveLength(1);
  });

  it("adds the parameters that it reads, which must have the same types in the reading query", () => {
    const views = { v: { text: "SELECT id FROM orders WHERE who = @Who", parameters: new Map([["who", STRING]]) } };
    const parameters = [["who", STRING]] as const;
    expect(resolve("SELECT id FROM v", views, parameters).parameters).toEqual([{ key: "who", type: STRING }]);
    expect(resolve("SELECT id FROM v", views).parameters).toEqual([{ key: "who", type: STRING }]);
    expect(errorsOf("SELECT id FROM v", views, [["who", INT64]])).toEqual([
      '"v": The parameter @who is INT64 here and STRING in v',
    ]);
  });

  it("is redacted where its endpoint redacts, also when read through another view", () => {
    const views = { v: { text: "SELECT id, who FROM orders", redaction: "email" }, w: "SELECT who FROM v" };
    expect(dumpQuery(resolve("SELECT who FROM w", views))).toContain("$redact(who");
    expect(dumpQuery(resolve("SELECT id FROM v", views)).match(/\$redact/g)).toHaveLength(1);
  });

  it("preserves its column names, its order and its limit", () => {
    const resolved = resolve("SELECT * FROM v", { v: "SELECT id AS a, who FROM orders ORDER BY day DESC LIMIT 3" });
    expect(resolved.columns.map(({ name }) => name)).toEqual(["a", "who"]);
    expect(resolved.order).toMatchObject([{ isDescending: true }]);
    expect(dumpQuery(resolved)).toContain("limit 3");
  });

  it("is rejected with the path when views read each other in a circle, or read the query itself", () => {
    const views = { a: "SELECT 1 AS x FROM b", b: "SELECT 1 AS x FROM c", c: "SELECT 1 AS x FROM a" };
    expect(errorsOf("SELECT x FROM a", views)).toEqual(['"a": Endpoints read each other in a circle: a → b → c → a']);
    const self = { v: "SELECT 1 AS x FROM top", top: "SELECT 1 AS x FROM v" };
    expect(errorsOf("SELECT x FROM v", self)).toEqual(['"v": Endpoints read each other in a circle: top → v → top']);
  });

  it("is rejected beyond a depth of views, and is resolved once even if each level reads the next twice", () => {
    const chain = (length: number, text: (next: string) => string): Views =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `v${index}`,
          index === length - 1 ? "SELECT 1 AS x" : text(`v${index + 1}`),
        ]),
      );
    const doubling = chain(16, (next) => `SELECT a.x FROM ${next} a JOIN ${next} b USING (x)`);
    expect(errorsOf("SELECT x FROM v0", doubling)).toEqual([]);
    const [error] = errorsOf(
      "SELECT x FROM v0",
      chain(40, (next) => `SELECT x FROM ${next}`),
    );
    expect(error).toBe('"v0": Endpoints read each other more than 16 levels deep');
  });

  it("is hidden from a consumer's query, which sees the saved expressions only", () => {
    const views = { hidden: "SELECT id, who FROM orders" };
    const saved = "WITH own AS (SELECT id FROM hidden) SELECT id FROM own";
    const ask = (consumer: string) =>
      resolveSandboxed(
        { query: parseQuery(saved), text: saved },
        { query: parseQuery(consumer), text: consumer },
        { tables: catalog(views) },
      );
    expect(ask("SELECT id FROM own").columns).toHaveLength(1);
    expect(() => ask("SELECT id FROM hidden")).toThrow("Table not found: hidden");
    expect(() => ask("SELECT who FROM own")).toThrow("Unrecognized name: who");
  });
});
