import type { Column, ComputedColumn, OrderKey, Scan } from "../../resolved.ts";
import { isLenientExpr, keyTypeName } from "../call/coerce.ts";
import { groupCollated, isKeyType } from "../call/collation.ts";
import { ColumnSet } from "../column-set.ts";
import type { Ordering, QueryResult } from "../context.ts";
import { columnExpr, makeStruct } from "../expression/expr.ts";
import { materialize, project } from "../relation.ts";
import { type NamedColumn, namedColumn } from "../scope.ts";
import { mapExpr, type Replace } from "../transform.ts";
import { aboveKeys } from "./above-keys.ts";
import type { SelectClauses, SelectWork } from "./select-work.ts";

/** The output of a SELECT so far. */
interface Output {
  readonly scan: Scan;
  readonly columns: readonly NamedColumn[];
  readonly keys: readonly OrderKey[];
}

/**
 * The output of a SELECT: its columns, DISTINCT, the value of a value table, and the order: its own, or one taken
 * over.
 */
export function finishSelect(
  work: SelectWork,
  clauses: SelectClauses,
  inherited: Ordering | "own" | undefined,
): QueryResult {
  const { resolution, firstColumn } = work.environment;
  const computed: ComputedColumn[] = [];
  const taken = new ColumnSet();
  const isLocal = (column: Column): boolean => column.id >= firstColumn;
  const columns = work.items.map((item, i) =>
    materialize(resolution, item.expression, item.name ?? `f${i}`, computed, isLocal, taken),
  );
  const named = columns.map((column, i): NamedColumn => namedColumn(work.items[i]?.name, column));
  const extra: ComputedColumn[] = [];
  const keys = sortColumns(work, clauses, columns, isLocal, extra);
  const listed: Output = { scan: project(work.scan, computed), columns: named, keys };
  const value = clauses.as === undefined ? undefined : valueColumn(work, clauses, named);
  const output: Output =
    value === undefined
      ? listed
      : {
          ...listed,
          scan: project(listed.scan, value.computed),
          columns: [{ name: undefined, column: value.column, isValue: true }],
        };
  const shown = clauses.isDistinct
    ? makeDistinct(work, clauses, output, extra)
    : { ...output, scan: project(output.scan, extra) };
  const order = inherited === "own" ? { keys: shown.keys, isInherited: false } : inherited;
  return { scan: shown.scan, columns: shown.columns, order, isSorted: false, recursive: work.source.recursive };
}

/** The columns that ORDER BY sorts by: those of the list, and `extra` ones that are computed for it. */
function sortColumns(
  work: SelectWork,
  clauses: SelectClauses,
  columns: readonly Column[],
  isLocal: (column: Column) => boolean,
  extra: ComputedColumn[],
): readonly OrderKey[] {
  const above = clauses.isDistinct ? distinctKeys(work, columns) : undefined;
  const isReadable = above === undefined ? isLocal : () => false;
  return work.sortKeys.map((key): OrderKey => {
    const { isDescending, nullsFirst } = key;
    const column = key.item === undefined ? undefined : columns[key.item];
    if (column !== undefined) return { column, isDescending, nullsFirst };
    const expression = above === undefined ? key.expression : mapExpr(key.expression, above);
    const { resolution } = work.environment;
    const sortColumn = materialize(resolution, expression, "sort_key", extra, isReadable, new ColumnSet());
    return { column: sortColumn, isDescending, nullsFirst };
  });
}

/** SELECT DISTINCT: everything above it reads columns of its own. */
function makeDistinct(
  { environment }: SelectWork,
  clauses: SelectClauses,
  { scan, columns, keys }: Output,
  extra: readonly ComputedColumn[],
): Output {
  const { resolution } = environment;
  for (const { column } of columns) {
    if (isKeyType(column.type)) continue;
    const message = `Column ${column.name} of type ${keyTypeName(column.type)} cannot be used in SELECT DISTINCT`;
    resolution.report("type_mismatch", message, clauses.span);
  }
  const pairs = columns.map(({ column }) => ({ column: resolution.copyColumn(column), input: column }));
  const renamed = new Map(pairs.map((pair) => [pair.input.id, pair.column]));
  const replace: Replace = (expression) => {
    const target = expression.kind === "Column" ? renamed.get(expression.column.id) : undefined;
    return target === undefined ? undefined : columnExpr(target, expression.span);
  };
  const keysOf = pairs.map(({ column, input }) => ({ column, expression: columnExpr(input, clauses.span) }));
  const { groupBy, spellings } = groupCollated(resolution, keysOf);
  const distinct: Scan =
    spellings.length === 0
      ? { kind: "Distinct", input: scan, columns: pairs }
      : { kind: "Aggregate", input: scan, groupBy, aggregates: spellings };
  return {
    scan: project(
      distinct,
      extra.map((item) => ({ ...item, expression: mapExpr(item.expression, replace) })),
    ),
    columns: columns.map((output, i) => ({ ...output, column: pairs[i]?.column ?? output.column })),
    keys: keys.map((key) => ({ ...key, column: renamed.get(key.column.id) ?? key.column })),
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
    pairs,
    work.source.names,
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
