/** Collects what a schema lacks for a batch of events, and decides what gets a column of its own. */
import type { FieldNode, FieldTree, SchemaLimits } from "./field-tree.ts";
import type { SchemaEntry, ValueType } from "./schema-entry.ts";

/** Top-level fields may go beyond the limit of leaves by this many: they have no JSON to be read from. */
const EXTRA_TOP_LEVEL_FIELDS = 100;

function isTopLevel(path: string): boolean {
  return !path.includes(".");
}

export class SchemaRequests {
  readonly #tree: FieldTree;
  readonly #limits: SchemaLimits;
  readonly #entries = new Map<string, SchemaEntry>();
  /** Paths that the tree does not hold yet, and those of them that got a column. */
  readonly #newPaths = new Set<string>();
  readonly #newLeaves = new Set<string>();
  #lastColumn: number;

  constructor(tree: FieldTree, limits: SchemaLimits) {
    this.#tree = tree;
    this.#limits = limits;
    this.#lastColumn = tree.lastColumn;
  }

  entries(): readonly SchemaEntry[] {
    return [...this.#entries.values()];
  }

  /** True when a top-level field that the schema does not know can still be added. */
  hasRoomForField(name: string): boolean {
    if (this.#newPaths.has(name)) return true;
    const leaves = this.#tree.leafCount + this.#newLeaves.size;
    return this.#hasRoomToList() && leaves < this.#limits.maxLeaves + EXTRA_TOP_LEVEL_FIELDS;
  }

  /** A value of a type that its field has not carried. `isSingle` is false within an array of objects, where no column can hold it. */
  value(path: string, node: FieldNode | undefined, type: ValueType, isSingle: boolean): void {
    const key = `value ${type} ${path}`;
    if (this.#entries.has(key) || !this.#list(path, node)) return;
    const column = isSingle && this.#mayHaveLeaf(path, node) ? this.#nextColumn("c") : null;
    if (column !== null) this.#newLeaves.add(path);
    this.#entries.set(key, { role: "value", path, type, column });
  }

  record(path: string, node: FieldNode | undefined, isSingle: boolean): void {
    const key = `record ${path}`;
    if (this.#entries.has(key) || !this.#list(path, node)) return;
    const column = isSingle && this.#hasLeafRoom() ? this.#nextColumn("p") : null;
    this.#entries.set(key, { role: "record", path, column });
  }

  /** The JSON text column of a top-level record. */
  json(path: string, node: FieldNode | undefined): void {
    const key = `json ${path}`;
    if (this.#entries.has(key) || !this.#list(path, node)) return;
    this.#entries.set(key, { role: "json", path, column: this.#nextColumn("j") });
  }

  repeated(path: string, node: FieldNode | undefined): void {
    if (this.#list(path, node)) this.#entries.set(`repeated ${path}`, { role: "repeated", path });
  }

  /** True when the path is listed, or can be; else marks the nearest listed record as open. */
  #list(path: string, node: FieldNode | undefined): boolean {
    if (node !== undefined || this.#newPaths.has(path)) return true;
    if (this.#hasRoomToList()) {
      this.#newPaths.add(path);
      return true;
    }
    let record = this.#tree.root;
    for (const name of path.split(".")) {
      const child = record.children.get(name);
      if (child === undefined) break;
      record = child;
    }
    if (!record.isOpen) this.#entries.set(`open ${record.path}`, { role: "open", path: record.path });
    return false;
  }

  #hasRoomToList(): boolean {
    return this.#tree.fieldCount + this.#newPaths.size < this.#limits.maxFields;
  }

  #hasLeafRoom(): boolean {
    return this.#tree.leafCount + this.#newLeaves.size < this.#limits.maxLeaves;
  }

  /** All types of a field have columns, or none has: a field is read from one place. */
  #mayHaveLeaf(path: string, node: FieldNode | undefined): boolean {
    if (node?.isRecord === true) return false;
    if (node !== undefined && node.values.size > 0) return [...node.values.values()].every((column) => column !== null);
    return isTopLevel(path) || this.#newLeaves.has(path) || this.#hasLeafRoom();
  }

  #nextColumn(prefix: string): string {
    this.#lastColumn++;
    return `${prefix}${this.#lastColumn}`;
  }
}
