/** Values of parameters as the server reads them. */

import type { SqlType } from "../../googlesql/types.ts";
import { formatDecimal, NUMERIC_DECIMAL } from "../../values/decimal.ts";
import { shortestFloat64 } from "../../values/number-text.ts";
import type { ParameterValue } from "../contract/query-engine.ts";
import { makeValue, type ValueMaker } from "../values/parameter-value.ts";
import type { ServerValue } from "./driver/parameter-form.ts";

/** A FLOAT64 as the server reads it. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  return shortestFloat64(value);
}

const unknown = (): never => {
  throw new TypeError("The server takes no value of the type");
};

const maker: ValueMaker<ServerValue> = {
  null: null,
  bool: (value) => value,
  int64: (value) => value,
  float64: floatText,
  numeric: (value) => formatDecimal(value, NUMERIC_DECIMAL),
  bignumeric: unknown,
  bytes: (value) => Buffer.from(value).toString("base64"),
  date: (days) => days,
  time: (micros) => micros,
  datetime: (micros) => micros,
  timestamp: (micros) => micros,
  interval: unknown,
  text: (value) => value,
  array: (items) => [items],
  struct: unknown,
  range: unknown,
};

/** Throws `EngineError` `query_failed` if the value is not valid for its type. */
export function toServerValue(type: SqlType, value: ParameterValue): ServerValue {
  const isArray = type.kind === "ARRAY" && type.element.kind !== "RECORD";
  return value === null && isArray ? [] : makeValue(type, value, maker);
}
