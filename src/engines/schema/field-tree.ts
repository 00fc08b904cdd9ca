/** The schema of a source as a tree of fields in their exact spelling, for walking events along it. */
import { type Declaration, foldName, NO_DECLARATION } from "./declaration.ts";
import { liveColumn, type SchemaEntry, type ValueType } from "./schema-entry.ts";

/** Values of one type at one path: the column that holds them (null: the JSON only), and the entry's number. */
export interface SeenValue {
  readonly column: string | null;
  readonly entry: number;
}

export interface FieldNode {
  readonly path: string;
  /** The field's name as a key of a JSON object, with the colon. */
  readonly jsonKey: string;
  readonly children: Map<string, FieldNode>;
  /** The first child of each folded name. */
  readonly folded: Map<string, FieldNode>;
  /** Another field of the same record has this name in other case. */
  hasTwin: boolean;
  /** The field's declaration in the source's definition. */
  readonly declared: ValueType | "record" | undefined;
  readonly values: Map<ValueType, SeenValue>;
  /** Numbers of the entries that say it; -1 where there is none. */
  recordEntry: number;
  repeatedEntry: number;
  /** BOOLEAN column of a record, where it has one. */
  presenceColumn: string | null;
}

/** The tree and what is counted over it. Changed by `applyEntries` only. */
export interface FieldTree {
  readonly declaration: Declaration;
  readonly root: FieldNode;
  /**
   * Columns by what they hold: folded path and role or type. Fields that differ by case share them; null: the JSON
   * holds it.
   */
  readonly columns: Map<string, string | null>;
  /** JSON text column of a top-level record, by folded name; that of fields without columns by the empty text. */
  readonly jsonColumns: Map<string, string>;
  entryCount: number;
  columnCount: number;
  /** Number of the last column that was named. */
  lastColumn: number;
}

function createNode(path: string, declaration: Declaration): FieldNode {
  return {
    path,
    jsonKey: `${JSON.stringify(path.slice(path.lastIndexOf(".") + 1))}:`,
    children: new Map(),
    folded: new Map(),
    hasTwin: false,
    declared: declaration.fields.get(foldName(path))?.type,
    values: new Map(),
    recordEntry: -1,
    repeatedEntry: -1,
    presenceColumn: null,
  };
}

export function createFieldTree(
  entries: readonly SchemaEntry[] = [],
  declaration: Declaration = NO_DECLARATION,
): FieldTree {
  const tree: FieldTree = {
    declaration,
    root: createNode("", declaration),
    columns: new Map(),
    jsonColumns: new Map(),
    entryCount: 0,
    columnCount: 0,
    lastColumn: 0,
  };
  applyEntries(tree, entries);
  return tree;
}

function nodeAt(tree: FieldTree, path: string): FieldNode {
  let node = tree.root;
  if (path === "") return node;
  for (const name of path.split(".")) {
    let child = node.children.get(name);
    if (child === undefined) {
      child = createNode(node.path === "" ? name : `${node.path}.${name}`, tree.declaration);
      const twin = node.folded.get(foldName(name));
      if (twin === undefined) node.folded.set(foldName(name), child);
      else twin.hasTwin = child.hasTwin = true;
      node.children.set(name, child);
    }
    node = child;
  }
  return node;
}

export function findNode(tree: FieldTree, path: string): FieldNode | undefined {
  let node: FieldNode | undefined = tree.root;
  for (const name of path.split(".")) node = node?.children.get(name);
  return node;
}

/** The fields at a path, in all spellings that events had. */
export function findSpellings(tree: FieldTree, path: string): readonly FieldNode[] {
  let nodes: readonly FieldNode[] = [tree.root];
  for (const name of path.split(".")) {
    const folded = foldName(name);
    nodes = nodes.flatMap(({ children }) =>
      [...children].flatMap(([own, child]) => (foldName(own) === folded ? [child] : [])),
    );
  }
  return nodes;
}

/** Numbers of the entries of values and of the record at a path. */
export function entriesAt(tree: FieldTree, path: string): number[] {
  const node = findNode(tree, path);
  if (node === undefined) return [];
  return [node.recordEntry, ...[...node.values.values()].map(({ entry }) => entry)].filter((entry) => entry >= 0);
}

/** Returns the key by which fields in other case find a column of this content. */
export function columnKey(path: string, holds: ValueType | "record"): string {
  return `${foldName(path)} ${holds}`;
}

/** Adds entries, in their order; each counts as one, under the next number. */
export function applyEntries(tree: FieldTree, entries: readonly SchemaEntry[]): void {
  for (const entry of entries) {
    const number = tree.entryCount++;
    const node = nodeAt(tree, entry.path);
    switch (entry.role) {
      case "value":
        node.values.set(entry.type, { column: liveColumn(entry), entry: number });
        noteColumn(tree, columnKey(entry.path, entry.type), liveColumn(entry));
        break;
      case "record":
        node.recordEntry = number;
        node.presenceColumn = liveColumn(entry);
        noteColumn(tree, columnKey(entry.path, "record"), node.presenceColumn);
        break;
      case "json":
        if (!tree.jsonColumns.has(foldName(entry.path))) tree.jsonColumns.set(foldName(entry.path), entry.column);
        break;
      case "repeated":
        node.repeatedEntry = number;
        break;
      case "open":
        break;
    }
    const column = "column" in entry ? entry.column : null;
    if (column !== null) {
      const index = Number(column.slice(1));
      if (index > tree.lastColumn) tree.columnCount++;
      tree.lastColumn = Math.max(tree.lastColumn, index);
    }
  }
}

function noteColumn(tree: FieldTree, key: string, column: string | null): void {
  if ((tree.columns.get(key) ?? null) === null) tree.columns.set(key, column);
}
