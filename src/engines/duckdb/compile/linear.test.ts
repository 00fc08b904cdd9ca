import { expect, it } from "vitest";
import { countSteps } from "../../../../test/support/count-steps.ts";
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

const shapes: Readonly<Record<string, (count: number) => string>> = {
  or: (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `id = 'a${i}'`, " OR ")}`,
  and: (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `id != 'a${i}'`, " AND ")}`,
  "and that may fail": (count) => `SELECT id FROM logs WHERE ${repeat(count, (i) => `1 / n > ${i}`, " AND ")}`,
  case: (count) => `SELECT CASE ${repeat(count, (i) => `WHEN id = 'a${i}' THEN ${i}`, " ")} END AS c FROM logs`,
  "case that may fail": (count) =>
    `SELECT CASE ${repeat(count, (i) => `WHEN 1 / n > ${i} THEN ${i}`, " ")} END AS c FROM logs`,
  in: (count) => `SELECT id FROM logs WHERE id IN (${repeat(count, (i) => `'a${i}'`, ", ")})`,
  columns: (count) => `SELECT ${repeat(count, (i) => `CONCAT(id, '${i}') AS c${i}`, ", ")} FROM logs`,
  aggregates: (count) => `SELECT ${repeat(count, (i) => `COUNTIF(n > ${i}) AS c${i}`, ", ")} FROM logs`,
};

function steps(text: string): number {
  return countSteps(() => compileQuery(resolveQuery(parseQuery(text), text, { tables }), () => layout, { text }));
}

// Eight times as much takes 64 times as many steps where it is quadratic.
it.each(Object.entries(shapes))("the time to compile a query grows as its text does: %s", (_, make) => {
  steps(make(2));
  const ratio = steps(make(400)) / steps(make(50));
  expect(ratio).toBeGreaterThan(4);
  expect(ratio).toBeLessThan(9);
});
