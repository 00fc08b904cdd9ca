/** A source's schema as the resolver and the compiler see it. */

import type { TableColumn } from "../../../googlesql/relation.ts";
import {
  arrayOf,
  type RecordField,
  type RecordType,
  type SqlType,
  STRING,
  TIMESTAMP,
} from "../../../googlesql/types.ts";
import type { LeafLayout, TableLayout } from "../layout.ts";
import type { FieldNode, FieldTree } from "./field-tree.ts";
import { commonType, sqlTypeOf } from "./value-type.ts";

function fieldType(node: FieldNode): SqlType {
  // A record wins over values seen at the same path: they stay readable in the record's JSON.
  return node.isRecord ? arrayOf(recordType(node)) : commonType(node.values.keys());
}

function recordType(node: FieldNode): RecordType {
  const fields: RecordField[] = [];
  for (const [name, child] of node.children) fields.push({ name, type: fieldType(child) });
  return { kind: "RECORD", fields, isRepeated: node.isRepeated, isOpen: node.isOpen };
}

function leafOf(node: FieldNode): LeafLayout | undefined {
  if (node.isRecord || node.values.size === 0) return undefined;
  const variants = [];
  for (const [type, column] of node.values) {
    // A type without a column is only in the JSON, so the field must be read from there whole.
    if (column === null) return undefined;
    variants.push({ column, type: sqlTypeOf(type) });
  }
  return { type: commonType(node.values.keys()), variants };
}

/** The layout as it is now; the tree may grow afterwards, the layout does not. */
export function createTableLayout(name: string, table: string, tree: FieldTree): TableLayout {
  const columns: TableColumn[] = [
    { name: "timestamp", type: TIMESTAMP },
    { name: "id", type: STRING },
    { name: "event_message", type: STRING },
  ];
  const recordColumns = new Map<string, string>();
  const leaves = new Map<string, LeafLayout>(
    columns.map(({ name: column, type }) => [column, { type, variants: [{ column, type }] }]),
  );
  const presence = new Map<string, string>();

  const visit = (node: FieldNode): void => {
    const leaf = leafOf(node);
    if (leaf !== undefined) leaves.set(node.path, leaf);
    if (node.presenceColumn !== null) presence.set(node.path, node.presenceColumn);
    // Below an array of objects a row has several values: only the JSON holds them.
    if (node.isRepeated) return;
    for (const child of node.children.values()) visit(child);
  };
  for (const [field, node] of tree.root.children) {
    columns.push({ name: field, type: fieldType(node) });
    if (node.isRecord && node.jsonColumn !== null) recordColumns.set(field, node.jsonColumn);
    visit(node);
  }
  return { definition: { name, columns, isLenient: true }, table, recordColumns, leaves, presence };
}
