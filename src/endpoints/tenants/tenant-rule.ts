import type { TenantRule } from "../../googlesql/relation.ts";

/** The value of a parameter in one call, by lower-case name; undefined where it is NULL. */
export type ReadParameter = (name: string) => string | undefined;

/** The tenant that a rule means in a call; null for none: a comparison with NULL holds for no row. */
export function selectTenant(rule: TenantRule, readValue: ReadParameter): string | null {
  return rule.kind === "text" ? rule.value : (readValue(rule.name) ?? null);
}

export function isSameRule(a: TenantRule, b: TenantRule): boolean {
  if (a.kind === "text") return b.kind === "text" && a.value === b.value;
  return b.kind === "parameter" && a.name === b.name;
}

/** The parameter that holds the tenant of a call that a pin binds; no query can name it. */
export const boundParameter = "$tenant";
