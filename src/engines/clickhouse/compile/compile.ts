/** A whole query, or a sub-tree of one, as one ClickHouse statement. */

import type { Column, ResolvedQuery } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import { failingBranchQueries } from "../../lowering/failing.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { isOrderedBy } from "../../sql/select.ts";
import { numberSql, variableSql } from "../sql/atoms.ts";
import { Refusal } from "../sql/refusal.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import type { Compilation } from "./compilation.ts";
import { RunConstants } from "./compilation.ts";
import { renderSelect, type SelectBuilder } from "./render.ts";
import { buildOrderBy, buildScan } from "./scan/scans.ts";
import type { ServerTables } from "./scan/server-table.ts";
import { openSelect, wrapSelect } from "./select-builder.ts";

export function createCompilation(
  query: Pick<ResolvedQuery, "parameters" | "scan">,
  analysis: Analysis,
  tables: ServerTables,
  { timeZone, bindsConstants }: { readonly timeZone: string; readonly bindsConstants: boolean },
): Compilation {
  const parameters = query.parameters.map(({ key, type }, index) => [key, { index: index + 1, type }] as const);
  return {
    tables,
    timeZone,
    analysis,
    parameters: new Map(parameters),
    constants: bindsConstants ? new RunConstants() : undefined,
    tablesRead: new Set(),
    guard: undefined,
    delaysFailures: true,
    branchQueries: analysis.holdsQueries ? failingBranchQueries(query.scan) : new Set(),
    aliasCount: 0,
    buildScan,
  };
}

/** How a value leaves the server: bytes as Base64, since the rows are JSON. */
function printOutput(value: Sql, type: SqlType): Sql {
  if (!holdsBytes(type)) return value;
  if (type.kind === "ARRAY") {
    const element = printOutput(variableSql("lw_e"), type.element);
    return sql`arrayMap(lw_a -> arrayMap(lw_e -> ${element}, lw_a), ${value})`;
  }
  if (type.kind !== "STRUCT") return sql`base64Encode(${value})`;
  const fields = type.fields.map((field, index) => printOutput(sql`lw_s.${numberSql(index + 1)}`, field.type));
  return sql`arrayMap(lw_s -> tuple(${joinSql(fields, ", ")}), ${value})`;
}

function holdsBytes(type: SqlType): boolean {
  if (type.kind === "ARRAY") return holdsBytes(type.element);
  return type.kind === "BYTES" || (type.kind === "STRUCT" && type.fields.some((field) => holdsBytes(field.type)));
}

/** The statement that answers the columns of the SELECT. */
export function printStatement(compilation: Compilation, built: SelectBuilder, columns: readonly Column[]): Sql {
  const builder = built.isDistinct ? wrapSelect(compilation, built) : built;
  const items = columns.map((column, index) => {
    const value = findColumn(builder, column.id)?.sql() ?? new Refusal("a column of a query around it");
    return { alias: `o${index + 1}`, sql: printOutput(value, column.type) };
  });
  return renderSelect(builder, items);
}

/** The SELECT with the query's order, also where it is taken over from a CTE or stands below a projection. */
export function orderResult(
  compilation: Compilation,
  built: SelectBuilder,
  { order = [] }: ResolvedQuery,
): SelectBuilder {
  return isOrderedBy(built, order) ? built : buildOrderBy(compilation, order, openSelect(compilation, built));
}
