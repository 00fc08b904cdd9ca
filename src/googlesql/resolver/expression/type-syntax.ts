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

const REFUSED: Readonly<Record<string, string>> = {
  GEOGRAPHY: "The type GEOGRAPHY is not supported here",
  FLOAT32: "The type FLOAT32 is not part of this dialect; use FLOAT64",
  INT32: "The type INT32 is not part of this dialect; use INT64",
  UINT32: "The type UINT32 is not part of this dialect; use INT64",
  UINT64: "The type UINT64 is not part of this dialect; use NUMERIC",
};

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
      const refused = REFUSED[key];
      if (refused !== undefined) resolution.report("unsupported", refused, node.span, { name });
      else
        resolution.report("invalid_query", `Type not found: ${name}`, node.span, {
          name,
          suggestion: resolution.suggest(name, Object.keys(NAMES)),
        });
      return ERROR_TYPE;
    }
  }
}
