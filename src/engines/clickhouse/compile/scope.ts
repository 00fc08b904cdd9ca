/** Where a printed expression finds the columns it reads. */
import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Refusal } from "../sql/refusal.ts";
import type { Sql } from "../sql/sql.ts";

/** Where the fields below a record come from when its column can be traced to a table. Paths are below the record. */
export interface RecordSource {
  /** The leaf's value of this type; undefined where no column of the server's shows it exactly. */
  leaf(path: readonly string[], type: SqlType): Sql | undefined;
  /** An expression that is true where the event has the record at `path`; undefined if there is none. */
  presence(path: readonly string[]): Sql | undefined;
  /** The JSON text of the record at `path` as an answer has it; undefined where none has it. */
  json(path: readonly string[]): Sql | undefined;
}

/** A column as expressions of one SELECT print it. */
export interface Binding {
  /** The value; the refusal where the server has none. */
  readonly sql: () => Sql;
  readonly refused?: Refusal | undefined;
  /** True when printing it again costs nothing: a column of FROM, a literal, a parameter. */
  readonly isCheap: boolean;
  readonly record?: RecordSource | undefined;
  /** One element of an array alone, by its offset; undefined where only the whole array is to be had. */
  readonly element?: ((offset: bigint) => Sql | undefined) | undefined;
  /** How the value leaves the server where `sql` is refused: no expression may compute with it there. */
  readonly carried?: CarriedValue | undefined;
}

/** A value that the server cannot compute by itself, and that the embedded engine reads from columns. */
export interface CarriedValue {
  /** The value that the sub-select returns, of `type`. */
  readonly sql: () => Sql;
  readonly type: SqlType;
  /** The value, read from what was handed out. */
  read(base: Expr): Expr;
}

export interface Scope {
  find(id: number): Binding | undefined;
}

export function cheapBinding(sql: Sql, record?: RecordSource): Binding {
  return { sql: () => sql, isCheap: true, record };
}

/** A column without a value on the server, though perhaps with fields. */
export function refusedBinding(refused: Refusal, record?: RecordSource): Binding {
  return { sql: () => refused, refused, isCheap: true, record };
}

/** A scope of lambda parameters or variables inside another scope. */
export function variableScope(parent: Scope, variables: ReadonlyMap<number, Binding>): Scope {
  return { find: (id) => variables.get(id) ?? parent.find(id) };
}
