/** What the columns of a query are made of. */
import type { Column, Expr } from "../../googlesql/resolved.ts";

/** What makes a column: an expression, another column, or one of each input of a set operation. */
export type Made = Expr | Column | readonly Column[];

/** The expressions that give the column its values. */
export function sourcesOf(made: Made | undefined): readonly Expr[] {
  if (made === undefined) return [];
  if ("length" in made) return made.map(readOf);
  return ["kind" in made ? made : readOf(made)];
}

function readOf(column: Column): Expr {
  return { kind: "Column", type: column.type, column, span: { start: 0, end: 0 } };
}
