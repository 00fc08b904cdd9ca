/** Facts about a resolved tree. */
import type { Column, Expr, Scan } from "../../src/googlesql/resolved.ts";

/** The columns that a scan's rows have of their own. */
export function columnsOf(scan: Scan): readonly Column[] {
  switch (scan.kind) {
    case "SingleRow":
      return [];
    case "Table":
      return scan.columns.map(({ column }) => column);
    case "Cte":
    case "SetOperation":
    case "Recursive":
      return scan.columns;
    case "Distinct":
      return scan.columns.map(({ column }) => column);
    case "Unnest": {
      const own = scan.arrays.map(({ element }) => element);
      const offset = scan.offset === undefined ? [] : [scan.offset];
      return [...(scan.input === undefined ? [] : columnsOf(scan.input)), ...own, ...offset];
    }
    case "Join":
      return [...columnsOf(scan.left), ...columnsOf(scan.right)];
    case "Project":
      return [...columnsOf(scan.input), ...scan.computed.map(({ column }) => column)];
    case "Aggregate":
      return [...scan.groupBy, ...scan.aggregates].map(({ column }) => column);
    case "Window":
      return [...columnsOf(scan.input), ...scan.functions.map(({ column }) => column)];
    default:
      return columnsOf(scan.input);
  }
}

/** The same expression, wherever it stands in the text. */
export function sameExpression(a: Expr, b: Expr): boolean {
  const text = (expression: Expr) => JSON.stringify(expression, (key, value: unknown) => (key === "span" ? 0 : value));
  return text(a) === text(b);
}
