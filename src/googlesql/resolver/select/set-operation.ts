import type { Identifier, SetOperationMode } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import { commonType, type Operand } from "../../typing/argument.ts";
import { mixedTypeOf } from "../../typing/implicit.ts";
import { isGroupable, isSameType } from "../../typing/same-type.ts";
import { castToString, coerce, keyTypeName, typeName } from "../call/coerce.ts";
import type { QueryResult } from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { project } from "../relation.ts";
import { ERROR_TYPE, isErrorType, nullExpr, type Resolution } from "../resolution.ts";
import type { NamedColumn } from "../scope.ts";
import { recursiveOf, refuseRecursive } from "./recursion.ts";

/** One input, its columns in the order of the result; undefined for a column that BY NAME fills with NULL. */
interface Arranged {
  readonly result: QueryResult;
  readonly columns: readonly (NamedColumn | undefined)[];
  readonly literals: ReadonlyMap<number, Expr>;
}

/** UNION, INTERSECT and EXCEPT of inputs that are resolved already. */
export function combineResults(
  resolution: Resolution,
  mode: SetOperationMode,
  inputs: readonly QueryResult[],
  span: Span,
): QueryResult {
  const [first] = inputs;
  if (first === undefined) throw new Error("a set operation has inputs");
  const isUnionAll = mode.operator === "UNION" && mode.isAll;
  for (const input of isUnionAll ? [] : inputs)
    refuseRecursive(resolution, input, "in a set operation other than UNION ALL");
  const arranged =
    mode.byName === undefined
      ? arrangeByPosition(resolution, inputs, mode, span)
      : arrangeByName(resolution, inputs, mode, span);
  const names = arranged.names;
  const columns: Column[] = names.map((named, i) => {
    const operands = arranged.inputs.map((input): Operand => operandOf(resolution, input, i));
    if (operands.some((operand) => isErrorType(operand.type)))
      return resolution.newColumn(named.name ?? `f${i}`, ERROR_TYPE);
    const type = commonType(operands) ?? commonType(operands.map(asMixedField));
    if (type === undefined) {
      const types = operands.map((operand) => typeName(operand.type)).join(", ");
      resolution.report("type_mismatch", `Column ${i + 1} in ${describe(mode)} has incompatible types: ${types}`, span);
      return resolution.newColumn(named.name ?? `f${i}`, ERROR_TYPE);
    }
    if ((mode.operator !== "UNION" || !mode.isAll) && !isGroupable(type)) {
      resolution.report(
        "type_mismatch",
        `Column ${i + 1} in ${describe(mode)} has type ${keyTypeName(type)}, which cannot be compared`,
        span,
      );
    }
    const column = resolution.newColumn(named.name ?? `f${i}`, type);
    if (arranged.inputs.some((input) => isLenient(resolution, input.columns[i]?.column)))
      resolution.lenientColumns.add(column.id);
    return column;
  });
  const scans = arranged.inputs.map((input) => coerceInput(resolution, input, columns, span));
  const scan: Scan = { kind: "SetOperation", operator: mode.operator, isAll: mode.isAll, inputs: scans, columns };
  const outputs = columns.map((column, i) => ({ name: names[i]?.name, column, isValue: names[i]?.isValue === true }));
  return { scan, columns: outputs, order: undefined, isSorted: false, recursive: recursiveOf(...inputs) };
}

function isLenient(resolution: Resolution, column: Column | undefined): boolean {
  return column !== undefined && resolution.lenientColumns.has(column.id);
}

function describe(mode: SetOperationMode): string {
  return `${mode.operator} ${mode.isAll ? "ALL" : "DISTINCT"}`;
}

/** A column as an operand: a literal of the select list may take on the other inputs' type. */
function operandOf(resolution: Resolution, input: Arranged, i: number): Operand {
  const named = input.columns[i];
  if (named === undefined) return { type: { kind: "UNKNOWN" }, isLenient: false };
  const literal = input.literals.get(named.column.id);
  const isLenient = resolution.lenientColumns.has(named.column.id);
  return { type: named.column.type, isLenient, ...(literal === undefined ? {} : { expression: literal }) };
}

/** A field of log records as one of several shapes, which goes with more types. */
function asMixedField(operand: Operand): Operand {
  const type = operand.isLenient ? mixedTypeOf(operand.type) : undefined;
  return type === undefined ? operand : { type, isLenient: true };
}

/** The select list's literals by the ids of their columns. */
function literalsBelow(scan: Scan): ReadonlyMap<number, Expr> {
  const found = new Map<number, Expr>();
  for (let current = scan; current.kind === "Project"; current = current.input) {
    for (const { column, expression } of current.computed) {
      if (LITERAL_KINDS.includes(expression.kind)) found.set(column.id, expression);
    }
  }
  return found;
}

const LITERAL_KINDS: readonly Expr["kind"][] = ["Literal", "MakeArray", "MakeStruct", "Parameter"];

function coerceInput(
  resolution: Resolution,
  input: Arranged,
  columns: readonly Column[],
  span: Span,
): { scan: Scan; columns: readonly Column[] } {
  const computed: ComputedColumn[] = [];
  const coerced = columns.map((target, i) => {
    const named = input.columns[i];
    let expression: Expr = nullExpr(span, target.type);
    if (named !== undefined) {
      if (isSameType(named.column.type, target.type)) return named.column;
      const literal = input.literals.get(named.column.id);
      const source = literal ?? columnExpr(named.column, span);
      expression =
        coerce(resolution, source, target.type) ?? (target.type.kind === "STRING" ? castToString(source) : source);
    }
    const column = resolution.newColumn(target.name, target.type);
    computed.push({ column, expression });
    return column;
  });
  return { scan: project(input.result.scan, computed), columns: coerced };
}

function arrange(result: QueryResult, columns: Arranged["columns"]): Arranged {
  return { result, columns, literals: literalsBelow(result.scan) };
}

interface Arrangement {
  readonly names: readonly Omit<NamedColumn, "column">[];
  readonly inputs: readonly Arranged[];
}

function arrangeByPosition(
  resolution: Resolution,
  inputs: readonly QueryResult[],
  mode: SetOperationMode,
  span: Span,
): Arrangement {
  const [first] = inputs;
  const width = first?.columns.length ?? 0;
  for (const [i, input] of inputs.entries()) {
    if (input.columns.length === width || [first, input].some(isInDoubt)) continue;
    resolution.report(
      "invalid_query",
      `Queries in ${describe(mode)} have mismatched column count; query 1 has ${width} columns, query ` +
        `${i + 1} has ${input.columns.length} columns`,
      span,
    );
  }
  const isValue = inputs.every((input) => input.columns.length === 1 && input.columns[0]?.isValue === true);
  const names = (first?.columns ?? []).map(({ name }) => ({ name, isValue }));
  return {
    names,
    inputs: inputs.map((result) =>
      arrange(
        result,
        names.map((_, i) => result.columns[i]),
      ),
    ),
  };
}

/** Is a column of it reported already? Which columns it has, and how many, is not known then. */
function isInDoubt(input: QueryResult | undefined): boolean {
  return input?.columns.some((named) => isErrorType(named.column.type)) === true;
}

/** BY NAME and CORRESPONDING: columns meet by their names, in the order of the first input. */
function arrangeByName(
  resolution: Resolution,
  inputs: readonly QueryResult[],
  mode: SetOperationMode,
  span: Span,
): Arrangement {
  const maps = inputs.map((input, i) => namedColumns(resolution, input, i, mode, span));
  const [first = new Map<string, NamedColumn>()] = maps;
  const listed = mode.byName?.on;
  let keys: string[];
  if (listed !== undefined) {
    keys = listed.map((name) => name.name.toLowerCase());
    for (const name of listed) checkListed(resolution, name, maps, mode);
  } else if (mode.outer === "FULL" || inputs.some(isInDoubt))
    keys = [...new Set(maps.flatMap((map) => [...map.keys()]))];
  else if (mode.outer === "LEFT") keys = [...first.keys()];
  else keys = [...first.keys()].filter((key) => maps.every((map) => map.has(key)));
  const isStrict = mode.outer === undefined && listed === undefined;
  if (isStrict && maps.some((map) => map.size !== keys.length) && !inputs.some(isInDoubt)) {
    resolution.report(
      "invalid_query",
      `The inputs of ${describe(mode)} BY NAME must have the same column names; use FULL, LEFT or INNER to ` +
        "allow others",
      span,
    );
  }
  if (keys.length === 0 && !inputs.some(isInDoubt))
    resolution.report("invalid_query", `The inputs of ${describe(mode)} BY NAME have no column names in common`, span);
  const names = keys.map((key, i) => {
    const name = maps.find((map) => map.has(key))?.get(key)?.name;
    return { name: listed?.[i]?.name ?? name ?? key, isValue: false };
  });
  return {
    names,
    inputs: inputs.map((result, i) =>
      arrange(
        result,
        keys.map((key) => maps[i]?.get(key)),
      ),
    ),
  };
}

function namedColumns(
  resolution: Resolution,
  input: QueryResult,
  index: number,
  mode: SetOperationMode,
  span: Span,
): Map<string, NamedColumn> {
  const columns = new Map<string, NamedColumn>();
  const on = mode.byName?.on && new Set(mode.byName.on.map(({ name }) => name.toLowerCase()));
  for (const named of input.columns) {
    if (isErrorType(named.column.type) && named.name === undefined) continue;
    const key = named.name?.toLowerCase();
    if (key === undefined) {
      if (mode.byName?.on === undefined)
        resolution.report("invalid_query", `Anonymous columns cannot be used with BY NAME: query ${index + 1}`, span);
    } else if (columns.has(key) && (on === undefined || on.has(key)))
      resolution.report(
        "duplicate_name",
        `Duplicate column ${named.name ?? ""} in query ${index + 1} of BY NAME`,
        span,
      );
    else if (!columns.has(key)) columns.set(key, named);
  }
  return columns;
}

function checkListed(
  resolution: Resolution,
  name: Identifier,
  maps: readonly ReadonlyMap<string, NamedColumn>[],
  mode: SetOperationMode,
): void {
  const key = name.name.toLowerCase();
  const having = maps.filter((map) => map.has(key)).length;
  const isEnough =
    mode.outer === "FULL" ? having > 0 : mode.outer === "LEFT" ? maps[0]?.has(key) === true : having === maps.length;
  if (!isEnough)
    resolution.report("unknown_column", `Column ${name.name} is not in every input of BY NAME ON`, name.span, {
      name: name.name,
    });
}
