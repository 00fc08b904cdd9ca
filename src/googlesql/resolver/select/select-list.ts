import type { Identifier, SelectExpression, SelectItem, Star } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Expr } from "../../resolved.ts";
import { typeName } from "../call/coerce.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { inferredName } from "../expression/constructor.ts";
import { columnExpr } from "../expression/expr.ts";
import { accessField } from "../expression/field.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { findName, type NamedColumn, type NameList, shownColumns } from "../scope.ts";

/** One output of a select list. */
export interface Item {
  readonly name: string | undefined;
  readonly expression: Expr;
  readonly span: Span;
}

/** The select list, stars expanded. `names` are what `*` stands for. */
export function resolveSelectList(context: ExprContext, items: readonly SelectItem[], names: NameList): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    const expanded = item.kind === "Star" ? resolveStar(context, item, names) : [resolveItem(context, item)];
    for (const each of expanded) result.push(each);
  }
  return result;
}

function resolveItem(context: ExprContext, item: SelectExpression): Item {
  const name = item.alias?.name ?? inferredName(item.expression);
  const expression = resolveExpression(context, item.expression);
  return { name, expression, span: item.expression.span };
}

function resolveStar(context: ExprContext, star: Star, names: NameList): Item[] {
  const { resolution } = context;
  let items: Item[];
  if (star.of === undefined) {
    if (names.columns.length === 0 && names.ranges.length === 0) {
      resolution.report("invalid_query", "SELECT * must have a FROM clause", star.span);
      return [];
    }
    items = expandColumns(resolution, names.columns, star.span);
  } else items = expandExpression(context, star.of, star.span);
  if (items.some(({ name, expression }) => name === undefined && isErrorExpr(expression))) return items;
  const except = checkNames(resolution, star.except, items, "EXCEPT");
  const kept = items.filter((item) => item.name === undefined || !except.has(item.name.toLowerCase()));
  if (kept.length === 0 && items.length > 0)
    resolution.report("invalid_query", "SELECT * EXCEPT (...) leaves no columns", star.span);
  return replaceItems(context, star, kept);
}

function replaceItems(context: ExprContext, star: Star, items: Item[]): Item[] {
  if (star.replace.length === 0) return items;
  const aliases = star.replace.flatMap((item) => item.alias ?? []);
  checkNames(context.resolution, aliases, items, "REPLACE");
  const replacements = new Map(
    star.replace.map((item) => [item.alias?.name.toLowerCase() ?? "", resolveItem(context, item)]),
  );
  return items.map((item) => {
    const replacement = replacements.get(item.name?.toLowerCase() ?? "");
    return replacement === undefined || item.name === undefined ? item : { ...replacement, name: item.name };
  });
}

/** The names in lower case, with the nearest for one that does not exist. */
function checkNames(
  resolution: Resolution,
  names: readonly Identifier[],
  items: readonly Item[],
  clause: string,
): ReadonlySet<string> {
  const known = items.flatMap(({ name, expression: { type } }) => (name === undefined ? [] : { name, type }));
  const keys = new Set(known.map(({ name }) => name.toLowerCase()));
  const seen = new Set<string>();
  for (const name of names) {
    const key = name.name.toLowerCase();
    if (seen.has(key))
      resolution.report("duplicate_name", `Duplicate column ${name.name} in SELECT * ${clause} list`, name.span, {
        name: name.name,
      });
    seen.add(key);
    if (keys.has(key)) continue;
    const message = `Column ${name.name} in SELECT * ${clause} list does not exist`;
    const nearest = resolution.reportUnknown(message, name, known);
    if (nearest !== undefined) seen.add(nearest.toLowerCase());
  }
  return seen;
}

/** Expands a star over these columns, but hidden ones: the fields of a value table's struct, the columns otherwise. */
export function expandColumns(resolution: Resolution, columns: readonly NamedColumn[], span: Span): Item[] {
  resolution.expand(columns.length, span);
  return shownColumns(columns).flatMap((named): Item[] => {
    const expression = columnExpr(named.column, span);
    const fields = named.isValue ? expandFields(resolution, expression, span) : undefined;
    return fields ?? [{ name: named.name, expression, span }];
  });
}

function expandFields(resolution: Resolution, base: Expr, span: Span): Item[] | undefined {
  const { type } = base;
  if (type.kind === "STRUCT") {
    resolution.expand(type.fields.length, span);
    return type.fields.map((field, index) => ({
      expression: { kind: "Field", base, index, type: field.type, span },
      span,
      name: field.name,
    }));
  }
  const record = type.kind === "MIXED" ? type.record : type;
  if (record?.kind !== "RECORD") return undefined;
  resolution.expand(record.fields.length, span);
  return record.fields.map((field) => ({
    name: field.name,
    expression: accessField(resolution, base, { kind: "Identifier", name: field.name, isQuoted: true, span }),
    span,
  }));
}

function expandExpression(context: ExprContext, of: SelectExpression["expression"], span: Span): Item[] {
  const { resolution } = context;
  if (of.kind === "Identifier") {
    const target = findName(context.scope, of.name);
    if (target?.kind === "range") return expandColumns(resolution, target.range.columns, span);
  }
  const base = resolveExpression(context, of);
  if (isErrorExpr(base)) return [{ name: undefined, expression: base, span }];
  const fields = expandFields(resolution, base, span);
  if (fields !== undefined) return fields;
  if (base.type.kind === "ARRAY" && base.type.element.kind === "RECORD") {
    resolution.expand(base.type.element.fields.length, span);
    return base.type.element.fields.map((field) => ({
      name: field.name,
      expression: accessField(resolution, base, { kind: "Identifier", name: field.name, isQuoted: true, span }),
      span,
    }));
  }
  return [
    {
      name: undefined,
      expression: resolution.fail(
        "type_mismatch",
        `Dot-star is not supported for type ${typeName(base.type)}`,
        of.span,
      ),
      span,
    },
  ];
}
