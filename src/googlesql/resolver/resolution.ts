import { findNearest } from "../../shared/documents/nearest.ts";
import type { Expression, Identifier, Query } from "../ast.ts";
import type { Catalogue } from "../catalogue/index.ts";
import type { Diagnostic, DiagnosticCode, Span } from "../diagnostic.ts";
import { MAX_EXPANDED_COLUMNS, MAX_EXPANSIONS, MAX_TYPE_FIELDS } from "../limits.ts";
import type { TableCatalog } from "../relation.ts";
import type { Column, CteDefinition, Expr } from "../resolved.ts";
import { type SqlType, UNKNOWN } from "../types.ts";
import { ColumnSet } from "./column-set.ts";
import type { CteBinding, Environment, ExprContext, QueryResult } from "./context.ts";
import type { KnownName, NamedColumn, RangeVariable } from "./scope.ts";

/** The type of what could not be resolved. It goes with anything, so that one problem is reported once. */
export const ERROR_TYPE: SqlType = Object.freeze({ kind: "UNKNOWN" });

/** Is it the placeholder of something that is already reported? */
export function isErrorType(type: SqlType): boolean {
  return type === ERROR_TYPE;
}

/**
 * The mutually recursive entries of the resolver, handed around so that its files need not import each other in
 * circles.
 */
export interface Rules {
  expression(context: ExprContext, node: Expression): Expr;
  query(environment: Environment, query: Query): QueryResult;
}

/** Numbers that are unique in one resolved query, also when it is made of two texts. */
export interface IdSource {
  nextColumn: number;
  nextCte: number;
  /** Ids of columns that hold a field of a log record or a column of a log source: they compare leniently. */
  readonly lenientColumns: ColumnSet;
  /** Columns that stars and reads have had so far, and those of the widest table that is read. */
  expandedColumns: number;
  widestTable: number;
}

export interface ResolutionInput {
  readonly text: string;
  readonly tables: TableCatalog;
  readonly parameters: ReadonlyMap<string | number, SqlType>;
  readonly inferParameters: boolean;
  readonly timeZone: string;
  readonly rules: Rules;
  readonly catalogue: Catalogue;
  readonly ids?: IdSource;
  readonly views?: ViewReads;
}

/** The resolved form of a view, and the parameters that it reads. */
export interface ViewBinding extends CteBinding {
  readonly parameters: ReadonlyMap<string | number, SqlType>;
}

/** The views that one query reads, directly and through each other. */
export interface ViewReads {
  /** Those that are being resolved, the outermost first. */
  readonly open: { readonly key: string; readonly name: string }[];
  /** By key: what stands for them, or why they cannot be read. */
  readonly made: Map<string, ViewBinding | string>;
  /** Each after those that it reads. */
  readonly definitions: CteDefinition[];
}

const MAX_DIAGNOSTICS = 50;

/** Up to so many columns comparing each is faster than putting them into a map. */
const FEW_COLUMNS = 8;

/** Levels that a resolved tree may have: its readers are recursive. */
const MAX_TREE_DEPTH = 1_000;

/** Thrown to stop when going on makes no sense (nesting beyond the limit). */
export class ResolutionStopped extends Error {}

/** Collects problems, identities and parameters while one text is resolved. */
export class Resolution {
  readonly text: string;
  readonly tables: TableCatalog;
  readonly catalogue: Catalogue;
  readonly rules: Rules;
  readonly timeZone: string;
  readonly inferParameters: boolean;
  readonly ids: IdSource;
  readonly views: ViewReads;
  readonly diagnostics: Diagnostic[] = [];
  /** Warnings about what is valid but hardly intended: fields that no event has carried. */
  readonly warnings: Diagnostic[] = [];
  /** Ids of columns that hold a field of a log record or a column of a log source: they compare leniently. */
  readonly lenientColumns: ColumnSet;
  /** How many calls were resolved that give another value each time. */
  randomCalls = 0;
  /** Has any string a collation? */
  hasCollation = false;
  /** How deep the tree is where resolution stands now. */
  depth = 0;
  /** The parameters that are read, with their types. */
  readonly usedParameters = new Map<string | number, SqlType>();
  /** The suggestions for reported columns, in lower case; undefined if there was none for one, or for its table. */
  readonly guesses = new Set<string | undefined>();
  /** Where resolution stands now, or stood last. */
  private place: Span = { start: 0, end: 0 };
  private readonly fieldCounts = new WeakMap<SqlType, number>();
  private readonly rangeColumns = new Map<RangeVariable, ReadonlyMap<string, readonly NamedColumn[]>>();
  readonly declaredParameters: ReadonlyMap<string | number, SqlType>;

  constructor(input: ResolutionInput) {
    this.text = input.text;
    this.tables = input.tables;
    this.catalogue = input.catalogue;
    this.rules = input.rules;
    this.timeZone = input.timeZone;
    this.inferParameters = input.inferParameters;
    this.declaredParameters = input.parameters;
    this.ids = input.ids ?? {
      nextColumn: 1,
      nextCte: 1,
      lenientColumns: new ColumnSet(),
      expandedColumns: 0,
      widestTable: 0,
    };
    this.lenientColumns = this.ids.lenientColumns;
    this.views = input.views ?? { open: [], made: new Map(), definitions: [] };
  }

  /** A range variable's columns of the lower-case name; the value of a value table is not among them. */
  columnsNamed(range: RangeVariable, key: string): readonly NamedColumn[] {
    if (range.columns.length > FEW_COLUMNS) return this.columnsOf(range).get(key) ?? [];
    return range.columns.filter((named) => !named.isValue && named.name?.toLowerCase() === key);
  }

  private columnsOf(range: RangeVariable): ReadonlyMap<string, readonly NamedColumn[]> {
    const known = this.rangeColumns.get(range);
    if (known !== undefined) return known;
    const columns = new Map<string, NamedColumn[]>();
    for (const named of range.columns) {
      if (named.isValue === true || named.name === undefined) continue;
      const key = named.name.toLowerCase();
      columns.set(key, [...(columns.get(key) ?? []), named]);
    }
    this.rangeColumns.set(range, columns);
    return columns;
  }

  /** The nearest known name, unless so much is reported already that this will not be. */
  suggest(unknown: string, known: Iterable<string>): string | undefined {
    return this.diagnostics.length < MAX_DIAGNOSTICS ? findNearest(unknown, known) : undefined;
  }

  /**
   * Reports a name that none of the known ones is, and gives the nearest. The name of a reported column is no
   * suggestion. Where there is one, the name that it should have had is not reported.
   */
  reportUnknown(message: string, name: Identifier, known: Iterable<KnownName>): string | undefined {
    if (this.diagnostics.length >= MAX_DIAGNOSTICS) return undefined;
    const names: string[] = [];
    let isInDoubt = false;
    for (const { name: each, type } of known) {
      const isReported = type !== undefined && isErrorType(type);
      if (isReported) isInDoubt = true;
      if (!isReported || this.guesses.has(each.toLowerCase())) names.push(each);
    }
    if (isInDoubt && (this.guesses.has(name.name.toLowerCase()) || this.guesses.has(undefined))) return undefined;
    const suggestion = findNearest(name.name, names);
    this.guesses.add(suggestion?.toLowerCase());
    this.report("unknown_column", message, name.span, { name: name.name, suggestion });
    return suggestion;
  }

  /** Notes a warning about a valid but unlikely text: once, at its first place. */
  warn(
    message: string,
    span: Span,
    name: string,
    names: Iterable<string>,
    code: DiagnosticCode = "unknown_column",
  ): void {
    if (this.warnings.length >= MAX_DIAGNOSTICS) return;
    const suggestion = findNearest(name, names);
    const text = suggestion === undefined ? message : `${message}; did you mean ${suggestion}?`;
    const known = this.warnings.findIndex((warning) => warning.message === text);
    const isFirst = known !== -1 && span.start < (this.warnings[known]?.span.start ?? 0);
    if (known !== -1 && !isFirst) return;
    this.warnings.splice(known === -1 ? this.warnings.length : known, 1, {
      code,
      message: text,
      span,
    });
  }

  /** Notes that a star or a read has so many columns, before they are made. */
  expand(columnCount: number, span: Span): void {
    this.ids.expandedColumns += columnCount;
    const most = Math.max(MAX_EXPANDED_COLUMNS, MAX_EXPANSIONS * this.ids.widestTable);
    if (this.ids.expandedColumns <= most) return;
    const message = `The query's stars, sub-queries and structs have more than ${most} columns and fields together`;
    this.stop(`${message}: name those it needs`, span);
  }

  /** Stops where a type has so many fields that whatever walks through them would stall: structs hold structs. */
  checkType(type: SqlType, span: Span): void {
    if (this.fieldCount(type) <= MAX_TYPE_FIELDS) return;
    this.stop(`A struct has more than ${MAX_TYPE_FIELDS} fields, those of inner structs included`, span);
  }

  /** Fields of structs, at all levels. Those of records are no matter of the query. */
  private fieldCount(type: SqlType): number {
    if (type.kind === "ARRAY") return this.fieldCount(type.element);
    if (type.kind !== "STRUCT") return 0;
    const known = this.fieldCounts.get(type);
    if (known !== undefined) return known;
    const count = type.fields.reduce((sum, field) => sum + 1 + this.fieldCount(field.type), 0);
    this.fieldCounts.set(type, count);
    return count;
  }

  newColumn(name: string, type: SqlType): Column {
    const fields = this.fieldCount(type);
    if (fields > 0) this.expand(fields, this.place);
    return { id: this.ids.nextColumn++, name, type };
  }

  /** Another column of the same values: lenient if the first one is. */
  copyColumn(column: Column, name: string = column.name): Column {
    const copy = this.newColumn(name, column.type);
    if (this.lenientColumns.has(column.id)) this.lenientColumns.add(copy.id);
    return copy;
  }

  report(
    code: DiagnosticCode,
    message: string,
    span: Span,
    details: { readonly name?: string; readonly suggestion?: string | undefined } = {},
  ): void {
    const { name, suggestion } = details;
    // With the right name in a USING, EXCEPT or RENAME, there would be one column of the name.
    const isOfGuess = name !== undefined && this.guesses.has(name.toLowerCase());
    if (this.diagnostics.length >= MAX_DIAGNOSTICS || (code === "ambiguous_name" && isOfGuess)) return;
    this.diagnostics.push({
      code,
      message: suggestion === undefined ? message : `${message}; did you mean ${suggestion}?`,
      span,
      ...(name === undefined ? {} : { name }),
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  /** Reports, and gives the expression to go on with. */
  fail(
    code: DiagnosticCode,
    message: string,
    span: Span,
    details: { readonly name?: string; readonly suggestion?: string | undefined } = {},
  ): Expr {
    this.report(code, message, span, details);
    return errorExpr(span);
  }

  /**
   * Notes that the tree goes `levels` deeper; stops where its readers could overflow. Give them back with {@link
   * rise}.
   */
  descend(levels: number, span: Span): void {
    this.depth += levels;
    this.place = span;
    if (this.depth > MAX_TREE_DEPTH) this.stop(`The query is nested more than ${MAX_TREE_DEPTH} levels deep`, span);
  }

  rise(levels: number): void {
    this.depth -= levels;
  }

  stop(message: string, span: Span): never {
    this.report("too_complex", message, span);
    throw new ResolutionStopped(message);
  }
}

/** The expression in the place of one that is already reported. */
export function errorExpr(span: Span): Expr {
  return { kind: "Literal", type: ERROR_TYPE, value: null, span };
}

/** Was this expression, or what it was made of, reported? */
export function isErrorExpr(expression: Expr): boolean {
  return expression.type === ERROR_TYPE;
}

/** Is it a NULL alone, without a type? */
export function isUntypedNull(expression: Expr): boolean {
  return expression.kind === "Literal" && expression.value === null && expression.type.kind === "UNKNOWN";
}

/** An untyped NULL. */
export function nullExpr(span: Span, type: SqlType = UNKNOWN): Expr {
  return { kind: "Literal", type, value: null, span };
}
