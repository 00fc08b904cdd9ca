import type { Expression, FieldAccess, Identifier } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Expr } from "../../resolved.ts";
import { UNKNOWN } from "../../types.ts";
import { isLenientExpr } from "../call/coerce.ts";
import { type ExprContext, inScope, resolveExpression } from "../context.ts";
import { errorExpr, isErrorType, nullExpr, type Resolution } from "../resolution.ts";
import {
  findLenient,
  findName,
  knownNames,
  qualifiedNames,
  type RangeVariable,
  type Scope,
  shownColumns,
  visibleNames,
} from "../scope.ts";
import { columnExpr, makeStruct } from "./expr.ts";
import { accessField } from "./field.ts";

/** One identifier on its own. */
export function resolveIdentifier(context: ExprContext, node: Identifier): Expr {
  return resolvePath(context, [node]);
}

/** Reads a field of a value: `accessField`, but where arrays on the way are flattened. */
type Access = (resolution: Resolution, base: Expr, field: Identifier) => Expr;

/** `a.b.c`, or fields of any expression. The chain is walked, not recursed into. */
export function resolveFieldAccess(context: ExprContext, node: FieldAccess, access: Access = accessField): Expr {
  const fields: Identifier[] = [];
  let base: Expression = node;
  while (base.kind === "FieldAccess") {
    fields.push(base.field);
    base = base.base;
  }
  if (base.kind === "Identifier") {
    fields.push(base);
    return resolvePath(context, fields.reverse(), access);
  }
  fields.reverse();
  let result = resolveExpression(context, base);
  for (const field of fields) result = access(context.resolution, result, field);
  return result;
}

function resolvePath(context: ExprContext, path: readonly Identifier[], access: Access = accessField): Expr {
  const { resolution } = context;
  const [first] = path;
  if (first === undefined) throw new Error("a path has at least one part");
  const start = resolveFirst(context, first, path);
  let result = start.expression;
  for (const field of path.slice(1 + start.used)) result = access(resolution, result, field);
  return result;
}

interface Start {
  readonly expression: Expr;
  /** How many of the further parts are read already. */
  readonly used: number;
}

function resolveFirst(context: ExprContext, first: Identifier, path: readonly Identifier[]): Start {
  const { resolution, scope } = context;
  const target = findName(scope, first.name);
  switch (target?.kind) {
    case "column":
      return { expression: columnExpr(target.column, first.span), used: 0 };
    case "implicit":
      return { expression: accessField(resolution, columnExpr(target.column, first.span), first), used: 0 };
    case "expression":
      // `t.x` where an alias t of the select list has no fields means the table t.
      if (path.length > 1 && !mayHaveFields(target.expression) && findName(scope?.parent, first.name) !== undefined) {
        return resolveFirst(inScope(context, scope?.parent), first, path);
      }
      return { expression: target.expression, used: 0 };
    case "range": {
      const second = path[1];
      if (second === undefined) return { expression: wholeRow(context.resolution, target.range, first.span), used: 0 };
      return rangeField(resolution, target.range, second);
    }
    case "ambiguous":
      return {
        expression: failAmbiguous(resolution, scope, first),
        used: path.length - 1,
      };
    case undefined:
      return {
        expression: unknownName(resolution, scope, first),
        used: findLenient(scope) === undefined ? path.length - 1 : 0,
      };
  }
}

/** Says what would be clear: the name with a table's alias, or another name for one of the columns. */
function failAmbiguous(resolution: Resolution, scope: Scope | undefined, { name, span }: Identifier): Expr {
  const clear = [...new Set(qualifiedNames(scope, name))];
  const advice = clear.length > 1 ? `write ${clear.join(" or ")}` : "give one of its columns another name with AS";
  return resolution.fail("ambiguous_name", `Column name ${name} is ambiguous; ${advice}`, span, { name });
}

const WITH_FIELDS: readonly string[] = ["STRUCT", "RECORD", "JSON", "ARRAY", "MIXED", "UNKNOWN"];

function mayHaveFields({ type }: Expr): boolean {
  return WITH_FIELDS.includes(type.kind);
}

/** A table's alias as a value: the value of a value table, a struct of the columns otherwise. */
function wholeRow(resolution: Resolution, range: RangeVariable, span: Span): Expr {
  const [only] = range.columns;
  if (only?.isValue === true && range.columns.length === 1) return columnExpr(only.column, span);
  return makeStruct(
    shownColumns(range.columns).map((named) => ({ name: named.name, value: columnExpr(named.column, span) })),
    span,
    (value) => isLenientExpr(resolution, value),
  );
}

function rangeField(resolution: Resolution, range: RangeVariable, field: Identifier): Start {
  const wanted = field.name.toLowerCase();
  const found = resolution.columnsNamed(range, wanted);
  const [first] = found;
  if (first !== undefined) {
    if (found.length > 1 && found.some((other) => other.column.id !== first.column.id)) {
      return {
        expression: resolution.fail(
          "ambiguous_name",
          `Column name ${field.name} is ambiguous inside ${range.name}`,
          field.span,
          { name: field.name },
        ),
        used: 1,
      };
    }
    return { expression: columnExpr(first.column, field.span), used: 1 };
  }
  const value = range.columns.find((named) => named.isValue === true);
  if (value !== undefined)
    return { expression: accessField(resolution, columnExpr(value.column, field.span), field), used: 1 };
  if (range.isLenient === true) return { expression: nullExpr(field.span, UNKNOWN), used: 1 };
  const message = `Name ${field.name} not found inside ${range.name}`;
  resolution.reportUnknown(message, field, knownNames(range.columns));
  return { expression: errorExpr(field.span), used: 1 };
}

function unknownName(resolution: Resolution, scope: Scope | undefined, name: Identifier): Expr {
  const open = findLenient(scope);
  // A table that is reported may have any column.
  if (open?.columns.some(({ column }) => isErrorType(column.type)) === true) return errorExpr(name.span);
  if (open !== undefined) return nullExpr(name.span, UNKNOWN);
  resolution.reportUnknown(`Unrecognized name: ${name.name}`, name, visibleNames(scope));
  return errorExpr(name.span);
}
