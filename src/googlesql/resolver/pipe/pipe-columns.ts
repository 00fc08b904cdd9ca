import type { Identifier, NamedWindow, PipeOperator } from "../../ast.ts";
import { positionsByName } from "../../record-fields.ts";
import type { Column, ComputedColumn, Scan } from "../../resolved.ts";
import { columnOf } from "../call/coerce.ts";
import { checkNamedWindows } from "../call/window.ts";
import { ColumnSet } from "../column-set.ts";
import {
  blockContext,
  createQueryBlock,
  type Environment,
  type ExprContext,
  type QueryBlock,
  type Relation,
  resolveExpression,
} from "../context.ts";
import { materialize, project } from "../relation.ts";
import { ERROR_TYPE, type Resolution } from "../resolution.ts";
import { knownNames, type NamedColumn, namedColumn, scopeOf } from "../scope.ts";
import { refuseRecursive } from "../select/recursion.ts";
import { resolveSelectList } from "../select/select-list.ts";
import { computeStars } from "../select/star-values.ts";

type Operator<Kind extends PipeOperator["kind"]> = PipeOperator & { readonly kind: Kind };

/** Where window functions may stand among a pipe's columns, and the rows with what they computed. */
export function windowContext(
  environment: Environment,
  relation: Relation,
  clause: string,
  windows: readonly NamedWindow[] = [],
): { readonly context: ExprContext; readonly block: QueryBlock; readonly withWindows: () => Scan } {
  const block = createQueryBlock(environment.resolution, windows);
  const scope = scopeOf(relation.names, environment.outer);
  const context = blockContext(environment, scope, block, clause, "windows");
  const withWindows = (): Scan => {
    checkNamedWindows(context);
    if (block.windows.length === 0) return relation.scan;
    refuseRecursive(environment.resolution, relation, "with window functions");
    return { kind: "Window", input: relation.scan, functions: block.windows };
  };
  return { context, block, withWindows };
}

/** EXTEND and WINDOW: more columns beside those that are there. */
export function extendRelation(
  environment: Environment,
  relation: Relation,
  pipe: Operator<"PipeExtend" | "PipeWindow">,
): Relation {
  const { resolution } = environment;
  const clause = pipe.kind === "PipeExtend" ? "pipe EXTEND" : "pipe WINDOW";
  const { context, block, withWindows } = windowContext(environment, relation, clause, pipe.windows);
  const { items, computed: stars } = computeStars(resolution, resolveSelectList(context, pipe.items, relation.names));
  const computed: ComputedColumn[] = [];
  const windows = new Set(block.windows.map((item) => item.column.id));
  const isLocal = (column: Column): boolean => windows.has(column.id);
  const taken = new ColumnSet();
  const added = items.map((item, i): NamedColumn => {
    const column = materialize(resolution, item.expression, item.name ?? `f${i}`, computed, isLocal, taken);
    return namedColumn(item.name, column);
  });
  return {
    ...relation,
    scan: project(project(withWindows(), stars), computed),
    names: { columns: [...relation.names.columns, ...added], ranges: relation.names.ranges },
  };
}

/** SET: another value under the same name. Aliases of tables go on to give the old one. */
export function setColumns(environment: Environment, relation: Relation, pipe: Operator<"PipeSet">): Relation {
  const { resolution } = environment;
  const { context, withWindows } = windowContext(environment, relation, "pipe SET");
  const computed: ComputedColumn[] = [];
  const columns = [...relation.names.columns];
  const find = finderOf(resolution, relation.names.columns, "pipe SET");
  const seen = new Set<number>();
  for (const item of pipe.items) {
    const expression = resolveExpression(context, item.value);
    const at = find(item.column);
    if (at === undefined) continue;
    if (seen.has(at))
      resolution.report("duplicate_name", `Pipe SET has duplicate update of column ${item.column.name}`, item.span, {
        name: item.column.name,
      });
    seen.add(at);
    const column = columnOf(resolution, item.column.name, expression);
    computed.push({ column, expression });
    columns[at] = namedColumn(columns[at]?.name ?? item.column.name, column);
  }
  return { ...relation, scan: project(withWindows(), computed), names: { columns, ranges: relation.names.ranges } };
}

export function dropColumns(resolution: Resolution, relation: Relation, names: readonly Identifier[]): Relation {
  const dropped = new Set<number>();
  const find = finderOf(resolution, relation.names.columns, "pipe DROP");
  for (const name of names) {
    const at = find(name);
    if (at === undefined) continue;
    if (dropped.has(at))
      resolution.report("duplicate_name", `Duplicate column ${name.name} in pipe DROP`, name.span, { name: name.name });
    dropped.add(at);
  }
  const columns = relation.names.columns.filter((_, i) => !dropped.has(i));
  const [first] = names;
  if (columns.length === 0 && first !== undefined)
    resolution.report("invalid_query", "Pipe DROP must leave at least one column", first.span);
  return { ...relation, names: { columns, ranges: relation.names.ranges } };
}

export function renameColumns(resolution: Resolution, relation: Relation, pipe: Operator<"PipeRename">): Relation {
  const columns = [...relation.names.columns];
  const find = finderOf(resolution, relation.names.columns, "pipe RENAME");
  const seen = new Set<number>();
  for (const item of pipe.items) {
    const at = find(item.from);
    if (at === undefined) {
      columns.push(namedColumn(item.to.name, resolution.newColumn(item.to.name, ERROR_TYPE)));
      continue;
    }
    if (seen.has(at))
      resolution.report("duplicate_name", `Duplicate column ${item.from.name} in pipe RENAME`, item.span, {
        name: item.from.name,
      });
    seen.add(at);
    const known = columns[at];
    if (known !== undefined) columns[at] = { ...known, name: item.to.name, isHidden: false };
  }
  return { ...relation, names: { columns, ranges: relation.names.ranges } };
}

/**
 * Makes the look-up of positions of columns by name: the position of the nearest where there is none of the name, which
 * is reported then.
 */
function finderOf(
  resolution: Resolution,
  columns: readonly NamedColumn[],
  clause: string,
): (name: Identifier) => number | undefined {
  const positions = positionsByName(columns);
  return (name) => {
    const [first, ...others] = positions.get(name.name.toLowerCase()) ?? [];
    if (first === undefined) {
      const message = `Column ${name.name} in ${clause} does not exist in the input`;
      const nearest = resolution.reportUnknown(message, name, knownNames(columns));
      return positions.get(nearest?.toLowerCase() ?? "")?.[0];
    }
    if (others.length > 0) {
      const message = `Column ${name.name} in ${clause} is ambiguous`;
      resolution.report("ambiguous_name", message, name.span, { name: name.name });
    }
    return first;
  };
}
