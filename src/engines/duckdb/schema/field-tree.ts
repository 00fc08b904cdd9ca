/** The schema of a source as a tree of fields, for walking events along it. */
import type { SchemaEntry, ValueType } from "./schema-entry.ts";

export interface FieldNode {
  readonly path: string;
  /** The field's name as a key of a JSON object, with the colon. */
  readonly jsonKey: string;
  readonly children: Map<string, FieldNode>;
  /** Types of values seen here, with the column that holds them; null: in the JSON only. */
  readonly values: Map<ValueType, string | null>;
  isRecord: boolean;
  isRepeated: boolean;
  isOpen: boolean;
  /** BOOLEAN column of a record, where it has one. */
  presenceColumn: string | null;
  /** JSON text column of a top-level record. */
  jsonColumn: string | null;
}

export interface SchemaLimits {
  /** Fields of a source with columns of their own; those beyond are served from the JSON. */
  readonly maxLeaves: number;
  /** Fields of a source that are listed at all; a record with more is open. */
  readonly maxFields: number;
}

export const defaultSchemaLimits: SchemaLimits = { maxLeaves: 500, maxFields: 5000 };

/** The tree and what is counted over it. Changed by `applyEntries` only. */
export interface FieldTree {
  readonly root: FieldNode;
  /** Fields with at least one column. */
  leafCount: number;
  fieldCount: number;
  /** Number of the last column that was named. */
  lastColumn: number;
}

function createNode(path: string): FieldNode {
  return {
    path,
    jsonKey: `${JSON.stringify(path.slice(path.lastIndexOf(".") + 1))}:`,
    children: new Map(),
    values: new Map(),
    isRecord: false,
    isRepeated: false,
    isOpen: false,
    presenceColumn: null,
    jsonColumn: null,
  };
}

export function createFieldTree(entries: readonly SchemaEntry[] = []): FieldTree {
  const tree: FieldTree = { root: createNode(""), leafCount: 0, fieldCount: 0, lastColumn: 0 };
  applyEntries(tree, entries);
  return tree;
}

function nodeAt(tree: FieldTree, path: string): FieldNode {
  let node = tree.root;
  if (path === "") return node;
  for (const name of path.split(".")) {
    let child = node.children.get(name);
    if (child === undefined) {
      child = createNode(node.path === "" ? name : `${node.path}.${name}`);
      node.children.set(name, child);
      tree.fieldCount++;
    }
    node = child;
  }
  return node;
}

function hasLeaf(node: FieldNode): boolean {
  for (const column of node.values.values()) if (column !== null) return true;
  return false;
}

/** Adds entries, in their order. Adding one twice changes nothing. */
export function applyEntries(tree: FieldTree, entries: readonly SchemaEntry[]): void {
  for (const entry of entries) {
    const node = nodeAt(tree, entry.path);
    switch (entry.role) {
      case "value":
        if (entry.column !== null && !hasLeaf(node)) tree.leafCount++;
        node.values.set(entry.type, entry.column);
        break;
      case "record":
        node.isRecord = true;
        node.presenceColumn = entry.column;
        break;
      case "json":
        node.jsonColumn = entry.column;
        break;
      case "repeated":
        node.isRepeated = true;
        break;
      case "open":
        node.isOpen = true;
        break;
    }
    const column = "column" in entry ? entry.column : null;
    if (column !== null) tree.lastColumn = Math.max(tree.lastColumn, Number(column.slice(1)));
  }
}
