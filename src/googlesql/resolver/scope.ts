/**
 * Names and what they mean. A name list is what a FROM clause or a sub-query makes visible; a scope is what an
 * expression sees: names of its own and, where it is nested, the names around it.
 */
import { fieldNamed, structFieldsNamed } from "../record-fields.ts";
import type { Column, Expr } from "../resolved.ts";
import { recordIn, type SqlType } from "../types.ts";

/** A column under its name. */
export interface NamedColumn {
  /** Undefined for an anonymous column. */
  readonly name: string | undefined;
  readonly column: Column;
  /** The one column of a value table: its fields are found by their bare names, and a star expands to them. */
  readonly isValue: boolean;
  /** Read by its name only: neither a star nor the row as a value has it. */
  readonly isHidden?: boolean;
}

/** A table's alias. */
export interface RangeVariable {
  readonly name: string;
  readonly columns: readonly NamedColumn[];
  /** A log source: names it lacks are NULL. */
  readonly isLenient: boolean;
}

export interface NameList {
  /** In the order in which a star expands them. */
  readonly columns: readonly NamedColumn[];
  readonly ranges: readonly RangeVariable[];
}

/** A column that is not the value of a value table. */
export function namedColumn(name: string | undefined, column: Column): NamedColumn {
  return { name, column, isValue: false };
}

/** The columns that a star and the row as a value have. */
export function shownColumns(columns: readonly NamedColumn[]): readonly NamedColumn[] {
  return columns.filter(({ isHidden }) => isHidden !== true);
}

/** A name that is known, with the type of its value, if it has one. */
export interface KnownName {
  readonly name: string;
  readonly type?: SqlType;
}

export function knownNames(columns: readonly NamedColumn[]): KnownName[] {
  return columns.flatMap(({ name, column: { type } }) => (name === undefined ? [] : { name, type }));
}

export const NO_NAMES: NameList = { columns: [], ranges: [] };

export type Target =
  | { readonly kind: "column"; readonly column: Column }
  | { readonly kind: "range"; readonly range: RangeVariable }
  /** A select list's alias, a lambda's parameter or a WITH expression's variable. */
  | { readonly kind: "expression"; readonly expression: Expr }
  | { readonly kind: "ambiguous" };

/** The names that one level of a scope makes visible. */
interface Level {
  /** By lower-case name. */
  find(key: string): Target | undefined;
  /** Columns whose fields are visible by their bare names. */
  readonly values: readonly Column[];
  /** Aliases of tables, for messages. */
  readonly ranges: readonly RangeVariable[];
  /** A log source among the relations: unknown names are its fields that no event has carried. */
  readonly lenient: RangeVariable | undefined;
  /** As written, for suggestions. */
  names(): readonly KnownName[];
}

/** Names of one level, over those of the queries around it. The level is put together when it is first asked for. */
export class Scope {
  readonly parent: Scope | undefined;
  private readonly build: () => Level;
  private built: Level | undefined;

  constructor(parent: Scope | undefined, build: () => Level) {
    this.parent = parent;
    this.build = build;
  }

  get level(): Level {
    this.built ??= this.build();
    return this.built;
  }
}

/**
 * The scope of a FROM clause's names. A range variable hides a column of its name; two columns of one name make it
 * ambiguous.
 */
export function scopeOf(list: NameList, parent: Scope | undefined): Scope {
  return new Scope(parent, () => levelOf(list));
}

/** So many names of a level are searched for one by one before a map is made: most joins see one look-up. */
const FEW_LOOKUPS = 2;

function levelOf(list: NameList): Level {
  const values: Column[] = [];
  for (const named of list.columns) if (named.isValue) values.push(named.column);
  let lookups = 0;
  let targets: ReadonlyMap<string, Target> | undefined;
  const find = (key: string): Target | undefined => {
    if (targets === undefined && lookups++ < FEW_LOOKUPS) return findTarget(list, key);
    targets ??= targetsOf(list);
    return targets.get(key);
  };
  const lenient = list.ranges.find((range) => range.isLenient);
  const names = () => [...list.ranges.map(({ name }) => ({ name })), ...knownNames(list.columns)];
  return { find, values, ranges: list.ranges, lenient, names };
}

function findTarget(list: NameList, key: string): Target | undefined {
  let found: Target | undefined;
  for (const range of list.ranges) {
    if (range.name.toLowerCase() !== key) continue;
    if (found !== undefined) return { kind: "ambiguous" };
    found = { kind: "range", range };
  }
  if (found !== undefined) return found;
  let column: Column | undefined;
  for (const named of list.columns) {
    if (named.name?.toLowerCase() !== key) continue;
    if (column !== undefined && column.id !== named.column.id) return { kind: "ambiguous" };
    column = named.column;
  }
  return column === undefined ? undefined : { kind: "column", column };
}

function targetsOf(list: NameList): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>();
  for (const range of list.ranges) {
    const key = range.name.toLowerCase();
    targets.set(key, targets.has(key) ? { kind: "ambiguous" } : { kind: "range", range });
  }
  for (const named of list.columns) {
    if (named.name === undefined) continue;
    const key = named.name.toLowerCase();
    const known = targets.get(key);
    if (known === undefined) targets.set(key, { kind: "column", column: named.column });
    else if (known.kind === "column" && known.column.id !== named.column.id) targets.set(key, { kind: "ambiguous" });
  }
  return targets;
}

/** An expression under a name of its own. */
export interface NamedExpression {
  readonly name: string | undefined;
  readonly expression: Expr;
}

/** A scope with further names, which hide those of `parent`. */
export function scopeWith(parent: Scope | undefined, entries: readonly NamedExpression[]): Scope {
  return new Scope(parent, () => {
    const targets = new Map<string, Target>();
    for (const { name, expression } of entries) {
      if (name === undefined) continue;
      const key = name.toLowerCase();
      const known = targets.get(key);
      if (known === undefined) targets.set(key, { kind: "expression", expression });
      else if (known.kind !== "expression" || !isSameColumn(known.expression, expression))
        targets.set(key, { kind: "ambiguous" });
    }
    return {
      find: (key) => targets.get(key),
      values: [],
      ranges: [],
      lenient: undefined,
      names: () => entries.flatMap(({ name, expression: { type } }) => (name === undefined ? [] : { name, type })),
    };
  });
}

function isSameColumn(a: Expr, b: Expr): boolean {
  return a === b || (a.kind === "Column" && b.kind === "Column" && a.column.id === b.column.id);
}

/** A field of a value table's column, found by its bare name. */
export interface ImplicitField {
  readonly kind: "implicit";
  readonly column: Column;
}

/**
 * Looks a name up from the inside out. A field of a STRUCT alias beside a column of the same name is ambiguous; a field
 * of a log record gives way to a column.
 */
export function findName(scope: Scope | undefined, name: string): Target | ImplicitField | undefined {
  const key = name.toLowerCase();
  for (let current = scope; current !== undefined; current = current.parent) {
    const { level } = current;
    let found: Target | ImplicitField | undefined = level.find(key);
    if (found?.kind === "range" || found?.kind === "expression") return found;
    for (const column of level.values) {
      const count = countFields(column, key);
      if (count === 0) continue;
      if (column.type.kind !== "STRUCT" && found !== undefined && found.kind !== "implicit") continue;
      found = count > 1 || found !== undefined ? { kind: "ambiguous" } : { kind: "implicit", column };
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An ambiguous name with each table's alias that has it, as `t.name`. */
export function qualifiedNames(scope: Scope | undefined, name: string): readonly string[] {
  const key = name.toLowerCase();
  for (let current = scope; current !== undefined; current = current.parent) {
    if (current.level.find(key) === undefined && !current.level.values.some((value) => countFields(value, key) > 0))
      continue;
    const { ranges } = current.level;
    return ranges
      .filter((range) => range.columns.some((each) => isNamed(each, key)))
      .map((range) => `${range.name}.${name}`);
  }
  return [];
}

function isNamed({ name, isValue, column }: NamedColumn, key: string): boolean {
  return isValue ? countFields(column, key) > 0 : name?.toLowerCase() === key;
}

function countFields({ type }: Column, key: string): number {
  if (type.kind === "STRUCT") return structFieldsNamed(type, key).length;
  const record = type.kind === "MIXED" ? type.record : type;
  return record?.kind === "RECORD" && fieldNamed(record, key) !== undefined ? 1 : 0;
}

/** The nearest log source whose names are open. */
export function findLenient(scope: Scope | undefined): RangeVariable | undefined {
  for (let current = scope; current !== undefined; current = current.parent)
    if (current.level.lenient !== undefined) return current.level.lenient;
  return undefined;
}

/** All names in scope, for suggestions, from the innermost scope outwards. */
export function* visibleNames(scope: Scope | undefined): Generator<KnownName> {
  for (let current = scope; current !== undefined; current = current.parent) {
    yield* current.level.names();
    for (const column of current.level.values) {
      const fields = column.type.kind === "STRUCT" ? column.type.fields : recordIn(column.type)?.fields;
      for (const { name, type } of fields ?? []) if (name !== undefined) yield { name, type };
    }
  }
}
