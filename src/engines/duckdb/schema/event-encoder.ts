/**
 * Events as rows of their source's table: the JSON text of each record, and the values of the leaf columns, in one walk
 * along the source's fields. What the schema lacks is asked for; then the walk is done again with the wider schema.
 */
import type { EventValue, LogEvent } from "../../engine.ts";
import { BatchBuilder } from "../batch.ts";
import type { FieldNode, FieldTree, SchemaLimits } from "./field-tree.ts";
import type { SchemaEntry, ValueType } from "./schema-entry.ts";
import { SchemaRequests } from "./schema-requests.ts";
import { arrayType, isScalar, type ScalarValue, scalarType } from "./value-type.ts";

type EventObject = { readonly [field: string]: EventValue };

/** Top-level fields beyond the limit, and those named like a fixed column, are kept in this record. */
const OVERFLOW_FIELD = "_overflow";
const reservedFields: ReadonlySet<string> = new Set(["id", "timestamp", "event_message", OVERFLOW_FIELD]);

export type EncodedEvents =
  | { readonly batch: BatchBuilder; readonly missing?: undefined }
  /** The schema must grow by these before the events can be encoded. */
  | { readonly batch?: undefined; readonly missing: readonly SchemaEntry[] };

/** What JSON cannot hold in a string as it is: quotes, backslashes, control characters, lone surrogates. */
const NEEDS_ESCAPE = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

function scalarText(value: ScalarValue): string {
  if (typeof value === "string") return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  return typeof value === "number" ? JSON.stringify(value) : String(value);
}

/** Text of an element in an array of strings that also held other things. */
function elementText(item: EventValue): string {
  if (typeof item === "string") return item;
  return isScalar(item) ? scalarText(item) : plainJson(item);
}

function plainJson(value: EventValue): string {
  if (isScalar(value)) return scalarText(value);
  if (Array.isArray(value)) return `[${value.map(plainJson).join(",")}]`;
  const object = value as EventObject;
  return `{${Object.keys(object)
    .map((key) => `${JSON.stringify(key)}:${plainJson(object[key] ?? "")}`)
    .join(",")}}`;
}

function arrayText(items: readonly EventValue[], type: ValueType): string {
  if (type === "STRING[]") return `[${items.map((item) => JSON.stringify(elementText(item))).join(",")}]`;
  return `[${items.map((item) => (isScalar(item) ? scalarText(item) : "null")).join(",")}]`;
}

function isRecordValue(value: EventValue): boolean {
  return !isScalar(value) && (!Array.isArray(value) || holdsObject(value));
}

function holdsObject(items: readonly EventValue[]): boolean {
  return items.some((item) => !isScalar(item) && !Array.isArray(item));
}

/** A number's column: integers go with the floats once a field had one, so that one column tells all. */
function widen(type: ValueType, node: FieldNode): ValueType {
  if (type === "INT64" && node.values.has("FLOAT64")) return "FLOAT64";
  if (type === "INT64[]" && node.values.has("FLOAT64[]")) return "FLOAT64[]";
  return type;
}

class EventWalk {
  readonly #batch = new BatchBuilder();
  readonly #requests: SchemaRequests;
  readonly #tree: FieldTree;
  #row = 0;

  constructor(tree: FieldTree, limits: SchemaLimits) {
    this.#tree = tree;
    this.#requests = new SchemaRequests(tree, limits);
  }

  addEvent(event: LogEvent): void {
    this.#row = this.#batch.addRow(event);
    let overflow: Record<string, EventValue> | undefined;
    for (const name of Object.keys(event.fields)) {
      const value = event.fields[name];
      if (value === undefined) continue;
      if (reservedFields.has(name) || !this.#addField(name, value)) {
        overflow ??= {};
        overflow[name] = value;
      }
    }
    if (overflow !== undefined) this.#addField(OVERFLOW_FIELD, overflow);
  }

  /** False when there is no room for another top-level field. */
  #addField(name: string, value: EventValue): boolean {
    const node = this.#tree.root.children.get(name);
    if (node === undefined && name !== OVERFLOW_FIELD && !this.#requests.hasRoomForField(name)) return false;
    if (isRecordValue(value) && (node === undefined || node.jsonColumn === null)) this.#requests.json(name, node);
    const text = this.#writeValue(name, node, value, true);
    // A plain value at the path of a record has no leaf to be read from, so it goes where the record goes.
    if (node !== undefined && node.jsonColumn !== null) this.#batch.put(this.#row, node.jsonColumn, "STRING", text);
    return true;
  }

  /** Writes a value's JSON text, and its leaves into their columns unless it lies within an array of objects. */
  #writeValue(path: string, node: FieldNode | undefined, value: EventValue, isSingle: boolean): string {
    if (isScalar(value)) {
      const text = scalarText(value);
      this.#putLeaf(path, node, scalarType(value), isSingle, value, text);
      return text;
    }
    if (Array.isArray(value)) {
      const items = value as readonly EventValue[];
      if (holdsObject(items)) return this.#writeRepeated(path, node, items, isSingle);
      const type = arrayType(items);
      const text = plainJson(items);
      this.#putLeaf(path, node, type, isSingle, arrayText(items, type), text);
      return text;
    }
    this.#noteRecord(path, node, isSingle);
    const hasLeaves = isSingle && node?.isRepeated !== true;
    return `[${this.#writeObject(path, node, value as EventObject, hasLeaves)}]`;
  }

  #writeRepeated(path: string, node: FieldNode | undefined, items: readonly EventValue[], isSingle: boolean): string {
    this.#noteRecord(path, node, isSingle);
    if (node?.isRepeated !== true) this.#requests.repeated(path, node);
    const parts = items.map((item) =>
      isScalar(item) || Array.isArray(item)
        ? plainJson(item)
        : this.#writeObject(path, node, item as EventObject, false),
    );
    return `[${parts.join(",")}]`;
  }

  #writeObject(path: string, node: FieldNode | undefined, object: EventObject, isSingle: boolean): string {
    let text = "";
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === undefined) continue;
      const child = node?.children.get(name);
      const childText = this.#writeValue(child?.path ?? `${path}.${name}`, child, value, isSingle);
      text += `${text === "" ? "" : ","}${child?.jsonKey ?? `${JSON.stringify(name)}:`}${childText}`;
    }
    return `{${text}}`;
  }

  #noteRecord(path: string, node: FieldNode | undefined, isSingle: boolean): void {
    if (node?.isRecord !== true) this.#requests.record(path, node, isSingle);
    else if (isSingle && node.presenceColumn !== null) this.#batch.put(this.#row, node.presenceColumn, "BOOL", true);
  }

  #putLeaf(
    path: string,
    node: FieldNode | undefined,
    seen: ValueType,
    isSingle: boolean,
    value: ScalarValue,
    text: string,
  ): void {
    const type = node === undefined ? seen : widen(seen, node);
    const column = node?.values.get(type);
    if (column === undefined) this.#requests.value(path, node, type, isSingle);
    else if (column !== null && isSingle) {
      // A FLOAT64 takes the value itself; text only stands in for what JavaScript cannot hold.
      this.#batch.put(this.#row, column, type, type === "FLOAT64" && typeof value === "bigint" ? Number(text) : value);
    }
  }

  finish(): EncodedEvents {
    const missing = this.#requests.entries();
    return missing.length === 0 ? { batch: this.#batch } : { missing };
  }
}

/** Encodes the events, or tells what the schema lacks for them. */
export function encodeEvents(tree: FieldTree, events: readonly LogEvent[], limits: SchemaLimits): EncodedEvents {
  const walk = new EventWalk(tree, limits);
  for (const event of events) walk.addEvent(event);
  return walk.finish();
}
