import { expect, it } from "vitest";
import { countSteps } from "../../../../test/support/count-steps.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import type { TableDefinition } from "../../../googlesql/relation.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { INT64, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import { compileQuery } from "./compile.ts";

const columns = [
  { name: "id", type: STRING },
  { name: "timestamp", type: TIMESTAMP },
  { name: "n", type: INT64 },
];
const definition: TableDefinition = { name: "logs", isLenient: true, columns };
const leaves = new Map(columns.map(({ name, type }) => [name, { type, variants: [{ column: name, type }] }]));
const layout = { definition, table: "t1", leaves, recordColumns: new Map(), presence: new Map() };
const tables = { findTable: () => definition, tableNames: () => ["logs"] };

const repeat = (count: number, make: (index: number) => string, separator: string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

const named = (count: number) => repeat(count, (i) => `${i} AS c${i}`, ", ");

const shapes: Readonly<Record<string, (count: number) => string>> = {
  or: (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `id = 'a${i}'`, " OR ")}`,
  and: (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `id != 'a${i}'`, " AND ")}`,
  "and that may fail": (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `1 / n > ${i}`, " AND ")}`,
  case: (count) => `SELECT CASE ${repeat(count, (i) => `WHEN id = 'a${i}' THEN ${i}`, " ")} END AS c FROM logs`,
  "case that may fail": (count) =>
    `SELECT CASE ${repeat(count, (i) => `WHEN 1 / n > ${i} THEN ${i}`, " ")} END AS c FROM logs`,
  in: (count) => `SELECT id FROM logs WHERE id IN (${repeat(count, (i) => `'a${i}'`, ", ")})`,
  columns: (count) => `SELECT ${repeat(count, (i) => `CONCAT(id, '${i}') AS c${i}`, ", ")} FROM logs`,
  union: (count) => repeat(count, (i) => `SELECT ${i} AS x FROM logs`, " UNION ALL "),
  with: (count) => `WITH ${repeat(count, (i) => `a${i} AS (SELECT id FROM logs)`, ", ")} SELECT id FROM a0`,
  "with that reads": (count) =>
    `WITH a AS (SELECT id FROM logs) ${repeat(count, () => "SELECT id FROM a", " UNION ALL ")}`,
  greatest: (count) => `SELECT GREATEST(${repeat(count, (i) => `n + ${i}`, ", ")}) AS x FROM logs`,
  coalesce: (count) => `SELECT COALESCE(${repeat(count, (i) => `NULLIF(id, '${i}')`, ", ")}) AS x FROM logs`,
  concat: (count) => `SELECT CONCAT(${repeat(count, (i) => `id, '${i}'`, ", ")}) AS x FROM logs`,
  array: (count) => `SELECT [${repeat(count, (i) => `n + ${i}`, ", ")}] AS x FROM logs`,
  "unnested array": (count) => `SELECT x FROM UNNEST([${repeat(count, (i) => `STRUCT(${i} AS a)`, ", ")}]) AS x`,
  struct: (count) => `SELECT STRUCT(${repeat(count, (i) => `n + ${i} AS a${i}`, ", ")}) AS x FROM logs`,
  "scalar sub-queries": (count) => `SELECT ${repeat(count, (i) => `(SELECT ${i}) AS c${i}`, ", ")} FROM logs`,
  "correlated sub-queries": (count) =>
    `SELECT ${repeat(count, (i) => `EXISTS(SELECT 1 FROM logs AS e WHERE e.id = o.id) AS c${i}`, ", ")} FROM logs AS o`,
  windows: (count) => `SELECT ${repeat(count, (i) => `SUM(n) OVER (ORDER BY n + ${i}) AS c${i}`, ", ")} FROM logs`,
  "named windows": (count) =>
    `SELECT SUM(n) OVER w0 AS s FROM logs WINDOW w0 AS (PARTITION BY id)${repeat(count, (i) => `, w${i + 1} AS (w0 ORDER BY n + ${i}, id)`, "")}`,
  "group by": (count) => `SELECT COUNT(*) AS n FROM logs GROUP BY ${repeat(count, (i) => `n + ${i}`, ", ")}`,
  "grouping sets": (count) =>
    `SELECT COUNT(*) AS n FROM logs GROUP BY GROUPING SETS (${repeat(count, () => "(id)", ", ")})`,
  "order by": (count) => `SELECT id FROM logs ORDER BY ${repeat(count, (i) => `n + ${i}`, ", ")}`,
  "star except": (count) =>
    `SELECT * EXCEPT (${repeat(count, (i) => `c${i}`, ", ")}) FROM (SELECT ${repeat(count, (i) => `${i} AS c${i}`, ", ")}, 2 AS z)`,
  "star replace": (count) =>
    `SELECT * REPLACE (${repeat(count, (i) => `2 AS c${i}`, ", ")}) FROM (SELECT ${repeat(count, (i) => `${i} AS c${i}`, ", ")})`,
  pivot: (count) =>
    `SELECT * FROM (SELECT id, n FROM logs) PIVOT (COUNT(n) FOR id IN (${repeat(count, (i) => `'a${i}' AS p${i}`, ", ")}))`,
  unpivot: (count) =>
    `SELECT * FROM (SELECT ${repeat(count, (i) => `${i} AS c${i}`, ", ")}) UNPIVOT (v FOR c IN (${repeat(count, (i) => `c${i}`, ", ")}))`,
  "paths of JSON": (count) => `SELECT ${repeat(count, (i) => `JSON_VALUE(id, '$.a${i}') AS c${i}`, ", ")} FROM logs`,
  parameters: (count) => `SELECT ${repeat(count, (i) => `@p${i % 10} AS c${i}`, ", ")} FROM logs`,
  "names of WITH tables that are used": (count) =>
    `WITH ${repeat(count, (i) => `a${i} AS (SELECT ${i} AS x)`, ", ")} ${repeat(count, (i) => `SELECT x FROM a${i}`, " UNION ALL ")}`,
  format: (count) => `SELECT FORMAT('${"%s".repeat(count)}', ${repeat(count, () => "id", ", ")}) FROM logs`,
  using: (count) =>
    `SELECT 1 FROM (SELECT ${named(count)}) JOIN (SELECT ${named(count)}) USING (${repeat(count, (i) => `c${i}`, ", ")})`,
  "fields of a struct": (count) =>
    `SELECT ${repeat(count, (i) => `s.c${i}`, ", ")} FROM (SELECT STRUCT(${named(count)}) AS s)`,
  "recursive definitions": (count) =>
    `WITH RECURSIVE ${repeat(count, (i) => `t${i} AS (SELECT ${i} AS x)`, ", ")} SELECT * FROM t0`,
  aggregates: (count) => `SELECT ${repeat(count, (i) => `COUNTIF(n > ${i}) AS c${i}`, ", ")} FROM logs`,
};

function steps(text: string): number {
  return countSteps(() =>
    compileQuery(resolveQuery(parseQuery(text), text, { tables, inferParameters: true }), () => layout, { text }),
  );
}

// Eight times as much takes 64 times as many steps where it is quadratic.
it.each(sampleOf(Object.entries(shapes), 0.1))("the time to compile a query grows as its text does: %s", (_, make) => {
  steps(make(2));
  const ratio = steps(make(160)) / steps(make(20));
  expect(ratio).toBeGreaterThan(4);
  expect(ratio).toBeLessThan(9);
});
