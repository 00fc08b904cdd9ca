/** Building SELECTs from scans. A step leaves the SELECT of its input as it is: it may turn out to be refused. */

import { someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr, OrderKey, Scan } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { partsOf } from "../../../lowering/parts.ts";
import { chainOf } from "../../../lowering/scan-chain.ts";
import { isLargerThan } from "../../../sql/map-tree.ts";
import { byKind } from "../../../sql/scans.ts";
import { isOpen } from "../../../sql/select.ts";
import { identifierSql, nameSql, numberSql, placeholder } from "../../sql/atoms.ts";
import { both, isRepeatable, isTrue } from "../../sql/forms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { asCondition, type Compilation, guarded, nextAlias } from "../compilation.ts";
import { printElement, printExpression, sourceOf } from "../expression/expressions.ts";
import { isWrapped, physicalType, refusedType } from "../expression/literals.ts";
import type { SelectBuilder } from "../render.ts";
import { type Binding, refusedBinding, type Scope } from "../scope.ts";
import {
  newSelect,
  openSelect,
  refusedSelect,
  rowSelect,
  scopeOf,
  withColumns,
  wrapSelect,
} from "../select-builder.ts";
import { buildAggregate, buildDistinct } from "./aggregate-scans.ts";
import { buildJoin } from "./joins.ts";
import { buildSetOperation } from "./set-operations.ts";
import { buildUnnest } from "./unnest.ts";
import { buildWindow } from "./windows.ts";

/** Builds the SELECT of a scan. */
export function buildScan(compilation: Compilation, scan: Scan): SelectBuilder {
  const { source, steps } = chainOf(scan);
  let builder = buildSource(compilation, source, undefined);
  for (const step of steps) {
    if (builder.refused !== undefined) break;
    builder = buildStep(compilation, step, builder);
  }
  return builder;
}

function buildUnnestOn(compilation: Compilation, scan: Scan & { kind: "Unnest" }, input: SelectBuilder): SelectBuilder {
  const built = buildUnnest(compilation, scan, input);
  return scan.on === undefined || built.refused !== undefined ? built : buildFilter(compilation, scan.on, built);
}

/** A scan without an input. */
export const buildSource = byKind<Compilation, undefined, SelectBuilder>({
  SingleRow: () => newSelect(),
  Table: buildTable,
  Cte: buildCte,
  SetOperation: buildSetOperation,
  Unnest: (compilation, scan) => buildUnnestOn(compilation, scan, newSelect()),
  Recursive: () => refusedSelect(new Refusal("WITH RECURSIVE")),
});

/** A scan over the SELECT of its input. */
export const buildStep = byKind<Compilation, SelectBuilder, SelectBuilder>({
  Filter: (compilation, { predicate }, input) => buildFilter(compilation, predicate, input),
  Project: (compilation, { computed }, input) => buildProject(compilation, computed, input),
  Aggregate: buildAggregate,
  Window: buildWindow,
  Distinct: buildDistinct,
  OrderBy: (compilation, { keys }, input) => buildOrderBy(compilation, keys, input),
  Limit: buildLimit,
  Sample: (_, { size }) => refusedSelect(new Refusal("TABLESAMPLE", size.span)),
  Unnest: buildUnnestOn,
  Join: buildJoin,
});

function buildTable(compilation: Compilation, scan: Scan & { kind: "Table" }): SelectBuilder {
  const table = compilation.tables(scan.table);
  if (table === undefined) return refusedSelect(new Refusal("a table that the server does not have", scan.place.span));
  compilation.tablesRead.add(scan.table.name);
  const alias = nextAlias(compilation, "t");
  const columns = new Map(scan.columns.map((item) => [item.column.id, item]));
  const find = (id: number): Binding | undefined => {
    const found = columns.get(id);
    if (found === undefined) return undefined;
    const binding = table.column(alias, found.source, found.column.type);
    return binding ?? refusedBinding(new Refusal(`the field ${found.source}, whose values have several shapes`));
  };
  const from = { print: () => sql`${identifierSql(table.name)} AS ${nameSql(alias)}` };
  return { ...newSelect(), from, isTable: true, sources: [find] };
}

/** A definition is printed wherever it is read: nothing that is pushed answers otherwise the second time. */
function buildCte(compilation: Compilation, scan: Scan & { kind: "Cte" }): SelectBuilder {
  if (scan.cte.isRecursive) return refusedSelect(new Refusal("WITH RECURSIVE"));
  const built = compilation.buildScan(compilation, scan.cte.scan);
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]?.id ?? -1]));
  // Columns of the definition have one identity: a second scan of it must not find the first one's.
  const isRead = compilation.analysis.cteUses(scan.cte) > 1;
  const builder = isRead && !isOpen(built) ? wrapSelect(compilation, built) : built;
  const find = (id: number): Binding | undefined => {
    const inner = outputs.get(id);
    return inner === undefined ? undefined : findColumn(builder, inner);
  };
  return { ...builder, bindings: new Map(), isTable: false, sources: [find] };
}

/** Adds conditions to a SELECT, each guarded by those before it. */
export class FilterBuilder {
  readonly #compilation: Compilation;
  readonly #builder: SelectBuilder;
  readonly #where: Sql[] = [];
  #guard: Sql | undefined;

  constructor(compilation: Compilation, input: SelectBuilder) {
    this.#compilation = compilation;
    this.#builder = rowSelect(compilation, input);
    for (const condition of this.#builder.where) this.add(condition);
  }

  /** A refusal where the condition cannot be added. */
  print(condition: Expr): Sql {
    if (this.#builder.refused !== undefined) return this.#builder.refused;
    const scope = scopeOf(this.#builder);
    const print = () => printExpression(this.#compilation, condition, scope);
    return asCondition(this.#compilation, () => guarded(this.#compilation, this.#guard, print));
  }

  add(condition: Sql): void {
    this.#where.push(condition);
    this.#guard = both(this.#guard, isTrue(condition));
  }

  get builder(): SelectBuilder {
    return { ...this.#builder, where: this.#where };
  }
}

function buildFilter(compilation: Compilation, predicate: Expr, input: SelectBuilder): SelectBuilder {
  const filter = new FilterBuilder(compilation, input);
  for (const condition of partsOf(predicate, "$and")) {
    const printed = filter.print(condition);
    if (printed instanceof Refusal) return refusedSelect(printed);
    filter.add(printed);
  }
  return filter.builder;
}

/** A column that is computed where it is read, with the guard of that place. */
export function computedBinding(compilation: Compilation, expression: Expr, scope: Scope): Binding | Refusal {
  const record = sourceOf(expression, scope);
  if (expression.kind === "Column" || expression.kind === "Variable") {
    const found = scope.find(expression.column.id);
    if (found !== undefined) return found;
  }
  const value = refusedType(expression.type) ?? printExpression(compilation, expression, scope);
  // The server has no value for a record, but may have values for its fields.
  if (value instanceof Refusal) return record === undefined ? value : refusedBinding(value, record);
  if (!value.canFail) return { sql: () => value, isCheap: isRepeatable(value), record };
  // Once for each guard: clauses know by the node itself what is selected.
  let printed = { guard: compilation.guard, value };
  const print = () => {
    const { guard } = compilation;
    if (printed.guard !== guard) printed = { guard, value: printExpression(compilation, expression, scope) };
    return printed.value;
  };
  return { sql: print, isCheap: false, record };
}

/** The SELECT in which the expressions can be computed: groups themselves where they only get other names. */
export function projectionSelect(compilation: Compilation, input: SelectBuilder, computed: Computed): SelectBuilder {
  const isSealed = input.isDistinct || input.hasWindows || input.limit !== undefined || input.offset !== undefined;
  const scope = scopeOf(input);
  const isNamed = ({ expression }: Computed[number]) =>
    expression.kind === "Column" || printElement(expression, scope) !== undefined;
  return input.isGrouped && !isSealed && computed.every(isNamed) ? input : openSelect(compilation, input);
}

type Computed = readonly { readonly column: { readonly id: number }; readonly expression: Expr }[];

function buildProject(compilation: Compilation, computed: Computed, input: SelectBuilder): SelectBuilder {
  const expressions = computed.map((item) => item.expression);
  const open = projectionSelect(compilation, input, computed);
  const builder = withColumns(separateShared(compilation, open, expressions), []);
  const scope = scopeOf(builder);
  for (const { column, expression } of computed) {
    const binding = computedBinding(compilation, expression, scope);
    if (binding instanceof Refusal) return refusedSelect(binding);
    builder.bindings.set(column.id, binding);
  }
  return builder;
}

/** Selects first whatever is read more than once and is more than a name. */
function separateShared(compilation: Compilation, builder: SelectBuilder, expressions: readonly Expr[]): SelectBuilder {
  return separate(compilation, builder, expressions, (binding, isWhole) => !isWhole || isLong(binding));
}

/** Selects first whatever is read more than once and is long: it would be written as often as it is read. */
export function separateLong(
  compilation: Compilation,
  builder: SelectBuilder,
  expressions: readonly Expr[],
): SelectBuilder {
  return separate(compilation, builder, expressions, isLong);
}

function isLong(binding: Binding): boolean {
  return isLargerThan(binding.sql(), LONG_NODES);
}

/** Expressions of more nodes are not written twice. */
const LONG_NODES = 150;

function separate(
  compilation: Compilation,
  builder: SelectBuilder,
  expressions: readonly Expr[],
  isWorth: (binding: Binding, isWhole: boolean) => boolean,
): SelectBuilder {
  const reads = (root: Expr) => (at: AnyExpr) => {
    if (at.kind !== "Column" || compilation.analysis.uses(at.column) <= 1) return false;
    const binding = builder.bindings.get(at.column.id);
    return binding !== undefined && !binding.isCheap && isWorth(binding, at === root);
  };
  const shared = expressions.some((expression) => someExpression(expression, reads(expression), false));
  return shared ? wrapSelect(compilation, builder) : builder;
}

/** Does ClickHouse sort the values as the language does? */
function isSorted(type: SqlType): boolean {
  const isPlain = !isWrapped(type) && type.kind !== "JSON" && type.kind !== "MIXED" && type.kind !== "RECORD";
  return isPlain && !(type.kind === "STRING" && type.collation !== undefined);
}

/** Sorts the SELECT's rows by the keys. */
export function buildOrderBy(compilation: Compilation, keys: readonly OrderKey[], input: SelectBuilder): SelectBuilder {
  const wrong = keys.find(({ column }) => !isSorted(column.type));
  if (wrong !== undefined) return refusedSelect(new Refusal(`ORDER BY a ${wrong.column.type.kind}`));
  const isSealed = input.limit !== undefined || input.offset !== undefined || input.isDistinct;
  const builder = isSealed ? wrapSelect(compilation, input) : input;
  const order: SelectBuilder["order"][number][] = [];
  for (const { column, isDescending, nullsFirst } of keys) {
    const unknown = new Refusal("an order by a column of the query around it");
    const binding = findColumn(builder, column.id) ?? refusedBinding(unknown);
    const refused = refusalIn(binding.sql());
    if (refused !== undefined) return refusedSelect(refused);
    order.push({ id: column.id, binding, type: column.type, isDescending, nullsFirst });
  }
  return { ...builder, order };
}

function printCount(compilation: Compilation, expression: Expr): Sql {
  if (expression.kind === "Literal" && expression.value !== null && /^\d+$/.test(expression.value)) {
    return numberSql(BigInt(expression.value));
  }
  const { constants } = compilation;
  // What the server computes is no constant to it if it can fail.
  if (constants === undefined) return new Refusal("LIMIT by an expression", expression.span);
  return sql`assumeNotNull(${placeholder(constants.placeholderOf(expression), physicalType(expression.type))})`;
}

function buildLimit(compilation: Compilation, scan: Scan & { kind: "Limit" }, input: SelectBuilder): SelectBuilder {
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  const builder = isSealed ? wrapSelect(compilation, input) : input;
  const limit = scan.count === undefined ? undefined : printCount(compilation, scan.count);
  const offset = scan.offset === undefined ? undefined : printCount(compilation, scan.offset);
  const refused = refusalIn(joinSql([limit ?? EMPTY, offset ?? EMPTY], " "));
  return refused === undefined ? { ...builder, limit, offset } : refusedSelect(refused);
}
