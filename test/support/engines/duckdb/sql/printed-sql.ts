/** SQL between text and tree, for tests. */
import { emit, guarded } from "../../../../../src/engines/duckdb/compile/statements.ts";
import { spelling } from "../../../../../src/engines/duckdb/sql/spelling.ts";
import { type Sql, sql } from "../../../../../src/engines/duckdb/sql/sql.ts";
import { createStatements } from "../../../../../src/engines/sql/emit.ts";

const unguarded = createStatements(spelling, (root) => root);

/** The tree of a text, as of a template without holes. */
export function readSql(text: string): Sql {
  return sql(Object.assign([text], { raw: [text] }));
}

/** A piece of SQL as text, not guarded. */
export function printSql(piece: Sql): string {
  return unguarded.emit(unguarded.guarded(piece), (index) => index);
}

/** The text as the compiler would emit it, guarded against hidden failures. */
export function guardText(text: string): string {
  return emit(guarded(readSql(text)), (index) => index);
}
