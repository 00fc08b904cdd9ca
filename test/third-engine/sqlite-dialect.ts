/**
 * A third dialect over `src/engines/sql/`, to show how much an engine has to say: SQLite, for scalars without NaN. It
 * refuses what it has no row for.
 */
import { type Analysis, analyse } from "../../src/engines/lowering/analysis.ts";
import { findColumn } from "../../src/engines/lowering/find-column.ts";
import { chainOf } from "../../src/engines/lowering/scan-chain.ts";
import {
  boolSql,
  columnOf,
  identifierSql,
  NULL,
  nameSql,
  numberSql,
  type Sign,
  signSql,
} from "../../src/engines/sql/atoms.ts";
import { createStatements, type Spelling } from "../../src/engines/sql/emit.ts";
import { digits, EMPTY, joinSql, literal, type Sql } from "../../src/engines/sql/node.ts";
import { byKind } from "../../src/engines/sql/scans.ts";
import {
  createRenderer,
  emptySelect,
  exportAs,
  isOpen,
  isOrderedBy,
  nextAlias,
  type PrintedColumn,
  type Select,
  selectColumn,
  sortItem,
  takesRows,
} from "../../src/engines/sql/select.ts";
import { createTemplates } from "../../src/engines/sql/template.ts";
import { printFrame, printOver } from "../../src/engines/sql/window.ts";
import type { AggregateCall, Expr, OrderKey, ResolvedQuery, Scan, WindowCall } from "../../src/googlesql/resolved.ts";

type Builder = Select<PrintedColumn>;

interface Compilation {
  readonly analysis: Analysis;
  aliasCount: number;
}

const templates = { callFacts: () => 0, nameQuote: '"', hasBackslashes: false, lambda: "arrow" } as const;
const { sql, callSql } = createTemplates(templates);

const spelling: Spelling = {
  text: (value) => `'${value.replaceAll("'", "''")}'`,
  name: (value) => `"${value.replaceAll('"', '""')}"`,
  literal: (value) => (value === null ? "NULL" : String(value)),
  placeholder: (number) => `?${number}`,
  lambda: ["", " -> "],
};
const { guarded, emit } = createStatements(spelling, (root) => root);

const renderSelect = createRenderer<Builder>({
  orderKeys: ({ order }) =>
    order.map(({ binding, isDescending, nullsFirst }) => sortItem(binding.sql(), isDescending, nullsFirst)),
  groupNames: () => (key) => key,
  conditionsOf: ({ where }) => where,
});

function wrapSelect(compilation: Compilation, inside: Builder): Builder {
  const alias = nextAlias(compilation, "s");
  const find = (id: number): PrintedColumn | undefined => {
    const found = findColumn(inside, id);
    if (found === undefined) return undefined;
    const name = compilation.analysis.alias(id);
    return { sql: () => columnOf(alias, exportAs(inside, id, name, found.sql).alias) };
  };
  const from = { print: () => sql`(${renderSelect(inside)}) AS ${nameSql(alias)}` };
  return { ...emptySelect(inside.depth + 1), from, sources: [find] };
}

const openSelect = (compilation: Compilation, select: Builder): Builder =>
  isOpen(select) ? select : wrapSelect(compilation, select);
const rowSelect = (compilation: Compilation, select: Builder): Builder =>
  takesRows(select) ? select : wrapSelect(compilation, select);

function refuse(what: string): never {
  throw new Error(`Not in this sketch: ${what}`);
}

type Print = (...args: readonly Sql[]) => Sql;

const signs: Readonly<Record<string, Sign>> = {
  ...{ $add: "+", $subtract: "-", $multiply: "*", MOD: "%", $equal: "=", $not_equal: "<>", $less: "<" },
  ...{ $less_or_equal: "<=", $greater: ">", $greater_or_equal: ">=", $and: "AND", $or: "OR" },
};

const forms: Readonly<Record<string, Print>> = {
  $divide: (a = EMPTY, b = EMPTY) => sql`(CAST(${a} AS REAL) / ${b})`,
  $negate: (a = EMPTY) => sql`(-${a})`,
  $between: (a = EMPTY, b = EMPTY, c = EMPTY) => sql`(${a} BETWEEN ${b} AND ${c})`,
  $is_null: (a = EMPTY) => sql`(${a} IS NULL)`,
  $not: (a = EMPTY) => sql`(NOT ${a})`,
  $in: (a = EMPTY, ...all) => sql`(${a} IN (${joinSql(all, ", ")}))`,
  CONCAT: (...all) => sql`(${joinSql(all, " || ")})`,
  STARTS_WITH: (a = EMPTY, b = EMPTY) => sql`(substr(${a}, 1, length(${b})) = ${b})`,
  IF: (a = EMPTY, b = EMPTY, c = EMPTY) => sql`CASE WHEN ${a} THEN ${b} ELSE ${c} END`,
};

/** Functions that have one name here and there. */
const functions = new Set("ABS COALESCE IFNULL NULLIF LENGTH LOWER UPPER REPLACE TRIM SIGN".split(" "));
const aggregates = new Set("COUNT SUM MIN MAX AVG".split(" "));
const windows = new Set("ROW_NUMBER RANK DENSE_RANK LAG LEAD FIRST_VALUE LAST_VALUE NTILE".split(" "));

function printExpression(expression: Expr, builder: Builder): Sql {
  const print = (each: Expr | undefined) => (each === undefined ? NULL : printExpression(each, builder));
  switch (expression.kind) {
    case "Literal":
      return printLiteral(expression);
    case "Column":
      return findColumn(builder, expression.column.id)?.sql() ?? refuse("a correlated sub-query");
    case "Call": {
      const { function: name } = expression;
      const args = expression.arguments.map(print);
      if (functions.has(name)) return callSql(name.toLowerCase(), args);
      const sign = signs[name];
      if (sign !== undefined) return args.reduce((left, right) => sql`(${left} ${signSql(sign)} ${right})`);
      return forms[name]?.(...args) ?? refuse(name);
    }
    case "Case": {
      const branches = expression.branches.map(({ when, then }) => sql`WHEN ${print(when)} THEN ${print(then)}`);
      return sql`CASE ${joinSql(branches, " ")} ELSE ${print(expression.else)} END`;
    }
    case "Cast":
      return castTo(print(expression.operand), expression.type.kind);
    default:
      return refuse(expression.kind);
  }
}

function castTo(value: Sql, kind: string): Sql {
  const name = { INT64: "INTEGER", FLOAT64: "REAL", STRING: "TEXT" }[kind];
  return name === undefined ? refuse(`a cast to ${kind}`) : sql`CAST(${value} AS ${nameSql(name)})`;
}

function printLiteral({ value, type: { kind } }: Expr & { readonly kind: "Literal" }): Sql {
  if (value === null) return NULL;
  if (kind === "BOOL") return boolSql(value === "true");
  return kind === "STRING" ? literal(value) : castTo(digits(value), kind);
}

function printAggregate(call: AggregateCall | WindowCall, builder: Builder, known: ReadonlySet<string>): Sql {
  if (call.function === "$count_star") return sql`count(*)`;
  if (!known.has(call.function)) refuse(call.function);
  const args = call.arguments.map((each) => printExpression(each, builder));
  const all = joinSql(args, ", ");
  return callSql(call.function.toLowerCase(), [call.isDistinct ? sql`DISTINCT ${all}` : all]);
}

function printWindow(call: WindowCall, builder: Builder): Sql {
  const by = call.partitionBy.map((each) => printExpression(each, builder));
  const keys = call.orderBy.map(({ expression, isDescending, nullsFirst }) => {
    return sortItem(printExpression(expression, builder), isDescending, nullsFirst);
  });
  const frame = call.frame && printFrame(call.frame, ({ offset }) => printExpression(offset, builder));
  const over = printOver(joinSql(by, ", "), joinSql(keys, ", "), frame);
  return sql`${printAggregate(call, builder, new Set([...aggregates, ...windows]))} ${over}`;
}

type Made = readonly (readonly [id: number, sql: Sql])[];

function withColumns(builder: Builder, made: Made): Builder {
  const columns = made.map(([id, value]) => [id, { sql: () => value }] as const);
  return { ...builder, bindings: new Map([...builder.bindings, ...columns]) };
}

/** The rows without an order, which a SELECT around them does not see. */
const unordered = (builder: Builder): Builder => ({ ...builder, order: [] });

function sortRows(compilation: Compilation, keys: readonly OrderKey[], input: Builder): Builder {
  const isSealed = input.isDistinct || input.limit !== undefined;
  const builder = isSealed ? wrapSelect(compilation, input) : input;
  const order = keys.map(({ column: { id, type }, isDescending, nullsFirst }) => {
    return { id, type, isDescending, nullsFirst, binding: findColumn(builder, id) ?? refuse("this order") };
  });
  return { ...builder, order };
}

const buildSource = byKind<Compilation, undefined, Builder>({
  SingleRow: () => emptySelect(1),
  Table(compilation, { table, columns }) {
    const alias = nextAlias(compilation, "t");
    const from = { print: () => sql`${identifierSql(table.name)} AS ${nameSql(alias)}` };
    const made = columns.map(({ column, source }) => [column.id, columnOf(alias, source)] as const);
    return withColumns({ ...emptySelect(1), from }, made);
  },
  Cte(compilation, { cte, columns }) {
    const inside = wrapSelect(compilation, unordered(buildScan(compilation, cte.scan)));
    const find = (id: number) => cte.output[columns.findIndex((column) => column.id === id)]?.id;
    return { ...inside, sources: [(id) => findColumn(inside, find(id) ?? -1)] };
  },
  SetOperation(compilation, { operator, isAll, inputs, columns }) {
    const parts = inputs.map((input) => {
      const inside = wrapSelect(compilation, buildScan(compilation, input.scan));
      const values = input.columns.map(({ id }) => findColumn(inside, id)?.sql() ?? NULL);
      const items = values.map((value, index) => ({ alias: `u${index}`, sql: value }));
      return renderSelect(inside, items);
    });
    const alias = nextAlias(compilation, "u");
    const all = joinSql(parts, ` ${operator}${isAll ? " ALL" : ""} `);
    const from = { print: () => sql`(${all}) AS ${nameSql(alias)}` };
    const made = columns.map(({ id }, index) => [id, columnOf(alias, `u${index}`)] as const);
    return withColumns({ ...emptySelect(1), from }, made);
  },
});

const buildStep = byKind<Compilation, Builder, Builder>({
  Filter(compilation, { predicate }, input) {
    const rows = rowSelect(compilation, input);
    return { ...rows, where: [...rows.where, printExpression(predicate, rows)] };
  },
  Project(compilation, { computed }, input) {
    const open = openSelect(compilation, input);
    const made = computed.map(({ column, expression }) => [column.id, printExpression(expression, open)] as const);
    return withColumns(open, made);
  },
  Aggregate(compilation, { groupBy, aggregates: calls, groupingSets }, input) {
    if (groupingSets !== undefined) refuse("GROUPING SETS");
    const rows = unordered(rowSelect(compilation, input));
    const keys = groupBy.map(({ column, expression }) => ({ id: column.id, sql: printExpression(expression, rows) }));
    const made = calls.map(({ column, call }) => [column.id, printAggregate(call, rows, aggregates)] as const);
    const grouped = { ...rows, bindings: new Map(), sources: [], isGrouped: true, groupKeys: keys };
    return withColumns(grouped, [...keys.map((key) => [key.id, key.sql] as const), ...made]);
  },
  Window(compilation, { functions: calls }, input) {
    const rows = unordered(rowSelect(compilation, input));
    const made = calls.map(({ column, call }) => [column.id, printWindow(call, rows)] as const);
    return { ...withColumns(rows, made), hasWindows: true };
  },
  Distinct(compilation, { columns }, input) {
    const rows = wrapSelect(compilation, unordered(input));
    const made = columns.map(({ column, input: { id } }) => [column.id, findColumn(rows, id)?.sql() ?? NULL] as const);
    const distinct = withColumns({ ...rows, sources: [], isDistinct: true }, made);
    for (const { column } of columns) distinct.exports.set(column.id, selectColumn(compilation, distinct, column));
    return wrapSelect(compilation, distinct);
  },
  OrderBy: (compilation, { keys }, input) => sortRows(compilation, keys, input),
  Limit(compilation, { count, offset }, input) {
    const builder = input.limit === undefined ? input : wrapSelect(compilation, input);
    const limit = count === undefined ? numberSql(-1) : printExpression(count, builder);
    return { ...builder, limit, offset: offset && printExpression(offset, builder) };
  },
  Join(compilation, { type, on, right, isLateral }, input) {
    if (isLateral === true) refuse("a lateral join");
    const sides = [input, buildScan(compilation, right)].map((side) => wrapSelect(compilation, unordered(side)));
    const joined = { ...emptySelect<PrintedColumn>(2), sources: sides.flatMap((side) => side.sources) };
    const condition = on === undefined ? EMPTY : sql` ON ${printExpression(on, joined)}`;
    const [one, other] = sides.map((side) => () => side.from?.print() ?? EMPTY);
    const word = nameSql(type);
    const from = { print: () => sql`${one?.() ?? EMPTY} ${word} JOIN ${other?.() ?? EMPTY}${condition}` };
    return { ...joined, from };
  },
});

function buildScan(compilation: Compilation, scan: Scan): Builder {
  const { source, steps } = chainOf(scan);
  return steps.reduce(
    (input, step) => buildStep(compilation, step, input),
    buildSource(compilation, source, undefined),
  );
}

/** The query as one statement of SQLite. Throws for what the sketch lacks. */
export function compileForSqlite(query: ResolvedQuery): string {
  const compilation = { analysis: analyse(query), aliasCount: 0 };
  const { order = [] } = query;
  const built = buildScan(compilation, query.scan);
  const ordered = isOrderedBy(built, order) ? built : sortRows(compilation, order, built);
  const items = query.columns.map(({ column }) => selectColumn(compilation, ordered, column));
  return emit(guarded(renderSelect(ordered, items)), (number) => number);
}
