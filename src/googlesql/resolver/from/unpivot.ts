import type { Path, Unpivot } from "../../ast.ts";
import { positionsByName } from "../../record-fields.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import { arrayOf, BOOL, INT64, type SqlType, STRING, type StructField, UNKNOWN } from "../../types.ts";
import { isSameType } from "../../typing/same-type.ts";
import { coerce, columnOf, commonTypeOf, isLenientExpr, typeName } from "../call/coerce.ts";
import { type Environment, plainContext, plainRelation, type Relation, resolveExpression } from "../context.ts";
import { call, columnExpr } from "../expression/expr.ts";
import { aliased, project } from "../relation.ts";
import type { Resolution } from "../resolution.ts";
import { knownNames, type NamedColumn, namedColumn } from "../scope.ts";
import { unknownRelation } from "./table.ts";

const NOWHERE = { start: 0, end: 0 };

/** The columns that make one row, as written and as resolved. */
interface Group {
  readonly input: Unpivot["inputs"][number];
  readonly columns: readonly (NamedColumn | undefined)[];
}

/** UNPIVOT: each row becomes one row for each group of columns, as a join with an array of structs. */
export function resolveUnpivot(environment: Environment, relation: Relation, node: Unpivot): Relation {
  const { resolution } = environment;
  const { span } = node;
  const groups = findGroups(resolution, relation, node);
  const labels = groups.map((group) => labelOf(environment, group, span));
  const width = node.valueColumns.length;
  if (groups.some(({ columns }) => columns.length !== width || columns.includes(undefined)))
    return unknownRelation(environment, node.alias?.name ?? "");
  const labelType = commonTypeOf(resolution, labels);
  if (labelType === undefined || (labelType.kind !== STRING.kind && labelType.kind !== INT64.kind)) {
    resolution.report("type_mismatch", "UNPIVOT labels must all be STRING or all be INT64 literals", span);
    return unknownRelation(environment, node.alias?.name ?? "");
  }
  const types = valueTypes(resolution, groups, node);
  const fields: StructField[] = [
    { name: node.nameColumn.name, type: labelType },
    ...types.map((type, i) => ({ name: node.valueColumns[i]?.name ?? "", type, ...lenientIf(resolution, groups, i) })),
  ];
  const struct: SqlType = { kind: "STRUCT", fields };
  const elements = groups.map(({ columns }, g): Expr => {
    const parts = [labels[g] ?? partOf(undefined, span), ...columns.map((named) => partOf(named, span))];
    const values = fields.map(({ type }, i) => coerceTo(resolution, parts[i] ?? partOf(undefined, span), type, i));
    return { kind: "MakeStruct", type: struct, fields: values, span };
  });
  const { scan, columns } = unnestRows(resolution, relation.scan, elements, fields, struct, span);
  const [label, ...values] = columns;
  const shown = node.includesNulls
    ? scan
    : ({ kind: "Filter", input: scan, predicate: anyPresent(values, span) } satisfies Scan);
  const used = new Set(groups.flatMap((group) => group.columns.flatMap((named) => named?.column.id ?? [])));
  const names = [
    ...relation.names.columns.filter(({ column }) => !used.has(column.id)),
    ...[...values, ...(label === undefined ? [] : [label])].map((column) => namedColumn(column.name, column)),
  ];
  return plainRelation(shown, aliased(names, node.alias?.name));
}

function findGroups(resolution: Resolution, relation: Relation, { inputs, valueColumns, span }: Unpivot): Group[] {
  const positions = positionsByName(relation.names.columns);
  const groups = inputs.map((input) => ({
    input,
    columns: input.columns.map((path) => findInput(resolution, relation, positions, path)),
  }));
  const width = valueColumns.length;
  for (const { input } of groups) {
    if (input.columns.length === width) continue;
    const message = `UNPIVOT has ${width} value columns, but a group of ${input.columns.length} columns`;
    resolution.report("invalid_query", message, span);
  }
  refuseRepeated(resolution, groups, span);
  return groups;
}

/** Returns the value of the name column for a group: its label, else the names of its columns. */
function labelOf(environment: Environment, { input, columns }: Group, span: Unpivot["span"]): Expr {
  if (input.label !== undefined) return resolveExpression(plainContext(environment, undefined, "UNPIVOT"), input.label);
  const value = columns.map((named) => named?.name ?? "").join("_");
  return { kind: "Literal", type: STRING, value, span };
}

/** The types of the value columns, each of what stands in one place of all groups. */
function valueTypes(resolution: Resolution, groups: readonly Group[], { valueColumns, span }: Unpivot): SqlType[] {
  return valueColumns.map((name, i) => {
    const parts = groups.map(({ columns }) => partOf(columns[i], span));
    const type = commonTypeOf(resolution, parts);
    if (type !== undefined && areAlike(resolution, parts)) return type;
    const found = parts.map((part) => typeName(part.type)).join(", ");
    const message = `The columns of UNPIVOT's ${name.name} have different types: ${found}`;
    resolution.report("type_mismatch", message, span);
    return UNKNOWN;
  });
}

/** The value in the required type; if that is impossible, a label stays unchanged and other values are NULL. */
function coerceTo(resolution: Resolution, value: Expr, type: SqlType, place: number): Expr {
  return coerce(resolution, value, type) ?? (place === 0 ? value : partOf(undefined, value.span));
}

/** A row for each element, with a column for each of its fields. */
function unnestRows(
  resolution: Resolution,
  input: Scan,
  elements: readonly Expr[],
  fields: readonly StructField[],
  struct: SqlType,
  span: Unpivot["span"],
): { readonly scan: Scan; readonly columns: readonly Column[] } {
  const element = resolution.newColumn("unpivot", struct);
  const array: Expr = { kind: "MakeArray", type: arrayOf(struct), elements, span };
  const unnested: Scan = { kind: "Unnest", input, arrays: [{ array, element }], isOuter: false };
  const computed = fields.map(({ name, type }, index): ComputedColumn => {
    const expression: Expr = { kind: "Field", base: columnExpr(element, span), index, type, span };
    return { column: columnOf(resolution, name ?? "", expression), expression };
  });
  return { scan: project(unnested, computed), columns: computed.map(({ column }) => column) };
}

/** A column stands in one group only. */
function refuseRepeated(resolution: Resolution, groups: readonly Group[], span: Unpivot["span"]): void {
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

/** Marks a value column in which all groups have fields of log records. */
function lenientIf(resolution: Resolution, groups: readonly Group[], place: number): { readonly isLenient?: true } {
  const isField = ({ columns }: Group) => isLenientExpr(resolution, partOf(columns[place], NOWHERE));
  return groups.every(isField) ? { isLenient: true } : {};
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

function findInput(
  resolution: Resolution,
  { names: { columns } }: Relation,
  positions: ReadonlyMap<string, readonly number[]>,
  { parts }: Path,
): NamedColumn | undefined {
  const name = parts.at(-1);
  if (name === undefined) return undefined;
  const found = positions.get(name.name.toLowerCase()) ?? [];
  if (found.length === 1) return columns[found[0] ?? 0];
  if (found.length > 1) {
    resolution.report("ambiguous_name", `Column name ${name.name} is ambiguous`, name.span, { name: name.name });
  } else resolution.reportUnknown(`Column ${name.name} in UNPIVOT does not exist`, name, knownNames(columns));
  return undefined;
}
