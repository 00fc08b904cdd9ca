/** Parameter values of a run as values of the driver, by their GoogleSQL types. */

import { formatType, type SqlType } from "../../../googlesql/types.ts";
import { BIGNUMERIC_DECIMAL, parseDecimal } from "../../../semantics/number/decimal.ts";
import { parseDate, parseDatetime, parseInterval, parseTime } from "../../../semantics/time/calendar.ts";
import type { ParameterValue } from "../../contract/query-engine.ts";
import { EngineError } from "../../contract/query-engine.ts";
import { structFieldName } from "../sql-text.ts";
import {
  BIGINT,
  BIGNUM,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  INTERVAL,
  LIST,
  SQLNULL,
  STRUCT,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from "./driver.ts";

/** The DuckDB type that holds values of a GoogleSQL type. */
export function physicalType(type: SqlType): DuckDBType {
  switch (type.kind) {
    case "INT64":
      return BIGINT;
    case "FLOAT64":
      return DOUBLE;
    case "NUMERIC":
      return DECIMAL(38, 9);
    case "BOOL":
      return BOOLEAN;
    case "BYTES":
      return BLOB;
    case "DATE":
      return DATE;
    case "TIME":
      return TIME;
    case "DATETIME":
    case "TIMESTAMP":
      return TIMESTAMP;
    case "INTERVAL":
      return INTERVAL;
    case "BIGNUMERIC":
      return BIGNUM;
    case "STRING":
    case "JSON":
    case "RECORD":
    case "MIXED":
      return VARCHAR;
    case "UNKNOWN":
      return SQLNULL;
    case "ARRAY":
      return type.element.kind === "RECORD" ? VARCHAR : LIST(physicalType(type.element));
    case "STRUCT":
      return STRUCT(
        Object.fromEntries(type.fields.map((field, index) => [structFieldName(index), physicalType(field.type)])),
      );
    case "RANGE":
      return STRUCT({ start: physicalType(type.element), end: physicalType(type.element) });
  }
}

function parseNumeric(text: string): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  if (fraction.length > 9 && /[1-9]/.test(fraction.slice(9))) return undefined;
  const digits = BigInt(whole + fraction.padEnd(9, "0").slice(0, 9));
  return sign === "-" ? -digits : digits;
}

function parseFloat64(text: string): number | undefined {
  const special = /^([+-]?)inf(inity)?$/i.exec(text);
  if (special !== null) return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function wrap<T, R>(value: T | undefined, make: (value: T) => R): R | undefined {
  return value === undefined ? undefined : make(value);
}

function parseScalar(kind: SqlType["kind"], text: string): DuckDBValue | undefined {
  switch (kind) {
    case "INT64":
      return parseInt64(text);
    case "FLOAT64":
      return parseFloat64(text);
    case "NUMERIC":
      return wrap(parseNumeric(text), (value) => new DuckDBDecimalValue(value, 38, 9));
    case "BIGNUMERIC":
      return parseDecimal(text, BIGNUMERIC_DECIMAL);
    case "BYTES":
      return new DuckDBBlobValue(Buffer.from(text, "base64"));
    case "DATE":
      return wrap(parseDate(text), (days) => new DuckDBDateValue(days));
    case "TIME":
      return wrap(parseTime(text), (micros) => new DuckDBTimeValue(micros));
    case "DATETIME":
      return wrap(parseDatetime(text), (micros) => new DuckDBTimestampValue(micros));
    case "TIMESTAMP":
      return wrap(parseInt64(text), (micros) => new DuckDBTimestampValue(micros));
    case "INTERVAL":
      return wrap(parseInterval(text), (parts) => new DuckDBIntervalValue(parts.months, parts.days, parts.micros));
    default:
      return text;
  }
}

/** The driver's value of a parameter. Throws `EngineError` `query_failed` where the value is none of its type. */
export function toDriverValue(type: SqlType, value: ParameterValue): DuckDBValue {
  if (value === null) return null;
  if (type.kind === "ARRAY" && type.element.kind !== "RECORD") {
    if (Array.isArray(value)) return new DuckDBListValue(value.map((item) => toDriverValue(type.element, item)));
  } else if (type.kind === "STRUCT") {
    if (Array.isArray(value) && value.length === type.fields.length) {
      const entries = type.fields.map((field, i) => [structFieldName(i), toDriverValue(field.type, value[i] ?? null)]);
      return new DuckDBStructValue(Object.fromEntries(entries));
    }
  } else if (type.kind === "RANGE") {
    if (Array.isArray(value) && value.length === 2) {
      const [start = null, end = null] = value;
      return new DuckDBStructValue({
        start: toDriverValue(type.element, start),
        end: toDriverValue(type.element, end),
      });
    }
  } else if (type.kind === "BOOL") {
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
  } else if (typeof value === "string") {
    const parsed = parseScalar(type.kind, value);
    if (parsed !== undefined) return parsed;
  }
  throw new EngineError("query_failed", `A parameter's value is not a valid ${formatType(type)}`);
}
