import type { Scan } from "../../googlesql/resolved.ts";
import { findGuards } from "./find-guards.ts";
import { isSameRule } from "./tenant-rule.ts";
import type { SourceLookup } from "./tenant-tables.ts";

/**
 * True where every scan of a tenant's table reads that tenant's rows only, in the query as it was resolved with these
 * tables.
 */
export function keepsGuards(scan: Scan, lookups: readonly SourceLookup[]): boolean {
  if (!lookups.some(({ scope }) => scope.kind === "tenant")) return true;
  for (const [{ table }, rule] of findGuards(scan)) {
    // Tenants of one shape share a table.
    const scopes = lookups.filter(({ definition }) => definition === table).map(({ scope }) => scope);
    const rules = scopes.flatMap((scope) => (scope.kind === "tenant" ? scope.rule : []));
    if (rules.length > 0 && !rules.some((each) => rule !== undefined && isSameRule(each, rule))) return false;
  }
  return true;
}
