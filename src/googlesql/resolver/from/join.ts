import type { Expression, Identifier, JoinType, TableExpression } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import { positionsByName, structFieldsNamed } from "../../record-fields.ts";
import type { Column, ComputedColumn, Expr, JoinScan, Scan } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { callOperator } from "../call/call-function.ts";
import { coerce, coerceOrFail, columnOf, commonTypeOf } from "../call/coerce.ts";
import { type Environment, plainContext, type Relation, resolveExpression } from "../context.ts";
import { call, columnExpr } from "../expression/expr.ts";
import { accessField } from "../expression/field.ts";
import { reconcile } from "../expression/lenient.ts";
import { mergeNames, project } from "../relation.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { knownNames, type NamedColumn, type NameList, namedColumn, type RangeVariable, scopeOf } from "../scope.ts";
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
  const recursive = recursiveOf(left, right);
  if (join.using !== undefined) {
    const sides = { left: left.names, right: right.names, type, using: join.using, span: join.right.span };
    const joined = joinUsing(resolution, sides, (on) => joinScan(type, left.scan, right.scan, on, isLateral));
    return { ...joined, order: undefined, recursive };
  }
  const names = mergeNames(resolution, left.names, right.names, join.right.span);
  let on: Expr | undefined;
  if (join.on !== undefined) {
    const context = plainContext(environment, scopeOf(names, environment.outer), "JOIN ON clause");
    const value = coerceOrFail(resolution, resolveExpression(context, join.on), BOOL, "The ON condition");
    if (!isErrorExpr(value)) on = value;
  }
  return { scan: joinScan(type, left.scan, right.scan, on, isLateral), names, order: undefined, recursive };
}

function joinScan(type: JoinScan["type"], left: Scan, right: Scan, on: Expr | undefined, isLateral: boolean): JoinScan {
  return { kind: "Join", type, left, right, on, isLateral: isLateral || undefined };
}

/** The two sides of a USING clause's join. */
interface UsingSides {
  readonly left: NameList;
  readonly right: NameList;
  readonly type: JoinScan["type"];
  readonly using: readonly Identifier[];
  readonly span: Span;
}

/** A column that both sides have, as each of them reads it. */
interface UsingPair {
  readonly name: Identifier;
  readonly left: Expr;
  readonly right: Expr;
}

/**
 * Resolves USING: the scan that `join` makes of its condition, with the joined columns first and once; both sides' own
 * stay readable under their aliases.
 */
export function joinUsing(
  resolution: Resolution,
  sides: UsingSides,
  join: (on: Expr | undefined) => Scan,
): { readonly scan: Scan; readonly names: NameList } {
  const pairs = findPairs(resolution, sides);
  const merged: NamedColumn[] = [];
  const computed: ComputedColumn[] = [];
  const mergedColumn = (name: Identifier, expression: Expr): Column => {
    if (expression.kind === "Column") return expression.column;
    const column = columnOf(resolution, name.name, expression);
    computed.push({ column, expression });
    return column;
  };
  for (const { name, left, right } of pairs) {
    const value =
      sides.type === "FULL" ? eitherOf(resolution, name, left, right) : sides.type === "RIGHT" ? right : left;
    merged.push(namedColumn(name.name, mergedColumn(name, value)));
  }
  const left = withoutMerged(resolution, sides.left, pairs, computed);
  const right = withoutMerged(resolution, sides.right, pairs, computed);
  const rest = mergeNames(resolution, left, right, sides.span);
  const scan = project(join(usingCondition(resolution, pairs)), computed);
  return { scan, names: { columns: [...merged, ...rest.columns], ranges: rest.ranges } };
}

function eitherOf(resolution: Resolution, name: Identifier, left: Expr, right: Expr): Expr {
  const common = commonTypeOf(resolution, [left, right]) ?? left.type;
  const parts = [left, right].map((part) => coerce(resolution, part, common) ?? part);
  return call("COALESCE", parts, common, name.span);
}

/** `left.a = right.a AND ...` for USING (a, ...). */
function usingCondition(resolution: Resolution, pairs: readonly UsingPair[]): Expr | undefined {
  const conditions: Expr[] = [];
  for (const { name, left, right } of pairs) {
    const operands = reconcile(resolution, [left, right]);
    const equal = callOperator(resolution, "$equal", operands, name.span);
    if (!isErrorExpr(equal)) conditions.push(equal);
  }
  const [first] = conditions;
  if (first === undefined || conditions.length === 1) return first;
  return call("$and", conditions, BOOL, first.span);
}

function findPairs(resolution: Resolution, { left, right, using }: UsingSides): readonly UsingPair[] {
  const seen = new Set<string>();
  const [ofLeft, ofRight] = [sideOf(left), sideOf(right)];
  return using.flatMap((name) => {
    const key = name.name.toLowerCase();
    if (seen.has(key))
      resolution.report("duplicate_name", `Duplicate column in USING clause: ${name.name}`, name.span, {
        name: name.name,
      });
    seen.add(key);
    const a = usingColumn(resolution, ofLeft, name, "left");
    const b = usingColumn(resolution, ofRight, name, "right");
    return a === undefined || b === undefined ? [] : [{ name, left: a, right: b }];
  });
}

/**
 * One side's names without the columns that USING merges. The value of an array that is merged itself loses its alias
 * to the merged column; of a struct whose field is merged the other fields become columns.
 */
function withoutMerged(
  resolution: Resolution,
  names: NameList,
  pairs: readonly UsingPair[],
  computed: ComputedColumn[],
): NameList {
  const columns = new Set<number>();
  const fields = new Map<number, Set<number>>();
  for (const side of pairs.flatMap(({ left, right }) => [left, right])) {
    if (side.kind === "Column") columns.add(side.column.id);
    else if (side.kind === "Field" && side.base.kind === "Column") {
      const { id } = side.base.column;
      fields.set(id, (fields.get(id) ?? new Set()).add(side.index));
    }
  }
  return {
    columns: names.columns.flatMap((named) => {
      const taken = fields.get(named.column.id);
      if (taken !== undefined) return otherFields(resolution, named.column, taken, computed);
      return columns.has(named.column.id) ? [] : [named];
    }),
    ranges: names.ranges.filter(
      (range) => !isValueTable(range) || range.columns.every(({ column }) => !columns.has(column.id)),
    ),
  };
}

function otherFields(
  resolution: Resolution,
  value: Column,
  taken: ReadonlySet<number>,
  computed: ComputedColumn[],
): readonly NamedColumn[] {
  if (value.type.kind !== "STRUCT") return [];
  return value.type.fields.flatMap(({ name, type }, index) => {
    if (taken.has(index)) return [];
    const span = { start: 0, end: 0 };
    const expression: Expr = { kind: "Field", base: columnExpr(value, span), index, type, span };
    const column = columnOf(resolution, name ?? "", expression);
    computed.push({ column, expression });
    return [namedColumn(name, column)];
  });
}

function isValueTable({ columns }: RangeVariable): boolean {
  return columns.length === 1 && columns.every(({ isValue }) => isValue);
}

/** One side's names, as USING looks them up. */
interface Side extends NameList {
  readonly positions: ReadonlyMap<string, readonly number[]>;
  readonly values: readonly NamedColumn[];
}

function sideOf(names: NameList): Side {
  const values = names.columns.filter(({ isValue, column }) => isValue && column.type.kind === "STRUCT");
  return { ...names, positions: positionsByName(names.columns), values };
}

/** The column of a side, or the field of a value table's struct. */
function usingColumn(resolution: Resolution, names: Side, name: Identifier, side: "left" | "right"): Expr | undefined {
  const wanted = name.name.toLowerCase();
  if (names.ranges.some((range) => !range.isLenient && range.name.toLowerCase() === wanted && !isValueTable(range))) {
    const message = `Name ${name.name} in USING clause is a table alias, not a column name, on ${side} side of join`;
    resolution.report("ambiguous_name", message, name.span, { name: name.name });
    return undefined;
  }
  const found: Expr[] = [];
  for (const position of names.positions.get(wanted) ?? []) {
    const named = names.columns[position];
    if (named !== undefined) found.push(columnExpr(named.column, name.span));
  }
  for (const { name: own, column } of names.values) {
    const isField = column.type.kind === "STRUCT" && structFieldsNamed(column.type, wanted).length > 0;
    if (own?.toLowerCase() !== wanted && isField)
      found.push(accessField(resolution, columnExpr(column, name.span), name));
  }
  const [first] = found;
  const isSame = (other: Expr) =>
    other.kind === "Column" && first?.kind === "Column" && other.column.id === first.column.id;
  if (first === undefined) {
    if (names.ranges.some((range) => range.isLenient && range.columns.some((named) => named.isValue))) return undefined;
    const message = `Column ${name.name} in USING clause not found on ${side} side of join`;
    resolution.reportUnknown(message, name, knownNames(names.columns));
    return undefined;
  }
  if (found.slice(1).some((other) => !isSame(other))) {
    resolution.report(
      "ambiguous_name",
      `Column ${name.name} in USING clause is ambiguous on ${side} side of join`,
      name.span,
      { name: name.name },
    );
    return undefined;
  }
  return first;
}
