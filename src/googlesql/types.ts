/**
 * GoogleSQL's data types, as plain JSON-serialisable data: they travel to the engine host and into contracts as they
 * are. Source: the "Data types" page of the GoogleSQL reference.
 */

/**
 * Types that have no inner types. `UNKNOWN` is the type of an untyped NULL and of a field that no event has carried.
 */
export type ScalarKind =
  | "INT64"
  | "FLOAT64"
  | "NUMERIC"
  | "BIGNUMERIC"
  | "BOOL"
  | "STRING"
  | "BYTES"
  | "DATE"
  | "TIME"
  | "DATETIME"
  | "TIMESTAMP"
  | "INTERVAL"
  | "JSON"
  | "UNKNOWN";

export interface ScalarType {
  readonly kind: ScalarKind;
  /** The collation of a STRING from COLLATE. */
  readonly collation?: "und:ci";
}

export interface ArrayType {
  readonly kind: "ARRAY";
  readonly element: SqlType;
}

export interface StructField {
  /** Absent for an anonymous field. */
  readonly name?: string;
  readonly type: SqlType;
  /** Its value comes of a field of a log record: the type is what events happened to carry. */
  readonly isLenient?: true;
}

export interface StructType {
  readonly kind: "STRUCT";
  readonly fields: readonly StructField[];
}

export interface RangeType {
  readonly kind: "RANGE";
  /** DATE, DATETIME or TIMESTAMP. */
  readonly element: SqlType;
}

/**
 * One element of a nested log record: an open struct whose fields are those that events have carried so far.
 *
 * A record field of an event has the type `ARRAY<RECORD>`, as in GoogleSQL, where a nested record is a repeated STRUCT.
 * `isRepeated` is false as long as every event carried one object there: then UNNEST of it is an alias for a path.
 * Its value on an engine is the JSON text of the object (of the array, for `ARRAY<RECORD>`), in which every nested
 * object is already an array of one object.
 */
export interface RecordType {
  readonly kind: "RECORD";
  readonly fields: readonly RecordField[];
  readonly isRepeated: boolean;
  /**
   * True when events carried more fields than are listed: then an unlisted field is read from the JSON, as MIXED,
   * instead of being NULL.
   */
  readonly isOpen: boolean;
}

export interface RecordField {
  readonly name: string;
  /**
   * A scalar, an ARRAY of scalars, `ARRAY<RECORD>`, or MIXED for a field that carried several of them (FLOAT64 for
   * two kinds of numbers).
   */
  readonly type: SqlType;
  /** All spellings that events have, this name first; absent where it is the only one. */
  readonly names?: readonly string[] | undefined;
  /** The source says of what type it is: values of others are NULL, or become it where that loses nothing. */
  readonly isDeclared?: boolean | undefined;
}

/**
 * The type of a field that carried values of several shapes: numbers, texts, booleans, lists, records. Each row has a
 * value of its own, which becomes what the query asks of it, and NULL where it has no such form. See the decision
 * page "Types and lenient fields".
 *
 * Its value on an engine is JSON text: a number, a string, a boolean, an array, or the form of an `ARRAY<RECORD>` (of
 * a RECORD, for an element of an array). It is one text for each value, so that equal texts are equal values: whole
 * numbers have no point.
 */
export interface MixedType {
  readonly kind: "MIXED";
  /** The fields seen in its records; absent if none was seen. */
  readonly record?: RecordType | undefined;
}

export type SqlType = ScalarType | ArrayType | StructType | RangeType | RecordType | MixedType;

export const INT64: ScalarType = { kind: "INT64" };
export const FLOAT64: ScalarType = { kind: "FLOAT64" };
export const NUMERIC: ScalarType = { kind: "NUMERIC" };
export const BIGNUMERIC: ScalarType = { kind: "BIGNUMERIC" };
export const BOOL: ScalarType = { kind: "BOOL" };
export const STRING: ScalarType = { kind: "STRING" };
export const BYTES: ScalarType = { kind: "BYTES" };
export const DATE: ScalarType = { kind: "DATE" };
export const TIME: ScalarType = { kind: "TIME" };
export const DATETIME: ScalarType = { kind: "DATETIME" };
export const TIMESTAMP: ScalarType = { kind: "TIMESTAMP" };
export const INTERVAL: ScalarType = { kind: "INTERVAL" };
export const JSON_TYPE: ScalarType = { kind: "JSON" };

/** The scalar types by their names. */
export const SCALAR_TYPES: Readonly<Record<string, ScalarType>> = {
  INT64,
  FLOAT64,
  NUMERIC,
  BIGNUMERIC,
  BOOL,
  STRING,
  BYTES,
  DATE,
  TIME,
  DATETIME,
  TIMESTAMP,
  INTERVAL,
  JSON: JSON_TYPE,
};

/** The type of an untyped NULL. */
export const UNKNOWN: ScalarType = { kind: "UNKNOWN" };

/** A field of several shapes, none of them a record. */
export const MIXED: MixedType = { kind: "MIXED" };

export function arrayOf(element: SqlType): ArrayType {
  return { kind: "ARRAY", element };
}

/** The values in one of the type, counting those of inner structs and one for an array. */
export function countFields(type: SqlType): number {
  return type.kind === "STRUCT" ? type.fields.reduce((sum, field) => sum + countFields(field.type), 0) : 1;
}

/** True for RECORD and ARRAY<RECORD>, whose values engines hold as JSON text. */
export function isRecordType(type: SqlType): boolean {
  return type.kind === "RECORD" || (type.kind === "ARRAY" && type.element.kind === "RECORD");
}

/** The record in a type that has fields of one: a RECORD, MIXED, or an array of either. */
export function recordIn(type: SqlType): RecordType | undefined {
  switch (type.kind) {
    case "RECORD":
      return type;
    case "MIXED":
      return type.record;
    case "ARRAY":
      return type.element.kind === "ARRAY" ? undefined : recordIn(type.element);
    default:
      return undefined;
  }
}

export function structOf(fields: readonly StructField[]): StructType {
  return { kind: "STRUCT", fields };
}

/**
 * The type as GoogleSQL writes it, e.g. `ARRAY<STRUCT<a INT64, STRING>>`. A RECORD is written as a STRUCT, UNKNOWN as
 * INT64 (GoogleSQL's type of an untyped NULL column).
 */
export function formatType(type: SqlType): string {
  switch (type.kind) {
    case "ARRAY":
      return `ARRAY<${formatType(type.element)}>`;
    case "RANGE":
      return `RANGE<${formatType(type.element)}>`;
    case "STRUCT":
    case "RECORD": {
      const fields = type.fields.map(
        (field) => (field.name === undefined ? "" : `${field.name} `) + formatType(field.type),
      );
      return `STRUCT<${fields.join(", ")}>`;
    }
    case "UNKNOWN":
      return "INT64";
    default:
      return type.kind;
  }
}
