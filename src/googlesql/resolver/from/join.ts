import type { Expression, Identifier, JoinType, TableExpression } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, Expr, JoinScan, Scan } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { callOperator } from "../call/call-function.ts";
import { coerce, coerceOrFail, commonTypeOf } from "../call/coerce.ts";
import { type Environment, plainContext, type Relation, resolveExpression } from "../context.ts";
import { call, columnExpr } from "../expression/expr.ts";
import { reconcile } from "../expression/lenient.ts";
import { mergeNames, project } from "../relation.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { type NamedColumn, type NameList, namedColumn, scopeOf } from "../scope.ts";
import { recursiveOf, refuseRecursive } from "../select/recursion.ts";

/** A join without its left side, as FROM and the pipe operator have it. */
export interface JoinParts {
  readonly type: JoinType;
  readonly right: TableExpression;
  readonly on?: Expression | undefined;
  readonly using?: readonly Identifier[] | undefined;
  readonly span: Span;
}

/** Joins two relations. */
export function joinRelations(environment: Environment, left: Relation, right: Relation, join: JoinParts): Relation {
  const { resolution } = environment;
  const names = mergeNames(resolution, left.names, right.names, join.right.span);
  const isLateral = join.right.kind === "TableSubquery" && join.right.isLateral === true;
  const type = join.type === "COMMA" ? "CROSS" : join.type;
  const needsCondition = type !== "CROSS";
  if (!needsCondition && (join.on !== undefined || join.using !== undefined)) {
    resolution.report("invalid_query", "CROSS JOIN takes neither ON nor USING", join.span);
  }
  if (needsCondition && join.on === undefined && join.using === undefined && !(isLateral && type === "LEFT")) {
    resolution.report(
      "invalid_query",
      `${type} JOIN must have an immediately following ON or USING clause`,
      join.right.span,
    );
  }
  if (type === "LEFT" || type === "FULL") refuseRecursive(resolution, right, `on the right of a ${type} JOIN`);
  if (type === "RIGHT" || type === "FULL") refuseRecursive(resolution, left, `on the left of a ${type} JOIN`);
  if (join.using !== undefined) return joinUsing(resolution, left, right, names, type, join.using, isLateral);
  let on: Expr | undefined;
  if (join.on !== undefined) {
    const context = plainContext(environment, scopeOf(names, environment.outer), "JOIN ON clause");
    const value = coerceOrFail(resolution, resolveExpression(context, join.on), BOOL, "The ON condition");
    if (!isErrorExpr(value)) on = value;
  }
  const recursive = recursiveOf(left, right);
  return { scan: joinScan(type, left.scan, right.scan, on, isLateral), names, order: undefined, recursive };
}

function joinScan(type: JoinScan["type"], left: Scan, right: Scan, on: Expr | undefined, isLateral: boolean): JoinScan {
  return { kind: "Join", type, left, right, on, isLateral: isLateral || undefined };
}

/** USING: the columns come first and once, unqualified; both sides' own stay readable under their aliases. */
function joinUsing(
  resolution: Resolution,
  left: Relation,
  right: Relation,
  names: NameList,
  type: JoinScan["type"],
  using: readonly Identifier[],
  isLateral: boolean,
): Relation {
  const merged: NamedColumn[] = [];
  const computed: { column: Column; expression: Expr }[] = [];
  const hidden = new Set<number>();
  const on = usingCondition(resolution, left.names, right.names, using, (name, a, b) => {
    hidden.add(a.id);
    hidden.add(b.id);
    if (type === "FULL") {
      const parts = [columnExpr(a, name.span), columnExpr(b, name.span)];
      const common = commonTypeOf(resolution, parts) ?? a.type;
      const expression = call(
        "COALESCE",
        parts.map((part) => coerce(resolution, part, common) ?? part),
        common,
        name.span,
      );
      const column = resolution.newColumn(name.name, common);
      computed.push({ column, expression });
      merged.push(namedColumn(name.name, column));
    } else merged.push(namedColumn(name.name, type === "RIGHT" ? b : a));
  });
  const rest = names.columns.filter((named) => !hidden.has(named.column.id));
  return {
    scan: project(joinScan(type, left.scan, right.scan, on, isLateral), computed),
    names: { columns: [...merged, ...rest], ranges: names.ranges },
    order: undefined,
    recursive: recursiveOf(left, right),
  };
}

/** `left.a = right.a AND ...` for USING (a, ...). */
export function usingCondition(
  resolution: Resolution,
  left: NameList,
  right: NameList,
  using: readonly Identifier[],
  onPair?: (name: Identifier, left: Column, right: Column) => void,
): Expr | undefined {
  const conditions: Expr[] = [];
  const seen = new Set<string>();
  for (const name of using) {
    const key = name.name.toLowerCase();
    if (seen.has(key))
      resolution.report("duplicate_name", `Duplicate column in USING clause: ${name.name}`, name.span, {
        name: name.name,
      });
    seen.add(key);
    const a = usingColumn(resolution, left, name, "left");
    const b = usingColumn(resolution, right, name, "right");
    if (a === undefined || b === undefined) continue;
    onPair?.(name, a, b);
    const operands = reconcile(resolution, [columnExpr(a, name.span), columnExpr(b, name.span)]);
    const equal = callOperator(resolution, "$equal", operands, name.span);
    if (!isErrorExpr(equal)) conditions.push(equal);
  }
  const [first] = conditions;
  if (first === undefined || conditions.length === 1) return first;
  return call("$and", conditions, BOOL, first.span);
}

function usingColumn(
  resolution: Resolution,
  names: NameList,
  name: Identifier,
  side: "left" | "right",
): Column | undefined {
  const wanted = name.name.toLowerCase();
  const found = names.columns.filter((named) => named.name?.toLowerCase() === wanted);
  const [first] = found;
  if (first === undefined) {
    if (names.ranges.some((range) => range.isLenient && range.columns.some((named) => named.isValue))) return undefined;
    const known = names.columns.flatMap((named) => named.name ?? []);
    const suggestion = resolution.suggest(name.name, known);
    resolution.report(
      "unknown_column",
      `Column ${name.name} in USING clause not found on ${side} side of join`,
      name.span,
      { name: name.name, suggestion },
    );
    return undefined;
  }
  if (found.some((other) => other.column.id !== first.column.id)) {
    resolution.report(
      "ambiguous_name",
      `Column ${name.name} in USING clause is ambiguous on ${side} side of join`,
      name.span,
      { name: name.name },
    );
    return undefined;
  }
  return first.column;
}
