import type { Pivot } from "../../ast.ts";
import { someExpression } from "../../resolved/walk.ts";
import type { AggregateCall, AnyExpr, Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import type { SqlType } from "../../types.ts";
import { isGroupable } from "../../typing/same-type.ts";
import { callOperator } from "../call/call-function.ts";
import { coerce, commonTypeOf, isLenientExpr, keyTypeName, typeName } from "../call/coerce.ts";
import {
  blockContext,
  createQueryBlock,
  type Environment,
  plainContext,
  plainRelation,
  type Relation,
  resolveExpression,
} from "../context.ts";
import { columnExpr, isConstant, negateIf } from "../expression/expr.ts";
import { isRepeatable } from "../expression/same-expression.ts";
import { aliased, project } from "../relation.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { type NamedColumn, namedColumn, scopeOf, shownColumns } from "../scope.ts";
import { unknownRelation } from "./table.ts";

/** One of PIVOT's aggregates, and the call that it is. */
interface PivotAggregate {
  readonly item: Pivot["aggregates"][number];
  readonly call: AggregateCall;
  /** The column of the call's value beside other aggregates. */
  readonly column: Column;
}

/** One of the values that PIVOT makes columns of. */
interface PivotValue {
  readonly item: Pivot["values"][number];
  readonly value: Expr;
}

/** PIVOT: rows are grouped by every column that it does not read; each aggregate becomes one column for each value. */
export function resolvePivot(environment: Environment, relation: Relation, node: Pivot): Relation {
  const { resolution } = environment;
  const plain = plainContext(environment, scopeOf(relation.names, environment.outer), "PIVOT");
  const input = resolveExpression(plain, node.input);
  const values = node.values.map((item): PivotValue => ({ item, value: resolveExpression(plain, item.expression) }));
  const random: ComputedColumn[] = [];
  const calls = node.aggregates.flatMap((item) => resolvePivotAggregate(environment, relation, item, random) ?? []);
  if (node.aggregates.length > 1 && node.aggregates.some((item) => item.alias === undefined)) {
    resolution.report("invalid_query", "PIVOT with several aggregates needs an alias for each of them", node.span);
  }
  const isReported = calls.length < node.aggregates.length || isErrorExpr(input);
  if (isReported || values.some(({ value }) => isErrorExpr(value)))
    return unknownRelation(environment, node.alias?.name ?? "");
  const type = commonTypeOf(resolution, [input, ...values.map(({ value }) => value)]);
  if (type === undefined || !isGroupable(type)) {
    const message = `PIVOT values cannot be compared with FOR expression of type ${keyTypeName(input.type)}`;
    resolution.report("type_mismatch", message, node.input.span);
    return unknownRelation(environment, node.alias?.name ?? "");
  }
  const before: ComputedColumn = {
    column: resolution.newColumn("pivot_input", type),
    expression: coerce(resolution, input, type) ?? input,
  };
  const { groupBy, columns } = groupByOthers(resolution, relation, node, columnsReadBy(input, calls));
  const aggregates: ComputedAggregate[] = [];
  for (const each of values) {
    const { item, value } = each;
    if (!isConstant(value)) resolution.report("invalid_query", "PIVOT value must be a constant", item.span);
    const condition = isValue(resolution, before.column, each);
    for (const { item: aggregate, call, column: whole } of calls) {
      const name = pivotColumnName(resolution, each, aggregate.alias?.name, input, type);
      if (name === undefined) {
        resolution.report("invalid_query", `PIVOT value of type ${typeName(value.type)} needs an alias`, item.span);
        return unknownRelation(environment, node.alias?.name ?? "");
      }
      const column = resolution.copyColumn(whole, name);
      const filter =
        call.filter === undefined ? condition : callOperator(resolution, "$and", [call.filter, condition], item.span);
      aggregates.push({ column, call: { ...call, filter } });
      columns.push(namedColumn(name, column));
    }
  }
  const scan: Scan = { kind: "Aggregate", input: project(relation.scan, [before, ...random]), groupBy, aggregates };
  return plainRelation(scan, aliased(columns, node.alias?.name));
}

interface ComputedAggregate {
  readonly column: Column;
  readonly call: AggregateCall;
}

/**
 * Undefined for what is no call of an aggregate function, which is reported. Arguments that give another value each
 * time become columns, since the call stands in the query once for each of PIVOT's values.
 */
function resolvePivotAggregate(
  environment: Environment,
  relation: Relation,
  item: Pivot["aggregates"][number],
  random: ComputedColumn[],
): PivotAggregate | undefined {
  const block = createQueryBlock(environment.resolution);
  const scope = scopeOf(relation.names, environment.outer);
  const expression = resolveExpression(blockContext(environment, scope, block, "PIVOT", "aggregates"), item.expression);
  const [only] = block.aggregates;
  const isCall = expression.kind === "Column" && expression.column.id === only?.column.id;
  if (only !== undefined && block.aggregates.length === 1 && isCall) {
    const own = only.call.arguments.map((argument) => {
      if (isRepeatable(argument)) return argument;
      const column = environment.resolution.newColumn("random", argument.type);
      random.push({ column, expression: argument });
      return columnExpr(column, argument.span);
    });
    return { item, column: only.column, call: { ...only.call, arguments: own } };
  }
  if (!isErrorExpr(expression)) {
    const message = "PIVOT expression must be a call of an aggregate function";
    environment.resolution.report("invalid_query", message, item.span);
  }
  return undefined;
}

/** Ids of the columns that PIVOT reads, and so does not group by. */
function columnsReadBy(input: Expr, aggregates: readonly PivotAggregate[]): ReadonlySet<number> {
  const read = new Set<number>();
  const note = (inner: AnyExpr): boolean => {
    if (inner.kind === "Column") read.add(inner.column.id);
    return false;
  };
  for (const expression of [input, ...aggregates.map(({ call }) => call)]) someExpression(expression, note, true);
  return read;
}

function groupByOthers(
  resolution: Resolution,
  { names }: Relation,
  { span }: Pivot,
  read: ReadonlySet<number>,
): { readonly groupBy: readonly ComputedColumn[]; readonly columns: NamedColumn[] } {
  const groupBy: ComputedColumn[] = [];
  const columns: NamedColumn[] = [];
  for (const named of shownColumns(names.columns)) {
    if (read.has(named.column.id)) continue;
    const column = resolution.copyColumn(named.column);
    groupBy.push({ column, expression: columnExpr(named.column, span) });
    columns.push({ ...named, column });
  }
  return { groupBy, columns };
}

/** Is the row one of the value's? */
function isValue(resolution: Resolution, input: Column, { item, value }: PivotValue): Expr {
  const compared = [columnExpr(input, item.span), coerce(resolution, value, input.type) ?? value];
  return negateIf(true, callOperator(resolution, "$is_distinct", compared, item.span), item.span);
}

/**
 * The name of a value's column: it begins with the aggregate's alias, if any, and ends with the value's own, which is
 * digits and letters of it, as the reference's table of PIVOT column names says; undefined where a value needs one.
 */
function pivotColumnName(
  resolution: Resolution,
  { item, value }: PivotValue,
  alias: string | undefined,
  input: Expr,
  type: SqlType,
): string | undefined {
  const prefix = alias === undefined ? "" : `${alias}_`;
  if (item.alias !== undefined) return prefix + item.alias.name;
  const typed = input.type.kind === "MIXED" ? value : (coerce(resolution, value, type) ?? value);
  const named = appendValue(prefix, typed);
  // A field's type is what events made of it: its columns are named by the values as they are written, if need be.
  return named ?? (isLenientExpr(resolution, input) ? appendValue(prefix, value) : undefined);
}

function appendValue(prefix: string, value: Expr): string | undefined {
  switch (value.kind) {
    case "Literal":
      return appendText(prefix, value.type, value.value);
    case "Cast": {
      const { operand, type } = value;
      if (operand.kind !== "Literal" || (type.kind !== "INT64" && type.kind !== "STRING")) return undefined;
      return /^-?\d+$/.test(operand.value ?? "") ? appendText(prefix, type, operand.value) : undefined;
    }
    case "MakeStruct": {
      const { type } = value;
      return value.fields.reduce<string | undefined>((before, field, index) => {
        const name = type.kind === "STRUCT" ? type.fields[index]?.name : undefined;
        const begun = index === 0 ? before : `${before}_`;
        return before === undefined
          ? undefined
          : appendValue(name === undefined ? `${begun}` : `${begun}${name}_`, field);
      }, prefix);
    }
    default:
      return undefined;
  }
}

/** A name cannot begin with a digit, and does not where something stands before it. */
function appendText(prefix: string, type: SqlType, text: string | null): string | undefined {
  if (text === null) return `${prefix}NULL`;
  const start = prefix === "" ? "_" : prefix;
  switch (type.kind) {
    case "STRING":
      return text === "" ? `${prefix === "" ? "" : `${prefix}_`}empty_string_value` : prefix + text;
    case "INT64":
    case "NUMERIC":
    case "BIGNUMERIC": {
      const label = text.replace("-", "minus_").replace(".", "_point_");
      return (/^\d/.test(label) ? start : prefix) + label;
    }
    case "BOOL":
      return prefix + text.toUpperCase();
    case "DATE":
      return start + text.replaceAll("-", "_");
    default:
      return undefined;
  }
}
