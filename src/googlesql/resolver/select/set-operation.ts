import type { Identifier, SetOperationMode } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, ComputedColumn, Expr, Scan } from "../../resolved.ts";
import type { SqlType } from "../../types.ts";
import { commonType, type Operand } from "../../typing/argument.ts";
import { mixedTypeOf } from "../../typing/implicit.ts";
import { isCollated, isGroupable, isSameType } from "../../typing/same-type.ts";
import { castToString, coerce, keyTypeName, typeName } from "../call/coerce.ts";
import type { QueryResult } from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { project } from "../relation.ts";
import { ERROR_TYPE, isErrorType, nullExpr, type Resolution } from "../resolution.ts";
import type { NamedColumn } from "../scope.ts";
import { recursiveOf, refuseRecursive } from "./recursion.ts";

/** One input, and where it stands. */
export interface SetInput {
  readonly result: QueryResult;
  readonly span: Span;
}

/** One input, its columns in the order of the result; undefined for a column that BY NAME fills with NULL. */
interface Arranged extends SetInput {
  readonly columns: readonly (NamedColumn | undefined)[];
  readonly literals: ReadonlyMap<number, Expr>;
}

/** UNION, INTERSECT and EXCEPT of inputs that are resolved already. What does not fit is reported at the input. */
export function combineResults(
  resolution: Resolution,
  mode: SetOperationMode,
  inputs: readonly SetInput[],
): QueryResult {
  const [first] = inputs;
  if (first === undefined) throw new Error("a set operation has inputs");
  const isUnionAll = mode.operator === "UNION" && mode.isAll;
  for (const { result } of isUnionAll ? [] : inputs)
    refuseRecursive(resolution, result, "in a set operation other than UNION ALL");
  const arrange = mode.byName === undefined ? arrangeByPosition : arrangeByName;
  const arranged = arrange(resolution, inputs, mode);
  const names = arranged.names;
  const columns: Column[] = names.map((named, i) => {
    const operands = arranged.inputs.map((input): Operand => operandOf(resolution, input, i));
    if (operands.some((operand) => isErrorType(operand.type)))
      return resolution.newColumn(named.name ?? `f${i}`, ERROR_TYPE);
    const type = typeOf(operands);
    if (type === undefined) {
      const types = operands.map((operand) => typeName(operand.type)).join(", ");
      const message = `Column ${i + 1} in ${describe(mode)} has incompatible types: ${types}`;
      const misfit = inputs.find((_, index) => typeOf(operands.slice(0, index + 1)) === undefined);
      resolution.report("type_mismatch", message, (misfit ?? first).span);
      return resolution.newColumn(named.name ?? `f${i}`, ERROR_TYPE);
    }
    if ((mode.operator !== "UNION" || !mode.isAll) && !isGroupable(type)) {
      resolution.report(
        "type_mismatch",
        `Column ${i + 1} in ${describe(mode)} has type ${keyTypeName(type)}, which cannot be compared`,
        first.span,
      );
    }
    const column = resolution.newColumn(named.name ?? `f${i}`, type);
    if (arranged.inputs.some((input) => isLenient(resolution, input.columns[i]?.column)))
      resolution.lenientColumns.add(column.id);
    return column;
  });
  const scans = arranged.inputs.map((input) => coerceInput(resolution, input, columns));
  const scan: Scan = { kind: "SetOperation", operator: mode.operator, isAll: mode.isAll, inputs: scans, columns };
  const outputs = columns.map((column, i) => ({ name: names[i]?.name, column, isValue: names[i]?.isValue === true }));
  return {
    scan,
    columns: outputs,
    order: undefined,
    isSorted: false,
    recursive: recursiveOf(...inputs.map(({ result }) => result)),
  };
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

function typeOf(operands: readonly Operand[]): SqlType | undefined {
  const type = commonType(operands) ?? commonType(operands.map(asMixedField));
  return type?.kind === "STRING" ? (operands.find((each) => isCollated(each.type))?.type ?? type) : type;
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
): { scan: Scan; columns: readonly Column[] } {
  const { span } = input;
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

function arrangeInput(input: SetInput, columns: Arranged["columns"]): Arranged {
  return { ...input, columns, literals: literalsBelow(input.result.scan) };
}

interface Arrangement {
  readonly names: readonly Omit<NamedColumn, "column">[];
  readonly inputs: readonly Arranged[];
}

function arrangeByPosition(resolution: Resolution, inputs: readonly SetInput[], mode: SetOperationMode): Arrangement {
  const [first] = inputs;
  const firstColumns = first?.result.columns ?? [];
  const width = (query: number, { length }: readonly NamedColumn[]) =>
    `query ${query} has ${length} column${length === 1 ? "" : "s"}`;
  for (const [i, input] of inputs.entries()) {
    const { columns } = input.result;
    if (columns.length === firstColumns.length || [first, input].some(isInDoubt)) continue;
    const widths = `${width(1, firstColumns)}, ${width(i + 1, columns)}`;
    const message = `Queries in ${describe(mode)} have mismatched column count; ${widths}`;
    resolution.report("invalid_query", message, input.span);
  }
  const isValue = inputs.every(({ result: { columns } }) => columns.length === 1 && columns[0]?.isValue === true);
  const names = firstColumns.map(({ name }) => ({ name, isValue }));
  const arranged = inputs.map((input) => {
    return arrangeInput(
      input,
      names.map((_, i) => input.result.columns[i]),
    );
  });
  return { names, inputs: arranged };
}

/** Is a column of it reported already? Which columns it has, and how many, is not known then. */
function isInDoubt(input: SetInput | undefined): boolean {
  return input?.result.columns.some((named) => isErrorType(named.column.type)) === true;
}

/** BY NAME and CORRESPONDING: columns meet by their names, in the order of the first input. */
function arrangeByName(resolution: Resolution, inputs: readonly SetInput[], mode: SetOperationMode): Arrangement {
  const maps = inputs.map((input, i) => namedColumns(resolution, input, i, mode));
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
  const refuse = (message: string, other: (map: ReadonlyMap<string, NamedColumn>) => boolean) => {
    const input = inputs[maps.findIndex(other)];
    const isReported = inputs.some((each, i) => isInDoubt(each) || each.result.columns.length !== maps[i]?.size);
    if (input !== undefined && !isReported)
      resolution.report("invalid_query", `The inputs of ${describe(mode)} BY NAME ${message}`, input.span);
  };
  const lacks = (map: ReadonlyMap<string, NamedColumn>) => [...first.keys()].some((key) => !map.has(key));
  if (isStrict) {
    const message = "must have the same column names; use FULL, LEFT or INNER to allow others";
    refuse(message, (map) => map.size !== first.size || lacks(map));
  }
  if (keys.length === 0) refuse("have no column names in common", (map) => map !== first);
  const names = keys.map((key, i) => {
    const name = maps.find((map) => map.has(key))?.get(key)?.name;
    return { name: listed?.[i]?.name ?? name ?? key, isValue: false };
  });
  return {
    names,
    inputs: inputs.map((input, i) =>
      arrangeInput(
        input,
        keys.map((key) => maps[i]?.get(key)),
      ),
    ),
  };
}

function namedColumns(
  resolution: Resolution,
  { result, span }: SetInput,
  index: number,
  mode: SetOperationMode,
): Map<string, NamedColumn> {
  const columns = new Map<string, NamedColumn>();
  const on = mode.byName?.on && new Set(mode.byName.on.map(({ name }) => name.toLowerCase()));
  for (const named of result.columns) {
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
