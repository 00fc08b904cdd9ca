/** The service's copy of a source's schema; the truth is in the store's file. */
import type { SourceDefinition } from "../engine.ts";
import type { SourceSchema } from "./host/protocol.ts";
import type { TableLayout } from "./layout.ts";
import { applyEntries, createFieldTree, type FieldTree, type SchemaLimits } from "./schema/field-tree.ts";
import type { SchemaEntry } from "./schema/schema-entry.ts";
import { SchemaRequests } from "./schema/schema-requests.ts";
import { createTableLayout } from "./schema/table-layout.ts";
import { valueTypeOf } from "./schema/value-type.ts";

export interface SourceState {
  readonly name: string;
  table: string;
  /** The schema's entries, in their order; another list after the engine was started again. */
  entries: SchemaEntry[];
  tree: FieldTree;
  layout: TableLayout;
  /** Changes of the schema, one after the other. */
  changes: Promise<unknown>;
  /** Changes that are under way or wait. */
  openChanges: number;
}

export function createSourceState({ name, table, entries }: SourceSchema): SourceState {
  const tree = createFieldTree(entries);
  return {
    name,
    table,
    entries: [...entries],
    tree,
    layout: createTableLayout(name, table, tree),
    changes: Promise.resolve(),
    openChanges: 0,
  };
}

/** Takes over what the store says after the engine host was started again. */
export function resetSourceState(state: SourceState, { name, table, entries }: SourceSchema): void {
  state.table = table;
  state.entries = [...entries];
  state.tree = createFieldTree(entries);
  state.layout = createTableLayout(name, table, state.tree);
}

/** Makes entries that the store keeps visible to queries and appends. */
export function growSourceState(state: SourceState, entries: readonly SchemaEntry[]): void {
  state.entries.push(...entries);
  applyEntries(state.tree, entries);
  state.layout = createTableLayout(state.name, state.table, state.tree);
}

/** What the schema lacks of the fields that the source's definition declares. */
export function missingKnownFields(
  tree: FieldTree,
  definition: SourceDefinition,
  limits: SchemaLimits,
): readonly SchemaEntry[] {
  const requests = new SchemaRequests(tree, limits);
  for (const { path, type } of definition.knownFields) {
    const names = path.split(".");
    let node = tree.root.children.get(names[0] ?? "");
    for (let depth = 1; depth < names.length; depth++) {
      const record = names.slice(0, depth).join(".");
      if (depth === 1 && (node === undefined || node.jsonColumn === null)) requests.json(record, node);
      if (node?.isRecord !== true) requests.record(record, node, true);
      node = node?.children.get(names[depth] ?? "");
    }
    if (type.kind === "RECORD" || (type.kind === "ARRAY" && type.element.kind === "RECORD")) {
      if (names.length === 1 && (node === undefined || node.jsonColumn === null)) requests.json(path, node);
      if (node?.isRecord !== true) requests.record(path, node, true);
      continue;
    }
    const valueType = valueTypeOf(type);
    if (node?.values.has(valueType) !== true) requests.value(path, node, valueType, true);
  }
  return requests.entries();
}
