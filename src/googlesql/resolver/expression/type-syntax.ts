import type { TypeSyntax } from "../../ast.ts";
import { BIGNUMERIC, BOOL, INT64, NUMERIC, SCALAR_TYPES, type SqlType, STRING, type StructField } from "../../types.ts";
import { collatedType } from "../call/collation.ts";
import { ERROR_TYPE, isErrorType, type Resolution } from "../resolution.ts";

const NAMES: Readonly<Record<string, SqlType>> = {
  ...SCALAR_TYPES,
  INT: INT64,
  SMALLINT: INT64,
  INTEGER: INT64,
  BIGINT: INT64,
  TINYINT: INT64,
  BYTEINT: INT64,
  DECIMAL: NUMERIC,
  BIGDECIMAL: BIGNUMERIC,
  BOOLEAN: BOOL,
  // Not of GoogleSQL, but written by clients with `::`.
  TEXT: STRING,
  VARCHAR: STRING,
};

/** Types of other databases, by the type to use in their place. */
const FOREIGN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    FLOAT64: "FLOAT FLOAT4 FLOAT8 FLOAT32 DOUBLE REAL",
    INT64: "INT8 INT16 INT32 INT2 INT4 UINT8 UINT16 UINT32 MEDIUMINT SIGNED UNSIGNED LONG SERIAL",
    NUMERIC: "UINT64 NUMBER MONEY DEC",
    BIGNUMERIC: "INT128 UINT128 INT256 HUGEINT UHUGEINT",
    BOOL: "BIT LOGICAL",
    STRING: "CHAR CHARACTER NCHAR NVARCHAR VARCHAR2 CLOB UUID ENUM",
    BYTES: "BYTEA BLOB BINARY VARBINARY",
    TIMESTAMP: "TIMESTAMPTZ TIMESTAMP_LTZ TIMESTAMP_TZ DATETIMEOFFSET",
    DATETIME: "DATETIME2 DATETIME64 TIMESTAMP_NTZ SMALLDATETIME",
    DATE: "DATE32",
    JSON: "JSONB VARIANT OBJECT",
  }).flatMap(([type, names]) => names.split(" ").map((name) => [name, type] as const)),
);

/** The type that CAST or a constructor names. Type parameters are checked where they can be applied, see cast.ts. */
export function resolveType(resolution: Resolution, node: TypeSyntax): SqlType {
  const type = uncollatedType(resolution, node);
  return isErrorType(type) ? type : collatedType(resolution, type, node.collation);
}

function uncollatedType(resolution: Resolution, node: TypeSyntax): SqlType {
  switch (node.kind) {
    case "ArrayTypeSyntax": {
      const element = resolveType(resolution, node.element);
      if (isErrorType(element)) return element;
      if (element.kind === "ARRAY") {
        resolution.report("invalid_query", "Arrays of arrays are not supported", node.span);
        return ERROR_TYPE;
      }
      return { kind: "ARRAY", element };
    }
    case "RangeTypeSyntax": {
      const element = resolveType(resolution, node.element);
      if (
        isErrorType(element) ||
        element.kind === "DATE" ||
        element.kind === "DATETIME" ||
        element.kind === "TIMESTAMP"
      ) {
        return isErrorType(element) ? element : { kind: "RANGE", element };
      }
      resolution.report("invalid_query", "RANGE takes DATE, DATETIME or TIMESTAMP", node.span);
      return ERROR_TYPE;
    }
    case "StructTypeSyntax": {
      const fields: StructField[] = [];
      for (const field of node.fields) {
        const type = resolveType(resolution, field.type);
        if (isErrorType(type)) return type;
        fields.push(field.name === undefined ? { type } : { name: field.name.name, type });
      }
      return { kind: "STRUCT", fields };
    }
    case "NamedType": {
      const name = node.name.parts.map((part) => part.name).join(".");
      const key = name.toUpperCase();
      const type = NAMES[key];
      if (type !== undefined) return type;
      const use = FOREIGN.get(key);
      if (use !== undefined) {
        const message = `The type ${key} is not part of this dialect; use ${use}`;
        resolution.report("unsupported", message, node.span, { name });
      } else if (key === "GEOGRAPHY") {
        resolution.report("unsupported", "The type GEOGRAPHY is not supported here", node.span, { name });
      } else
        resolution.report("invalid_query", `Type not found: ${name}`, node.span, {
          name,
          suggestion: resolution.suggest(name, Object.keys(NAMES)),
        });
      return ERROR_TYPE;
    }
  }
}
