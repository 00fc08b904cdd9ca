/** Tables of sources in FROM, and how their columns are printed. */

import type { Scan } from "../../../../googlesql/resolved.ts";
import type { TableLayout } from "../../../schema/layout.ts";
import { identifierSql, nameSql } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { fail, nextAlias, type SelectBuilder } from "../compilation.ts";
import { isRecordType } from "../expression/json-place.ts";
import { type MixedColumns, printMixed, printMixedAs } from "../expression/mixed-columns.ts";
import {
  printLeaf,
  printRestField,
  type TopLevelRecord,
  tableRecordSource,
  topLevelJson,
} from "../expression/records.ts";
import { type Binding, cheapBinding, makeBinding, type StoredColumn } from "../scope.ts";

/** The table, whose columns are bound when they are read. */
export function buildTable(builder: SelectBuilder, scan: Scan & { kind: "Table" }): SelectBuilder {
  const { compilation } = builder;
  const layout = compilation.layouts(scan.table);
  if (layout === undefined) return fail("unknown_table", `Table not found: ${scan.table.name}`, scan.place.span);
  compilation.tables.add(scan.table.name);
  const alias = nextAlias(compilation, "t");
  const columns = new Map<number, (typeof scan.columns)[number]>();
  for (const item of scan.columns) columns.set(item.column.id, item);
  const table = sql`${identifierSql(layout.table)} AS ${nameSql(alias)}`;
  builder.from = { print: () => table, table: { name: layout.table, alias } };
  builder.sources = [
    (id): Binding | undefined => {
      const found = columns.get(id);
      if (found === undefined) return undefined;
      const { type } = found.column;
      if (isRecordType(type)) {
        const json = topLevelJson(layout, alias, found.source);
        if (json !== undefined)
          return cheapBinding(
            json,
            undefined,
            tableRecordSource(layout, alias, { name: found.source, type, json }),
            storedColumn(layout, alias, layout.recordColumns.get(found.source), json),
          );
      }
      const leaf = layout.leaves.get(found.source);
      if (type.kind === "MIXED" && leaf !== undefined) {
        const json = topLevelJson(layout, alias, found.source);
        const record = json === undefined ? undefined : { name: found.source, type, json };
        return mixedBinding(layout, { alias, leaf, json, isTopLevel: true }, record);
      }
      const sql = leaf === undefined ? printRestField(layout, alias, found.source, type) : printLeaf(alias, leaf);
      const stored = storedColumn(layout, alias, leaf?.variants[0]?.column, sql);
      return cheapBinding(sql, layout.recordColumns.size > 0, undefined, stored);
    },
  ];
  return builder;
}

/** The column, where it is all that is printed. */
function storedColumn(
  { table, leaves, recordColumns }: TableLayout,
  alias: string,
  column: string | undefined,
  printed: Sql,
): StoredColumn | undefined {
  if (column === undefined || !printed.isColumn) return undefined;
  const isText = column === "event_message" || [...recordColumns.values()].includes(column);
  const isOfEvents = leaves.get("timestamp")?.variants[0]?.column === "timestamp";
  const [isEventId, isEventTime] = [isOfEvents && column === "id", isOfEvents && column === "timestamp"];
  return { table, alias, column, isText, isEventId, isEventTime };
}

/** A top-level field of several shapes. */
function mixedBinding(layout: TableLayout, columns: MixedColumns, record: TopLevelRecord | undefined): Binding {
  const sql = () => printMixed(columns);
  const source = record === undefined ? undefined : tableRecordSource(layout, columns.alias, record);
  return makeBinding(sql, false, true, source, undefined, (to) => printMixedAs(columns, to));
}
