/** Building blocks of relations. */
import type { Column, ComputedColumn, Expr, Scan } from "../resolved.ts";
import { columnOf } from "./call/coerce.ts";
import { ColumnSet } from "./column-set.ts";
import type { QueryResult, Relation } from "./context.ts";
import type { Resolution } from "./resolution.ts";
import type { NamedColumn, NameList } from "./scope.ts";

/**
 * A column for an expression, added to `computed`; a column of the scan itself stands for itself unless it is taken.
 */
export function materialize(
  resolution: Resolution,
  expression: Expr,
  name: string,
  computed: ComputedColumn[],
  isLocal: (column: Column) => boolean,
  taken: ColumnSet,
): Column {
  if (expression.kind === "Column" && isLocal(expression.column) && !taken.has(expression.column.id)) {
    taken.add(expression.column.id);
    return expression.column;
  }
  const column = columnOf(resolution, name, expression);
  computed.push({ column, expression });
  return column;
}

export function project(input: Scan, computed: readonly ComputedColumn[]): Scan {
  return computed.length === 0 ? input : { kind: "Project", input, computed };
}

/** A query's result under an alias (or none) in a FROM clause. */
export function relationOf(result: QueryResult, alias: string | undefined): Relation {
  return {
    scan: result.scan,
    names: aliased(result.columns, alias),
    order: result.order === undefined ? undefined : { keys: result.order.keys, isInherited: true },
    recursive: result.recursive,
  };
}

/** Columns under an alias; the value of a value table takes the alias as its name. */
export function aliased(columns: readonly NamedColumn[], alias: string | undefined, isLenient = false): NameList {
  if (alias === undefined) return { columns, ranges: [] };
  const named = columns.map((column) =>
    column.isValue ? { name: alias, column: column.column, isValue: true } : column,
  );
  return { columns: named, ranges: [{ name: alias, columns: named, isLenient }] };
}

/** Both name lists, the left one's columns first. Reports an alias that occurs twice. */
export function mergeNames(
  resolution: Resolution,
  left: NameList,
  right: NameList,
  span: { readonly start: number; readonly end: number },
): NameList {
  const known = right.ranges.length === 1 ? undefined : new Set(left.ranges.map((range) => range.name.toLowerCase()));
  for (const range of right.ranges) {
    const key = range.name.toLowerCase();
    if (known?.has(key) ?? left.ranges.some((other) => other.name.toLowerCase() === key)) {
      resolution.report("duplicate_name", `Duplicate table alias ${range.name} in the same FROM clause`, span, {
        name: range.name,
      });
    }
  }
  return { columns: [...left.columns, ...right.columns], ranges: [...left.ranges, ...right.ranges] };
}

/** Every column that a relation's names reach. */
export function reachableColumns(names: NameList): ColumnSet {
  const ids = new ColumnSet();
  for (const { column } of names.columns) ids.add(column.id);
  for (const range of names.ranges) for (const { column } of range.columns) ids.add(column.id);
  return ids;
}
