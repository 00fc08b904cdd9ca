/**
 * Events as rows of their source's table: the JSON text of each record, and the values of the leaf columns, in one walk
 * along the source's fields. What the schema lacks is asked for; then the walk is done again with the wider schema.
 */

import { tenantOf } from "../../contract/event-tenant.ts";
import { type EventValue, type LogEvent, WideNumber } from "../../contract/query-engine.ts";
import type { Carried, TenantShare } from "../carried-entries.ts";
import { foldName } from "../declaration.ts";
import { fitArray, fitScalar } from "../declared-value.ts";
import { type FieldRequest, RequestCollector, type Tenant, type TenantRequests } from "../field-requests.ts";
import { columnKey, type FieldNode, type FieldTree } from "../field-tree.ts";
import {
  type EventObject,
  holdsObject,
  isObject,
  isRecordValue,
  listText,
  plainJson,
  recordJson,
  scalarText,
} from "../json-text.ts";
import { MistypedNotes } from "../mistyped-notes.ts";
import { RecordNames } from "../record-names.ts";
import { fixedFields, type ValueType } from "../schema-entry.ts";
import { arrayType, isScalar, type ScalarValue, scalarType } from "../value-type.ts";
import type { RowSink } from "./row-sink.ts";

/** The result of a walk for one tenant. */
interface WalkShare {
  readonly tenant: Tenant;
  readonly entries: Uint32Array;
  /** Has all the fields that a tenant may have: further ones are not asked for. */
  readonly isFull: boolean;
  eventCount: number;
  newestTimestampUs: bigint;
}

export type WalkedEvents =
  | { readonly carried: Carried; readonly missing?: undefined }
  /** The schema must grow by these before the events can be encoded; what the rows' taker has got is of no use. */
  | { readonly missing: readonly TenantRequests[] };

/** Walks events and gathers what they carry. */
export class EventWalk {
  readonly #rows: RowSink;
  readonly #requests = new RequestCollector();
  readonly #tree: FieldTree;
  readonly #full: ReadonlySet<Tenant>;
  readonly #shares = new Map<Tenant, WalkShare>();
  readonly #mistyped: MistypedNotes;
  #share: WalkShare;
  #row = 0;
  /** Top-level fields of the row that have no column, as the inside of a JSON object. */
  #rest = "";

  constructor(rows: RowSink, tree: FieldTree, full: ReadonlySet<Tenant>) {
    this.#rows = rows;
    this.#tree = tree;
    this.#full = full;
    this.#mistyped = new MistypedNotes(tree.declaration);
    this.#share = this.#createShare(null);
  }

  addEvent(event: LogEvent): void {
    this.#row = this.#rows.addRow(event);
    this.#rest = "";
    this.#enterShare(tenantOf(this.#tree.declaration.tenant, event.fields), event.timestampUs);
    const { root } = this.#tree;
    const names = new RecordNames(event.fields);
    for (const name of Object.keys(event.fields)) {
      const value = event.fields[name];
      if (value === undefined) continue;
      const node = root.children.get(name);
      const isAlone = node?.hasTwin === false && !this.#share.isFull;
      const keepsName = isAlone && (node.declared === undefined || this.#fits(name, node, value));
      if (!keepsName) this.#addRenamed(name, node, value, names);
      else this.#addField(name, node, value);
    }
    if (this.#rest === "") return;
    const column = this.#tree.jsonColumns.get("");
    // What is asked for besides may have a column of its own the next time.
    if (column === undefined && this.#requests.isEmpty) this.#requests.add(this.#share.tenant, { role: "rest" });
    else if (column !== undefined) this.#rows.put(this.#row, column, "STRING", `[{${this.#rest}}]`);
  }

  /**
   * Notes an event whose row was written from its bytes: the entries that it marked, and those of values that were
   * written apart. False where its tenant may bring no further fields, whose events are written otherwise.
   */
  noteEvent(tenant: Tenant, timestampUs: bigint, marks: Uint32Array, markCount: number, apart: EventWalk): boolean {
    if (this.#full.has(tenant)) return false;
    this.#enterShare(tenant, timestampUs);
    for (let i = 0; i < markCount; i++) this.#mark(marks[i] as number);
    const { entries } = this.#share;
    const others = apart.#share.entries;
    for (let i = 0; i < entries.length; i++) entries[i] = (entries[i] as number) | (others[i] as number);
    others.fill(0);
    return true;
  }

  /** Writes the value of a known field apart from its event and answers its text; undefined if it is not as known. */
  writeApart(row: number, node: FieldNode, value: EventValue): string | undefined {
    this.#row = row;
    const text = this.#writeValue(node.path, node, value, true);
    return this.#requests.isEmpty && this.#mistyped.all().length === 0 ? text : undefined;
  }

  #createShare(tenant: Tenant): WalkShare {
    const entries = new Uint32Array((this.#tree.entryCount + 31) >>> 5);
    return { tenant, entries, isFull: this.#full.has(tenant), eventCount: 0, newestTimestampUs: -(2n ** 63n) };
  }

  #enterShare(tenant: Tenant, timestampUs: bigint): void {
    if (this.#share.tenant !== tenant || this.#share.eventCount === 0) {
      let share = this.#shares.get(tenant);
      if (share === undefined) {
        share = this.#createShare(tenant);
        this.#shares.set(tenant, share);
      }
      this.#share = share;
    }
    this.#share.eventCount++;
    if (timestampUs > this.#share.newestTimestampUs) this.#share.newestTimestampUs = timestampUs;
  }

  /** A field whose name, or whose declared type, may have to give way. */
  #addRenamed(name: string, node: FieldNode | undefined, value: EventValue, names: RecordNames): void {
    let own = name;
    if (fixedFields.has(foldName(name)) || this.#givesWay(name, node, name, names)) own = names.freeNameFor(name);
    else if (!this.#fits(name, node, value)) {
      this.#mistyped.note(name, value);
      own = names.freeNameFor(name);
    }
    this.#addField(own, own === name ? node : this.#tree.root.children.get(own), value);
  }

  /** Must another spelling of the name in the same record go first: the declared one, else the one that came first? */
  #givesWay(path: string, node: FieldNode | undefined, name: string, names: RecordNames): boolean {
    // A full tenant's names need not be in the tree.
    if (node?.hasTwin === false && !this.#share.isFull) return false;
    const declared = this.#tree.declaration.fields.get(foldName(path))?.path;
    return names.firstOf(name, declared?.slice(declared.lastIndexOf(".") + 1)) !== name;
  }

  /** False for a top-level value that its declared type has no place for. */
  #fits(name: string, node: FieldNode | undefined, value: EventValue): boolean {
    const declared = this.#declared(name, node);
    if (declared === undefined) return true;
    if (declared === "record") return isRecordValue(value);
    if (isScalar(value)) return fitScalar(value, declared) !== undefined;
    return Array.isArray(value) && fitArray(value as readonly EventValue[], declared) !== undefined;
  }

  #addField(name: string, node: FieldNode | undefined, value: EventValue): void {
    const text = this.#writeValue(name, node, value, true);
    // Where a value is does not depend on what others sent later: views that are made already know it.
    const column = isRecordValue(value) ? this.#tree.jsonColumns.get(foldName(name)) : undefined;
    if (column !== undefined) this.#rows.put(this.#row, column, "STRING", text);
    else if (!this.#isWholeInColumn(node, value) || (this.#share.isFull && node?.declared === undefined))
      this.#rest += `${this.#rest === "" ? "" : ","}${JSON.stringify(name)}:${text}`;
  }

  /** Is a top-level value unchanged in its column? */
  #isWholeInColumn(node: FieldNode | undefined, value: EventValue): boolean {
    if (node === undefined || !isScalar(value)) return false;
    const { declared, values } = node;
    const type = declared === undefined || declared === "record" ? scalarType(value) : declared;
    return type !== "FLOAT64" && type !== "WIDE" && (values.get(type)?.column ?? null) !== null;
  }

  /** Writes a value's JSON text, and its leaves into their columns unless it lies within an array of objects. */
  #writeValue(path: string, node: FieldNode | undefined, value: EventValue, isSingle: boolean): string {
    const declared = this.#declared(path, node);
    if (isScalar(value)) {
      const text = scalarText(value);
      if (declared === undefined || declared === "record") {
        this.#putLeaf(path, node, scalarType(value), isSingle, value);
        return text;
      }
      const fitted = fitScalar(value, declared);
      if (fitted === undefined) this.#mistyped.note(path, value);
      else this.#putLeaf(path, node, declared, isSingle, fitted);
      return text;
    }
    if (Array.isArray(value)) return this.#writeArray(path, node, value as readonly EventValue[], isSingle, declared);
    if (declared !== undefined && declared !== "record") {
      this.#mistyped.note(path, value);
      return recordJson(value);
    }
    this.#noteRecord(path, node, isSingle);
    return `[${this.#writeObject(path, node, value as EventObject, isSingle)}]`;
  }

  #writeArray(
    path: string,
    node: FieldNode | undefined,
    items: readonly EventValue[],
    isSingle: boolean,
    declared: ValueType | "record" | undefined,
  ): string {
    const isScalarField = declared !== undefined && declared !== "record";
    if (holdsObject(items)) {
      if (isScalarField) {
        this.#mistyped.note(path, items);
        return recordJson(items);
      }
      return this.#writeObjects(path, node, items, isSingle);
    }
    const fitted = isScalarField ? fitArray(items, declared) : items;
    if (fitted === undefined) this.#mistyped.note(path, items);
    else {
      const type = isScalarField ? declared : arrayType(items);
      this.#putLeaf(path, node, type, isSingle, listText(fitted, type));
    }
    return plainJson(items);
  }

  #writeObjects(path: string, node: FieldNode | undefined, items: readonly EventValue[], isSingle: boolean): string {
    // An array of one object is what a single record is written as.
    const isRepeated = items.length > 1;
    this.#noteRecord(path, node, isSingle);
    if (isRepeated) {
      if (node === undefined || node.repeatedEntry === -1) this.#request({ role: "repeated", path });
      else this.#mark(node.repeatedEntry);
    }
    const parts = items.map((item) =>
      isObject(item) ? this.#writeObject(path, node, item, isSingle && !isRepeated) : plainJson(item),
    );
    return `[${parts.join(",")}]`;
  }

  #writeObject(path: string, node: FieldNode | undefined, object: EventObject, isSingle: boolean): string {
    let text = "";
    let names: RecordNames | undefined;
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === undefined) continue;
      let child = node?.children.get(name);
      let own = name;
      const isMisplaced = child?.declared === "record" && !isRecordValue(value);
      if (child?.hasTwin !== false || isMisplaced || this.#share.isFull) {
        names ??= new RecordNames(object);
        own = this.#nameInRecord(`${path}.${name}`, child, value, name, names);
        if (own !== name) child = node?.children.get(own);
      }
      const childText = this.#writeValue(child?.path ?? `${path}.${own}`, child, value, isSingle);
      text += `${text === "" ? "" : ","}${child?.jsonKey ?? `${JSON.stringify(own)}:`}${childText}`;
    }
    return `{${text}}`;
  }

  /** The name of a field that shares it with another, or stands where a record is declared and is none. */
  #nameInRecord(
    path: string,
    node: FieldNode | undefined,
    value: EventValue,
    name: string,
    names: RecordNames,
  ): string {
    if (this.#givesWay(path, node, name, names)) return names.freeNameFor(name);
    if (this.#declared(path, node) !== "record" || isRecordValue(value)) return name;
    this.#mistyped.note(path, value);
    return names.freeNameFor(name);
  }

  #declared(path: string, node: FieldNode | undefined): ValueType | "record" | undefined {
    return node === undefined ? this.#tree.declaration.fields.get(foldName(path))?.type : node.declared;
  }

  #noteRecord(path: string, node: FieldNode | undefined, isSingle: boolean): void {
    const isKnown = node !== undefined && node.recordEntry !== -1;
    if (isKnown) this.#mark(node.recordEntry);
    else this.#request({ role: "record", path, isSingle });
    const column = isKnown ? node.presenceColumn : this.#sharedColumn(path, "record");
    if (isSingle && column !== null) this.#rows.put(this.#row, column, "BOOL", true);
  }

  #putLeaf(path: string, node: FieldNode | undefined, type: ValueType, isSingle: boolean, value: ScalarValue): void {
    const seen = node?.values.get(type);
    if (seen === undefined) this.#request({ role: "value", path, type, isSingle });
    else this.#mark(seen.entry);
    const column = seen === undefined ? this.#sharedColumn(path, type) : seen.column;
    if (column === null || !isSingle) return;
    // Beyond 64 bits JavaScript has integers, and the column has not.
    const number = value instanceof WideNumber ? Number(value) : value;
    const stored = (type === "FLOAT64" || type === "WIDE") && typeof number === "bigint" ? Number(number) : number;
    this.#rows.put(this.#row, column, type, stored);
  }

  /** The column of a field in another spelling, which may be new and which a full tenant cannot add. */
  #sharedColumn(path: string, holds: ValueType | "record"): string | null {
    return this.#share.isFull ? (this.#tree.columns.get(columnKey(path, holds)) ?? null) : null;
  }

  #mark(entry: number): void {
    const { entries } = this.#share;
    const word = entry >>> 5;
    entries[word] = (entries[word] ?? 0) | (1 << (entry & 31));
  }

  #request(request: FieldRequest): void {
    if (!this.#share.isFull) this.#requests.add(this.#share.tenant, request);
  }

  finish(): WalkedEvents {
    if (!this.#requests.isEmpty) return { missing: this.#requests.all() };
    const tenants: TenantShare[] = [...this.#shares.values()];
    return { carried: { tenants, mistyped: this.#mistyped.all() } };
  }
}

const NO_TENANTS: ReadonlySet<Tenant> = new Set();

/**
 * Puts the events into rows, or says what the schema lacks for them. `full`: tenants that may bring no further fields;
 * theirs are in the JSON alone.
 */
export function walkEvents(
  rows: RowSink,
  tree: FieldTree,
  events: readonly LogEvent[],
  full: ReadonlySet<Tenant> = NO_TENANTS,
): WalkedEvents {
  const walk = new EventWalk(rows, tree, full);
  for (const event of events) walk.addEvent(event);
  return walk.finish();
}
