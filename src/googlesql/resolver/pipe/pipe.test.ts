import { describe, expect, it } from "vitest";
import { errorsOf } from "../../../../test/support/googlesql/resolver/resolved.ts";

describe("the resolver of pipe operators", () => {
  it("reports the problems of every operator", () => {
    expect(errorsOf(`FROM people |> SELECT idd |> WHERE x`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "idd": Unrecognized name: idd; did you mean id?",
        "unknown_column at "x": Unrecognized name: x",
      ]
    `);
    expect(errorsOf(`FROM people |> SET nope = 1, id = 1, id = 2`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe SET does not exist in the input",
        "duplicate_name at "id = 2": Pipe SET has duplicate update of column id",
      ]
    `);
    expect(errorsOf(`FROM people |> DROP nope, id, id`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe DROP does not exist in the input",
        "duplicate_name at "id": Duplicate column id in pipe DROP",
      ]
    `);
    expect(errorsOf(`FROM people |> RENAME nope AS x`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in pipe RENAME does not exist in the input",
      ]
    `);
    expect(errorsOf(`FROM people |> AGGREGATE id`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": Pipe AGGREGATE expression references column id which is neither grouped nor aggregated",
      ]
    `);
    expect(errorsOf(`FROM people |> WHERE COUNT(*) > 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "COUNT(*)": Aggregate function COUNT not allowed in WHERE clause",
      ]
    `);
    expect(errorsOf(`FROM people |> CALL f()`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "f": Table-valued function not found: f",
      ]
    `);
    expect(errorsOf(`FROM people |> EXTEND SUM(id)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(id)": Aggregate function SUM not allowed in pipe EXTEND",
      ]
    `);
    expect(errorsOf(`FROM people |> AGGREGATE COUNT(*) GROUP BY doc`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "doc": Unrecognized name: doc",
      ]
    `);
    expect(errorsOf(`FROM people |> UNION ALL (SELECT 1)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SELECT 1": Queries in UNION ALL have mismatched column count; query 1 has 3 columns, query 2 has 1 column",
      ]
    `);
    expect(errorsOf(`FROM people |> DROP id, name, score`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "id": Pipe DROP must leave at least one column",
      ]
    `);
  });
});
