import { expect, it } from "vitest";
import { parseQuery } from "../../googlesql/parse.ts";
import { allRowsOf } from "./query-shape.ts";

it("all rows of a query are those without its outermost order and limit, unless pipes go on behind them", () => {
  const limited = parseQuery("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3) ORDER BY a LIMIT 5");
  const all = allRowsOf(limited);
  expect([limited.orderBy, limited.limit].every((part) => part !== undefined)).toBe(true);
  expect(all).toEqual(expect.not.objectContaining({ orderBy: expect.anything() }));
  expect("limit" in all || "orderBy" in all).toBe(false);
  expect(all.body).toBe(limited.body);
  const piped = parseQuery("SELECT a FROM t ORDER BY a LIMIT 5 |> WHERE a > 1");
  expect(allRowsOf(piped)).toBe(piped);
});
