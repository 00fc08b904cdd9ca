/** A source's table on the server, read by its layout. */
import { isRecordType, type SqlType } from "../../../../googlesql/types.ts";
import type { LeafLayout, TableLayout } from "../../../schema/layout.ts";
import { storedColumnOf } from "../../sql/atoms.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { carriedField } from "../expression/carried-field.ts";
import { castTo } from "../expression/literals.ts";
import { type Binding, cheapBinding, type RecordSource } from "../scope.ts";
import type { ServerTable } from "./server-table.ts";

const NUMBERS = new Set<SqlType["kind"]>(["INT64", "FLOAT64"]);

/** An array's column is empty where the event has none: no event has an empty array. */
function printArrayColumn(column: Sql, type: SqlType): Sql {
  return castTo(sql`if(empty(${column}), [], [${column}])`, type);
}

/** The leaf's value; undefined where its columns do not show every value exactly. */
function printLeaf(alias: string, leaf: LeafLayout | undefined, type: SqlType): Sql | undefined {
  if (leaf === undefined || leaf.type.kind === "MIXED" || leaf.isPartial === true) return undefined;
  if (JSON.stringify(leaf.type) !== JSON.stringify(type)) return undefined;
  const [first, ...others] = leaf.variants;
  if (first === undefined) return undefined;
  if (others.length === 0 && JSON.stringify(first.type) === JSON.stringify(type)) {
    const column = storedColumnOf(alias, first.column);
    return type.kind === "ARRAY" ? printArrayColumn(column, type) : column;
  }
  if (type.kind !== "FLOAT64" || leaf.variants.some((variant) => !NUMBERS.has(variant.type.kind))) return undefined;
  const numbers = leaf.variants.map((variant) => sql`toFloat64(${storedColumnOf(alias, variant.column)})`);
  return sql`coalesce(${joinSql(numbers, ", ")})`;
}

function recordSource({ layout, alias, name }: { layout: TableLayout; alias: string; name: string }): RecordSource {
  const key = (path: readonly string[]) => [name, ...path].join(".");
  return {
    leaf: (path, type) => printLeaf(alias, layout.leaves.get(key(path)), type),
    presence: (path) => {
      const column = layout.presence.get(key(path));
      return column === undefined ? undefined : storedColumnOf(alias, column);
    },
    json: (path) => (path.length === 0 ? topLevelJson(layout, alias, name) : undefined),
  };
}

/** The JSON text of a top-level field, where one column has all of it. */
function topLevelJson({ recordColumns, rest }: TableLayout, alias: string, name: string): Sql | undefined {
  const column = recordColumns.get(name);
  if (column === undefined || rest?.names.has(name) === true) return undefined;
  return storedColumnOf(alias, column);
}

export function sourceTable(layout: TableLayout): ServerTable {
  return {
    name: layout.table,
    column(alias, source, type): Binding {
      if (!isRecordType(type)) {
        // Of a leaf that is all in columns the rest has the texts of its numbers beside.
        const leaf = printLeaf(alias, layout.leaves.get(source), type);
        return leaf === undefined ? carriedField(layout, alias, source, type) : cheapBinding(leaf);
      }
      const record = recordSource({ layout, alias, name: source });
      const json = record.json([]);
      return json === undefined ? carriedField(layout, alias, source, type) : cheapBinding(json, record);
    },
  };
}
