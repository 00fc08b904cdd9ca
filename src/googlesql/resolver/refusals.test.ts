import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { columnsOf, errorsOf, namesOf } from "../../../test/support/googlesql/resolver/resolved.ts";

interface Refused {
  readonly query: string;
  /** `code at "text": message`. */
  readonly errors: readonly string[];
  /** The name that each is about, as the query spells it, or null. */
  readonly names: readonly (string | null)[];
}

/** A query that is accepted. `src/engines/duckdb/compile/resolutions.test.ts` has the rows that it answers. */
interface Allowed {
  readonly query: string;
  /** Each column as `name TYPE`. */
  readonly columns: string;
}

function readText(name: string): string {
  return readFileSync(new URL(`../../../test/support/googlesql/resolver/${name}.json`, import.meta.url), "utf8");
}

function read<Case extends { readonly query: string }>(name: string): readonly (readonly [string, Case])[] {
  return (JSON.parse(readText(name)) as readonly Case[]).map((item) => [item.query, item]);
}

/** Is it one error, about the unknown column or table `nope`? */
function isOfNope([error, ...others]: readonly string[]): boolean {
  return others.length === 0 && /^unknown_(?:column|table) at "nope": /.test(error ?? "");
}

describe("the resolver", () => {
  it.each(read<Refused>("refusals"))("refuses %s, says why and where", (query, { errors, names }) => {
    expect(errorsOf(query)).toEqual(errors);
    expect(namesOf(query)).toEqual(names);
  });

  it.each([...read<Allowed>("limits"), ...read<Allowed>("resolutions")])("takes %s", (query, { columns }) => {
    expect(columnsOf(query)).toBe(columns);
  });

  it("reports a name that does not exist once, wherever it stands and whatever is done with its value", () => {
    const queries = JSON.parse(readText("mistakes")) as readonly string[];
    const wrong = queries.map((query) => [query, errorsOf(query)] as const).filter(([, errors]) => !isOfNope(errors));
    expect(wrong).toEqual([]);
  });
});

describe("A misspelt column", () => {
  it.each([
    "SELECT statuss FROM (SELECT statu FROM (SELECT 1 AS status))",
    "SELECT x.statuss FROM (SELECT statu FROM (SELECT 1 AS status)) AS x",
    "WITH a AS (SELECT statu FROM (SELECT 1 AS status)), b AS (SELECT * FROM a) SELECT statuss FROM b",
    "FROM (SELECT 1 AS status) |> SELECT statu |> WHERE statuss = 1",
    "FROM (SELECT 1 AS status) |> SELECT statu |> DROP statuss",
    "SELECT * FROM (SELECT statu FROM (SELECT 1 AS status)) JOIN (SELECT 2 AS statuss) USING (statuss)",
  ])("is reported where it stands, and not proposed for another: %s", (query) => {
    const errors = errorsOf(query).join("\n");
    expect(errors).toContain('unknown_column at "statu": Unrecognized name: statu; did you mean status?');
    expect(errors).not.toContain("did you mean statu?");
    expect(errors).toContain("statuss");
  });
});
