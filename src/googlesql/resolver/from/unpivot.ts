import type { Path, Unpivot } from "../../ast.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import { arrayOf, BOOL, INT64, type SqlType, STRING, type StructField, UNKNOWN } from "../../types.ts";
import { isSameType } from "../../typing/same-type.ts";
import { coerce, commonTypeOf, isLenientExpr, typeName } from "../call/coerce.ts";
import { type Environment, plainContext, plainRelation, type Relation, resolveExpression } from "../context.ts";
import { call, columnExpr } from "../expression/expr.ts";
import { aliased, project } from "../relation.ts";
import type { Resolution } from "../resolution.ts";
import { type NamedColumn, namedColumn } from "../scope.ts";

/** UNPIVOT: each row becomes one row for each group of columns, as a join with an array of structs. */
export function resolveUnpivot(environment: Environment, relation: Relation, node: Unpivot): Relation {
  const { resolution } = environment;
  const { span } = node;
  const groups = node.inputs.map((input) => ({
    input,
    columns: input.columns.map((path) => findInput(resolution, relation, path)),
  }));
  const width = node.valueColumns.length;
  for (const { input } of groups) {
    if (input.columns.length !== width)
      resolution.report(
        "invalid_query",
        `UNPIVOT has ${width} value columns, but a group of ${input.columns.length} columns`,
        span,
      );
  }
  refuseRepeated(resolution, groups, span);
  const labels = groups.map(({ input, columns }): Expr => {
    if (input.label !== undefined)
      return resolveExpression(plainContext(environment, undefined, "UNPIVOT"), input.label);
    const value = columns.map((named) => named?.name ?? "").join("_");
    return { kind: "Literal", type: STRING, value, span };
  });
  if (groups.some(({ columns }) => columns.length !== width || columns.includes(undefined))) return relation;
  const labelType = commonTypeOf(resolution, labels);
  if (labelType === undefined || (labelType.kind !== STRING.kind && labelType.kind !== INT64.kind)) {
    resolution.report("type_mismatch", "UNPIVOT labels must all be STRING or all be INT64 literals", span);
    return relation;
  }
  const types = node.valueColumns.map((name, i): SqlType => {
    const parts = groups.map(({ columns }) => partOf(columns[i], span));
    const type = commonTypeOf(resolution, parts);
    if (type === undefined || !areAlike(resolution, parts)) {
      resolution.report(
        "type_mismatch",
        `The columns of UNPIVOT's ${name.name} have different types: ` +
          `${parts.map((part) => typeName(part.type)).join(", ")}`,
        span,
      );
      return UNKNOWN;
    }
    return type;
  });
  const fields: StructField[] = [
    { name: node.nameColumn.name, type: labelType },
    ...types.map((type, i) => ({ name: node.valueColumns[i]?.name ?? "", type })),
  ];
  const struct: SqlType = { kind: "STRUCT", fields };
  const elements = groups.map(({ columns }, g): Expr => {
    const label = labels[g] ?? partOf(undefined, span);
    const values = types.map(
      (type, i) => coerce(resolution, partOf(columns[i], span), type) ?? partOf(undefined, span),
    );
    return {
      kind: "MakeStruct",
      type: struct,
      fields: [coerce(resolution, label, labelType) ?? label, ...values],
      span,
    };
  });
  const element = resolution.newColumn("unpivot", struct);
  let scan: Scan = {
    kind: "Unnest",
    input: relation.scan,
    arrays: [{ array: { kind: "MakeArray", type: arrayOf(struct), elements, span }, element }],
    isOuter: false,
  };
  const read = (index: number): Expr => ({
    kind: "Field",
    base: columnExpr(element, span),
    index,
    type: fields[index]?.type ?? UNKNOWN,
    span,
  });
  const computed: ComputedColumn[] = fields.map((field, i) => ({
    column: resolution.newColumn(field.name ?? "", field.type),
    expression: read(i),
  }));
  scan = project(scan, computed);
  const [label, ...values] = computed.map((item) => item.column);
  if (!node.includesNulls) scan = { kind: "Filter", input: scan, predicate: anyPresent(values, span) };
  const used = new Set(groups.flatMap(({ columns }) => columns.flatMap((named) => named?.column.id ?? [])));
  const named = (column: Column): NamedColumn => namedColumn(column.name, column);
  const columns = [
    ...relation.names.columns.filter(({ column }) => !used.has(column.id)),
    ...values.map(named),
    ...(label === undefined ? [] : [named(label)]),
  ];
  return plainRelation(scan, aliased(columns, node.alias?.name));
}

/** A column stands in one group only. */
function refuseRepeated(
  resolution: Resolution,
  groups: readonly {
    readonly input: Unpivot["inputs"][number];
    readonly columns: readonly (NamedColumn | undefined)[];
  }[],
  span: Unpivot["span"],
): void {
  const seen = new Set<number>();
  for (const { columns } of groups)
    for (const named of columns) {
      if (named !== undefined && seen.has(named.column.id))
        resolution.report("duplicate_name", `Column ${named.name} occurs twice in the IN clause of UNPIVOT`, span, {
          name: named.name ?? "",
        });
      if (named !== undefined) seen.add(named.column.id);
    }
}

/** Columns of one type; fields of log records take each other's. */
function areAlike(resolution: Resolution, parts: readonly Expr[]): boolean {
  const typed = parts.filter((part) => !isLenientExpr(resolution, part) && part.type.kind !== UNKNOWN.kind);
  const [first] = typed;
  return first === undefined || typed.every((part) => isSameType(first.type, part.type));
}

/** Rows whose values are all NULL are left out unless the text says INCLUDE NULLS. */
function anyPresent(values: readonly Column[], span: Unpivot["span"]): Expr {
  const tests = values.map(
    (column): Expr => call("$not", [call("$is_null", [columnExpr(column, span)], BOOL, span)], BOOL, span),
  );
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? only : call("$or", tests, BOOL, span);
}

function partOf(named: NamedColumn | undefined, span: Unpivot["span"]): Expr {
  return named === undefined ? { kind: "Literal", type: UNKNOWN, value: null, span } : columnExpr(named.column, span);
}

function findInput(resolution: Resolution, relation: Relation, path: Path): NamedColumn | undefined {
  const name = path.parts.at(-1)?.name ?? "";
  const found = relation.names.columns.filter((named) => named.name?.toLowerCase() === name.toLowerCase());
  if (found.length === 1) return found[0];
  if (found.length > 1) resolution.report("ambiguous_name", `Column name ${name} is ambiguous`, path.span, { name });
  else {
    const suggestion = resolution.suggest(
      name,
      relation.names.columns.flatMap((named) => named.name ?? []),
    );
    resolution.report("unknown_column", `Column ${name} in UNPIVOT does not exist`, path.span, { name, suggestion });
  }
  return undefined;
}
