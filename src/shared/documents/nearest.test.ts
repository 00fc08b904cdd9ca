import { expect, it } from "vitest";
import { findNearest } from "./nearest.ts";

const known = ["status_code", "DATE_ADD", "COUNTIF", "user_id", "a", "col_a", "id"];

it.each([
  ["status_cod", "status_code"],
  ["statuscode", "status_code"],
  ["count_if", "COUNTIF"],
  ["usr_di", "user_id"],
  ["date_ad", "DATE_ADD"],
  ["a_id", undefined],
  ["date_part", undefined],
  ["status_text", undefined],
  ["b", undefined],
  ["ab", "a"],
  ["col_b", undefined],
  ["col_ab", "col_a"],
])("the name nearest to %s is %s", (unknown, nearest) => {
  expect(findNearest(unknown, known)).toBe(nearest);
});
