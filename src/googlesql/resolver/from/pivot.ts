import type { Pivot } from "../../ast.ts";
import type { AggregateCall, Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import type { SqlType } from "../../types.ts";
import { isGroupable } from "../../typing/same-type.ts";
import { callOperator } from "../call/call-function.ts";
import { coerce, commonTypeOf, typeName } from "../call/coerce.ts";
import {
  blockContext,
  createBlock,
  type Environment,
  plainContext,
  plainRelation,
  type Relation,
  resolveExpression,
} from "../context.ts";
import { columnExpr, isConstant, negateIf } from "../expression/expr.ts";
import { aliased, project } from "../relation.ts";
import { isErrorExpr } from "../resolution.ts";
import { type NamedColumn, namedColumn, scopeOf } from "../scope.ts";
import { mapExpr } from "../transform.ts";

/** PIVOT: rows are grouped by every column that it does not read; each aggregate becomes one column for each value. */
export function resolvePivot(environment: Environment, relation: Relation, node: Pivot): Relation {
  const { resolution } = environment;
  const scope = scopeOf(relation.names, environment.outer);
  const plain = plainContext(environment, scope, "PIVOT");
  const input = resolveExpression(plain, node.input);
  const values = node.values.map((item) => ({ item, value: resolveExpression(plain, item.expression) }));
  const blocks = node.aggregates.map((item) => {
    const block = createBlock([]);
    const context = blockContext(environment, scope, block, "PIVOT", "aggregates");
    const expression = resolveExpression(context, item.expression);
    const [only] = block.aggregates;
    if (
      only === undefined ||
      block.aggregates.length > 1 ||
      expression.kind !== "Column" ||
      expression.column.id !== only.column.id
    ) {
      if (!isErrorExpr(expression))
        resolution.report("invalid_query", "PIVOT expression must be a call of an aggregate function", item.span);
      return undefined;
    }
    return { item, call: only.call };
  });
  if (node.aggregates.length > 1 && node.aggregates.some((item) => item.alias === undefined)) {
    resolution.report("invalid_query", "PIVOT with several aggregates needs an alias for each of them", node.span);
  }
  if (isErrorExpr(input) || values.some(({ value }) => isErrorExpr(value))) return relation;
  const type = commonTypeOf(resolution, [input, ...values.map(({ value }) => value)]);
  if (type === undefined || !isGroupable(type)) {
    resolution.report(
      "type_mismatch",
      `PIVOT values cannot be compared with FOR expression of type ${typeName(input.type)}`,
      node.input.span,
    );
    return relation;
  }
  const used = new Set<number>();
  const note = (expression: Expr): undefined => {
    if (expression.kind === "Column") used.add(expression.column.id);
    return undefined;
  };
  mapExpr(input, note);
  for (const block of blocks) for (const argument of block?.call.arguments ?? []) mapExpr(argument, note);
  const before: ComputedColumn = {
    column: resolution.newColumn("pivot_input", type),
    expression: coerce(resolution, input, type) ?? input,
  };
  const groupBy: ComputedColumn[] = [];
  const columns: NamedColumn[] = [];
  for (const named of relation.names.columns) {
    if (used.has(named.column.id)) continue;
    const column = resolution.newColumn(named.column.name, named.column.type);
    groupBy.push({ column, expression: columnExpr(named.column, node.span) });
    columns.push({ ...named, column });
  }
  const aggregates: { column: Column; call: AggregateCall }[] = [];
  for (const { item, value } of values) {
    if (!isConstant(value)) resolution.report("invalid_query", "PIVOT value must be a constant", item.span);
    const differs = callOperator(
      resolution,
      "$is_distinct",
      [columnExpr(before.column, item.span), coerce(resolution, value, type) ?? value],
      item.span,
    );
    const condition = negateIf(true, differs, item.span);
    // A field of several shapes names its columns by the values as they are written.
    const cast = input.type.kind === "MIXED" ? undefined : coerce(resolution, value, type);
    const label = item.alias?.name ?? (cast === undefined ? undefined : valueLabel(cast)) ?? valueLabel(value);
    if (label === undefined) {
      resolution.report("invalid_query", `PIVOT value of type ${typeName(value.type)} needs an alias`, item.span);
      return relation;
    }
    for (const block of blocks) {
      if (block === undefined) continue;
      const name =
        block.item.alias === undefined
          ? label
          : `${block.item.alias.name}_${label === "empty_string_value" ? "_" : ""}${label}`;
      const column = resolution.newColumn(name, block.call.type);
      const filter =
        block.call.filter === undefined
          ? condition
          : callOperator(resolution, "$and", [block.call.filter, condition], item.span);
      aggregates.push({ column, call: { ...block.call, filter } });
      columns.push(namedColumn(name, column));
    }
  }
  const scan: Scan = { kind: "Aggregate", input: project(relation.scan, [before]), groupBy, aggregates };
  return plainRelation(scan, aliased(columns, node.alias?.name));
}

/**
 * The name that a value gives its column: digits and letters of it, as the reference's table of PIVOT column names
 * says.
 */
function valueLabel(value: Expr): string | undefined {
  if (value.kind === "Cast") return castLabel(value);
  if (value.kind === "MakeStruct") return structLabel(value);
  return value.kind === "Literal" ? textLabel(value.type, value.value) : undefined;
}

/** Of a literal that is cast to a whole number or text. */
function castLabel({ operand, type }: Expr & { readonly kind: "Cast" }): string | undefined {
  if (operand.kind !== "Literal" || (type.kind !== "INT64" && type.kind !== "STRING")) return undefined;
  return /^-?\d+$/.test(operand.value ?? "") ? textLabel(type, operand.value) : undefined;
}

/** Names and values of the fields in turn. */
function structLabel({ fields, type }: Expr & { readonly kind: "MakeStruct" }): string | undefined {
  const parts = fields.flatMap((field, index) => {
    const name = type.kind === "STRUCT" ? type.fields[index]?.name : undefined;
    const label = valueLabel(field)?.replace(/^_(?=\d)/, "");
    return name === undefined ? [label] : [name, label];
  });
  return parts.includes(undefined) ? undefined : parts.join("_");
}

function textLabel(type: SqlType, text: string | null): string | undefined {
  if (text === null) return "NULL";
  switch (type.kind) {
    case "STRING":
      return text === "" ? "empty_string_value" : text;
    case "INT64":
    case "NUMERIC":
    case "BIGNUMERIC": {
      const label = text.replace("-", "minus_").replace(".", "_point_");
      return /^\d/.test(label) ? `_${label}` : label;
    }
    case "BOOL":
      return text.toUpperCase();
    case "DATE":
      return `_${text.replaceAll("-", "_")}`;
    default:
      return undefined;
  }
}
