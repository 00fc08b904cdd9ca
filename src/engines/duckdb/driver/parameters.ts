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
  struct: (fields) =>
    new DuckDBStructValue(Object.fromEntries(fields.map((value, index) => [structFieldName(index), value]))),
  range: (start, end) => new DuckDBStructValue({ start, end }),
};

/** The driver's value of a parameter. Throws `EngineError` `query_failed` if the value is not valid for its type. */
export function toDriverValue(type: SqlType, value: ParameterValue): DuckDBValue {
  return makeValue(type, value, maker);
}
