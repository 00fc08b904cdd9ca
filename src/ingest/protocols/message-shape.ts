/** Shapes of protocol buffer messages, as data: what both decoders, of the binary form and of its JSON form, go by. */

export type FieldKind =
  | "text"
  /** Bytes as Base64. */
  | "bytes"
  /** Bytes as hexadecimal digits, as OTLP writes ids. */
  | "hex"
  /** A signed varint, also of an enumeration. */
  | "int"
  /** An unsigned varint of 64 bits. */
  | "uint64"
  /** A zigzag varint. */
  | "sint"
  | "bool"
  | "fixed32"
  | "fixed64"
  | "sfixed64"
  | "double"
  /** Nanoseconds since 1970 (fixed64). In JSON also what cannot be read as such, as it was sent. */
  | "nanos"
  /** OTLP's AnyValue, as the value that it holds. */
  | "any"
  /** OTLP's list of KeyValue, as one object. */
  | "attributes"
  | MessageShape;

export interface FieldShape {
  readonly number: number;
  /** As the JSON form writes it, in camelCase. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRepeated: boolean;
  /** Each of its values becomes an event. */
  readonly isEvent: boolean;
}

export interface MessageShape {
  /** For messages to people. */
  readonly name: string;
  readonly fields: readonly FieldShape[];
  /** By field number. */
  readonly byNumber: readonly (FieldShape | undefined)[];
}

type FieldRow = readonly [number: number, name: string, kind: FieldKind, isRepeated?: "repeated" | "events"];

export function shapeOf(name: string, rows: readonly FieldRow[]): MessageShape {
  const fields = rows.map(([number, fieldName, kind, isRepeated]): FieldShape => {
    return { number, name: fieldName, kind, isRepeated: isRepeated !== undefined, isEvent: isRepeated === "events" };
  });
  const byNumber: (FieldShape | undefined)[] = [];
  for (const field of fields) byNumber[field.number] = field;
  return { name, fields, byNumber: Array.from(byNumber) };
}

/** A message as both decoders give it: absent fields are not there. */
export type DecodedMessage = { [field: string]: unknown };

/**
 * How deep AnyValues are read; what is nested deeper is left out. An event may not nest so deep, so that only the one
 * with such a value is refused.
 */
export const maxValueDepth = 100;

/** Sets a field of an object, whatever its name: `__proto__` is one like others. */
export function setField(object: DecodedMessage, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}
