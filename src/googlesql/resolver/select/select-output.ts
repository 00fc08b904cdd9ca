import type { Column, ComputedColumn, OrderKey } from "../../resolved.ts";
import { isGroupable } from "../../typing/same-type.ts";
import { isLenientExpr, typeName } from "../call/coerce.ts";
import { ColumnSet } from "../column-set.ts";
import type { Ordering, QueryResult } from "../context.ts";
import { columnExpr, makeStruct } from "../expression/expr.ts";
import { ExpressionIndex } from "../expression/expression-index.ts";
import { materialize, project, reachableColumns } from "../relation.ts";
import { type NamedColumn, namedColumn } from "../scope.ts";
import { mapExpr, type Replace } from "../transform.ts";
import { aboveKeys } from "./above-keys.ts";
import type { SelectClauses, SelectWork } from "./select-work.ts";

/**
 * The output of a SELECT: its columns, DISTINCT, the value of a value table, and the order: its own, or one taken
 * over.
 */
export function finishSelect(
  work: SelectWork,
  clauses: SelectClauses,
  inherited: Ordering | "own" | undefined,
): QueryResult {
  const { resolution } = work.environment;
  const computed: ComputedColumn[] = [];
  const taken = new ColumnSet();
  const { firstColumn } = work.environment;
  const isLocal = (column: Column): boolean => column.id >= firstColumn;
  const columns = work.items.map((item, i) =>
    materialize(resolution, item.expression, item.name ?? `f${i}`, computed, isLocal, taken),
  );
  let outputs = columns.map((column, i): NamedColumn => namedColumn(work.items[i]?.name, column));
  const extra: ComputedColumn[] = [];
  const above = clauses.isDistinct ? distinctKeys(work, columns) : undefined;
  let keys = work.sortKeys.map((key): OrderKey => {
    const { isDescending, nullsFirst } = key;
    const column = key.item === undefined ? undefined : columns[key.item];
    if (column !== undefined) return { column, isDescending, nullsFirst };
    const expression = above === undefined ? key.expression : mapExpr(key.expression, above);
    const isReadable = above === undefined ? isLocal : () => false;
    const sortColumn = materialize(resolution, expression, "sort_key", extra, isReadable, new ColumnSet());
    return { column: sortColumn, isDescending, nullsFirst };
  });
  let scan = project(work.scan, computed);
  const value = clauses.as === undefined ? undefined : valueColumn(work, clauses, outputs);
  if (value !== undefined) {
    scan = project(scan, value.computed);
    outputs = [{ name: undefined, column: value.column, isValue: true }];
  }
  if (clauses.isDistinct) {
    const before = outputs;
    for (const { column } of before) {
      if (!isGroupable(column.type))
        resolution.report(
          "type_mismatch",
          `Column ${column.name} of type ${typeName(column.type)} cannot be used in SELECT DISTINCT`,
          clauses.span,
        );
    }
    const pairs = before.map(({ column }) => ({
      column: resolution.newColumn(column.name, column.type),
      input: column,
    }));
    for (const { column, input } of pairs)
      if (resolution.lenientColumns.has(input.id)) resolution.lenientColumns.add(column.id);
    scan = { kind: "Distinct", input: scan, columns: pairs };
    outputs = before.map((output, i) => ({ ...output, column: pairs[i]?.column ?? output.column }));
    const renamed = new Map(pairs.map((pair) => [pair.input.id, pair.column]));
    const replace: Replace = (expression) => {
      const target = expression.kind === "Column" ? renamed.get(expression.column.id) : undefined;
      return target === undefined ? undefined : columnExpr(target, expression.span);
    };
    keys = keys.map((key) => ({ ...key, column: renamed.get(key.column.id) ?? key.column }));
    scan = project(
      scan,
      extra.map((item) => ({ ...item, expression: mapExpr(item.expression, replace) })),
    );
  } else scan = project(scan, extra);
  const order = inherited === "own" ? { keys, isInherited: false } : inherited;
  return {
    scan,
    columns: outputs,
    order,
    isSorted: false,
    recursive: work.source.recursive,
  };
}

/** How ORDER BY reads above SELECT DISTINCT: the select list's expressions as its columns, no other column. */
function distinctKeys(work: SelectWork, columns: readonly Column[]): Replace {
  const pairs = columns.flatMap((column, i) => {
    const expression = work.items[i]?.expression;
    return expression === undefined ? [] : [{ expression, column }];
  });
  return aboveKeys(
    work.environment.resolution,
    new ExpressionIndex(pairs),
    reachableColumns(work.source.names),
    (name) => `ORDER BY clause expression references column ${name} which is not visible after SELECT DISTINCT`,
  );
}

/** SELECT AS STRUCT and AS VALUE make one value of the list. */
function valueColumn(
  work: SelectWork,
  clauses: SelectClauses,
  outputs: readonly NamedColumn[],
): { readonly column: Column; readonly computed: readonly ComputedColumn[] } | undefined {
  const { resolution } = work.environment;
  if (clauses.as === "VALUE") {
    const [only] = outputs;
    if (only !== undefined && outputs.length === 1) return { column: only.column, computed: [] };
    resolution.report("invalid_query", "SELECT AS VALUE query must have exactly one column", clauses.span);
    return undefined;
  }
  if (clauses.as !== "STRUCT") {
    resolution.report("unsupported", "SELECT AS with a named type is not supported", clauses.span);
    return undefined;
  }
  const expression = makeStruct(
    outputs.map(({ name, column }) => ({ name, value: columnExpr(column, clauses.span) })),
    clauses.span,
    (value) => isLenientExpr(resolution, value),
  );
  const column = resolution.newColumn("value", expression.type);
  return { column, computed: [{ column, expression }] };
}
