/** Decides which of the fields that tenants' events bring are listed, and what gets a column of its own. */
import { foldName } from "./declaration.ts";
import { countEntries, type EntrySet, hasEntry, NO_ENTRIES } from "./entry-set.ts";
import { type FieldRequest, requestKey, type Tenant, type TenantRequests } from "./field-requests.ts";
import { columnKey, type FieldTree, findNode, findSpellings } from "./field-tree.ts";
import type { SchemaEntry } from "./schema-entry.ts";

export interface SchemaLimits {
  /** Columns that one tenant's fields may bring; its further fields are read from the JSON. */
  readonly maxTenantColumns: number;
  /**
   * Columns of a source's table: a commit holds half a megabyte of the engine's memory for each, values in it or not.
   */
  readonly maxColumns: number;
  /** Fields of one tenant that are listed, each type counting by itself; its records are open when it has more. */
  readonly maxTenantFields: number;
  /** The same of a source as a whole, which bounds its memory. */
  readonly maxFields: number;
}

export const defaultSchemaLimits: SchemaLimits = {
  maxTenantColumns: 500,
  maxColumns: 600,
  maxTenantFields: 5000,
  maxFields: 100_000,
};

/** Memory of the engine that a column needs, for a commit beside queries and a compaction. */
const MEMORY_PER_COLUMN = 7 * 2 ** 17;

/** How many of a source's columns one tenant's fields may have: the smaller of the two. */
export interface TenantColumns {
  readonly max: number;
  /** The share of the columns that a source may have. */
  readonly percent: number;
}

const defaultTenantColumns: TenantColumns = { max: defaultSchemaLimits.maxTenantColumns, percent: 90 };

/** The limits that an engine with so much memory can keep to. */
export function schemaLimitsFor(
  memoryLimitBytes: number,
  { max, percent }: TenantColumns = defaultTenantColumns,
): SchemaLimits {
  const maxColumns = Math.min(defaultSchemaLimits.maxColumns, Math.floor(memoryLimitBytes / MEMORY_PER_COLUMN));
  const maxTenantColumns = Math.min(max, Math.floor((maxColumns * percent) / 100));
  return { ...defaultSchemaLimits, maxColumns, maxTenantColumns };
}

/** The facts about tenants whose events bring fields. */
export interface GrantBasis {
  /** Fields that share a column that they do not have get one after all. */
  readonly isDeclaring?: boolean | undefined;
  readonly tree: FieldTree;
  readonly entries: readonly SchemaEntry[];
  readonly limits: SchemaLimits;
  readonly tenants: { get(tenant: Tenant): { readonly entries: EntrySet } };
}

export interface Grant {
  readonly entries: readonly SchemaEntry[];
  /** Tenants that may bring nothing further: some of what they asked for is refused. */
  readonly full: readonly Tenant[];
}

function countColumns(entries: readonly SchemaEntry[], set: EntrySet): number {
  let count = 0;
  for (const [number, entry] of entries.entries()) {
    if ("column" in entry && entry.column !== null && hasEntry(set, number)) count++;
  }
  return count;
}

/** Grants entries one by one: each may share its column with one before it. */
class Granting {
  readonly #basis: GrantBasis;
  readonly #granted = new Map<string, SchemaEntry>();
  readonly #columns = new Map<string, string | null>();
  readonly #jsonColumns = new Set<string>();
  #lastColumn: number;
  #columnCount: number;

  constructor(basis: GrantBasis) {
    this.#basis = basis;
    this.#lastColumn = basis.tree.lastColumn;
    this.#columnCount = basis.tree.columnCount;
  }

  entries(): readonly SchemaEntry[] {
    return [...this.#granted.values()];
  }

  /**
   * The tenant's requests in an order of their own, so that what is granted to it depends on no other tenant. False:
   * some were refused.
   */
  grantTenant({ tenant, requests }: TenantRequests): boolean {
    const { entries, tenants, limits, tree } = this.#basis;
    const known = tenants.get(tenant).entries;
    let fieldsLeft = limits.maxTenantFields - countEntries(known);
    let columnsLeft = limits.maxTenantColumns - countColumns(entries, known);
    const ordered = requests.map((request) => [requestKey(request), request] as const);
    for (const [key, request] of ordered.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (request.role === "rest") {
        this.#addJson("", false);
        continue;
      }
      if (fieldsLeft-- <= 0) return false;
      if (this.#granted.has(key)) continue;
      if (tree.entryCount + this.#granted.size >= limits.maxFields) return false;
      if (this.#add(key, request, columnsLeft > 0)) columnsLeft--;
    }
    return true;
  }

  /** True when it made a column. */
  #add(key: string, request: Exclude<FieldRequest, { role: "rest" }>, mayHaveColumn: boolean): boolean {
    const { path, role } = request;
    if (role === "repeated") {
      this.#granted.set(key, { role, path });
      return false;
    }
    if (role === "record" && !path.includes(".")) this.#addJson(path, true);
    const holds = columnKey(path, role === "value" ? request.type : role);
    const shared = this.#columns.has(holds) ? this.#columns.get(holds) : this.#basis.tree.columns.get(holds);
    const isMissing = shared === undefined || (shared === null && this.#basis.isDeclaring === true);
    const isNew = isMissing && mayHaveColumn && request.isSingle && this.#hasRoom();
    const column = shared ?? (isNew ? this.#nextColumn(role === "value" ? "c" : "p") : null);
    this.#columns.set(holds, column);
    this.#granted.set(key, role === "value" ? { role, path, type: request.type, column } : { role, path, column });
    return isNew;
  }

  #addJson(path: string, isOptional: boolean): void {
    const key = foldName(path);
    if (this.#basis.tree.jsonColumns.has(key) || this.#jsonColumns.has(key)) return;
    // Without one the record is kept where the other fields without columns are.
    if (isOptional && (!this.#hasRoom() || this.#basis.tree.columns.has(columnKey(path, "record")))) return;
    this.#jsonColumns.add(key);
    this.#granted.set(`${path} json`, { role: "json", path, column: this.#nextColumn("j") });
  }

  #hasRoom(): boolean {
    return this.#columnCount < this.#basis.limits.maxColumns;
  }

  #nextColumn(prefix: string): string {
    this.#lastColumn++;
    this.#columnCount++;
    return `${prefix}${this.#lastColumn}`;
  }
}

/** The entries to add for what tenants' events lack, in the order in which they are to be added. */
export function grantEntries(basis: GrantBasis, missing: readonly TenantRequests[]): Grant {
  const granting = new Granting(basis);
  const full = missing.filter((tenant) => !granting.grantTenant(tenant)).map(({ tenant }) => tenant);
  return { entries: granting.entries(), full };
}

/** The entries that a source's declaration needs beside those that are there: its fields always have columns. */
export function declaredEntries(tree: FieldTree): readonly SchemaEntry[] {
  const unbounded = { maxTenantColumns: 1e6, maxColumns: 1e6, maxTenantFields: 1e6, maxFields: 1e6 };
  const granting = new Granting({
    isDeclaring: true,
    tree,
    entries: [],
    limits: unbounded,
    tenants: { get: () => ({ entries: NO_ENTRIES }) },
  });
  const requests: FieldRequest[] = [];
  for (const { path, type } of tree.declaration.fields.values()) {
    const node = findNode(tree, path);
    if (type === "record" && (node?.recordEntry ?? -1) === -1) requests.push({ role: "record", path, isSingle: true });
    if (type === "record") continue;
    const isSingle = true;
    if (node?.values.has(type) !== true) requests.push({ role: "value", path, type, isSingle });
    // Values that came before the field was declared may have been in lists only, or have found no room for a column.
    for (const spelling of findSpellings(tree, path)) {
      if (spelling.values.get(type)?.column === null)
        requests.push({ role: "value", path: spelling.path, type, isSingle });
    }
  }
  granting.grantTenant({ tenant: null, requests });
  // There from the start, so that no view is made without it.
  granting.grantTenant({ tenant: null, requests: [{ role: "rest" }] });
  return granting.entries();
}
