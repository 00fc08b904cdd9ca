/** Expressions over one row. */
import type { Expr, Scan } from "../../src/googlesql/resolved.ts";
import { acceptingNull, castValue, strict, withPart } from "./functions.ts";
import { equalValues, Failure, itemsOf, Lacking, readField, type Value } from "./values.ts";

type ExprOf<Kind extends Expr["kind"]> = Extract<Expr, { kind: Kind }>;

/** Values by the ids of columns: those of the scan, and those of the rows around it. */
export type Row = ReadonlyMap<number, Value>;

export class Expressions {
  readonly #parameters: ReadonlyMap<string | number, Value>;
  readonly #scan: (scan: Scan, outer: Row) => readonly Row[];

  /** `scan` answers the rows of a sub-query for the row around it. */
  constructor(parameters: ReadonlyMap<string | number, Value>, scan: (scan: Scan, outer: Row) => readonly Row[]) {
    this.#parameters = parameters;
    this.#scan = scan;
  }

  /** The row with further columns, each of which may read those before it. */
  computed(items: ExprOf<"Let">["variables"], row: Row): Row {
    const result = new Map(row);
    for (const { column, expression } of items) result.set(column.id, this.value(expression, result));
    return result;
  }

  value(expression: Expr, row: Row): Value {
    switch (expression.kind) {
      case "Literal":
        return literalValue(expression);
      case "Parameter":
        return this.#parameters.get(expression.key) ?? null;
      case "Column":
      case "Variable": {
        const value = row.get(expression.column.id);
        if (value === undefined) throw new Lacking(`The column ${expression.column.name}#${expression.column.id}`);
        return value;
      }
      case "Field": {
        const base = this.value(expression.base, row);
        return base === null ? null : (itemsOf(base)[expression.index] ?? null);
      }
      case "RecordField":
        return readField(this.value(expression.base, row), expression.path, expression.type);
      case "Call":
        return this.#call(expression, row);
      case "Case": {
        const branch = expression.branches.find(({ when }) => this.value(when, row) === true);
        const chosen = branch?.then ?? expression.else;
        return chosen === undefined ? null : this.value(chosen, row);
      }
      case "Cast":
        return this.#cast(expression, row);
      case "MakeArray":
        return expression.elements.map((element) => this.value(element, row));
      case "MakeStruct":
        return expression.fields.map((field) => this.value(field, row));
      case "Subquery":
        return this.#subquery(expression, row);
      case "InSubquery": {
        const values = this.#scan(expression.scan, row).map((found) => found.get(expression.output.id) ?? null);
        if (expression.operator !== "IN") throw new Lacking(expression.operator);
        return acceptingNull.$in_array?.(this.value(expression.operand, row), values) ?? null;
      }
      case "Let":
        return this.value(expression.body, this.computed(expression.variables, row));
      default:
        throw new Lacking(expression.kind);
    }
  }

  #subquery({ mode, scan, output }: ExprOf<"Subquery">, row: Row): Value {
    const rows = this.#scan(scan, row);
    if (mode === "EXISTS") return rows.length > 0;
    const values = rows.map((found) => found.get(output?.id ?? -1) ?? null);
    if (mode === "ARRAY") return values;
    if (values.length > 1) throw new Failure("a scalar sub-query of more than one row");
    return values[0] ?? null;
  }

  #cast({ operand, type, isSafe }: ExprOf<"Cast">, row: Row): Value {
    const value = this.value(operand, row);
    try {
      return value === null ? null : castValue(value, operand.type.kind, type.kind);
    } catch (error) {
      if (isSafe && error instanceof Failure) return null;
      throw error;
    }
  }

  /** Arguments from left to right, and no further than the answer needs. */
  #call(call: ExprOf<"Call">, row: Row): Value {
    const at = (index: number): Value => {
      const argument = call.arguments[index];
      return argument === undefined ? null : this.value(argument, row);
    };
    switch (call.function) {
      case "$and":
      case "$or": {
        const decisive = call.function === "$or";
        let result: Value = !decisive;
        for (const [index] of call.arguments.entries()) {
          const value = at(index);
          if (value === decisive) return decisive;
          if (value === null) result = null;
        }
        return result;
      }
      case "$between": {
        const between = [strict.$greater_or_equal, strict.$less_or_equal].map((compare, index) => {
          const [value, edge] = [at(0), at(index + 1)];
          return value === null || edge === null ? null : (compare?.(value, edge) ?? null);
        });
        return between.includes(false) ? false : between.includes(null) ? null : true;
      }
      case "IF":
        return at(0) === true ? at(1) : at(2);
      case "IFNULL":
      case "COALESCE": {
        const index = call.arguments.findIndex((_, position) => at(position) !== null);
        return index < 0 ? null : at(index);
      }
      case "NULLIF":
        return equalValues(at(0), at(1)) === true ? null : at(0);
      default:
        return this.#plainCall(call, row);
    }
  }

  #plainCall(call: ExprOf<"Call">, row: Row): Value {
    const values = call.arguments.flatMap((argument) =>
      argument === undefined || argument.kind === "DatePart" ? [] : [this.value(argument, row)],
    );
    const accepting = acceptingNull[call.function];
    if (accepting !== undefined) return accepting(...values);
    if (values.includes(null)) return null;
    const compute = strict[call.function] ?? ((...rest) => withPart[call.function]?.(call, rest));
    const value = compute(...values);
    if (value === undefined) throw new Lacking(call.function);
    return value;
  }
}

function literalValue({ type, value }: ExprOf<"Literal">): Value {
  if (value === null) return null;
  switch (type.kind) {
    case "INT64":
    case "TIMESTAMP":
      return BigInt(value);
    case "FLOAT64":
      return Number(value);
    case "BOOL":
      return value === "true";
    case "STRING":
      return value;
    default:
      throw new Lacking(`A literal of the type ${type.kind}`);
  }
}
