/**
 * The only file that imports the DuckDB driver. Everything of the driver that this engine uses stands here, so that
 * a change of driver or of its version shows in one place.
 */

export type {
  DuckDBConnection,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
export {
  BIGINT,
  BIGNUM,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBScalarFunction,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  INTEGER,
  INTERVAL,
  LIST,
  SQLNULL,
  STRUCT,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
