import type { Query } from "../../../src/googlesql/ast.ts";
import { printExpression } from "./printer/expression.ts";
import { printPipe } from "./printer/pipe.ts";
import { printQueryHead } from "./printer/query.ts";
import type { PrintRules } from "./printer/rules.ts";

const RULES: PrintRules = {
  query: printQuery,
  expression: (expression, minLevel = 0) => printExpression(RULES, expression, minLevel),
};

/**
 * The canonical text of a query: one line, keywords in upper case, no comment. Queries that differ only in blanks,
 * comments, redundant parentheses or the way a literal is written have the same text, and reading it gives the same
 * tree, its positions aside.
 */
export function printQuery(query: Query): string {
  return [printQueryHead(RULES, query), ...query.pipes.map((pipe) => printPipe(RULES, pipe))].join(" ");
}
