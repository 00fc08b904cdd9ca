/**
 * The only file that imports the DuckDB driver. Everything of the driver that this engine uses stands here, so that
 * a change of driver or of its version shows in one place.
 */

import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";
import bindings from "@duckdb/node-bindings";

// The driver's own decoder takes U+FEFF at the begin of a text for a mark of the encoding, and leaves it out.
Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });

/** The few calls below the driver's classes that move whole columns at once. */
export const {
  copy_data_to_vector,
  copy_data_to_vector_validity,
  data_chunk_get_vector,
  list_vector_get_child,
  list_vector_get_size,
  PendingState,
  pending_execute_check_state,
  struct_vector_get_child,
  vector_assign_string_element_len,
  vector_ensure_validity_writable,
  vector_get_data,
  vector_get_validity,
} = bindings;
export type {
  DuckDBConnection,
  DuckDBPendingResult,
  DuckDBPreparedStatement,
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
  DuckDBListVector,
  DuckDBMapType,
  DuckDBMapVector,
  DuckDBScalarFunction,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBTypeId,
  INTEGER,
  INTERVAL,
  LIST,
  SQLNULL,
  STRUCT,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
export type { PendingResult, Vector } from "@duckdb/node-bindings";
