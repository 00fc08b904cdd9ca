/**
 * Which expressions may fail, and where that must not be seen. DuckDB moves a condition on one column into the scan of a table, and
 * there may compute it before the table's other conditions, on rows that these take away. So what may fail is put where only the
 * conditions before it let rows through: the optimizer leaves what it takes for volatile in its place.
 */
import type { Column, Expr, ResolvedQuery } from "../../../googlesql/resolved.ts";
import { someExpression } from "./children.ts";

/** Functions that fail for no value, given what the compiler makes of them. */
const SAFE_FUNCTIONS = new Set([
  ..."$and $or $not $equal $not_equal $less $less_or_equal $greater $greater_or_equal $between $in $in_array".split(
    " ",
  ),
  ..."$is_null $is_true $is_false $is_distinct $redact".split(" "),
  ..."IF IFNULL COALESCE NULLIF STARTS_WITH ENDS_WITH STRPOS LOWER UPPER LENGTH CHAR_LENGTH CHARACTER_LENGTH".split(
    " ",
  ),
  ..."CONCAT $concat_op BYTE_LENGTH OCTET_LENGTH ARRAY_LENGTH CURRENT_TIMESTAMP".split(" "),
]);

/** Of these, a pattern that is no constant may fail. */
const SAFE_PATTERNS = new Set(["$like", "REGEXP_CONTAINS"]);

const COMPARISONS = new Set(["$equal", "$not_equal", "$less", "$less_or_equal", "$greater", "$greater_or_equal"]);

/** What the columns of a query stand for, so that a condition on a name is known for what it computes. */
export interface Failing {
  /** The condition as it may be printed: unchanged where nothing of it can fail. */
  settle(condition: Expr): Expr;
}

/** Knows all columns of the query. */
export function createFailing(query: ResolvedQuery): Failing {
  let sources: ReadonlyMap<number, readonly Expr[]> | undefined;
  const known = new Map<number, boolean>();

  const columnFails = (column: Column): boolean => {
    const found = known.get(column.id);
    if (found !== undefined) return found;
    // What a recursion comes back to is decided elsewhere on its way.
    known.set(column.id, false);
    sources ??= collectSources(query);
    const fails = (sources.get(column.id) ?? []).some(mayFail);
    known.set(column.id, fails);
    return fails;
  };

  const mayFail = (expression: Expr): boolean => {
    switch (expression.kind) {
      case "Literal":
      case "Parameter":
      case "Variable":
      case "DatePart":
        return false;
      case "Column":
        return columnFails(expression.column);
      case "Field":
      case "RecordField":
        return mayFail(expression.base);
      case "Call": {
        const operands = expression.arguments.flatMap((operand) => operand ?? []);
        const [, pattern] = operands;
        const isSafe =
          SAFE_FUNCTIONS.has(expression.function) ||
          (SAFE_PATTERNS.has(expression.function) && (pattern?.kind === "Literal" || pattern?.kind === "Parameter"));
        return !isSafe || operands.some(mayFail);
      }
      case "Cast":
        return !(expression.isSafe || expression.type.kind === "STRING") || mayFail(expression.operand);
      default:
        return true;
    }
  };

  const opaque = (expression: Expr): Expr => ({
    kind: "Call",
    function: "$opaque",
    arguments: [expression],
    isSafe: false,
    type: expression.type,
    span: expression.span,
  });

  return {
    settle(condition) {
      if (!mayFail(condition) || !readsColumns(condition)) return condition;
      // A sub-query is a join, and what is compared may be one's key.
      if (condition.kind === "Subquery" || condition.kind === "InSubquery") return condition;
      if (condition.kind !== "Call" || condition.isSafe) return opaque(condition);
      if (condition.function === "$and" || (condition.function === "$not" && holdsQuery(condition))) {
        return { ...condition, arguments: condition.arguments.map((each) => each && this.settle(each)) };
      }
      if (!COMPARISONS.has(condition.function)) return opaque(condition);
      // What reads no row is computed once, and fails for every caller or none.
      const settled = condition.arguments.map((each) =>
        each !== undefined && mayFail(each) && readsColumns(each) ? opaque(each) : each,
      );
      return { ...condition, arguments: settled };
    },
  };
}

function readsColumns(expression: Expr): boolean {
  return someExpression(expression, ({ kind }) => kind === "Column" || kind === "Variable", true);
}

function holdsQuery(expression: Expr): boolean {
  if (expression.kind === "Subquery" || expression.kind === "InSubquery") return true;
  return expression.kind === "Call" && expression.arguments.some((each) => each !== undefined && holdsQuery(each));
}

/** By column, the expressions that make it; a column of a table has none. */
function collectSources(query: ResolvedQuery): ReadonlyMap<number, readonly Expr[]> {
  const sources = new Map<number, Expr[]>();
  const add = (column: Column, expression: Expr) => {
    const all = sources.get(column.id);
    if (all === undefined) sources.set(column.id, [expression]);
    else all.push(expression);
  };
  const addColumn = (column: Column, source: Column) =>
    add(column, { kind: "Column", column: source, type: source.type, span: { start: 0, end: 0 } });
  const seen = new Set<unknown>();
  const open: unknown[] = [query.scan];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    collect(node as Node, add, addColumn);
    for (const value of Object.values(node)) if (typeof value === "object") open.push(value);
  }
  return sources;
}

interface Node {
  readonly kind?: string;
  readonly column?: Column;
  readonly expression?: Expr;
  readonly element?: Column;
  readonly array?: Expr;
  readonly cte?: { readonly output: readonly Column[] };
  readonly columns?: readonly (Column | { readonly column: Column; readonly input?: Column })[];
  readonly anchor?: { readonly columns: readonly Column[] };
  readonly step?: { readonly columns: readonly Column[] };
  readonly inputs?: readonly { readonly columns: readonly Column[] }[];
}

function collect(
  node: Node,
  add: (column: Column, expression: Expr) => void,
  addColumn: (column: Column, source: Column) => void,
): void {
  if (node.kind === undefined) {
    if (node.column !== undefined && node.expression !== undefined) add(node.column, node.expression);
    if (node.element !== undefined && node.array !== undefined) add(node.element, node.array);
    return;
  }
  const columns = node.columns ?? [];
  columns.forEach((item, index) => {
    const column = "column" in item ? item.column : item;
    if (node.kind === "Cte") {
      const source = node.cte?.output[index];
      if (source !== undefined) addColumn(column, source);
    } else if (node.kind === "Distinct") {
      if ("column" in item && item.input !== undefined) addColumn(column, item.input);
    } else if (node.kind === "Recursive") {
      for (const { columns: inputs } of [node.anchor, node.step].flatMap((part) => part ?? [])) {
        const source = inputs[index];
        if (source !== undefined) addColumn(column, source);
      }
    } else if (node.kind === "SetOperation") {
      for (const { columns: inputs } of node.inputs ?? []) {
        const source = inputs[index];
        if (source !== undefined) addColumn(column, source);
      }
    }
  });
}
