/**
 * The schema of a Parquet file, by which its values become those of events. The reader goes by names, and an object of
 * its own loses one of two that are equal, and what is named `__proto__`: so it is given a schema whose names are
 * numbers. It also rounds decimals, and does not know types that only newer files' annotations give.
 */
import type { FileMetaData, SchemaElement, SchemaTree } from "hyparquet";
import { parquetSchema } from "hyparquet";
import { isListLike, isMapLike } from "hyparquet/src/schema.js";
import { type EventValue, WideNumber } from "../../engines/contract/query-engine.ts";

/** More digits than any type of the field has. */
const maxScale = 1_000;

/** A column, or a part of one. */
export interface ParquetField {
  readonly name: string;
  readonly kind: "struct" | "list" | "map" | "decimal" | "leaf";
  /** The item of a list, the value of a map, and the parts of a struct. */
  readonly children: readonly ParquetField[];
  /** The digits of a decimal behind its point. */
  readonly scale: number;
}

/** Reads the fields, and makes the metadata that the reader is given. Throws for names that stand twice. */
export function readSchema(metadata: FileMetaData): { readonly metadata: FileMetaData; readonly root: ParquetField } {
  const known = { ...metadata, schema: metadata.schema.map(knownTypes) };
  const tree = parquetSchema(known);
  const schema = numberNames(tree, "root");
  const leaves = leavesOf(parquetSchema({ ...metadata, schema }));
  const row_groups = metadata.row_groups.map((group) => ({
    ...group,
    columns: group.columns.map((column, index) => {
      const { meta_data } = column;
      return meta_data === undefined
        ? column
        : { ...column, meta_data: { ...meta_data, path_in_schema: [...(leaves[index] ?? [])] } };
    }),
  }));
  return { metadata: { ...metadata, schema, row_groups }, root: toField(tree) };
}

/** The paths of the columns that have values, in their order. */
export function leavesOf({ children, path }: SchemaTree): readonly (readonly string[])[] {
  return children.length === 0 ? [path] : children.flatMap(leavesOf);
}

/** With the annotation that the reader goes by; a decimal has none, so that its digits arrive. */
function knownTypes(element: SchemaElement): SchemaElement {
  const { converted_type, logical_type, ...plain } = element;
  const type = converted_type ?? logical_type?.type;
  switch (type) {
    case "DECIMAL":
      return { ...plain, scale: plain.scale ?? (logical_type?.type === "DECIMAL" ? logical_type.scale : 0) };
    case "DATE":
    case "JSON":
    case "LIST":
    case "MAP":
      return { ...element, converted_type: type };
    default:
      return element;
  }
}

/** The elements with numbers for names, except where the reader itself looks for names. */
function numberNames(node: SchemaTree, name: string, keepsNames = false): SchemaElement[] {
  const keeps = keepsNames || node.element.logical_type?.type === "VARIANT";
  const entry = isMapLike(node) ? node.children[0] : undefined;
  const children = (entry ?? node).children.flatMap((child, index) => {
    if (entry === undefined) return numberNames(child, keeps ? child.element.name : String(index), keeps);
    const [first, ...below] = numberNames(child, index === 0 ? "key" : "value");
    const isText = index === 0 && first?.type === "BYTE_ARRAY" && first.converted_type === undefined;
    return first === undefined ? below : [isText ? { ...first, converted_type: "UTF8" as const } : first, ...below];
  });
  const between = entry === undefined ? [] : [{ ...entry.element, name: "0" }];
  return [{ ...node.element, name }, ...between, ...children];
}

function toField(node: SchemaTree): ParquetField {
  const { name, scale } = node.element;
  if (isListLike(node)) {
    const [repeated] = node.children;
    const item = repeated?.children.length === 1 ? repeated.children[0] : repeated;
    return { name, kind: "list", scale: 0, children: item === undefined ? [] : [toField(item)] };
  }
  if (isMapLike(node)) {
    const value = node.children[0]?.children[1];
    return { name, kind: "map", scale: 0, children: value === undefined ? [] : [toField(value)] };
  }
  if (node.children.length > 0 && node.element.logical_type?.type !== "VARIANT") {
    refuseDoubles(node);
    return { name, kind: "struct", scale: 0, children: node.children.map(toField) };
  }
  if (scale === undefined) return { name, kind: "leaf", scale: 0, children: [] };
  if (scale < 0 || scale > maxScale) throw new Error(`${JSON.stringify(name)} has a scale of ${scale}`);
  return { name, kind: "decimal", scale, children: [] };
}

function refuseDoubles({ children }: SchemaTree): void {
  const names = new Set<string>();
  for (const { element } of children) {
    if (names.has(element.name)) throw new Error(`it has two columns named ${JSON.stringify(element.name)}`);
    names.add(element.name);
  }
}

/** A value that was read, as one of events; null where they have none. */
export function toEventValue(value: unknown, field: ParquetField): EventValue | null {
  if (value === null || value === undefined) return null;
  const [item] = field.children;
  switch (field.kind) {
    case "list":
      return item === undefined ? null : toList(value, item);
    case "map":
      if (Array.isArray(value)) return toList(value, field);
      return item === undefined
        ? null
        : toObject(
            Object.entries(value).map(([key, each]) => [unguard(key), each]),
            (each) => toEventValue(each, item),
          );
    case "struct": {
      if (Array.isArray(value)) return toList(value, field);
      const parts = field.children.map((child, index) => [child, (value as unknown[])[index]] as const);
      return Object.fromEntries(parts.map(([child, part]) => [child.name, toEventValue(part, child)])) as EventValue;
    }
    case "decimal":
      return isSequence(value) ? toList(value, field) : decimalOf(value, field.scale);
    case "leaf":
      return leafValue(value);
  }
}

const guard = "\0";

/** A text as the reader may use it for a key of a map; `toEventValue` makes it what it was. */
export function guardText(text: string): string {
  return text === "__proto__" || text.startsWith(guard) ? `${guard}${text}` : text;
}

function unguard(text: string): string {
  return text.startsWith(guard) ? text.slice(guard.length) : text;
}

/** Bytes are one value. */
function isSequence(value: unknown): boolean {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array));
}

function toList(value: unknown, item: ParquetField): EventValue {
  return Array.from(value as Iterable<unknown>, (each) => toEventValue(each, item)) as EventValue;
}

function toObject(entries: readonly [string, unknown][], read: (value: unknown) => EventValue | null): EventValue {
  return Object.fromEntries(entries.map(([name, each]) => [name, read(each)])) as EventValue;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function leafValue(value: unknown): EventValue | null {
  switch (typeof value) {
    case "string":
      return unguard(value);
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "object":
      break;
    default:
      return null;
  }
  if (value === null || value instanceof WideNumber) return value;
  if (value instanceof Uint8Array) return textOf(value);
  if (isSequence(value)) return Array.from(value as Iterable<unknown>, leafValue) as EventValue;
  return toObject(Object.entries(value), leafValue);
}

/** Bytes without a type are text in older files; those that are none, in base64. */
function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("base64");
  }
}

/** All digits of a decimal, which stands as a whole number, or as the bytes of one. */
function decimalOf(value: unknown, scale: number): EventValue | null {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  if (!isWhole && !(value instanceof Uint8Array)) return null;
  const whole = value instanceof Uint8Array ? wholeOf(value) : BigInt(value as bigint | number);
  if (scale === 0) return whole;
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, "0");
  return new WideNumber(`${whole < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** The number in two's complement, its highest byte first. */
function wholeOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}
