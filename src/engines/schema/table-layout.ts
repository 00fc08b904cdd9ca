/** A source's schema as the resolver and the compiler see it. */

import type { TableColumn } from "../../googlesql/relation.ts";
import {
  arrayOf,
  MIXED,
  type RecordField,
  type RecordType,
  type SqlType,
  STRING,
  TIMESTAMP,
} from "../../googlesql/types.ts";
import { foldName } from "./declaration.ts";
import type { FieldTree } from "./field-tree.ts";
import type { LeafLayout, LeafVariant, TableLayout } from "./layout.ts";
import { commonType, sqlTypeOf } from "./value-type.ts";
import { createViewTree, type ViewBasis, type ViewNode } from "./view-tree.ts";

function valueType({ declared, values, isUncertain }: ViewNode): SqlType {
  if (declared !== undefined && declared !== "record") return sqlTypeOf(declared);
  return isUncertain ? MIXED : commonType(values.keys());
}

function fieldType(node: ViewNode): SqlType {
  if (!node.isRecord) return valueType(node);
  return node.values.size === 0 ? arrayOf(recordType(node)) : { kind: "MIXED", record: recordType(node) };
}

function recordType(node: ViewNode): RecordType {
  const fields: RecordField[] = [];
  for (const child of node.children.values()) {
    const { name, names, declared } = child;
    fields.push({
      name,
      type: fieldType(child),
      ...(names.length > 1 ? { names } : {}),
      ...(declared === undefined || declared === "record" ? {} : { isDeclared: true }),
    });
  }
  return { kind: "RECORD", fields, isRepeated: node.isRepeated, isOpen: node.isOpen };
}

function leafOf(node: ViewNode, isTopLevel: boolean): LeafLayout | undefined {
  if (node.values.size === 0) return undefined;
  // Below a record the JSON has every value, columns have those of the types that are listed.
  if (node.isUncertain && !isTopLevel) return undefined;
  const type = node.isRecord ? MIXED : valueType(node);
  const variants: LeafVariant[] = [];
  let isWhole = true;
  for (const [seen, columns] of node.values) {
    if (columns === null) isWhole = false;
    for (const column of columns ?? []) variants.push({ column, type: sqlTypeOf(seen) });
  }
  const presence = node.presence?.length === 1 ? node.presence[0] : undefined;
  if (node.isUncertain || (node.isRecord && presence === undefined)) isWhole = false;
  if (isWhole && (!node.isRecord || !isTopLevel)) return { type, variants, ...(node.isRecord ? { presence } : {}) };
  // A type without a column is only in the JSON, so the field must be read from there whole.
  return isTopLevel && type.kind === "MIXED" ? { type, variants, isPartial: true } : undefined;
}

/** Fields of events have names of their own beside the fixed columns. */
function shownName(name: string, taken: ReadonlySet<string>): string {
  let shown = name;
  while (taken.has(foldName(shown))) shown = `_${shown}`;
  return shown;
}

/** May values of the top-level field be where those without a column are? */
function hasRest(node: ViewNode, { jsonColumns }: FieldTree): boolean {
  if (!jsonColumns.has("")) return false;
  if (node.isUncertain || (node.isRecord && !jsonColumns.has(foldName(node.name)))) return true;
  const types = [...node.values];
  return (
    types.some(([type, columns]) => columns === null || type === "FLOAT64" || type === "WIDE" || type.endsWith("[]")) ||
    (node.isRecord && types.length > 0)
  );
}

export interface LayoutBasis extends ViewBasis {
  readonly name: string;
  readonly table: string;
  readonly tenantField?: string | undefined;
}

const fixed: readonly TableColumn[] = [
  { name: "timestamp", type: TIMESTAMP },
  { name: "id", type: STRING },
  { name: "event_message", type: STRING },
];

/** The layout of a view. */
export function createTableLayout(basis: LayoutBasis): TableLayout {
  const { name, table, tree, tenantField, isOpen } = basis;
  const columns = [...fixed];
  const recordColumns = new Map<string, string>();
  const rest = new Map<string, readonly string[]>();
  const leaves = new Map<string, LeafLayout>(
    columns.map(({ name: column, type }) => [column, { type, variants: [{ column, type }] }]),
  );
  const presence = new Map<string, string>();

  const visit = (node: ViewNode, path: string, isTopLevel: boolean): void => {
    const leaf = leafOf(node, isTopLevel);
    if (leaf !== undefined) leaves.set(path, leaf);
    const [only, ...others] = node.presence ?? [];
    if (only !== undefined && others.length === 0 && !node.isUncertain) presence.set(path, only);
    // Below an array of objects a row has several values: only the JSON holds them.
    if (node.isRepeated) return;
    for (const child of node.children.values()) visit(child, `${path}.${child.name}`, false);
  };
  const taken = new Set(columns.map((column) => column.name));
  for (const node of createViewTree(basis).children.values()) {
    const field = shownName(node.name, taken);
    taken.add(foldName(field));
    columns.push({ name: field, type: fieldType(node) });
    const json = tree.jsonColumns.get(foldName(node.name));
    if (json !== undefined && (node.declared === undefined || node.declared === "record"))
      recordColumns.set(field, json);
    if (hasRest(node, tree)) rest.set(field, node.names);
    visit(node, field, true);
  }
  const definition = { name, columns, isLenient: true, ...(tenantField === undefined ? {} : { tenantField }) };
  const restColumn = tree.jsonColumns.get("");
  const restFields = restColumn === undefined ? undefined : { column: restColumn, names: rest, isOpen };
  return { definition, table, recordColumns, leaves, presence, rest: restFields };
}
