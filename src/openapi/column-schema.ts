import type { ContractColumn } from "../endpoints/definition/definition.ts";
import type { SqlType, StructType } from "../googlesql/types.ts";
import type { JsonSchema } from "./open-api-document.ts";

/** The row of an answer: every column is there, and may be null unless it is an array. */
export function rowSchema(columns: readonly ContractColumn[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(columns.map(({ name, type }) => [name, columnSchema(type)])),
    required: [...new Set(columns.map(({ name }) => name))],
    additionalProperties: false,
  };
}

/** A value of a type as the answer's JSON writes it, NULL included. */
function columnSchema(type: SqlType): JsonSchema {
  switch (type.kind) {
    case "INT64":
      return {
        type: ["integer", "string", "null"],
        format: "int64",
        description: "INT64: a string beyond 2^53",
      };
    case "FLOAT64":
      return {
        anyOf: [{ type: ["number", "null"] }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }],
        description: "FLOAT64",
      };
    case "NUMERIC":
    case "BIGNUMERIC":
      return text(type.kind, "a decimal number as a string");
    case "BOOL":
      return { type: ["boolean", "null"], description: "BOOL" };
    case "STRING":
      return { type: ["string", "null"], description: "STRING" };
    case "BYTES":
      return { type: ["string", "null"], contentEncoding: "base64", description: "BYTES" };
    case "TIMESTAMP":
      return {
        type: ["integer", "null"],
        format: "int64",
        description: "TIMESTAMP: microseconds since 1970-01-01 UTC",
      };
    case "DATE":
      return { type: ["string", "null"], format: "date", description: "DATE" };
    case "TIME":
      return text("TIME", "09:00:00, with six decimals where they are not all zero");
    case "DATETIME":
      return text("DATETIME", "2026-08-20T09:00:00, with six decimals where they are not all zero");
    case "INTERVAL":
      return text("INTERVAL", "0-0 1 2:0:0");
    case "RANGE":
      return text("RANGE", "[start, end)");
    case "JSON":
      return { description: "JSON: any value" };
    case "MIXED":
      return { description: "MIXED: each row's own value, of any shape" };
    case "UNKNOWN":
      return { description: "A field that no event has carried yet" };
    case "RECORD":
      return { type: ["object", "null"], additionalProperties: true, description: "A record of an event" };
    case "STRUCT":
      return structSchema(type);
    case "ARRAY":
      return { type: "array", items: columnSchema(type.element), description: "ARRAY: NULL is []" };
  }
}

function text(kind: SqlType["kind"], form: string): JsonSchema {
  return { type: ["string", "null"], description: `${kind}: ${form}` };
}

/** A field without a name is called by its place. */
function structSchema({ fields }: StructType): JsonSchema {
  const named = fields.map(({ name, type }, index) => [name ?? `_field_${index + 1}`, columnSchema(type)] as const);
  return {
    type: ["object", "null"],
    properties: Object.fromEntries(named),
    required: [...new Set(named.map(([name]) => name))],
    description: "STRUCT",
  };
}
