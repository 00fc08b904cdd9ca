import type { TableDefinition, TablePlace, TenantRule } from "../../googlesql/relation.ts";
import type { SourceTables } from "../../sources/source-tables.ts";
import type { PlaceGuards } from "./place-guards.ts";
import { boundParameter, isSameRule, type ReadParameter, selectTenant } from "./tenant-rule.ts";

/** How a query sees the sources. */
export type SourceAccess =
  /** All that every event has carried: for owners' own queries, and to look at what an endpoint could meet. */
  | { readonly kind: "whole" }
  /**
   * What the sources declare, for what holds whatever events there are. With `places` each scan gets a definition of
   * its own.
   */
  | { readonly kind: "declared"; readonly places?: Map<TableDefinition, TablePlace> }
  /** What every caller may know: the declarations of sources with tenants, and everything of sources without. */
  | { readonly kind: "public" }
  | CallAccess;

/** As a call of an endpoint sees them. */
export interface CallAccess {
  readonly kind: "call";
  /** Scans that the endpoint's query confines to one tenant. */
  readonly guards: PlaceGuards;
  readonly readValue: ReadParameter;
  /** The call's tenant where a pin binds it to one: it reads nothing else, whatever the query says. */
  readonly bound?: BoundTenant | undefined;
  /** Filters guarded scans too: where their guard was not found again among the fields of the call's tenant. */
  readonly filtersGuarded?: boolean;
}

export interface BoundTenant {
  /** The endpoint's parameter that tells it, in lower case. */
  readonly parameter: string;
  readonly tenant: string;
}

/** What a lookup saw: everything, the declaration alone, or the table of the tenant that a rule means. */
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

/** What the tables of one query are found with. Lookups are noted, each once. */
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
      if (access.kind === "declared") {
        const definition = note(name, declared, noValues);
        if (definition === undefined || access.places === undefined) return definition;
        const own = { ...definition };
        access.places.set(own, place);
        return own;
      }
      if (access.kind === "public") {
        return note(name, sources.findTable(name, null)?.tenantField === undefined ? whole : declared, noValues);
      }
      const rule = ruleOf(access, place);
      const scope: Scope = rule === undefined ? whole : { kind: "tenant", rule };
      const { readValue, bound } = access;
      if (bound === undefined) return note(name, scope, readValue);
      // Nothing of a source without tenants is the caller's.
      const isShared = sources.findTable(name, bound.tenant)?.tenantField === undefined;
      return note(name, isShared ? declared : scope, (key) => (key === boundParameter ? bound.tenant : readValue(key)));
    },
    filterOf(table, place) {
      if (access.kind !== "call" || table.tenantField === undefined) return undefined;
      const rule = ruleOf(access, place);
      const isFiltered = access.filtersGuarded === true || (rule?.kind === "parameter" && rule.name === boundParameter);
      return isFiltered ? rule : undefined;
    },
  };
}

const noValues: ReadParameter = () => undefined;

/** The rule of a scan: the endpoint's own where it confines the scan to the call's tenant already. */
function ruleOf({ guards, bound }: CallAccess, place: TablePlace): TenantRule | undefined {
  const guard = guards.at(place);
  if (bound === undefined) return guard;
  const isBound = guard?.kind === "parameter" && guard.name === bound.parameter;
  return isBound ? guard : { kind: "parameter", name: boundParameter };
}

function isSameScope(a: Scope, b: Scope): boolean {
  if (a.kind === "tenant") return b.kind === "tenant" && isSameRule(a.rule, b.rule);
  return a.kind === b.kind;
}
