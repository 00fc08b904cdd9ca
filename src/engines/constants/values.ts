/** Values of expressions that are the same for every row of a run. */

import type { Expr } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { shortestFloat64 } from "../../values/number-text.ts";
import { formatDate, formatDatetime, formatTime } from "../../values/time-text.ts";
import type { ParameterValue } from "../contract/query-engine.ts";
import { makeValue, type ValueMaker } from "../values/parameter-value.ts";

/**
 * INT64 and times are bigint (microseconds since 1970 or midnight), a DATE is its days since 1970 and a FLOAT64 itself
 * as a number.
 */
export type ConstantValue = null | boolean | bigint | number | string;

/** A value is left to an engine to compute, whatever it is: below SAFE too. */
export class LeftToEngine extends Error {
  override readonly name = "LeftToEngine";
}

const KINDS: ReadonlySet<SqlType["kind"]> = new Set([
  ..."INT64 FLOAT64 BOOL STRING DATE TIME DATETIME TIMESTAMP".split(" "),
] as SqlType["kind"][]);

/** Is there a value that stands for each of the type's? */
export function isConstantType(type: SqlType): boolean {
  return KINDS.has(type.kind) && !(type.kind === "STRING" && type.collation !== undefined);
}

const unknown = (): never => {
  throw new TypeError("No constant has the type");
};

const maker: ValueMaker<ConstantValue> = {
  null: null,
  bool: (value) => value,
  int64: (value) => value,
  float64: (value) => value,
  numeric: unknown,
  bignumeric: unknown,
  bytes: unknown,
  date: (days) => days,
  time: (micros) => micros,
  datetime: (micros) => micros,
  timestamp: (micros) => micros,
  interval: unknown,
  text: (value) => value,
  array: unknown,
  struct: unknown,
  range: unknown,
};

/** A parameter's or a literal's value. Throws `EngineError` if it is not valid for the type. */
export function constantOf(type: SqlType, value: ParameterValue): ConstantValue {
  return makeValue(type, value, maker);
}

function literalText(value: Exclude<ConstantValue, null>, { kind }: SqlType): string {
  if (typeof value === "number") return kind === "DATE" ? formatDate(value) : shortestFloat64(value);
  if (typeof value !== "bigint") return `${value}`;
  if (kind === "TIME") return formatTime(value);
  return kind === "DATETIME" ? formatDatetime(value) : `${value}`;
}

/** A parameter's or a literal's value, as `constantOf` reads it. */
export function valueTextOf(type: SqlType, value: ConstantValue): string | null {
  return value === null ? null : literalText(value, type);
}

/** A literal of the value in the place of an expression. */
export function literalFor({ type, span }: Expr, value: ConstantValue): Expr {
  return { kind: "Literal", type, value: valueTextOf(type, value), span };
}
