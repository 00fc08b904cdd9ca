import { expect, it } from "vitest";
import { columnOf } from "./atoms.ts";
import { bind } from "./forms.ts";
import { Refusal, refusalIn } from "./refusal.ts";
import { joinSql, sql } from "./sql.ts";
import { emit, guarded } from "./statements.ts";

const span = { start: 3, end: 5 };
const first = new Refusal("the first");
const second = new Refusal("the second", span);
const plain = columnOf("t", "id");

it("marks whatever holds it", () => {
  const holders = [
    sql`(${plain} = ${first})`,
    sql`SELECT ${joinSql([plain, first], ", ")} FROM t`,
    sql`arrayMap(x -> ${first}, ${plain})`,
    bind([sql`f(${first})`], "x", (x) => sql`(${x} + ${x})`),
  ];
  for (const holder of holders) expect([holder.isRefused, refusalIn(holder)?.reason]).toEqual([true, "the first"]);
  expect(refusalIn(sql`(${plain} = ${plain})`)).toBeUndefined();
});

it("is found in the order of the text, with its own position or that of what holds it", () => {
  expect(refusalIn(sql`f(${plain}, ${second}, ${first})`, { start: 0, end: 9 })).toBe(second);
  expect(refusalIn(sql`f(${first}, ${second})`, span)).toMatchObject({ reason: "the first", span });
  expect(refusalIn(first)).toBe(first);
});

it("is never emitted", () => {
  expect(() => emit(guarded(sql`SELECT ${first}`), (number) => number)).toThrow("A part of the statement was refused");
});
