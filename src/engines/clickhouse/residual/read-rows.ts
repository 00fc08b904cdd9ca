/** Rows of the server as the value of a parameter of the embedded engine. */

import { formatType, type SqlType } from "../../../googlesql/types.ts";
import { shortestFloat64 } from "../../../values/number-text.ts";
import { formatDate, formatDatetime, formatTime } from "../../../values/time-text.ts";
import { EngineError, type ParameterValue } from "../../contract/query-engine.ts";

type Json = null | boolean | number | string | readonly Json[];

function isMissing(value: Json): value is null | readonly [] {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** A value as parameters have it. Arrays and structs stand in an array of one. */
function toParameter(type: SqlType, value: Json): ParameterValue {
  if (isMissing(value)) return null;
  if (type.kind === "ARRAY" && type.element.kind !== "RECORD") {
    return (innerOf(type, value) as readonly Json[]).map((item) => toParameter(type.element, item));
  }
  if (type.kind === "STRUCT") {
    const fields = innerOf(type, value);
    return type.fields.map((field, index) => toParameter(field.type, fields[index] ?? null));
  }
  switch (type.kind) {
    case "BOOL":
      return value === true || value === 1;
    case "FLOAT64":
      return typeof value === "number" ? shortestFloat64(value) : String(value);
    case "DATE":
      return formatDate(Number(value));
    case "TIME":
      return formatTime(BigInt(String(value)));
    case "DATETIME":
      return formatDatetime(BigInt(String(value)));
    default:
      return String(value);
  }
}

function innerOf(type: SqlType, value: Json): readonly Json[] {
  const found = Array.isArray(value) ? value[0] : undefined;
  if (!Array.isArray(found)) {
    throw new EngineError("internal", `The server answered no ${formatType(type)} where one is due`);
  }
  return found;
}

/** A line of the server's as the value of a STRUCT of the columns' types. */
export function toRow(types: readonly SqlType[], line: string): ParameterValue {
  const cells = JSON.parse(line) as readonly Json[];
  return types.map((type, index) => toParameter(type, cells[index] ?? null));
}
