import { describe, expect, it } from "vitest";
import { isLimitValue, limitNames, pickBudget, tightest } from "./budget.ts";

describe("of two budgets", () => {
  it("the smaller of each limit holds", () => {
    const service = { query_timeout_ms: 30_000, max_rows: 1_000, max_result_bytes: 5_000 };
    const token = { query_timeout_ms: 500, max_rows: 9_999, max_array_elements: 10 };
    const both = { query_timeout_ms: 500, max_rows: 1_000, max_result_bytes: 5_000, max_array_elements: 10 };
    expect(tightest(service, token)).toEqual(both);
    expect(tightest(token, service)).toEqual(both);
  });

  it("an empty one changes nothing", () => {
    expect(tightest({ max_rows: 5 }, {})).toEqual({ max_rows: 5 });
    expect(tightest({}, { max_rows: 5 })).toEqual({ max_rows: 5 });
  });
});

it("A budget is picked from values by the names of the limits", () => {
  const values = { max_rows: 7, query_timeout_ms: undefined, description: 3 };
  expect(pickBudget(values)).toEqual({ max_rows: 7 });
});

it.each(limitNames)("%s is a whole number within its bounds", (name) => {
  expect(isLimitValue(name, 0)).toBe(false);
  expect(isLimitValue(name, 1e15)).toBe(false);
  expect(isLimitValue(name, 1.5)).toBe(false);
  expect(isLimitValue(name, 200) || isLimitValue(name, 2_000)).toBe(true);
});
