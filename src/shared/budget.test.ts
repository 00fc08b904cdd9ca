import { describe, expect, it } from "vitest";
import { isLimitValue, limitNames, pickBudget, tightest } from "./budget.ts";

describe("the tightest of two budgets", () => {
  it("has the smaller value of each limit", () => {
    const service = { query_timeout_ms: 30_000, max_rows: 1_000, max_result_bytes: 5_000 };
    const token = { query_timeout_ms: 500, max_rows: 9_999, max_array_elements: 10 };
    const both = { query_timeout_ms: 500, max_rows: 1_000, max_result_bytes: 5_000, max_array_elements: 10 };
    expect(tightest(service, token)).toEqual(both);
    expect(tightest(token, service)).toEqual(both);
  });

  it("equals the other budget when one is empty", () => {
    expect(tightest({ max_rows: 5 }, {})).toEqual({ max_rows: 5 });
    expect(tightest({}, { max_rows: 5 })).toEqual({ max_rows: 5 });
  });
});

it("pickBudget picks the values named like limits", () => {
  const values = { max_rows: 7, query_timeout_ms: undefined, description: 3 };
  expect(pickBudget(values)).toEqual({ max_rows: 7 });
});

it.each(limitNames)("%s must be a whole number within its bounds", (name) => {
  expect(isLimitValue(name, 0)).toBe(false);
  expect(isLimitValue(name, 1e15)).toBe(false);
  expect(isLimitValue(name, 1.5)).toBe(false);
  expect(isLimitValue(name, 200) || isLimitValue(name, 2_000)).toBe(true);
});
