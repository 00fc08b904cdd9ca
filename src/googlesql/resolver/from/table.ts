import type { Path, TableReference } from "../../ast.ts";
import type { TableDefinition, TablePlace } from "../../relation.ts";
import type { Column, OrderKey } from "../../resolved.ts";
import { type CteBinding, type CteScope, type Environment, plainRelation, type Relation } from "../context.ts";
import { aliased } from "../relation.ts";
import { ERROR_TYPE } from "../resolution.ts";
import { findName, type NamedColumn, namedColumn, type Scope } from "../scope.ts";
import { filterTenant } from "./tenant-filter.ts";
import { readView } from "./view.ts";

/** Is it `alias.items` of something in scope, an array to be unnested? A single name is always a table. */
export function isArrayPath(node: TableReference, outer: Scope | undefined): boolean {
  const [first, second] = node.path.parts;
  if (first === undefined || second === undefined) return false;
  return findName(outer, first.name) !== undefined;
}

export function findCte(scope: CteScope | undefined, name: string): CteBinding | undefined {
  const key = name.toLowerCase();
  for (let current = scope; current !== undefined; current = current.parent) {
    const binding = current.bindings.get(key);
    if (binding !== undefined) return binding;
  }
  return undefined;
}

function* cteNames(scope: CteScope | undefined): Generator<string> {
  for (let current = scope; current !== undefined; current = current.parent)
    for (const binding of current.bindings.values()) yield binding.name;
}

/** A CTE or a table by name. */
export function resolveTable(environment: Environment, node: TableReference): Relation {
  const { resolution } = environment;
  const name = pathName(node.path);
  if (node.forSystemTime !== undefined)
    resolution.report("unsupported", "FOR SYSTEM_TIME AS OF is not supported", node.forSystemTime.span);
  if (node.withOffset !== undefined)
    resolution.report("invalid_query", "WITH OFFSET can only be used with an array", node.withOffset.span);
  const alias = node.alias?.name;
  const cte = findCte(environment.ctes, name);
  if (cte !== undefined) return scanCte(environment, cte, alias ?? node.path.parts[0]?.name ?? name, node.span);
  const place = { text: resolution.text, span: node.span };
  const table = resolution.tables.findTable(name, place);
  if (table !== undefined) return scanTable(environment, table, place, alias, node);
  const view = resolution.tables.findView?.(name);
  if (view !== undefined) {
    return scanCte(environment, readView(resolution, view, node.path.span), alias ?? lastPart(name), node.span);
  }
  const known = [...cteNames(environment.ctes), ...resolution.tables.tableNames()];
  const elsewhere = resolution.tables.explainMissing?.(name);
  const message = `Table not found: ${name}${elsewhere === undefined ? "" : `; ${elsewhere}`}`;
  const suggestion = elsewhere === undefined ? resolution.suggest(name, known) : undefined;
  resolution.report("unknown_table", message, node.path.span, { name, suggestion });
  return unknownRelation(environment, alias ?? node.path.parts.at(-1)?.name ?? name);
}

/** Returns the name of a dotted path without an alias: its last part. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1) || name;
}

function pathName(path: Path): string {
  const [only] = path.parts;
  return only !== undefined && path.parts.length === 1 ? only.name : path.parts.map((part) => part.name).join(".");
}

/** Stands for a relation that is reported: all names of it resolve, to placeholders. */
export function unknownRelation(environment: Environment, alias: string): Relation {
  const column = environment.resolution.newColumn(alias, ERROR_TYPE);
  environment.resolution.guesses.add(undefined);
  const columns: NamedColumn[] = [{ column, isValue: true, name: alias }];
  return plainRelation({ kind: "SingleRow" }, { columns, ranges: [{ name: alias, columns, isLenient: true }] });
}

function scanTable(
  environment: Environment,
  table: TableDefinition,
  place: TablePlace,
  alias: string | undefined,
  node: TableReference,
): Relation {
  const { resolution } = environment;
  resolution.ids.widestTable = Math.max(resolution.ids.widestTable, table.columns.length);
  resolution.expand(table.columns.length, node.path.span);
  const columns = table.columns.map((source) => ({
    source: source.name,
    column: resolution.newColumn(source.name, source.type),
  }));
  if (table.isLenient === true) for (const { column } of columns) resolution.lenientColumns.add(column.id);
  const named = columns.map(({ source, column }) => namedColumn(source, column));
  const isLenient = table.isLenient === true;
  const last = node.path.parts.at(-1)?.name ?? table.name;
  const names = aliased(named, alias ?? last, isLenient);
  // A path in one pair of back-ticks, `project.data.table`, is an alias by its last part as well.
  const short = last.slice(last.lastIndexOf(".") + 1);
  const ranges =
    alias === undefined && short !== last && short !== ""
      ? [...names.ranges, { name: short, columns: named, isLenient }]
      : names.ranges;
  const scan = filterTenant(resolution, { kind: "Table", table, columns, place });
  return plainRelation(scan, { columns: names.columns, ranges });
}

/** The rows of a CTE. */
export function scanCte(
  environment: Environment,
  cte: CteBinding,
  alias: string,
  span: { readonly start: number; readonly end: number },
): Relation {
  const { resolution } = environment;
  cte.onRead?.(span);
  const { definition } = cte;
  if (definition === undefined) return unknownRelation(environment, alias);
  resolution.expand(definition.output.length, span);
  const columns = definition.output.map((source) => resolution.copyColumn(source));
  const copyOf = copies(definition.output, columns);
  const named: NamedColumn[] = [];
  for (const source of cte.columns) {
    const column = copyOf(source.column);
    if (column !== undefined) named.push({ ...source, column });
  }
  const keys = cte.order?.flatMap((key): OrderKey[] => {
    const column = copyOf(key.column);
    return column === undefined ? [] : [{ column, isDescending: key.isDescending, nullsFirst: key.nullsFirst }];
  });
  const names = aliased(named, alias);
  return {
    scan: { kind: "Cte", cte: definition, columns },
    names,
    order: keys === undefined ? undefined : { keys, isInherited: true },
    recursive: cte.isOpen === true ? { name: cte.name, span } : undefined,
  };
}

/** Finds the copy of a column; mostly they are asked for in their order. */
function copies(sources: readonly Column[], made: readonly Column[]): (source: Column) => Column | undefined {
  let next = 0;
  let positions: ReadonlyMap<number, number> | undefined;
  return (source) => {
    if (sources[next]?.id === source.id) return made[next++];
    positions ??= new Map(sources.map((column, i) => [column.id, i]));
    return made[positions.get(source.id) ?? -1];
  };
}
