/**
 * The only file that imports the DuckDB driver. Everything of the driver that this engine uses stands here, so that
 * a change of driver or of its version shows in one place.
 */

export type {
  DuckDBConnection,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
  DuckDBVector,
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
  DuckDBListType,
  DuckDBListValue,
  DuckDBScalarFunction,
  DuckDBStructType,
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
