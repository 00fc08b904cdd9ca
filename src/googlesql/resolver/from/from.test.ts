import { describe, expect, it } from "vitest";
import { dumpQuery } from "../../../../test/support/googlesql/resolver/dump.ts";
import { dumpOf, errorsOf, resolveText } from "../../../../test/support/googlesql/resolver/resolved.ts";
import type { TableCatalog, TableDefinition, TenantRule } from "../../relation.ts";
import { arrayOf, type SqlType, STRING } from "../../types.ts";

describe("the resolver of tables", () => {
  it("hides a table's name behind its alias", () => {
    expect(errorsOf(`SELECT people.id FROM people AS p`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "people": Unrecognized name: people",
      ]
    `);
    expect(errorsOf(`SELECT id FROM poeple`)).toMatchInlineSnapshot(`
      [
        "unknown_table at "poeple": Table not found: poeple; did you mean people?",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people, people`)).toMatchInlineSnapshot(`
      [
        "duplicate_name at "people": Duplicate table alias people in the same FROM clause",
      ]
    `);
    expect(errorsOf(`SELECT idd, p.nam FROM people p`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "idd": Unrecognized name: idd; did you mean id?",
        "unknown_column at "nam": Name nam not found inside p; did you mean name?",
      ]
    `);
  });

  it("rejects FOR SYSTEM_TIME and table-valued functions", () => {
    expect(errorsOf(`SELECT 1 FROM people FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()`)).toMatchInlineSnapshot(`
      [
        "unsupported at "CURRENT_TIMESTAMP()": FOR SYSTEM_TIME AS OF is not supported",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM my_function(1)`)).toMatchInlineSnapshot(`
      [
        "unknown_function at "my_function": Table-valued function not found: my_function",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM project.INFORMATION_SCHEMA.TABLES`)).toMatchInlineSnapshot(`
      [
        "unknown_table at "project.INFORMATION_SCHEMA.TABLES": Table not found: project.INFORMATION_SCHEMA.TABLES",
      ]
    `);
  });
});

describe("a table with tenants", () => {
  const levels: SqlType = {
    kind: "RECORD",
    fields: [
      { name: "Tenant", type: STRING },
      { name: "tenant", type: STRING },
    ],
    isRepeated: false,
    isOpen: false,
  };
  const columns = [
    { name: "Owner", type: STRING },
    { name: "owner", type: STRING },
    { name: "Team", type: STRING },
    { name: "meta", type: arrayOf(levels) },
  ];
  const dumpFor = (tenantField: string | undefined, rule: TenantRule | undefined) => {
    const table: TableDefinition = {
      name: "t",
      columns,
      isLenient: true,
      ...(tenantField === undefined ? {} : { tenantField }),
    };
    const tables: TableCatalog = {
      findTable: () => table,
      tableNames: () => ["t"],
      findTenant: (found, { text, span }) => {
        expect([found, text.slice(span.start, span.end)]).toEqual([table, "t AS x"]);
        return rule;
      },
    };
    const query = resolveText("SELECT x.Team FROM t AS x", { tables });
    return { filter: dumpQuery(query).split("\n")[1], parameters: query.parameters };
  };
  const ofText: TenantRule = { kind: "text", value: "acme" };

  it.each([
    ["owner", 'owner#2, "acme"'],
    ["Owner", 'Owner#1, "acme"'],
    ["OWNER", 'Owner#1, "acme"'],
    ["team", 'Team#3, "acme"'],
    ["meta.tenant", 'meta#4->tenant, "acme"'],
    ["META.Tenant", 'meta#4->Tenant, "acme"'],
    ["meta.TENANT", 'meta#4->Tenant, "acme"'],
  ])("is filtered by the column or field %s, exactly so spelt if there is one", (field, operands) => {
    expect(dumpFor(field, ofText)).toEqual({ filter: `  filter $equal(${operands})`, parameters: [] });
  });

  it.each(["nope", "meta.nope", "owner.tenant", "meta.tenant.nope", undefined])(
    "has no rows for a tenant where it has no field %s",
    (field) => {
      expect(dumpFor(field, ofText).filter).toBe("  filter false");
    },
  );

  it("is filtered by a parameter, which the query then has, or not at all", () => {
    expect(dumpFor("team", { kind: "parameter", name: "$tenant" })).toEqual({
      filter: "  filter $equal(Team#3, @$tenant:STRING)",
      parameters: [{ key: "$tenant", type: STRING }],
    });
    expect(dumpFor("team", undefined)).toEqual({
      filter: "  table t(Owner#1, owner#2, Team#3, meta#4)",
      parameters: [],
    });
  });
});

describe("the resolver of joins", () => {
  it("reports invalid join conditions and ambiguous names", () => {
    expect(errorsOf(`SELECT id FROM people a JOIN people b ON a.id = b.id`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "id": Column name id is ambiguous; write a.id or b.id",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a JOIN orders b`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "orders b": INNER JOIN must have an immediately following ON or USING clause",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a JOIN orders b ON a.name`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "name": The ON condition must be BOOL, but it is STRING",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a JOIN orders b USING (name)`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "name": Column name in USING clause not found on right side of join",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a JOIN orders b USING (id, id)`)).toMatchInlineSnapshot(`
      [
        "duplicate_name at "id": Duplicate column in USING clause: id",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a CROSS JOIN orders b ON TRUE`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "people a CROSS JOIN orders b ON TRUE": CROSS JOIN takes neither ON nor USING",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM people a JOIN people b ON SUM(a.id) > 1`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "SUM(a.id)": Aggregate function SUM not allowed in JOIN ON clause",
      ]
    `);
  });

  it("hides the tables to the left of a sub-query from it", () => {
    expect(errorsOf(`SELECT 1 FROM people a, (SELECT a.id) AS b`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "a": Unrecognized name: a",
      ]
    `);
  });
});

describe("the resolver of UNNEST", () => {
  it("finds struct fields by bare names, and reports ambiguous ones", () => {
    expect(errorsOf(`SELECT id FROM orders, UNNEST([STRUCT(1 AS id)])`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "id": Column name id is ambiguous; give one of its columns another name with AS",
      ]
    `);
    expect(errorsOf(`SELECT a FROM UNNEST([STRUCT(1 AS a)]) x, UNNEST([STRUCT(2 AS a)]) y`)).toMatchInlineSnapshot(`
      [
        "ambiguous_name at "a": Column name a is ambiguous; write x.a or y.a",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM orders, UNNEST(id)`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id": Values referenced in UNNEST must be arrays. UNNEST contains expression of type INT64",
      ]
    `);
    expect(errorsOf(`SELECT 1 FROM UNNEST('abc')`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "'abc'": Values referenced in UNNEST must be arrays. UNNEST contains expression of type STRING",
      ]
    `);
    expect(errorsOf(`SELECT x FROM orders RIGHT JOIN UNNEST(items) x ON TRUE`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "items": Unrecognized name: items",
      ]
    `);
  });
});

describe("the resolver of PIVOT, UNPIVOT and TABLESAMPLE", () => {
  it("groups a PIVOT by the columns that it does not read", () => {
    expect(
      dumpOf(
        "SELECT * FROM (SELECT customer, day, total FROM orders) PIVOT (SUM(total) AS s, COUNT(*) AS n FOR " +
          "customer IN ('a', 'b' AS bee)) AS p",
      ),
    ).toMatchInlineSnapshot(`
      "select day=day#9:DATE, s_a=s_a#10:NUMERIC, n_a=n_a#11:INT64, s_bee=s_bee#12:NUMERIC, n_bee=n_bee#13:INT64
        aggregate [SUM(total#3 where $not($is_distinct(pivot_input#8, "a"))) as s_a#10, $count_star( where $not($is_distinct(pivot_input#8, "a"))) as n_a#11, SUM(total#3 where $not($is_distinct(pivot_input#8, "b"))) as s_bee#12, $count_star( where $not($is_distinct(pivot_input#8, "b"))) as n_bee#13] by day#4 as day#9
          compute customer#2 as pivot_input#8
            table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)"
    `);
    expect(
      dumpOf(`SELECT * FROM (SELECT id, score FROM people) PIVOT (MAX(score) FOR id IN (1, -2))`),
    ).toMatchInlineSnapshot(`
      "select _1=_1#5:FLOAT64, minus_2=minus_2#6:FLOAT64
        aggregate [MAX(score#3 where $not($is_distinct(pivot_input#4, 1))) as _1#5, MAX(score#3 where $not($is_distinct(pivot_input#4, -2))) as minus_2#6]
          compute id#1 as pivot_input#4
            table people(id#1, name#2, score#3)"
    `);
  });

  it("reports invalid PIVOT clauses", () => {
    expect(errorsOf(`SELECT * FROM people PIVOT (score FOR id IN (1))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "score": PIVOT expression must be a call of an aggregate function",
      ]
    `);
    expect(errorsOf(`SELECT * FROM people PIVOT (SUM(score), MAX(score) FOR id IN (1))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "PIVOT (SUM(score), MAX(score) FOR id IN (1))": PIVOT with several aggregates needs an alias for each of them",
      ]
    `);
    expect(errorsOf(`SELECT * FROM people PIVOT (SUM(score) FOR id IN ('x'))`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "id": PIVOT values cannot be compared with FOR expression of type INT64",
      ]
    `);
    expect(errorsOf(`SELECT * FROM (SELECT 1 AS n, 2.5 AS x) PIVOT (COUNT(n) FOR x IN (1.5))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "1.5": PIVOT value of type FLOAT64 needs an alias",
      ]
    `);
    expect(errorsOf(`SELECT * FROM people PIVOT (SUM(score) FOR id IN (score))`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "score": PIVOT value must be a constant",
      ]
    `);
  });

  it("reports columns of UNPIVOT that are unknown or differ in type", () => {
    expect(errorsOf(`SELECT * FROM people UNPIVOT (v FOR n IN (name, id))`)).toMatchInlineSnapshot(`
      [
        "type_mismatch at "UNPIVOT (v FOR n IN (name, id))": The columns of UNPIVOT's v have different types: STRING, INT64",
      ]
    `);
    expect(errorsOf(`SELECT * FROM people UNPIVOT (v FOR n IN (nope))`)).toMatchInlineSnapshot(`
      [
        "unknown_column at "nope": Column nope in UNPIVOT does not exist",
      ]
    `);
  });

  it("reports invalid TABLESAMPLE clauses", () => {
    expect(errorsOf(`SELECT 1 FROM people TABLESAMPLE SYSTEM (200 PERCENT)`)).toMatchInlineSnapshot(`
      [
        "invalid_query at "200": The size of TABLESAMPLE is out of range",
      ]
    `);
  });
});
