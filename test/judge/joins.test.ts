import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { type Asked, compare, openAsked } from "./compare.ts";
import { makeTestData } from "./test-data.ts";

const types = ["LEFT", "RIGHT", "FULL"] as const;

/** Sides of a join, and whether each is a join itself. Both have a column that the condition reads. */
const lefts = ["t AS x", "(t AS n FULL JOIN u AS x ON n.id = x.k)", "(SELECT * FROM t ORDER BY id LIMIT 3) AS x"];
const rights = ["u AS y", "(u AS y LEFT JOIN t AS p ON p.k = y.id)", "(u AS q FULL JOIN t AS y ON q.id = y.k)"];

const conditions = [
  "EXISTS(SELECT 1 FROM t AS c WHERE c.k = x.k AND c.id = y.id)",
  "x.id IN (SELECT c.k FROM u AS c WHERE y.b)",
  "y.k NOT IN (SELECT c.id FROM t AS c WHERE c.k = x.k GROUP BY c.id)",
  "x.k = y.k AND (SELECT MAX(c.id) FROM t AS c WHERE c.k < x.id) > y.id",
  "EXISTS(SELECT 1 FROM t AS c WHERE c.k = x.k) AND x.k = y.id",
  "EXISTS(SELECT 1 FROM t AS c WHERE c.k = y.k) OR x.k = y.id",
  "x.k = y.k AND EXISTS(SELECT 1 FROM u AS c WHERE c.b)",
  "x.k = y.k",
];

/** The join, with more of a condition, and one side's table as another query. */
type Join = (more?: string, table?: string) => string;

/** Where the join stands: alone, read twice, before another one, and in a sub-query, with or without its columns. */
const places: readonly ((join: Join) => string)[] = [
  (join) => `SELECT x.id, y.id FROM ${join()} ORDER BY 1, 2`,
  (join) => `WITH w AS (SELECT x.id AS i, y.id AS j FROM ${join()})
    SELECT v.i, w.j FROM w JOIN w AS v ON w.i = v.j ORDER BY 1, 2`,
  (join) => `SELECT x.id, y.id, z.id FROM ${join()}
    FULL JOIN t AS z ON EXISTS(SELECT 1 FROM u AS c WHERE c.id = x.id OR c.id = y.id AND c.k = z.k) ORDER BY 1, 2, 3`,
  (join) => `SELECT o.id, (SELECT COUNT(*) FROM ${join()} WHERE x.id = o.id OR y.id = o.k) FROM t AS o`,
  (join) => `SELECT o.id, ARRAY(SELECT x.id FROM ${join(" AND x.id + y.id > o.id")} ORDER BY x.id) FROM t AS o`,
  (join) =>
    `SELECT o.k, ARRAY(SELECT y.id FROM ${join("", "(SELECT * FROM u WHERE k > o.k)")} ORDER BY y.id) FROM t AS o`,
];

const queries = places.flatMap((place) =>
  types.flatMap((type) =>
    lefts.flatMap((left) =>
      rights.flatMap((right) =>
        conditions.map((condition) =>
          place(
            (more = "", table = "u") => `${left} ${type} JOIN ${right.replace("u", table)} ON (${condition})${more}`,
          ),
        ),
      ),
    ),
  ),
);

describe("an outer join with sub-queries in ON or around it", () => {
  const data = makeTestData(Array.from({ length: 150 }, (_, index) => (index * 379 + 41) % 1000));
  let asked: Asked;

  beforeAll(async () => {
    asked = await openAsked();
    await asked.fill(data);
  });

  afterAll(() => {
    asked.close();
  });

  it.each(["none", "redaction"] as const)(
    "is answered wherever it stands, behind %s",
    async (layer) => {
      const wrong: unknown[] = [];
      for (const query of sampleOf(queries, 0.0125)) {
        const verdict = await compare(asked, data, query, layer);
        if (verdict.kind !== "equal") wrong.push({ query, ...verdict });
      }
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
