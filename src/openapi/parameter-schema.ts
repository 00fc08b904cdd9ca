import type { ParameterDefinition } from "../endpoints/definition/definition.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";
import type { JsonSchema, Parameter } from "./open-api-document.ts";

/** A parameter that an endpoint declares. */
export function endpointParameter(parameter: ParameterDefinition): Parameter {
  const { name, isRequired, description } = parameter;
  return {
    name,
    in: "query",
    required: isRequired,
    ...(description === undefined ? {} : { description }),
    schema: parameterSchema(parameter),
  };
}

/** The schema of a parameter's values as callers send them in JSON. */
export function parameterSchema({ type, allowed, default: value }: ParameterDefinition): JsonSchema {
  const shown = (text: string) => toJson(type, text);
  return {
    ...forms[type],
    ...(allowed === undefined ? {} : { enum: allowed.map(shown) }),
    ...(typeof value === "string" ? { default: shown(value) } : {}),
    ...(typeof value === "boolean" ? { default: value } : {}),
  };
}

const forms: Readonly<Record<ParameterDefinition["type"], JsonSchema>> = {
  string: { type: "string" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bool: { type: "boolean" },
  // A date alone is its midnight in UTC, so that the format date-time would say too much.
  timestamp: { type: "string", description: "ISO 8601, UTC unless it names a zone, or a date" },
  date: { type: "string", format: "date" },
};

/** A value's canonical text as callers send it in JSON. */
function toJson(type: ParameterDefinition["type"], text: string): string | number | boolean {
  switch (type) {
    case "string":
    case "date":
      return text;
    case "bool":
      return text === "true";
    case "timestamp":
      return formatIsoTimestamp(BigInt(text));
    case "int64":
    case "float64":
      return Number(text);
  }
}
