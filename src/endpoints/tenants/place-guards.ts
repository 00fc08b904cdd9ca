import type { TablePlace, TenantRule } from "../../googlesql/relation.ts";
import type { Guards } from "./find-guards.ts";
import { isSameRule } from "./tenant-rule.ts";

/** The rules that a query confines its scans by, by where the scans stand in its texts. */
export interface PlaceGuards {
  at(place: TablePlace): TenantRule | undefined;
  /** All rules. */
  readonly rules: readonly TenantRule[];
  /** Where sources with tenants are read without a rule, by their names. */
  readonly open: readonly OpenRead[];
}

/** A read of a source with tenants that no condition of the query confines to one. */
export interface OpenRead {
  readonly source: string;
  readonly place: TablePlace;
}

/** The guards of scans by their places. A place of several scans has the rule that all of them have. */
export function placeGuards(guards: Guards): PlaceGuards {
  const byPlace = new Map<string, TenantRule | undefined>();
  const open = new Map<string, OpenRead>();
  for (const [{ table, place }, rule] of guards) {
    const key = keyOf(place);
    const known = byPlace.get(key);
    const isSame = known !== undefined && rule !== undefined && isSameRule(known, rule);
    const placed = byPlace.has(key) && !isSame ? undefined : rule;
    byPlace.set(key, placed);
    if (placed === undefined && table.tenantField !== undefined) open.set(key, { source: table.name, place });
  }
  const rules = [...byPlace.values()].flatMap((rule) => rule ?? []);
  return {
    rules,
    open: [...open.values()],
    at: (place) => (rules.length === 0 ? undefined : byPlace.get(keyOf(place))),
  };
}

function keyOf({ text, span }: TablePlace): string {
  return `${span.start}:${span.end}:${text}`;
}
