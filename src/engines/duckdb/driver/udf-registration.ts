/** Registers the JavaScript scalar functions of `udf/` with a DuckDB instance. */

import { canFail, packedFieldName } from "../../../semantics/can-fail.ts";
import type { ScalarFunction, ScalarType, ScalarValue } from "../../../semantics/scalar-function.ts";
import { messageOf } from "../../../shared/message-of.ts";
import {
  BIGINT,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBScalarFunction,
  DuckDBStructVector,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
  LIST,
  STRUCT,
  VARCHAR,
} from "./driver.ts";
import { scalarTypes } from "./parameters.ts";

const driverTypes: Readonly<Record<ScalarType, DuckDBType>> = {
  ...scalarTypes,
  "STRING[]": LIST(VARCHAR),
  "INT64[]": LIST(BIGINT),
  "FLOAT64[]": LIST(DOUBLE),
};

function fromDriver(value: DuckDBValue): ScalarValue | null {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DuckDBListValue) return value.items as (string | null)[];
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimeValue) return value.micros;
  if (value instanceof DuckDBDateValue) return value.days;
  if (value instanceof DuckDBDecimalValue) return value.value;
  throw new TypeError(`A value of DuckDB that no UDF type stands for: ${value.constructor.name}`);
}

/** How results of each type become values of the driver; results of other types are passed unchanged. */
const converters: Readonly<Partial<Record<ScalarType, (value: ScalarValue) => DuckDBValue>>> = {
  NUMERIC: (value) => new DuckDBDecimalValue(value as bigint, 38, 9),
  BYTES: (value) => new DuckDBBlobValue(value as Uint8Array),
  TIMESTAMP: (value) => new DuckDBTimestampValue(value as bigint),
  DATE: (value) => new DuckDBDateValue(value as number),
  TIME: (value) => new DuckDBTimeValue(value as bigint),
  "STRING[]": (value) => new DuckDBListValue(value as readonly string[]),
  "INT64[]": (value) => new DuckDBListValue(value as readonly bigint[]),
  "FLOAT64[]": (value) => new DuckDBListValue(value as readonly number[]),
};

/**
 * One struct for a function that can fail, so that DuckDB never runs it over a dictionary (see
 * `compile/hidden-failures.ts`).
 */
function packedType(parameters: readonly ScalarType[]): DuckDBType {
  return STRUCT(Object.fromEntries(parameters.map((type, index) => [packedFieldName(index), driverTypes[type]])));
}

/** The columns of the call's arguments. */
function argumentVectors(udf: ScalarFunction, input: DuckDBDataChunk): readonly DuckDBVector[] {
  if (!canFail(udf)) return udf.parameters.map((_, column) => input.getColumnVector(column));
  const packed = input.getColumnVector(0);
  if (!(packed instanceof DuckDBStructVector)) throw new TypeError(`The arguments of ${udf.name} are no struct`);
  return udf.parameters.map((_, field) => packed.entryVectorAt(field));
}

function createFunction(udf: ScalarFunction): DuckDBScalarFunction {
  const convert = converters[udf.returns] ?? ((value: ScalarValue) => value as DuckDBValue);
  const acceptsNull = udf.acceptsNull ?? false;
  return DuckDBScalarFunction.create({
    name: udf.name,
    parameterTypes: canFail(udf) ? [packedType(udf.parameters)] : udf.parameters.map((type) => driverTypes[type]),
    returnType: driverTypes[udf.returns],
    // DuckDB's own NULL handling still calls with NULL rows among others; one rule for all is ours.
    specialHandling: true,
    mainFunction: (info, input, output) => {
      try {
        const vectors = argumentVectors(udf, input);
        const rowCount = input.rowCount;
        for (let row = 0; row < rowCount; row++) {
          const values = vectors.map((vector) => fromDriver(vector.getItem(row)));
          const result = !acceptsNull && values.includes(null) ? null : udf.call(...values);
          output.setItem(row, result === null ? null : convert(result));
        }
        output.flush();
      } catch (error) {
        info.setError(messageOf(error));
      }
    },
  });
}

/** Makes the functions known to every connection of the instance that `connection` belongs to. */
export function registerFunctions(connection: DuckDBConnection, udfs: readonly ScalarFunction[]): void {
  for (const udf of udfs) connection.registerScalarFunction(createFunction(udf));
}
