/** Parameter values of a run as values of the driver, by their GoogleSQL types. */

import type { SqlType } from "../../../googlesql/types.ts";
import type { ParameterValue } from "../../contract/query-engine.ts";
import { makeValue, type ValueMaker } from "../../values/parameter-value.ts";
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

/** The DuckDB types that hold values of scalar types. */
export const scalarTypes = {
  INT64: BIGINT,
  FLOAT64: DOUBLE,
  NUMERIC: DECIMAL(38, 9),
  BIGNUMERIC: BIGNUM,
  BOOL: BOOLEAN,
  STRING: VARCHAR,
  BYTES: BLOB,
  DATE,
  TIME,
  DATETIME: TIMESTAMP,
  TIMESTAMP,
  INTERVAL,
  JSON: VARCHAR,
  UNKNOWN: SQLNULL,
} as const;

/** The parts of a STRUCT by their fields' names. DuckDB knows no STRUCT without fields: it has `none` in one. */
function byField<T>(parts: readonly T[], none: T): Readonly<Record<string, T>> {
  return Object.fromEntries((parts.length > 0 ? parts : [none]).map((part, index) => [structFieldName(index), part]));
}

/** The DuckDB type that holds values of a GoogleSQL type. */
export function physicalType(type: SqlType): DuckDBType {
  switch (type.kind) {
    case "RECORD":
    case "MIXED":
      return VARCHAR;
    case "ARRAY":
      return type.element.kind === "RECORD" ? VARCHAR : LIST(physicalType(type.element));
    case "STRUCT":
      return STRUCT(
        byField(
          type.fields.map((field) => physicalType(field.type)),
          BOOLEAN,
        ),
      );
    case "RANGE":
      return STRUCT({ start: physicalType(type.element), end: physicalType(type.element) });
    default:
      return scalarTypes[type.kind];
  }
}

const maker: ValueMaker<DuckDBValue> = {
  null: null,
  bool: (value) => value,
  int64: (value) => value,
  float64: (value) => value,
  numeric: (value) => new DuckDBDecimalValue(value, 38, 9),
  bignumeric: (value) => value,
  bytes: (value) => new DuckDBBlobValue(value),
  date: (days) => new DuckDBDateValue(days),
  time: (micros) => new DuckDBTimeValue(micros),
  datetime: (micros) => new DuckDBTimestampValue(micros),
  timestamp: (micros) => new DuckDBTimestampValue(micros),
  interval: ({ months, days, micros }) => new DuckDBIntervalValue(months, days, micros),
  text: (value) => value,
  array: (items) => new DuckDBListValue(items),
  struct: (fields) => new DuckDBStructValue(byField(fields, null)),
  range: (start, end) => new DuckDBStructValue({ start, end }),
};

/** The driver's value of a parameter. Throws `EngineError` `query_failed` if the value is not valid for its type. */
export function toDriverValue(type: SqlType, value: ParameterValue): DuckDBValue {
  return makeValue(type, value, maker);
}
