/** The service's copy of a source's schema, and who of its tenants carried what; the truth is in the store's file. */
import type { MistypedField, SourceDefinition } from "../../contract/query-engine.ts";
import { createDeclaration, type Declaration, NO_DECLARATION } from "../declaration.ts";
import { type EntrySet, entrySetKey, parseEntries, withoutEntries } from "../entry-set.ts";
import type { Tenant } from "../field-requests.ts";
import { applyEntries, createFieldTree, entriesAt, type FieldTree } from "../field-tree.ts";
import { declaredEntries, type SchemaLimits } from "../grant-entries.ts";
import type { TableLayout } from "../layout.ts";
import type { SchemaEntry, ValueType } from "../schema-entry.ts";
import { createTableLayout } from "../table-layout.ts";
import type { NewSource, SourceRules, SourceSchema } from "./source-schema.ts";
import { type TenantSet, TenantSets } from "./tenant-sets.ts";
import { ViewLayouts } from "./view-layouts.ts";

/** Wraps each change of a schema for a store, when the change is asked for. */
export type ChangeGuard = (change: () => Promise<void>) => () => Promise<void>;

export interface SourceState {
  readonly name: string;
  readonly limits: SchemaLimits;
  table: string;
  /** The schema's entries, in their order; another list after the engine was started again. */
  entries: SchemaEntry[];
  tree: FieldTree;
  definition: SourceDefinition | undefined;
  declaration: Declaration;
  /** The rules of the definition. */
  rules: SourceRules | undefined;
  readonly tenants: TenantSets;
  /** Tenants that may bring no further fields. */
  readonly full: Set<Tenant>;
  /** Counts changes of what events are encoded by. */
  version: number;
  readonly layouts: ViewLayouts;
  /** The entries that a set shows beside the declared ones, which every view has. */
  shown: WeakMap<TenantSet, { readonly key: string; readonly entries: EntrySet }>;
  /** By declared path; since the start. */
  readonly mistyped: Map<string, MistypedField>;
  /** Changes of the schema, one after the other. */
  changes: Promise<unknown>;
  /** Changes that are running or waiting. */
  openChanges: number;
  readonly guard: ChangeGuard;
}

export function createSourceState(
  schema: SourceSchema,
  limits: SchemaLimits,
  guard: ChangeGuard = (change) => change,
): SourceState {
  const state: SourceState = {
    name: schema.name,
    limits,
    table: schema.table,
    entries: [],
    tree: createFieldTree(),
    definition: undefined,
    declaration: NO_DECLARATION,
    rules: undefined,
    tenants: new TenantSets(),
    full: new Set(),
    version: 0,
    layouts: new ViewLayouts(),
    shown: new WeakMap(),
    mistyped: new Map(),
    changes: Promise.resolve(),
    openChanges: 0,
    guard,
  };
  resetSourceState(state, schema);
  return state;
}

/** Takes over what the store says, at first and after the engine host was started again. */
export function resetSourceState(state: SourceState, { table, entries, tenants, rules }: SourceSchema): void {
  state.table = table;
  state.rules = rules;
  state.entries = [...entries];
  state.tenants.clear();
  state.full.clear();
  rebuild(state);
  for (const [tenant, text] of tenants) noteTenant(state, tenant, parseEntries(text));
}

/** Takes the source's definition over. */
export function defineSource(state: SourceState, definition: SourceDefinition): void {
  state.definition = definition;
  state.declaration = createDeclaration(definition);
  state.mistyped.clear();
  rebuild(state);
}

export function isSameRules(a: SourceRules | undefined, b: SourceRules): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A source of a definition, with no events yet. */
export function toNewSource(definition: SourceDefinition): NewSource {
  const entries = declaredEntries(createFieldTree([], createDeclaration(definition)));
  return { name: definition.name, entries, rules: rulesOf(definition) };
}

/** The part of a definition that the store has to know. */
export function rulesOf(definition: SourceDefinition): SourceRules {
  const fields: (readonly [string, ValueType])[] = [];
  for (const { path, type } of createDeclaration(definition).fields.values()) {
    if (type !== "record") fields.push([path, type]);
  }
  return { tenantField: definition.tenantField ?? null, fields };
}

function rebuild(state: SourceState): void {
  state.tree = createFieldTree(state.entries, state.declaration);
  state.version++;
  state.layouts.clear();
  state.shown = new WeakMap();
}

/** Changes of a source's schema come one after the other. */
export function changeSource(state: SourceState, change: () => Promise<void>): Promise<void> {
  state.openChanges++;
  const changed = state.changes.then(state.guard(change)).finally(() => {
    state.openChanges--;
  });
  state.changes = changed.catch(() => undefined);
  return changed;
}

/** Makes entries that the store keeps visible to appends. */
export function growSourceState(state: SourceState, entries: readonly SchemaEntry[]): void {
  state.entries.push(...entries);
  applyEntries(state.tree, entries);
  state.version++;
}

/** Notes the entries that a tenant has, once the store has stored them. */
export function noteTenant(state: SourceState, tenant: Tenant, entries: readonly number[]): void {
  state.tenants.add(tenant, entries);
  if (state.tenants.get(tenant).count >= state.limits.maxTenantFields && !state.full.has(tenant)) {
    state.full.add(tenant);
    state.version++;
  }
}

/** Two sets that show the same beside the declared fields are one view. */
function shownBy(state: SourceState, set: TenantSet): { readonly key: string; readonly entries: EntrySet } {
  let shown = state.shown.get(set);
  if (shown === undefined) {
    const declared = [...state.declaration.fields.values()].flatMap(({ path }) => entriesAt(state.tree, path));
    const entries = withoutEntries(set.entries, declared);
    shown = { key: entrySetKey(entries), entries };
    state.shown.set(set, shown);
  }
  return shown;
}

/** The layout as a tenant sees it; null: as one sees it that never sent anything; undefined: of everything. */
export function layoutFor(state: SourceState, tenant: string | null | undefined): TableLayout {
  const { name, table, entries, tree, definition, limits, layouts, full, declaration } = state;
  const create = (shown: EntrySet | undefined, isOpen: boolean) =>
    createTableLayout({ name, table, entries, tree, shown, isOpen, tenantField: definition?.tenantField });
  const isSourceFull = entries.length >= limits.maxFields;
  // Without tenants there is one view beside the declaration, and everybody has it.
  if (tenant === undefined || (tenant !== null && declaration.tenant === undefined)) {
    const isOpen = isSourceFull || full.size > 0;
    return layouts.whole(`${entries.length} ${isOpen}`, () => create(undefined, isOpen));
  }
  const set = state.tenants.get(tenant ?? "");
  const isKnown = tenant !== null && set.count > 0;
  const isOpen = isKnown && (set.count >= limits.maxTenantFields || isSourceFull);
  const shown = isKnown ? shownBy(state, set) : NOTHING_SHOWN;
  return layouts.of(`${shown.key} ${isOpen}`, () => create(shown.entries, isOpen));
}

const NOTHING_SHOWN = { key: "", entries: new Uint32Array(0) };
