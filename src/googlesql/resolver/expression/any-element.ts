import type { AnyElement, Expression } from "../../ast.ts";
import { exactField } from "../../record-fields.ts";
import type { Expr, RecordFieldExpr, Scan } from "../../resolved.ts";
import { BOOL, type RecordType, recordIn, type SqlType } from "../../types.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import { mapExpr } from "../transform.ts";
import { columnExpr, negateIf } from "./expr.ts";
import { asList } from "./mixed.ts";

/**
 * A condition on any value of a path. Only lists of several objects cost a sub-query: a path without them is resolved
 * as the condition says, to plain columns.
 */
export function resolveAnyElement(context: ExprContext, node: AnyElement): Expr {
  const { resolution } = context;
  const path = resolveExpression(context, node.path);
  if (isErrorExpr(path)) return errorExpr(node.span);
  const record = node.isNullTest ? undefined : fieldsOf(path.type);
  if (record !== undefined) return refuseObject(resolution, node, record);
  if (!node.isNullTest && isListOfValues(path.type) && isComparison(node.condition)) {
    const message = `${nameOf(node.path)} is a list, which no single value equals; :@> asks for one of its elements`;
    resolution.warn(message, node.path.span, nameOf(node.path), [], "type_mismatch");
  }
  const condition = resolveExpression(context, node.condition);
  if (isErrorExpr(condition) || path.kind !== "RecordField" || path.base.kind !== "Column") return condition;
  const lists = splitAtLists(path);
  if (lists.length < 2) return condition;
  resolution.descend(lists.length, node.span);
  resolution.rise(lists.length);
  const { scan, value } = elementsOf(resolution, path, lists);
  const { id } = path.base.column;
  const below = mapExpr(condition, (inner) =>
    isField(inner, id, path.path) ? { ...value, span: inner.span } : undefined,
  );
  const wanted = negateIf(node.isNullTest, below, below.span);
  const filtered: Scan = { kind: "Filter", input: scan, predicate: wanted };
  const found: Expr = { kind: "Subquery", mode: "EXISTS", type: BOOL, scan: filtered, span: node.span };
  return negateIf(node.isNullTest, found, node.span);
}

function isListOfValues(type: SqlType): boolean {
  return type.kind === "ARRAY" && type.element.kind !== "RECORD" && type.element.kind !== "STRUCT";
}

/** Is it one of the value itself, and not of elements? */
function isComparison({ kind }: Expression): boolean {
  return kind === "BinaryOperation" || kind === "Between" || kind === "In" || kind === "LogicalOperation";
}

function isField(expression: Expr, columnId: number, path: readonly string[]): boolean {
  if (expression.kind !== "RecordField" || expression.base.kind !== "Column") return false;
  if (expression.base.column.id !== columnId || expression.path.length !== path.length) return false;
  return expression.path.every((name, index) => name === path[index]);
}

/** A stretch of the path up to the end of it or to a list of objects, and the type of what it leads to. */
interface Stretch {
  readonly path: readonly string[];
  readonly type: SqlType;
}

function isList(type: SqlType): boolean {
  return (type.kind === "MIXED" || type.kind === "ARRAY") && recordIn(type)?.isRepeated === true;
}

/** The path in stretches, all but the last of which end at a list of several objects. */
function splitAtLists({ base, path, type }: RecordFieldExpr): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let current = base.type;
  let names: string[] = [];
  for (const name of path) {
    if (isList(current)) {
      stretches.push({ path: names, type: current });
      names = [];
    }
    names.push(name);
    const record = recordIn(current);
    current = (record === undefined ? undefined : exactField(record, name)?.type) ?? type;
  }
  return [...stretches, { path: names, type }];
}

/** One row for every element that the path goes through, and what the path reads there. */
function elementsOf(
  resolution: Resolution,
  { base, span }: RecordFieldExpr,
  stretches: readonly Stretch[],
): { readonly scan: Scan; readonly value: Expr } {
  let scan: Scan | undefined;
  let value = base;
  for (const [index, { path, type }] of stretches.entries()) {
    if (path.length > 0) value = { kind: "RecordField", base: value, path, type, span };
    const array = value.type.kind === "MIXED" ? asList(value) : value;
    if (index === stretches.length - 1 || array.type.kind !== "ARRAY") break;
    const column = resolution.newColumn("element", array.type.element);
    scan = { kind: "Unnest", input: scan, arrays: [{ array, element: column }], isOuter: false };
    value = columnExpr(column, span);
  }
  return { scan: scan ?? { kind: "SingleRow" }, value };
}

/** The names of the fields of a declared object; undefined for anything else. */
function fieldsOf(type: SqlType): readonly string[] | undefined {
  const inner = type.kind === "ARRAY" ? type.element : type;
  // A field that events made an object has no value there, and has one in events to come.
  if (inner.kind !== "STRUCT" && !(inner.kind === "RECORD" && isDeclared(inner))) return undefined;
  return inner.fields.flatMap((field) => field.name ?? []);
}

/** Does the source say that it is a record? What is above a declared field is one. */
function isDeclared({ fields }: RecordType): boolean {
  return fields.some(({ type, isDeclared: isSaid }) => {
    const inner = recordIn(type);
    return isSaid === true || (inner !== undefined && isDeclared(inner));
  });
}

/** Fields that a message names. */
const SHOWN_FIELDS = 5;

function refuseObject(resolution: Resolution, node: AnyElement, fields: readonly string[]): Expr {
  const name = nameOf(node.path);
  const shown = fields.filter((field) => /^\w+$/.test(field)).slice(0, SHOWN_FIELDS);
  const hint = shown.length === 0 ? "" : `, such as ${shown.map((field) => `${name}.${field}`).join(", ")}`;
  const message = `${name} is an object, which has no value of its own; name one of its fields${hint}`;
  return resolution.fail("type_mismatch", message, node.path.span, { name });
}

function nameOf(path: Expression): string {
  if (path.kind === "FieldAccess") return `${nameOf(path.base)}.${path.field.name}`;
  return path.kind === "Identifier" ? path.name : "This";
}
