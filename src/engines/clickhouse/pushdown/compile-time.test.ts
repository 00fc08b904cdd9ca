import { expect, it } from "vitest";
import { countSteps } from "../../../../test/support/count-steps.ts";
import { prepareText } from "../../../../test/support/engines/clickhouse/compile-text.ts";

const list = (count: number, write: (index: number) => string, word: string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(word);
const where = (condition: string) => `SELECT id FROM edge_logs WHERE ${condition}`;

const long: Readonly<Record<string, (count: number) => string>> = {
  AND: (count) => where(list(count, (n) => `id != 'v${n}'`, " AND ")),
  OR: (count) => where(list(count, (n) => `id = 'v${n}'`, " OR ")),
  CASE: (count) => `SELECT CASE ${list(count, (n) => `WHEN id = 'v${n}' THEN ${n}`, " ")} END AS c FROM edge_logs`,
  IN: (count) => where(`id IN (${list(count, (n) => `'v${n}'`, ", ")})`),
  COALESCE: (count) => `SELECT COALESCE(${list(count, (n) => `NULLIF(id, 'v${n}')`, ", ")}) AS c FROM edge_logs`,
  "AND over parameters": (count) => where(list(count, (n) => `id != CONCAT(@p, 'v${n}')`, " AND ")),
  "AND that may fail": (count) => where(list(count, (n) => `CAST(event_message AS INT64) = ${n}`, " AND ")),
};

it.each(Object.entries(long))("compiles a query of many conditions in linear time: %s", (_, write) => {
  prepareText(write(2))();
  const [few, many] = [countSteps(prepareText(write(20))), countSteps(prepareText(write(160)))];
  // Eight times as many; the square would be 64.
  expect(many / few).toBeLessThan(9);
});
