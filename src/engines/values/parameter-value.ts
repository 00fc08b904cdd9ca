/** Values of parameters, read by their GoogleSQL types from the texts that the contract has them in. */

import { formatType, type SqlType } from "../../googlesql/types.ts";
import { BIGNUMERIC_DECIMAL, NUMERIC_DECIMAL, parseDecimal } from "../../values/decimal.ts";
import { type IntervalParts, parseInterval } from "../../values/interval.ts";
import { canonicalJson } from "../../values/json/json-parser.ts";
import { parseFloat64, parseInt64 } from "../../values/number-text.ts";
import { parseDate, parseDatetime, parseTime } from "../../values/time-text.ts";
import { parseJson } from "../contract/parse-json.ts";
import { EngineError, type ParameterValue } from "../contract/query-engine.ts";

/**
 * Makes a driver's values. Decimals are integers of their last digit (9 behind the point for NUMERIC, 38 for
 * BIGNUMERIC), dates days and times microseconds, since 1970 or midnight.
 */
export interface ValueMaker<V> {
  readonly null: V;
  bool(value: boolean): V;
  int64(value: bigint): V;
  float64(value: number): V;
  numeric(value: bigint): V;
  bignumeric(value: bigint): V;
  bytes(value: Uint8Array): V;
  date(days: number): V;
  time(micros: bigint): V;
  datetime(micros: bigint): V;
  timestamp(micros: bigint): V;
  interval(value: IntervalParts): V;
  /** A value of STRING, of JSON as its canonical text, and of types that the query states. */
  text(value: string): V;
  array(items: readonly V[]): V;
  struct(fields: readonly V[]): V;
  range(start: V, end: V): V;
}

function read<T>(parse: (text: string) => T, text: string): T | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function wrap<T, V>(value: T | undefined, make: (value: T) => V): V | undefined {
  return value === undefined ? undefined : make(value);
}

function makeScalar<V>(kind: SqlType["kind"], text: string, maker: ValueMaker<V>): V | undefined {
  switch (kind) {
    case "INT64":
      return wrap(parseInt64(text), (value) => maker.int64(value));
    case "FLOAT64":
      return wrap(parseFloat64(text), (value) => maker.float64(value));
    case "NUMERIC":
      return wrap(parseDecimal(text, NUMERIC_DECIMAL, true), (value) => maker.numeric(value));
    case "BIGNUMERIC":
      return wrap(parseDecimal(text, BIGNUMERIC_DECIMAL, true), (value) => maker.bignumeric(value));
    case "BYTES":
      return maker.bytes(Buffer.from(text, "base64"));
    case "DATE":
      return wrap(parseDate(text), (days) => maker.date(days));
    case "TIME":
      return wrap(parseTime(text), (micros) => maker.time(micros));
    case "DATETIME":
      return wrap(parseDatetime(text), (micros) => maker.datetime(micros));
    case "TIMESTAMP":
      return wrap(parseInt64(text), (micros) => maker.timestamp(micros));
    case "INTERVAL":
      return wrap(read(parseInterval, text), (value: IntervalParts) => maker.interval(value));
    case "JSON":
      return wrap(read(canonicalJson, text), (value) => maker.text(value));
    default:
      return maker.text(text);
  }
}

/** The driver's value of a parameter. Throws `EngineError` `query_failed` if the value is not valid for its type. */
export function makeValue<V>(type: SqlType, value: ParameterValue, maker: ValueMaker<V>): V {
  if (value === null) return maker.null;
  if (type.kind === "ARRAY" && type.element.kind !== "RECORD") {
    if (Array.isArray(value)) return maker.array(value.map((item) => makeValue(type.element, item, maker)));
  } else if (type.kind === "STRUCT") {
    if (Array.isArray(value) && value.length === type.fields.length) {
      return maker.struct(type.fields.map((field, index) => makeValue(field.type, value[index] ?? null, maker)));
    }
  } else if (type.kind === "RANGE") {
    if (Array.isArray(value) && value.length === 2) {
      const [start = null, end = null] = value;
      return maker.range(makeValue(type.element, start, maker), makeValue(type.element, end, maker));
    }
  } else if (type.kind === "BOOL") {
    if (typeof value === "boolean") return maker.bool(value);
    if (value === "true" || value === "false") return maker.bool(value === "true");
  } else if (typeof value === "string") {
    const made = makeScalar(type.kind, value, maker);
    if (made !== undefined) return made;
  }
  throw new EngineError("query_failed", `A parameter's value is not a valid ${formatType(type)}`);
}

/**
 * The cells of a row, as JSON, as values of parameters; undefined where one is a FLOAT64 of 0, which may be another
 * zero than the row had. The columns are of plain types.
 */
export function readCells(
  columns: readonly { readonly type: SqlType }[],
  json: string,
): readonly ParameterValue[] | undefined {
  const cells = parseJson(json) as readonly (null | boolean | string | number | bigint)[];
  if (cells.some((cell, index) => cell === 0 && columns[index]?.type.kind === "FLOAT64")) return undefined;
  return cells.map((cell) => (typeof cell === "number" || typeof cell === "bigint" ? String(cell) : cell));
}
