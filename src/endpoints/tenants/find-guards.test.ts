import { describe, expect, it } from "vitest";
import { parseQuery } from "../../googlesql/parse.ts";
import type { TableDefinition } from "../../googlesql/relation.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import { arrayOf, INT64, type RecordType, type SqlType, STRING, TIMESTAMP } from "../../googlesql/types.ts";
import { findGuards } from "./find-guards.ts";

const record = (fields: RecordType["fields"], isRepeated = false): SqlType =>
  arrayOf({ kind: "RECORD", fields, isRepeated, isOpen: false });

const table = (name: string, tenantField: string | undefined, metadata: SqlType): TableDefinition => ({
  name,
  isLenient: true,
  columns: [
    { name: "timestamp", type: TIMESTAMP },
    { name: "id", type: STRING },
    { name: "project", type: STRING },
    { name: "metadata", type: metadata },
  ],
  ...(tenantField === undefined ? {} : { tenantField }),
});

const refs = [
  { name: "ref", type: STRING },
  { name: "n", type: INT64 },
];
const tables = [
  table("edge", "project", record(refs)),
  table("db", "project", record(refs)),
  table("jobs", "metadata.ref", record(refs)),
  table("lists", "metadata.ref", record(refs, true)),
  table("own", undefined, record(refs)),
];
const parameters = new Map<string, SqlType>([
  ["p", STRING],
  ["q", STRING],
  ["n", INT64],
]);

/** The tables of a query in order of their names, each with its guard. */
function guardsOf(sql: string, exposed: readonly string[] = []): string {
  const catalog = {
    findTable: (name: string) => tables.find((each) => each.name === name),
    tableNames: () => tables.map(({ name }) => name),
  };
  const { scan } = resolveQuery(parseQuery(sql), sql, { tables: catalog, parameters });
  const found = [...findGuards(scan, new Set(exposed))].map(
    ([
      {
        table: { name },
      },
      rule,
    ]) => {
      if (rule === undefined) return name;
      return `${name}=${rule.kind === "text" ? `'${rule.value}'` : `@${rule.name}`}`;
    },
  );
  return found.sort().join(" ");
}

describe("a scan is confined to one tenant", () => {
  it.each([
    ["by a comparison in WHERE", "select 1 from edge where project = @p", "edge=@p"],
    ["by its mirror image", "select 1 from edge t where @P = t.project", "edge=@p"],
    ["by a text", "select 1 from edge where project = 'aaa'", "edge='aaa'"],
    ["beside other conditions", "select 1 from edge where id > 'a' and (project = @p and id < 'z')", "edge=@p"],
    ["through a record", "select 1 from jobs t cross join unnest(t.metadata) m where m.ref = @p", "jobs=@p"],
    ["through a record, by its path", "select 1 from jobs t where t.metadata.ref = @p", "jobs=@p"],
    ["through further records", "select 1 from edge t, unnest(t.metadata) m where t.project = @p", "edge=@p"],
    [
      "through a LEFT JOIN of its record",
      "select 1 from jobs t left join unnest(t.metadata) m where m.ref = @p",
      "jobs=@p",
    ],
    [
      "on both sides of a join",
      "select 1 from edge a join db b on a.id = b.id where a.project = @p and b.project = @q",
      "db=@q edge=@p",
    ],
    [
      "by the ON of an inner join",
      "select 1 from edge a join db b on a.project = @p and b.project = @p",
      "db=@p edge=@p",
    ],
    [
      "by being the same as a field that is",
      "select 1 from edge a join db b on a.project = b.project where b.project = @p",
      "db=@p edge=@p",
    ],
    ["by USING", "select 1 from edge a join db b using (project) where a.project = @p", "db=@p edge=@p"],
    [
      "through another record's field",
      "select 1 from edge a, jobs j, unnest(j.metadata) m where m.ref = a.project and a.project = @p",
      "edge=@p jobs=@p",
    ],
    [
      "where an outer join may lack it",
      "select 1 from edge a left join db b on b.project = @p where a.project = @p",
      "db=@p edge=@p",
    ],
    [
      "from above a common table expression",
      "with x as (select project as t, id from edge) select 1 from x where t = @p",
      "edge=@p",
    ],
    [
      "from above all of its readers",
      "with x as (select * from edge) select 1 from x where project = @p union all select 2 from x where project = @p",
      "edge=@p",
    ],
    [
      "in each branch of a union",
      "select id, project from edge where project = @p union all select id, project from db where project = @p",
      "db=@p edge=@p",
    ],
    [
      "above a union",
      "select 1 from (select project from edge union all select project from db) where project = @p",
      "db=@p edge=@p",
    ],
    [
      "above a group that it names",
      "select 1 from (select project, count(*) from edge group by project) where project = @p",
      "edge=@p",
    ],
    ["by HAVING of a group that it names", "select project from edge group by project having project = @p", "edge=@p"],
    ["above DISTINCT", "select 1 from (select distinct project from edge) where project = @p", "edge=@p"],
    [
      "in a sub-query",
      "select (select count(*) from db where project = @p) from edge where project = @q",
      "db=@p edge=@q",
    ],
    [
      "in a sub-query that compares with the query around it",
      "select 1 from edge t where t.project = @p and exists (select 1 from db d where d.project = t.project)",
      "db=@p edge=@p",
    ],
    ["in pipes", "from edge |> where project = @p |> select id", "edge=@p"],
  ])("%s", (_, sql, expected) => {
    expect(guardsOf(sql)).toBe(expected);
  });
});

describe("a scan is not confined", () => {
  it.each([
    ["by another field", "select 1 from edge where id = @p", "edge"],
    ["by a condition that OR leaves open", "select 1 from edge where project = @p or id = 'x'", "edge"],
    ["by a negated condition", "select 1 from edge where not (project = @p)", "edge"],
    ["by a pattern", "select 1 from edge where regexp_contains(project, @p)", "edge"],
    ["by the result of a function", "select 1 from edge where lower(project) = @p", "edge"],
    ["by a collation", "select 1 from edge where collate(project, 'und:ci') = @p", "edge"],
    ["by a number", "select 1 from edge where project = @n", "edge"],
    ["by NULL", "select 1 from edge where project = cast(null as string)", "edge"],
    ["by an element of a list", "select 1 from lists t cross join unnest(t.metadata) m where m.ref = @p", "lists"],
    ["below a limit", "select 1 from (select project from edge limit 5) where project = @p", "edge"],
    ["below a window", "select 1 from (select project, row_number() over () from edge) where project = @p", "edge"],
    ["below an aggregate", "select 1 from (select max(project) as project from edge) where project = @p", "edge"],
    ["below ROLLUP", "select 1 from (select project from edge group by rollup (project)) where project = @p", "edge"],
    ["below a sample", "select 1 from (select * from edge tablesample reservoir (5 rows)) where project = @p", "edge"],
    ["by the ON of a join that keeps its rows", "select 1 from edge a left join db b on a.project = @p", "db edge"],
    ["by the ON of a FULL JOIN", "select 1 from edge a full join db b on a.project = @p and b.project = @p", "db edge"],
    [
      "where another reader is not",
      "with x as (select * from edge) select 1 from x where project = @p union all select 2 from x",
      "edge",
    ],
    [
      "where its readers differ",
      "with x as (select * from edge) select 1 from x where project = @p union all select 2 from x where project = @q",
      "edge",
    ],
    [
      "by a sub-query's own condition",
      "select 1 from edge where exists (select 1 from db where db.project = @p)",
      "db=@p edge",
    ],
    ["where it has no tenants", "select 1 from own where project = @p", "own"],
  ])("%s", (_, sql, expected) => {
    expect(guardsOf(sql)).toBe(expected);
  });
});

it("a table that callers may read is not guarded by conditions of the saved query", () => {
  const sql =
    "with x as (select * from edge), y as (select * from db where project = @p) select 1 from x, y where " +
    "x.project = @p";
  expect(guardsOf(sql)).toBe("db=@p edge=@p");
  expect(guardsOf(sql, ["x", "y"])).toBe("db=@p edge");
});
