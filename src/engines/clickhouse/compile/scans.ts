/** Building SELECTs from scans. Whatever cannot be pushed throws `NotPushed` before its SELECT is changed. */

import { someExpression } from "../../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr, OrderKey, Scan } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { chainOf } from "../../lowering/scan-chain.ts";
import { isLargerThan } from "../../sql/map-tree.ts";
import { identifierSql, nameSql, numberSql } from "../sql/atoms.ts";
import { both, isRepeatable, isTrue } from "../sql/forms.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { buildAggregate, buildDistinct } from "./aggregate-scans.ts";
import { type Compilation, guarded, nextAlias } from "./compilation.ts";
import { printElement, printExpression, sourceOf } from "./expressions.ts";
import { buildJoin } from "./joins.ts";
import { NotPushed } from "./not-pushed.ts";
import { isWrapped, physicalType } from "./physical-types.ts";
import type { SelectBuilder } from "./render.ts";
import { type Binding, refusedBinding, type Scope } from "./scope.ts";
import { copySelect, isOpen, newSelect, openSelect, rowSelect, scopeOf, wrapSelect } from "./select-builder.ts";
import { buildSetOperation } from "./set-operations.ts";
import { buildUnnest } from "./unnest.ts";
import { buildWindow } from "./windows.ts";

/** Builds the SELECT of a scan. */
export function buildScan(compilation: Compilation, scan: Scan): SelectBuilder {
  const { source, steps } = chainOf(scan);
  let builder = buildSource(compilation, source);
  for (const step of steps) builder = buildStep(compilation, step, builder);
  return builder;
}

function buildUnnestOn(compilation: Compilation, scan: Scan & { kind: "Unnest" }, input: SelectBuilder): SelectBuilder {
  const built = buildUnnest(compilation, scan, input);
  return scan.on === undefined ? built : buildFilter(compilation, scan.on, built);
}

/** A scan without an input. */
export function buildSource(compilation: Compilation, scan: Scan): SelectBuilder {
  switch (scan.kind) {
    case "SingleRow":
      return newSelect();
    case "Table":
      return buildTable(compilation, scan);
    case "Cte":
      return buildCte(compilation, scan);
    case "SetOperation":
      return buildSetOperation(compilation, scan);
    case "Unnest":
      return buildUnnestOn(compilation, scan, newSelect());
    case "Recursive":
      throw new NotPushed("WITH RECURSIVE");
    default:
      throw new Error(`A scan of kind ${scan.kind} cannot stand here`);
  }
}

/** A scan over the SELECT of its input. */
export function buildStep(compilation: Compilation, scan: Scan, given: SelectBuilder): SelectBuilder {
  const input = copySelect(given);
  switch (scan.kind) {
    case "Filter":
      return buildFilter(compilation, scan.predicate, input);
    case "Project":
      return buildProject(compilation, scan.computed, input);
    case "Aggregate":
      return buildAggregate(compilation, scan, input);
    case "Window":
      return buildWindow(compilation, scan, input);
    case "Distinct":
      return buildDistinct(compilation, scan, input);
    case "OrderBy":
      return buildOrderBy(compilation, scan.keys, input);
    case "Limit":
      return buildLimit(compilation, scan, input);
    case "Sample":
      throw new NotPushed("TABLESAMPLE", scan.size.span);
    case "Unnest":
      return buildUnnestOn(compilation, scan, input);
    case "Join":
      return buildJoin(compilation, scan, input);
    default:
      throw new Error(`A scan of kind ${scan.kind} has no input`);
  }
}

function buildTable(compilation: Compilation, scan: Scan & { kind: "Table" }): SelectBuilder {
  const table = compilation.tables(scan.table);
  if (table === undefined) throw new NotPushed("a table that the server does not have", scan.span);
  compilation.tablesRead.add(scan.table.name);
  const builder = newSelect();
  const alias = nextAlias(compilation, "t");
  const columns = new Map(scan.columns.map((item) => [item.column.id, item]));
  builder.from = () => sql`${identifierSql(table.name)} AS ${nameSql(alias)}`;
  builder.isTable = true;
  builder.sources = [
    (id) => {
      const found = columns.get(id);
      if (found === undefined) return undefined;
      return (
        table.column(alias, found.source, found.column.type) ??
        refusedBinding(new NotPushed(`the field ${found.source}, whose values have several shapes`))
      );
    },
  ];
  return builder;
}

/** A definition is printed wherever it is read: nothing that is pushed answers otherwise the second time. */
function buildCte(compilation: Compilation, scan: Scan & { kind: "Cte" }): SelectBuilder {
  if (scan.cte.isRecursive) throw new NotPushed("WITH RECURSIVE");
  const built = compilation.buildScan(compilation, scan.cte.scan);
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]?.id ?? -1]));
  // Columns of the definition have one identity: a second scan of it must not find the first one's.
  const isRead = compilation.analysis.cteUses(scan.cte) > 1;
  const builder = isRead && !isOpen(built) ? wrapSelect(compilation, built) : built;
  const copy = copySelect(builder);
  copy.bindings.clear();
  copy.isTable = false;
  copy.sources = [
    (id) => {
      const inner = outputs.get(id);
      return inner === undefined ? undefined : findColumn(builder, inner);
    },
  ];
  return copy;
}

/** Adds conditions to a SELECT, each guarded by those before it. */
export class FilterBuilder {
  readonly #compilation: Compilation;
  readonly #builder: SelectBuilder;
  readonly #where: Sql[] = [];
  #guard: Sql | undefined;

  /** The SELECT may be used no more. */
  constructor(compilation: Compilation, input: SelectBuilder) {
    this.#compilation = compilation;
    this.#builder = rowSelect(compilation, input);
    for (const condition of this.#builder.where) this.add(condition);
  }

  /** Throws `NotPushed`, and then nothing is added. */
  print(condition: Expr): Sql {
    const scope = scopeOf(this.#builder);
    return guarded(this.#compilation, this.#guard, () => printExpression(this.#compilation, condition, scope));
  }

  add(condition: Sql): void {
    this.#where.push(condition);
    this.#guard = both(this.#guard, isTrue(condition));
  }

  get builder(): SelectBuilder {
    this.#builder.where = this.#where;
    return this.#builder;
  }
}

function buildFilter(compilation: Compilation, predicate: Expr, input: SelectBuilder): SelectBuilder {
  const filter = new FilterBuilder(compilation, input);
  const isAnd = predicate.kind === "Call" && predicate.function === "$and" && !predicate.isSafe;
  for (const condition of isAnd ? predicate.arguments : [predicate]) {
    if (condition !== undefined) filter.add(filter.print(condition));
  }
  return filter.builder;
}

/** A column that is computed where it is read, with the guard of that place. */
export function computedBinding(compilation: Compilation, expression: Expr, scope: Scope): Binding {
  const record = sourceOf(expression, scope);
  if (expression.kind === "Column" || expression.kind === "Variable") {
    const found = scope.find(expression.column.id);
    if (found !== undefined) return found;
  }
  let value: Sql;
  try {
    physicalType(expression.type);
    value = printExpression(compilation, expression, scope);
  } catch (error) {
    // The server has no value for a record, but may have values for its fields.
    if (!(error instanceof NotPushed) || record === undefined) throw error;
    return refusedBinding(error, record);
  }
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
  const builder = separateShared(
    compilation,
    projectionSelect(compilation, input, computed),
    computed.map((item) => item.expression),
  );
  const scope = scopeOf(builder);
  for (const { column, expression } of computed) {
    builder.bindings.set(column.id, computedBinding(compilation, expression, scope));
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

/** Types that ClickHouse sorts as the language does. */
function checkKey({ column }: OrderKey): void {
  const { type } = column;
  const isSorted = !isWrapped(type) && type.kind !== "JSON" && type.kind !== "MIXED" && type.kind !== "RECORD";
  if (!isSorted || (type.kind === "STRING" && type.collation !== undefined)) {
    throw new NotPushed(`ORDER BY a ${type.kind}`);
  }
}

/** Sorts the SELECT's rows by the keys. */
export function buildOrderBy(compilation: Compilation, keys: readonly OrderKey[], input: SelectBuilder): SelectBuilder {
  keys.forEach(checkKey);
  const isSealed = input.limit !== undefined || input.offset !== undefined || input.isDistinct;
  const builder = isSealed ? wrapSelect(compilation, input) : input;
  builder.order = keys.map(({ column, isDescending, nullsFirst }) => {
    const binding = findColumn(builder, column.id);
    if (binding === undefined) throw new NotPushed("an order by a column of the query around it");
    binding.sql();
    return { id: column.id, binding, type: column.type, isDescending, nullsFirst };
  });
  return builder;
}

function printCount(compilation: Compilation, expression: Expr, builder: SelectBuilder): Sql {
  if (expression.kind === "Literal" && expression.value !== null && /^\d+$/.test(expression.value)) {
    return numberSql(BigInt(expression.value));
  }
  if (expression.kind !== "Parameter") throw new NotPushed("LIMIT by an expression", expression.span);
  return sql`assumeNotNull(${printExpression(compilation, expression, scopeOf(builder))})`;
}

function buildLimit(compilation: Compilation, scan: Scan & { kind: "Limit" }, input: SelectBuilder): SelectBuilder {
  const isSealed = input.limit !== undefined || input.offset !== undefined;
  const builder = isSealed ? wrapSelect(compilation, input) : input;
  const limit = scan.count === undefined ? undefined : printCount(compilation, scan.count, builder);
  const offset = scan.offset === undefined ? undefined : printCount(compilation, scan.offset, builder);
  builder.limit = limit;
  builder.offset = offset;
  return builder;
}
