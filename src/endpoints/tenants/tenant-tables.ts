import type { TableDefinition, TablePlace, TenantRule } from "../../googlesql/relation.ts";
import type { SourceTables } from "../../sources/source-tables.ts";
import type { PlaceGuards } from "./place-guards.ts";
import { boundParameter, isSameRule, type ReadParameter, selectTenant } from "./tenant-rule.ts";

/** How a query sees the sources. */
export type SourceAccess =
  /** All that every event has carried: for owners' own queries, and to look at what an endpoint could meet. */
  | { readonly kind: "whole" }
  /** The sources' declarations, for facts that hold for any events. */
  | { readonly kind: "declared" }
  /** Everything that any caller may know: the declarations of sources with tenants, and all of sources without. */
  | { readonly kind: "public" }
  | CallAccess;

/** As a call of an endpoint sees them. */
export interface CallAccess {
  readonly kind: "call";
  /** Scans that the endpoint's query confines to one tenant. */
  readonly guards: PlaceGuards;
  readonly readValue: ReadParameter;
  readonly confinement?: Confinement | undefined;
  /** Filters guarded scans too: where their guard was not found again among the fields of the call's tenant. */
  readonly filtersGuarded?: boolean;
}

/** A limit on the scans of a call beside its query's own conditions. */
export type Confinement =
  /** A pin that selects the tenant: each scan is filtered, whatever the query says. */
  | { readonly kind: "bound"; readonly parameter: string; readonly tenant: string }
  /** A pin that selects no tenant: nothing of a source with tenants may be read. */
  | { readonly kind: "refused"; readonly parameter: string }
  /** The only parameter that the query compares with a tenant's field, in lower case: scans without a guard have it. */
  | { readonly kind: "inferred"; readonly parameter: string };

/** The part of a source that a lookup saw: everything, the declaration alone, or the table of a rule's tenant. */
export type Scope = { readonly kind: "whole" } | { readonly kind: "declared" } | TenantScope;

interface TenantScope {
  readonly kind: "tenant";
  readonly rule: TenantRule;
}

/** One lookup of a table, and what it answered. */
export interface SourceLookup {
  /** As the query wrote it. */
  readonly name: string;
  readonly scope: Scope;
  readonly definition: TableDefinition | undefined;
}

/** As `SourceTables.findTable` takes it. */
export function tenantOf(scope: Scope, readValue: ReadParameter): string | null | undefined {
  if (scope.kind === "whole") return undefined;
  return scope.kind === "declared" ? null : selectTenant(scope.rule, readValue);
}

const whole: Scope = { kind: "whole" };
const declared: Scope = { kind: "declared" };

/** Finds the tables of one query, and records each lookup once. */
export interface TenantTables {
  readonly lookups: readonly SourceLookup[];
  find(name: string, place: TablePlace): TableDefinition | undefined;
  /** The rule that the resolver filters a scan by. */
  filterOf(table: TableDefinition, place: TablePlace): TenantRule | undefined;
}

export function openTenantTables(sources: SourceTables, access: SourceAccess): TenantTables {
  const lookups: SourceLookup[] = [];
  const note = (name: string, scope: Scope, readValue: ReadParameter): TableDefinition | undefined => {
    const known = lookups.find((each) => each.name === name && isSameScope(each.scope, scope));
    if (known !== undefined) return known.definition;
    const definition = sources.findTable(name, tenantOf(scope, readValue));
    lookups.push({ name, scope, definition });
    return definition;
  };
  return {
    lookups,
    find(name, place) {
      if (access.kind === "whole") return note(name, whole, noValues);
      if (access.kind === "declared") return note(name, declared, noValues);
      const hasTenants = sources.findTable(name, null)?.tenantField !== undefined;
      if (access.kind === "public") return note(name, hasTenants ? declared : whole, noValues);
      if (isClosed(access, hasTenants)) return note(name, declared, noValues);
      const rule = hasTenants ? ruleOf(access, place) : undefined;
      return note(name, rule === undefined ? whole : { kind: "tenant", rule }, access.readValue);
    },
    filterOf(table, place) {
      if (access.kind !== "call" || table.tenantField === undefined) return undefined;
      const { guards, confinement, filtersGuarded = false } = access;
      const isGuarded = confinement?.kind !== "bound" && guards.at(place) !== undefined;
      return isGuarded && !filtersGuarded ? undefined : ruleOf(access, place);
    },
  };
}

const noValues: ReadParameter = () => undefined;

/** True where nothing of a source is the caller's: it has no tenants, or there is no tenant to read it as. */
function isClosed({ confinement }: CallAccess, hasTenants: boolean): boolean {
  return confinement?.kind === (hasTenants ? "refused" : "bound");
}

/** The rule of a scan: the pin's, else the query's own, else that of the parameter which it compares elsewhere. */
function ruleOf({ guards, confinement }: CallAccess, place: TablePlace): TenantRule | undefined {
  if (confinement?.kind === "bound") return { kind: "parameter", name: boundParameter };
  const inferred = confinement?.kind === "inferred" ? confinement.parameter : undefined;
  return guards.at(place) ?? (inferred === undefined ? undefined : { kind: "parameter", name: inferred });
}

function isSameScope(a: Scope, b: Scope): boolean {
  if (a.kind === "tenant") return b.kind === "tenant" && isSameRule(a.rule, b.rule);
  return a.kind === b.kind;
}
