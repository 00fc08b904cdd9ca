/** How large and how deep a statement may be, each at its limit and one beyond. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  compileText,
  openEdgeDatabase,
  refusalOf,
  type TestDatabase,
} from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";

const tooDeep = (text: string) => refusalOf(() => compileText(text));
const tooComplex = (message: string) => [{ code: "too_complex", message, span: { start: 0, end: 0 } }];

/** As many sub-selects as there are limits. */
const limited = (times: number) => `FROM (SELECT 1 AS x) ${"|> LIMIT 1 ".repeat(times)}`;

describe("a statement", () => {
  it("may nest 250 sub-selects", () => {
    const message = "Sub-queries are nested deeper than 250 levels";
    expect([limited(250), limited(251)].map(tooDeep)).toEqual([undefined, tooComplex(message)]);
  });

  it("nests a union and a numbered join as deep as their deepest sides", () => {
    const isRefused = (query: string) => tooDeep(`SELECT 1 FROM (${query}) |> LIMIT 1 |> LIMIT 1`) !== undefined;
    const union = (one: number, other: number) => `(${limited(one)}) UNION ALL (${limited(other)})`;
    const both = "EXISTS (SELECT 1 FROM UNNEST([a.x]) AS c WHERE c = b.x)";
    const join = (one: number, other: number) =>
      `SELECT 1 FROM (${limited(one)}) AS a LEFT JOIN (${limited(other)}) AS b ON ${both}`;
    const around = (print: typeof union, depth: number) => [
      isRefused(print(depth, 1)),
      isRefused(print(1, depth)),
      isRefused(print(depth + 1, 1)),
      isRefused(print(1, depth + 1)),
    ];
    expect([around(union, 248), around(join, 244)]).toEqual(Array(2).fill([false, false, true, true]));
  });

  it("may read 400 definitions and sub-queries inside of each other, however many beside each other", () => {
    const chain = (length: number) => {
      const definitions = Array.from({ length: length - 1 }, (_, n) => `c${n + 1} AS (SELECT x FROM c${n})`);
      return `WITH ${["c0 AS (SELECT 1 AS x)", ...definitions].join(", ")} SELECT x FROM c${length - 1}`;
    };
    const message = "Common table expressions and sub-queries read each other over more than 400 levels";
    expect([chain(399), chain(400)].map(tooDeep)).toEqual([undefined, tooComplex(message)]);
    expect(tooDeep(Array.from({ length: 450 }, (_, n) => `SELECT ${n}`).join(" UNION ALL "))).toBeUndefined();
  });
});

describe("a long list", () => {
  const list = (count: number, make: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => make(n)).join(", ");

  it.each([
    ["aggregates", (n: number) => `COUNTIF(id = '${n}')`],
    ["window functions", (n: number) => `SUM(${n}) OVER (ORDER BY id)`],
  ] as const)("of %s is refused from 1,001 on, where the first too many stands", (what, make) => {
    const query = (count: number) => `SELECT ${list(count, make)} FROM edge_logs`;
    const [one] = [query(1_001)];
    const start = one.indexOf(make(1_000));
    const span = { start, end: start + make(1_000).length };
    const message = `A SELECT has more than 1000 ${what}`;
    expect([query(1_000), one].map(tooDeep)).toEqual([undefined, [{ code: "too_complex", message, span }]]);
  });

  it.each(["s = s", "s IN (s, s)", "NULLIF(s, s)", "s IN (SELECT s)", "s IS DISTINCT FROM s", "s IN UNNEST([s])"])(
    "of a struct's fields is compared up to 500, by %s",
    (form) => {
      const inner = (count: number) => `STRUCT(0 AS a, STRUCT(${list(count - 1, String)}) AS b)`;
      const query = (count: number) => `SELECT ${form} FROM (SELECT ${inner(count)} AS s)`;
      expect(tooDeep(query(500))).toBeUndefined();
      expect(tooDeep(query(501))).toMatchObject([
        { code: "too_complex", message: "Structs of more than 500 fields are not compared" },
      ]);
    },
  );

  it("that becomes more SQL than an engine plans in a second is refused", () => {
    const query = (count: number) => `SELECT [${list(count, (n) => `${n} / LENGTH(id)`)}] FROM edge_logs`;
    const message = "The query becomes more than 250000 parts of SQL; ask for less at once";
    expect([query(1_000), query(9_000)].map(tooDeep)).toEqual([undefined, tooComplex(message)]);
  });
});

describe("a long condition", () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `x${n + 1}`);
  /** As many tests of a column that fail for no row and are no list of values. */
  const or = (all: readonly string[]) => all.map((name) => `id BETWEEN '${name}' AND '${name}'`).join(" OR ");
  const and = (all: readonly string[]) => all.map((name) => `id != '${name}'`).join(" AND ");
  const where = (condition: string) => `SELECT id FROM edge_logs WHERE ${condition} ORDER BY id`;

  it("is hidden from DuckDB's optimizer from 501 parts on, which it takes quadratic time for", () => {
    const shields = (condition: string) => compileText(where(condition)).sql.split("CASE WHEN").length - 1;
    expect([2, 500, 501, 1000, 1001].map((count) => shields(or(names(count))))).toEqual([0, 0, 3, 3, 4]);
    expect([2, 500, 501, 1001].map((count) => shields(and(names(count))))).toEqual([0, 0, 1, 1]);
    expect(shields(`id > 'a' AND (${or(names(501))})`)).toBe(3);
  });

  describe("on DuckDB", () => {
    let edge: TestDatabase;
    beforeAll(async () => {
      edge = await openEdgeDatabase();
    });
    afterAll(() => edge.database.close());

    it("finds the rows that a short one would", async () => {
      const places = new Map([
        [0, "a"],
        [500, "b"],
        [1000, "d"],
      ]);
      const put = (all: readonly string[]) => all.map((name, index) => places.get(index) ?? name);
      expect(await edge.rows(where(or(put(names(1001)))))).toEqual([["a"], ["b"], ["d"]]);
      expect(await edge.rows(where(and(put(names(501)))))).toEqual([["c"], ["d"]]);
    });
  });
});
