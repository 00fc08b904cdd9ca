import type { ParameterValue } from "../../engines/contract/query-engine.ts";
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import {
  arrayOf,
  BOOL,
  FLOAT64,
  INT64,
  NUMERIC,
  type SqlType,
  STRING,
  structOf,
  UNKNOWN,
} from "../../googlesql/types.ts";
import { parseIsoTimestamp } from "../../values/iso-timestamp.ts";
import { isInt64, shortestFloat64 } from "../../values/number-text.ts";
import { LosslessNumber } from "../output/json.ts";

const noTables = { findTable: () => undefined, tableNames: () => [] };

/** A value to bind with the type it was found to have. */
export interface InferredParameter {
  readonly type: SqlType;
  readonly value: ParameterValue;
}

/**
 * The type of a JSON value: text is STRING, a number without point and exponent INT64, another FLOAT64; an array has
 * the common type of its values, an object is a STRUCT, or of the type that it names:
 * `{"type":"ARRAY<DATE>","value":["2020-01-01"]}`. Null has no type of its own: the query decides. Undefined
 * where the values of an array have no common type.
 */
export function inferParameter(json: unknown): InferredParameter | undefined {
  if (json === null) return { type: UNKNOWN, value: null };
  if (typeof json === "string") return { type: STRING, value: json };
  if (typeof json === "boolean") return { type: BOOL, value: json };
  if (json instanceof LosslessNumber) return inferNumber(json.toString());
  if (Array.isArray(json)) return inferArray(json);
  return typeof json === "object" ? inferObject(json) : undefined;
}

function inferNumber(text: string): InferredParameter {
  if (!/^-?\d+$/.test(text)) return { type: FLOAT64, value: shortestFloat64(Number(text)) };
  const value = BigInt(text);
  return { type: isInt64(value) ? INT64 : NUMERIC, value: String(value) };
}

function inferArray(values: readonly unknown[]): InferredParameter | undefined {
  const items = values.map(inferParameter);
  if (items.includes(undefined)) return undefined;
  const known = items.flatMap((item) => (item === undefined ? [] : [item]));
  const types = known.filter((item) => item.type.kind !== "UNKNOWN").map((item) => item.type);
  const [first] = types;
  const isNumbers = types.every((type) => type.kind === "INT64" || type.kind === "FLOAT64");
  const element = isNumbers && types.some((type) => type.kind === "FLOAT64") ? FLOAT64 : (first ?? INT64);
  const isUniform = isNumbers || types.every((type) => JSON.stringify(type) === JSON.stringify(element));
  return isUniform ? { type: arrayOf(element), value: known.map((item) => item.value) } : undefined;
}

function inferObject(json: object): InferredParameter | undefined {
  if ("type" in json && "value" in json && typeof json.type === "string" && Object.keys(json).length === 2) {
    const type = namedType(json.type);
    const value = type && readValue(type, json.value);
    if (type !== undefined) return value === undefined ? undefined : { type, value };
  }
  const fields: { name: string; type: SqlType }[] = [];
  const values: ParameterValue[] = [];
  for (const [name, value] of Object.entries(json)) {
    const field = inferParameter(value);
    if (field === undefined) return undefined;
    fields.push({ name, type: field.type.kind === "UNKNOWN" ? STRING : field.type });
    values.push(field.value);
  }
  return { type: structOf(fields), value: values };
}

/** The type that a query would read in the text; undefined for a text that is none. */
function namedType(text: string): SqlType | undefined {
  if (!/^[\w<>, ]+$/.test(text)) return undefined;
  const query = `SELECT CAST(NULL AS ${text})`;
  try {
    return resolveQuery(parseQuery(query), query, { tables: noTables }).columns[0]?.column.type;
  } catch (error) {
    if (error instanceof GoogleSqlError) return undefined;
    throw error;
  }
}

/** The elements of an ARRAY, the fields of a STRUCT and the bounds of a RANGE are in a list. */
function readValue(type: SqlType, json: unknown): ParameterValue | undefined {
  if (json === null || typeof json === "boolean") return json;
  if (json instanceof LosslessNumber) return json.toString();
  if (typeof json === "string") {
    return type.kind === "TIMESTAMP" ? (parseIsoTimestamp(json)?.us.toString() ?? json) : json;
  }
  if (!Array.isArray(json)) return undefined;
  const items = json.map((item: unknown, index) => {
    const part = type.kind === "STRUCT" ? type.fields[index]?.type : "element" in type ? type.element : undefined;
    return part && readValue(part, item);
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}
