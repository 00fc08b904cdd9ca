/** A source's fields by the bytes of their names, for walking JSON that has not been parsed. */

import { foldName } from "../../declaration.ts";
import type { FieldNode, FieldTree, SeenValue } from "../../field-tree.ts";
import type { ValueType } from "../../schema-entry.ts";
import type { ByteColumn } from "../byte-column.ts";
import type { ByteSink } from "../row-sink.ts";

/** Top-level fields that are not part of the tree. */
export type Reserved = "id" | "timestamp" | "message" | "other";

/** Deeper fields are left to the walk over parsed events. */
const MAX_DEPTH = 32;

/** An entry of values, and the column that holds them. */
export interface PlainValue {
  readonly entry: number;
  readonly column: ByteColumn | null;
}

/** A field whose name stands for itself wherever it occurs. */
export interface PlainNode {
  /** The name in quotes; and with a colon, as it is written. */
  readonly name: Buffer;
  readonly key: Buffer;
  readonly field: FieldNode;
  readonly reserved: Reserved | undefined;
  /** The field that identifies the tenant, and that or a record above it. */
  readonly isTenant: boolean;
  readonly holdsTenant: boolean;
  readonly strings: PlainValue | undefined;
  readonly ints: PlainValue | undefined;
  readonly floats: PlainValue | undefined;
  readonly bools: PlainValue | undefined;
  /** Booleans that show which rows have the record. */
  readonly presence: ByteColumn | null;
  /** JSON text of a top-level record. */
  readonly json: ByteColumn | undefined;
  /** The field that came first in it the last time, and the one that came after it: a guess at what comes next. */
  first: PlainNode | undefined;
  next: PlainNode | undefined;
  /** The event that had the field last. */
  seenIn: number;
  /** The field of the name in it; undefined for none whose name stands for itself. */
  childOf(name: string, isCleanName: (name: string) => boolean): PlainNode | undefined;
}

/** A tree as it was with so many entries. */
export interface PlainTree {
  readonly root: PlainNode;
  readonly entryCount: number;
  /** Top-level values that have no column of their own. */
  readonly rest: ByteColumn | undefined;
  /** Room for the numbers of the entries that an event carries. */
  readonly marks: Uint32Array;
}

const reservedNames: ReadonlyMap<string, Reserved> = new Map([
  ["id", "id"],
  ["timestamp", "timestamp"],
  ["message", "message"],
  ["event_message", "message"],
  // What these mean depends on what else the event, or the body, has.
  ["log_entry", "other"],
  ["batch", "other"],
]);

/**
 * The tree over the columns of a sink. Its fields are made when events bring them: after each new field of a source
 * with thousands the tree is another.
 */
export function createPlainTree(tree: FieldTree, sink: ByteSink): PlainTree {
  const tenant = tree.declaration.tenant?.join(".");
  const plainValueOf = (seen: SeenValue | undefined, type: ValueType): PlainValue | undefined =>
    seen && { entry: seen.entry, column: seen.column === null ? null : sink.column(seen.column, type) };

  const createNode = (name: string, field: FieldNode, depth: number, reserved?: Reserved): PlainNode => {
    const { values, presenceColumn } = field;
    const json = depth === 1 ? tree.jsonColumns.get(foldName(name)) : undefined;
    const known = new Map<string, PlainNode>();
    return {
      name: Buffer.from(JSON.stringify(name)),
      key: Buffer.from(`${JSON.stringify(name)}:`),
      field,
      reserved,
      isTenant: field.path === tenant && reserved === undefined,
      holdsTenant: tenant === field.path || tenant?.startsWith(`${field.path}.`) === true,
      strings: plainValueOf(values.get("STRING"), "STRING"),
      ints: plainValueOf(values.get("INT64"), "INT64"),
      floats: plainValueOf(values.get("FLOAT64"), "FLOAT64"),
      bools: plainValueOf(values.get("BOOL"), "BOOL"),
      presence: presenceColumn === null ? null : sink.column(presenceColumn, "BOOL"),
      json: json === undefined ? undefined : sink.column(json, "STRING"),
      first: undefined,
      next: undefined,
      seenIn: -1,
      childOf(childName, isCleanName) {
        let child = known.get(childName);
        if (child !== undefined) return child;
        child = createChild(field, childName, depth + 1, isCleanName);
        if (child !== undefined) known.set(childName, child);
        return child;
      },
    };
  };

  const createChild = (
    parent: FieldNode,
    name: string,
    depth: number,
    isCleanName: (name: string) => boolean,
  ): PlainNode | undefined => {
    const reserved = depth === 1 ? reservedNames.get(name) : undefined;
    if (reserved !== undefined) {
      const none: FieldNode = { ...tree.root, path: name, children: new Map(), values: new Map() };
      return createNode(name, none, depth, reserved);
    }
    const field = parent.children.get(name);
    if (field === undefined || field.hasTwin || depth > MAX_DEPTH || !isCleanName(name)) return undefined;
    return depth === 1 && reservedNames.has(foldName(name)) ? undefined : createNode(name, field, depth);
  };

  const { entryCount } = tree;
  const rest = tree.jsonColumns.get("");
  return {
    root: createNode("", tree.root, 0),
    entryCount,
    rest: rest === undefined ? undefined : sink.column(rest, "STRING"),
    marks: new Uint32Array(entryCount),
  };
}
