/**
 * A source's fields as one tenant sees them: what its events carried, and what the definition declares. Fields that
 * differ by case are one. The order does not show in which order fields came: declared ones as the definition has
 * them, then all others by name.
 */
import { foldName } from "./declaration.ts";
import { type EntrySet, hasEntry } from "./entry-set.ts";
import type { FieldTree } from "./field-tree.ts";
import { liveColumn, type SchemaEntry, type ValueType } from "./schema-entry.ts";

export interface ViewNode {
  /**
   * As the view shows it: the declared spelling, else the first of those that events had, in the order of their
   * characters.
   */
  name: string;
  /** Dotted, of shown names. */
  path: string;
  /** All names in events' JSON, the shown one first. */
  names: string[];
  readonly children: Map<string, ViewNode>;
  /** Columns by type; null: such values are in the JSON only. */
  readonly values: Map<ValueType, readonly string[] | null>;
  declared: ValueType | "record" | undefined;
  isRecord: boolean;
  isRepeated: boolean;
  isOpen: boolean;
  /** Events may have had values of types that are not listed: each row shows its own. */
  isUncertain: boolean;
  /** BOOLEAN columns of a record; null where the JSON shows. */
  presence: readonly string[] | null;
}

export interface ViewBasis {
  readonly entries: readonly SchemaEntry[];
  readonly tree: FieldTree;
  /** The entries that the view shows beside the declaration; undefined for everything. */
  readonly shown: EntrySet | undefined;
  /** Events have more fields than are listed. */
  readonly isOpen: boolean;
}

function createNode(name: string): ViewNode {
  return {
    name,
    path: name,
    names: [],
    children: new Map(),
    values: new Map(),
    declared: undefined,
    isRecord: false,
    isRepeated: false,
    isOpen: false,
    isUncertain: false,
    presence: [],
  };
}

function nodeAt(root: ViewNode, path: string): ViewNode {
  let node = root;
  if (path === "") return root;
  for (const name of path.split(".")) {
    let child = node.children.get(foldName(name));
    if (child === undefined) {
      child = createNode(name);
      node.children.set(foldName(name), child);
    }
    if (!child.names.includes(name)) child.names.push(name);
    node = child;
  }
  return node;
}

/** Columns with the same content, merged; null if a row may have it in the JSON only. */
function joined(known: readonly string[] | null | undefined, column: string | null): readonly string[] | null {
  if (column === null || known === null) return null;
  if (known === undefined) return [column];
  return known.includes(column) ? known : [...known, column];
}

/** The root, whose children are the table's columns beside the fixed ones. */
export function createViewTree({ entries, tree, shown, isOpen }: ViewBasis): ViewNode {
  const root = createNode("");
  root.isRecord = true;
  const { fields } = tree.declaration;
  for (const { path, type } of fields.values()) {
    const node = nodeAt(root, path);
    node.declared = type;
    if (type === "record") node.isRecord = true;
  }
  for (const [number, entry] of entries.entries()) {
    const declared = fields.get(foldName(entry.path));
    // A legacy entry, which says the same of every view that has the record.
    const isSaid = entry.role === "open" || shown === undefined || hasEntry(shown, number);
    if (!isSaid && declared?.path !== entry.path) continue;
    apply(root, entry, declared?.type, isSaid);
  }
  if (isOpen) root.isOpen = true;
  const rank = new Map([...fields.keys()].map((path, index) => [path, index]));
  arrange(root, "", { rank, isOpen, isUncertain: isOpen && shown !== undefined });
  return root;
}

function apply(root: ViewNode, entry: SchemaEntry, declared: ValueType | "record" | undefined, isSaid: boolean): void {
  const isScalarField = declared !== undefined && declared !== "record";
  if (entry.role === "json" || (entry.role === "open" && !isListed(root, entry.path))) return;
  if (isScalarField && entry.role !== "value") return;
  if (declared === "record" && entry.role === "value") return;
  if (isBelowScalar(root, entry.path)) return;
  const node = nodeAt(root, entry.path);
  // Of values that came before the field was declared, its spelling counts: they are in its column, which it always
  // has.
  if (isScalarField && entry.role === "value" && (entry.type !== declared || liveColumn(entry) === null)) return;
  switch (entry.role) {
    case "value":
      node.values.set(entry.type, joined(node.values.get(entry.type), liveColumn(entry)));
      return;
    case "record":
      node.isRecord = true;
      node.presence = joined(node.presence ?? undefined, liveColumn(entry));
      return;
    case "repeated":
      if (isSaid) node.isRepeated = true;
      return;
    case "open":
      node.isOpen = true;
  }
}

/** Objects at the path of a declared scalar are no part of the schema. */
function isBelowScalar(root: ViewNode, path: string): boolean {
  let node: ViewNode | undefined = root;
  for (const name of path.split(".").slice(0, -1)) {
    node = node.children.get(foldName(name));
    if (node === undefined) return false;
    if (node.declared !== undefined && node.declared !== "record") return true;
  }
  return false;
}

function isListed(root: ViewNode, path: string): boolean {
  let node: ViewNode | undefined = root;
  for (const name of path === "" ? [] : path.split(".")) node = node?.children.get(foldName(name));
  return node !== undefined;
}

interface Arrangement {
  /** Places of declared fields, by folded path. */
  readonly rank: ReadonlyMap<string, number>;
  readonly isOpen: boolean;
  readonly isUncertain: boolean;
}

/** Arranges names and order from the top down. */
function arrange(node: ViewNode, above: string, arrangement: Arrangement): void {
  const { rank, isOpen, isUncertain } = arrangement;
  const rankOf = (name: string) => rank.get(above === "" ? name : `${above}.${name}`) ?? rank.size;
  const children = [...node.children].sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  node.children.clear();
  for (const [folded, child] of children) {
    const [shown = child.name, ...others] = child.names;
    child.names = child.declared === undefined ? child.names.sort() : [shown, ...others.sort()];
    child.name = child.names[0] ?? child.name;
    child.path = node.path === "" ? child.name : `${node.path}.${child.name}`;
    if (isOpen && child.isRecord) child.isOpen = true;
    child.isUncertain = isUncertain && child.declared === undefined;
    node.children.set(folded, child);
    arrange(child, above === "" ? folded : `${above}.${folded}`, arrangement);
  }
}
