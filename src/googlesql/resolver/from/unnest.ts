import type { Expression, Identifier, JoinType, TableReference, Unnest } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import { isSubquery, someExpression } from "../../resolved/walk.ts";
import type { AnyExpr, Expr, Scan, UnnestScan } from "../../resolved.ts";
import { arrayOf, BOOL, INT64, type RecordType, type SqlType } from "../../types.ts";
import { asMixed, coerceOrFail, isLenientExpr, typeName } from "../call/coerce.ts";
import { type Environment, type ExprContext, plainContext, type Relation, resolveExpression } from "../context.ts";
import { inferredName } from "../expression/constructor.ts";
import { accessFlattened } from "../expression/field.ts";
import { asList } from "../expression/mixed.ts";
import { resolveFieldAccess } from "../expression/name.ts";
import { mergeNames } from "../relation.ts";
import { ERROR_TYPE, isErrorExpr, nullExpr } from "../resolution.ts";
import { type NamedColumn, type NameList, namedColumn, type Scope, scopeOf } from "../scope.ts";
import { joinUsing } from "./join.ts";

/** How the array stands beside what is left of it. */
export interface UnnestJoin {
  readonly type: JoinType;
  readonly on?: Expression | undefined;
  readonly using?: readonly Identifier[] | undefined;
  readonly span: Span;
}

/** `t.items` in FROM, as the UNNEST that it means. */
export function unnestOfPath(node: TableReference): Unnest {
  const [first, ...rest] = node.path.parts;
  if (first === undefined) throw new Error("a path has at least one part");
  let expression: Expression = first;
  for (const field of rest)
    expression = {
      kind: "FieldAccess",
      base: expression,
      field,
      span: { start: node.path.span.start, end: field.span.end },
    };
  const alias = node.alias ?? rest.at(-1);
  return {
    kind: "Unnest",
    span: node.span,
    arrays: [{ expression, alias }],
    mode: undefined,
    alias: undefined,
    withOffset: node.withOffset,
    suffixes: node.suffixes,
  };
}

/** The record that an unknown field is taken for: it has no fields, so that all of them are NULL. */
const EMPTY_RECORD: RecordType = { kind: "RECORD", fields: [], isRepeated: true, isOpen: false };

/** UNNEST on its own or after `left`, whose columns the array may read; `outer` is the scope that has them. */
export function joinUnnest(
  environment: Environment,
  left: Relation | undefined,
  node: Unnest,
  join: UnnestJoin,
  outer: Scope | undefined = environment.outer,
): Relation {
  const { resolution } = environment;
  const context = plainContext(environment, outer, "UNNEST");
  const columns: NamedColumn[] = [];
  const ranges: NameList["ranges"][number][] = [];
  const arrays: UnnestScan["arrays"][number][] = [];
  for (const item of node.arrays) {
    const array = asArray(environment, resolveArray(context, item.expression), item.expression);
    const elementType = array.type.kind === "ARRAY" ? array.type.element : ERROR_TYPE;
    const isOnly = node.arrays.length === 1;
    const name = item.alias?.name ?? (isOnly ? node.alias?.name : inferredName(item.expression));
    const element = resolution.newColumn(name ?? "element", elementType);
    // Records are of events alone.
    if (elementType.kind === "RECORD" || isLenientExpr(resolution, array)) resolution.lenientColumns.add(element.id);
    arrays.push({ array, element });
    const named: NamedColumn = { name, column: element, isValue: true };
    columns.push(named);
    if (name !== undefined) ranges.push({ name, columns: [named], isLenient: false });
  }
  const offset =
    node.withOffset === undefined ? undefined : resolution.newColumn(node.withOffset.alias?.name ?? "offset", INT64);
  if (offset !== undefined) columns.push(namedColumn(offset.name, offset));
  const own: NameList = { columns, ranges };
  const mode = node.mode === undefined ? undefined : unnestMode(environment, resolveExpression(context, node.mode));
  const isOuter = join.type === "LEFT";
  const scanOf = (on: Expr | undefined): Scan => {
    const scan: UnnestScan = { kind: "Unnest", input: left?.scan, arrays, mode, offset, isOuter, on };
    return left === undefined ? scan : asPlainJoin(left.scan, scan);
  };
  const recursive = left?.recursive;
  if (join.using !== undefined && left !== undefined) {
    const type = isOuter ? "LEFT" : "INNER";
    const sides = { left: left.names, right: own, type, using: join.using, span: node.span } as const;
    return { ...joinUsing(resolution, sides, scanOf), order: left.order, recursive };
  }
  const names = left === undefined ? own : mergeNames(resolution, left.names, own, node.span);
  return { scan: scanOf(condition(environment, names, join)), names, order: left?.order, recursive };
}

/** A path goes through the arrays on its way. */
function resolveArray(context: ExprContext, expression: Expression): Expr {
  if (expression.kind !== "FieldAccess") return resolveExpression(context, expression);
  return resolveFieldAccess(context, expression, accessFlattened);
}

const isColumn = ({ kind }: AnyExpr): boolean => kind === "Column" || kind === "RecordField";

/** A LEFT JOIN whose arrays read nothing is a join like others, and then its condition may hold sub-queries. */
function asPlainJoin(left: Scan, scan: UnnestScan): Scan {
  const { on, arrays } = scan;
  if (!scan.isOuter || on === undefined || !someExpression(on, isSubquery, false)) return scan;
  if (arrays.some(({ array }) => someExpression(array, isColumn, true))) return scan;
  const right: UnnestScan = { ...scan, input: undefined, isOuter: false, on: undefined };
  return { kind: "Join", type: "LEFT", left, right, on, isLateral: undefined };
}

function condition(environment: Environment, names: NameList, join: UnnestJoin): Expr | undefined {
  const { resolution } = environment;
  if (join.on === undefined) return undefined;
  const context = plainContext(environment, scopeOf(names, environment.outer), "JOIN ON clause");
  const on = coerceOrFail(resolution, resolveExpression(context, join.on), BOOL, "The ON condition");
  return isErrorExpr(on) ? undefined : on;
}

function unnestMode(environment: Environment, mode: Expr): UnnestScan["mode"] {
  const value = mode.kind === "Literal" && mode.type.kind === "STRING" ? mode.value?.toUpperCase() : undefined;
  if (value === "PAD" || value === "STRICT" || value === "TRUNCATE") return value;
  if (!isErrorExpr(mode))
    environment.resolution.report(
      "invalid_query",
      'The mode of UNNEST must be "PAD", "STRICT" or "TRUNCATE"',
      mode.span,
    );
  return undefined;
}

/** Returns the array that UNNEST reads; no rows for a field that no event has carried. A literal NULL is no array. */
function asArray(environment: Environment, array: Expr, { kind, span }: Expression): Expr {
  const { resolution } = environment;
  if (isErrorExpr(array)) return { ...nullExpr(span), type: arrayOf(ERROR_TYPE) };
  const type: SqlType = array.type;
  const mixed = type.kind === "MIXED" ? array : type.kind === "ARRAY" ? undefined : asMixed(resolution, array);
  if (mixed !== undefined) return asList(mixed);
  if (type.kind === "ARRAY")
    return type.element.kind === "UNKNOWN" && array.kind === "RecordField"
      ? nullExpr(span, arrayOf(EMPTY_RECORD))
      : array;
  if (type.kind === "UNKNOWN" && array.kind !== "Parameter" && kind !== "NullLiteral")
    return nullExpr(span, arrayOf(EMPTY_RECORD));
  return {
    ...resolution.fail(
      "type_mismatch",
      `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${typeName(type)}`,
      span,
    ),
    type: arrayOf(ERROR_TYPE),
  };
}
