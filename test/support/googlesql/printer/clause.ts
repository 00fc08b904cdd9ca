/** Clauses that stand in queries, calls and pipe operators alike. */
import type {
  Expression,
  FrameBound,
  GroupBy,
  GroupingItem,
  GroupingSet,
  LimitClause,
  NamedWindow,
  OrderItem,
  SelectExpression,
  SelectItem,
  SortOrder,
  WindowSpecification,
} from "../../../../src/googlesql/ast.ts";
import { BASE_LEVEL, isBareBase } from "./level.ts";
import { printAlias, printIdentifier, printIdentifiers } from "./name.ts";
import type { PrintRules } from "./rules.ts";

/** Joins the parts of a clause that are there. */
export function joinParts(...parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== "").join(" ");
}

export function printExpressions(rules: PrintRules, expressions: readonly Expression[]): string {
  return expressions.map((expression) => rules.expression(expression)).join(", ");
}

export function printSortOrder(order: SortOrder, needsDirection = false): string {
  const direction = order.isDescending ? "DESC" : needsDirection ? "ASC" : undefined;
  return joinParts(direction, order.nulls && `NULLS ${order.nulls}`);
}

export function printOrderBy(rules: PrintRules, items: readonly OrderItem[]): string {
  const printed = items.map((item) =>
    joinParts(
      rules.expression(item.expression),
      item.collation && `COLLATE ${rules.expression(item.collation)}`,
      printSortOrder(item),
    ),
  );
  return `ORDER BY ${printed.join(", ")}`;
}

export function printLimit(rules: PrintRules, limit: LimitClause): string {
  return joinParts(
    `LIMIT ${limit.count === undefined ? "ALL" : rules.expression(limit.count)}`,
    limit.offset && `OFFSET ${rules.expression(limit.offset)}`,
  );
}

export function printPartitionBy(rules: PrintRules, expressions: readonly Expression[] | undefined): string {
  if (expressions === undefined || expressions.length === 0) return "";
  return `PARTITION BY ${printExpressions(rules, expressions)}`;
}

export function printWindow(rules: PrintRules, window: WindowSpecification): string {
  const { base, partitionBy, orderBy, frame } = window;
  const isName = base !== undefined && partitionBy.length === 0 && orderBy.length === 0 && frame === undefined;
  // `OVER w` and `OVER (w)` are one and the same tree.
  if (isName) return printIdentifier(base);
  const start = frame && printBound(rules, frame.start);
  const content = joinParts(
    base && printIdentifier(base),
    printPartitionBy(rules, partitionBy),
    orderBy.length > 0 && printOrderBy(rules, orderBy),
    frame &&
      (frame.end ? `${frame.unit} BETWEEN ${start} AND ${printBound(rules, frame.end)}` : `${frame.unit} ${start}`),
  );
  return `(${content})`;
}

function printBound(rules: PrintRules, bound: FrameBound): string {
  switch (bound.kind) {
    case "UnboundedPreceding":
      return "UNBOUNDED PRECEDING";
    case "UnboundedFollowing":
      return "UNBOUNDED FOLLOWING";
    case "CurrentRow":
      return "CURRENT ROW";
    case "Preceding":
      return `${rules.expression(bound.offset)} PRECEDING`;
    case "Following":
      return `${rules.expression(bound.offset)} FOLLOWING`;
  }
}

export function printWindows(rules: PrintRules, windows: readonly NamedWindow[]): string {
  if (windows.length === 0) return "";
  const printed = windows.map((item) => `${printIdentifier(item.name)} AS ${printWindow(rules, item.window)}`);
  return `WINDOW ${printed.join(", ")}`;
}

export function printSelectExpression(rules: PrintRules, item: SelectExpression): string {
  return `${rules.expression(item.expression)}${printAlias(item.alias)}`;
}

export function printSelectItem(rules: PrintRules, item: SelectItem): string {
  if (item.kind === "SelectExpression") return printSelectExpression(rules, item);
  const { of, except, replace } = item;
  return joinParts(
    of === undefined ? "*" : `${printBase(rules, of)}.*`,
    except.length > 0 && `EXCEPT (${printIdentifiers(except)})`,
    replace.length > 0 && `REPLACE (${replace.map((part) => printSelectExpression(rules, part)).join(", ")})`,
  );
}

/** Prints an expression before a dot or a bracket. */
export function printBase(rules: PrintRules, base: Expression): string {
  return isBareBase(base) ? rules.expression(base) : `(${rules.expression(base)})`;
}

export function printGroupBy(rules: PrintRules, groupBy: GroupBy): string {
  const items = groupBy.isAll ? "ALL" : groupBy.items.map((item) => printGroupingItem(rules, item)).join(", ");
  return `GROUP ${groupBy.isAlsoOrder === true ? "AND ORDER " : ""}BY ${items}`;
}

function printGroupingItem(rules: PrintRules, item: GroupingItem): string {
  switch (item.kind) {
    case "EmptyGroupingSet":
      return "()";
    case "Rollup":
    case "Cube":
      return printRollup(rules, item);
    case "GroupingSets":
      return `GROUPING SETS (${item.sets.map((set) => printGroupingSet(rules, set)).join(", ")})`;
    case "GroupingExpression": {
      const expression = `${rules.expression(item.expression)}${printAlias(item.alias)}`;
      return joinParts(expression, item.order && printSortOrder(item.order, item.order.nulls === undefined));
    }
  }
}

function printRollup(
  rules: PrintRules,
  item: { readonly kind: "Rollup" | "Cube"; readonly entries: readonly (readonly Expression[])[] },
): string {
  const entries = item.entries.map((entry) => printColumnSet(rules, entry));
  return `${item.kind.toUpperCase()} (${entries.join(", ")})`;
}

function printGroupingSet(rules: PrintRules, set: GroupingSet): string {
  return set.kind === "Set" ? printColumnSet(rules, set.expressions) : printRollup(rules, set);
}

function printColumnSet(rules: PrintRules, expressions: readonly Expression[]): string {
  const [first] = expressions;
  if (first !== undefined && expressions.length === 1) return rules.expression(first, BASE_LEVEL.loosest);
  return `(${printExpressions(rules, expressions)})`;
}
