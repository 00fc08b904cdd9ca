/** The compiler's plan for a run: the statements of the server, and the embedded engine's work on their rows. */

import type { Span } from "../../../googlesql/diagnostic.ts";
import { createMapping, type Mapping } from "../../../googlesql/resolved/map.ts";
import { isSubquery } from "../../../googlesql/resolved/walk.ts";
import type { Column, ComputedColumn, Expr, ResolvedQuery, Scan } from "../../../googlesql/resolved.ts";
import { call } from "../../../googlesql/resolver/expression/expr.ts";
import { arrayOf, type SqlType, structOf, TIMESTAMP } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { lowerQuery } from "../../lowering/lower.ts";
import { NOW_PARAMETER, readClock } from "../../lowering/run-constants.ts";
import type { Compilation, RunConstant } from "../compile/compilation.ts";
import { createCompilation, orderResult, printStatement } from "../compile/compile.ts";
import type { SelectBuilder } from "../compile/render.ts";
import type { ServerTables } from "../compile/scan/server-table.ts";
import { type Binding, type CarriedValue, cheapBinding } from "../compile/scope.ts";
import { withColumns } from "../compile/select-builder.ts";
import { Refusal, refusalIn } from "../sql/refusal.ts";
import { parameterName } from "../sql/spelling.ts";
import { emit, guarded } from "../sql/statements.ts";
import { TooComplex } from "./limits.ts";
import { type Reason, type RecordAlias, readsTables } from "./part.ts";
import { Pushdown, type Remote } from "./pushdown.ts";

/** A statement for the server. */
export interface ServerStatement {
  readonly sql: string;
  readonly columns: readonly Column[];
  /** True if a part that may fail stands beside a sub-select, whose filters the server must leave where they are. */
  readonly keepsFilters: boolean;
  /** Names of the parameters that it reads, and of the constants. */
  readonly parameters: ReadonlySet<string>;
  /** Constants that are computed before the statement is sent, and bound. */
  readonly constants: readonly RunConstant[];
}

/** A statement whose rows the embedded engine reads as the value of a parameter. */
export interface RemoteStatement extends ServerStatement {
  readonly parameter: string;
  readonly type: SqlType;
}

export type Division =
  | { readonly kind: "whole"; readonly statement: ServerStatement; readonly tables: readonly string[] }
  | {
      readonly kind: "divided";
      readonly remotes: readonly RemoteStatement[];
      readonly residual: ResolvedQuery;
      readonly reasons: readonly Reason[];
      readonly tables: readonly string[];
    };

export interface DivisionOptions {
  readonly tables: ServerTables;
  readonly timeZone: string;
  /** Push what reads no table, too. */
  readonly pushesConstants: boolean;
  /** Compute what is the same for every row before the statement is sent. */
  readonly bindsConstants: boolean;
}

export function divideQuery(resolved: ResolvedQuery, options: DivisionOptions): Division {
  const { query, analysis } = lowerQuery(resolved);
  const compilation = createCompilation(query, analysis, options.tables, options);
  const pushdown = new Pushdown(compilation, options.pushesConstants);
  const part = pushdown.divide(query.scan);
  const columns = query.columns.map(({ column }) => column);
  if (part.kind === "pushed" && part.late.length === 0 && (options.pushesConstants || readsTables(part))) {
    const builder = orderResult(compilation, part.builder, query);
    const statement = finish(compilation, builder, columns);
    if (!(statement instanceof Refusal)) return { kind: "whole", statement, tables: [...compilation.tablesRead] };
    pushdown.note(statement);
  }
  const whole = pushdown.toScan(part);
  const definitions = pushdown.definitions;
  const scan: Scan = definitions.length === 0 ? whole : { kind: "With", ctes: definitions, input: whole };
  const found = readRemotes({ ...query, scan }, pushdown);
  const remotes = found.map((from, index): RemoteStatement => {
    const { columns: read } = from;
    const statement = finish(compilation, carryingSelect(from), read);
    if (statement instanceof Refusal) throw new TooComplex(`ClickHouse: ${statement.reason}`);
    return { ...statement, parameter: parameterOf(index), type: rowsType(read) };
  });
  return {
    kind: "divided",
    remotes,
    residual: residualQuery(query, scan, pushdown, found, analysis),
    reasons: pushdown.reasons,
    tables: [...compilation.tablesRead],
  };
}

/** The statement that answers the columns of the SELECT, with what a run has to know of it. */
function finish(
  compilation: Compilation,
  builder: SelectBuilder,
  columns: readonly Column[],
): ServerStatement | Refusal {
  const root = printStatement(compilation, builder, columns);
  const refused = refusalIn(root);
  if (refused !== undefined) return refused;
  const statement = guarded(root);
  const parameters = new Set(statement.placeholders.map(parameterName));
  return {
    sql: emit(statement, (number) => number),
    columns,
    keepsFilters: root.canFail && root.children.some(({ holdsQuery }) => holdsQuery),
    parameters,
    constants: compilation.constants?.readBy(parameters) ?? [],
  };
}

const parameterOf = (index: number) => `$rows${index + 1}`;

/** A STRUCT has a field at least. */
function rowsType(columns: readonly Column[]): SqlType {
  const fields = columns.map(({ type }) => ({ type }));
  return arrayOf(structOf(fields.length === 0 ? [{ type: { kind: "INT64" } }] : fields));
}

interface ReadRemote {
  readonly remote: Remote;
  /** With the types in which they leave the server. */
  readonly columns: readonly Column[];
  /** By the columns' ids. */
  readonly carried: ReadonlyMap<number, CarriedValue>;
  /** Records that are made of the columns again. */
  readonly records: readonly ComputedColumn[];
}

/** The SELECT, in which carried columns are what is handed out of them. */
function carryingSelect({ remote, carried }: ReadRemote): SelectBuilder {
  return withColumns(
    remote.builder,
    [...carried].map(([id, { sql }]) => [id, cheapBinding(sql())]),
  );
}

const NOWHERE: Span = { start: 0, end: 0 };

/** The expression with its parts rewritten. */
function substitute(expression: Expr, pushdown: Pushdown): Expr {
  return ofServer(pushdown).expression(expression);
}

/** Defines a record's column over columns that the server has: another name of a record is what that is. */
function defineAlias({ definition, isElement, column }: RecordAlias, pushdown: Pushdown): Expr {
  const named = definition.kind === "Column" ? pushdown.aliases.get(definition.column.id) : undefined;
  const base = named === undefined ? substitute(definition, pushdown) : defineAlias(named, pushdown);
  if (!isElement) return base;
  const { span } = definition;
  const offset: Expr = { kind: "Literal", type: { kind: "INT64" }, value: "0", span };
  return call("$safe_array_at_offset", [base, offset], column.type, span);
}

/** Reads below records become reads below the columns that the server has, and the clock is the run's. */
function ofServer(pushdown: Pushdown): Mapping {
  return createMapping({
    expression(expression: Expr): Expr | undefined {
      const now = readClock(expression);
      if (now !== undefined) return now;
      if (expression.kind !== "RecordField") return undefined;
      const { base } = expression;
      const alias = base.kind === "Column" ? pushdown.aliases.get(base.column.id) : undefined;
      if (alias === undefined) return undefined;
      const below = substitute(alias.definition, pushdown);
      if (below.kind !== "RecordField") return { ...expression, base: below };
      return { ...expression, base: below.base, path: [...below.path, ...expression.path] };
    },
  });
}

/** Which columns of each remote part the rest reads. */
function readRemotes(query: ResolvedQuery, pushdown: Pushdown): readonly ReadRemote[] {
  const read = new Map<number, Column>(query.columns.map(({ column }) => [column.id, column]));
  for (const { column } of query.order ?? []) read.set(column.id, column);
  collectReads(ofServer(pushdown).scan(query.scan), read);
  return pushdown.remotes.map((remote) => {
    const records = [...read.keys()].flatMap((id): ReadRemote["records"] => {
      const alias = pushdown.aliases.get(id);
      const found = findColumn(remote.builder, id);
      if (alias === undefined || found === undefined || canLeave(found)) return [];
      return [{ column: alias.column, expression: defineAlias(alias, pushdown) }];
    });
    const needed = new Map(read);
    collectReads({ kind: "Project", input: { kind: "SingleRow" }, computed: records }, needed);
    const carried = new Map<number, CarriedValue>();
    const columns = [...needed.values()].flatMap((column): readonly Column[] => {
      const found = findColumn(remote.builder, column.id);
      if (found === undefined || !canLeave(found)) return [];
      if (found.carried === undefined) return [column];
      carried.set(column.id, found.carried);
      return [{ ...column, type: found.carried.type }];
    });
    return { remote, columns, carried, records };
  });
}

function canLeave({ carried, refused }: Binding): boolean {
  return carried !== undefined || refused === undefined;
}

function collectReads(root: Scan, read: Map<number, Column>): void {
  const note = (column: Column) => read.set(column.id, column);
  const mapping = createMapping({
    expression(expression) {
      if (expression.kind === "Column") note(expression.column);
      if (isSubquery(expression) && expression.output !== undefined) note(expression.output);
      return undefined;
    },
    scan(scan) {
      if (scan.kind === "OrderBy") for (const { column } of scan.keys) note(column);
      if (scan.kind === "Distinct") for (const { input } of scan.columns) note(input);
      if (scan.kind === "SetOperation") for (const input of scan.inputs) input.columns.forEach(note);
      if (scan.kind === "Recursive") [...scan.anchor.columns, ...scan.step.columns].forEach(note);
      if (scan.kind === "Cte") scan.cte.output.forEach(note);
      return undefined;
    },
  });
  mapping.scan(root);
}

/** The rows of a remote part: the elements of a parameter, one field a column. */
function parameterRows(remote: ReadRemote, parameter: number, element: Column): Scan {
  const type = rowsType(remote.columns);
  const array: Expr = { kind: "Parameter", key: parameterOf(parameter), type, span: NOWHERE };
  const base: Expr = { kind: "Column", type: element.type, column: element, span: NOWHERE };
  const computed = remote.columns.map((column, index): ComputedColumn => {
    const field: Expr = { kind: "Field", base, index, type: column.type, span: NOWHERE };
    const carried = remote.carried.get(column.id);
    if (carried === undefined) return { column, expression: field };
    const expression = carried.read(field);
    return { column: { ...column, type: expression.type }, expression };
  });
  const input: Scan = { kind: "Unnest", arrays: [{ array, element }], isOuter: false };
  const rows: Scan = { kind: "Project", input, computed };
  return remote.records.length === 0 ? rows : { kind: "Project", input: rows, computed: remote.records };
}

function residualQuery(
  query: ResolvedQuery,
  scan: Scan,
  pushdown: Pushdown,
  remotes: readonly ReadRemote[],
  analysis: Analysis,
): ResolvedQuery {
  const plain = ofServer(pushdown).scan(scan);
  const tables = new Map(remotes.map(({ remote }, index) => [remote.scan.table, index]));
  const whole = createMapping({
    scan(at) {
      const index = at.kind === "Table" ? tables.get(at.table) : undefined;
      const remote = index === undefined ? undefined : remotes[index];
      if (remote === undefined || index === undefined) return undefined;
      const rows = rowsType(remote.columns);
      const type = rows.kind === "ARRAY" ? rows.element : rows;
      return parameterRows(remote, index, analysis.newColumn("row", type));
    },
  }).scan(plain);
  const ofRows = remotes.map(({ columns }, index) => ({ key: parameterOf(index), type: rowsType(columns) }));
  const { warnings: _, ...rest } = query;
  return {
    ...rest,
    scan: whole,
    parameters: [...query.parameters, ...ofRows, { key: NOW_PARAMETER, type: TIMESTAMP }],
  };
}
