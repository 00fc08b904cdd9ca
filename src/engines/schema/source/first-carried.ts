/** The new fields of a batch's tenants: stored with its rows, then visible. */
import type { AppendResult, Deletion } from "../../contract/query-engine.ts";
import type { Carried } from "../carried-entries.ts";
import { formatEntries, newEntries } from "../entry-set.ts";
import type { Tenant } from "../field-requests.ts";
import type { TenantEntries } from "./source-schema.ts";
import { noteTenant, type SourceState } from "./source-state.ts";

/** In the tenant's own order, whatever other tenants have sent before. */
function firstOf(state: SourceState, entries: readonly number[], count: number): readonly number[] {
  const keyed = entries.map((number) => {
    const entry = state.entries[number];
    return [number, entry === undefined ? "" : `${entry.path} ${"type" in entry ? entry.type : entry.role}`] as const;
  });
  keyed.sort(([, a], [, b]) => (a < b ? -1 : 1));
  return keyed
    .slice(0, count)
    .map(([number]) => number)
    .sort((a, b) => a - b);
}

type NewEntries = readonly (readonly [tenant: Tenant, entries: readonly number[]])[];

/** Returns the fields that the tenants of a batch had not carried before, up to the number that a tenant may have. */
function newOf(state: SourceState, { tenants }: Carried): NewEntries {
  const added: (readonly [Tenant, readonly number[]])[] = [];
  for (const { tenant, entries } of tenants) {
    const known = state.tenants.get(tenant);
    const found = newEntries(entries, known.entries);
    const room = state.limits.maxTenantFields - known.count;
    const taken = found.length <= room ? found : firstOf(state, found, room);
    if (taken.length > 0) added.push([tenant, taken]);
  }
  return added;
}

/**
 * Stores a batch with the fields that tenants carry for the first time, makes those visible before an answer, and notes
 * values that did not fit.
 */
export async function storeCarried<Result>(
  state: SourceState,
  carried: Carried,
  store: (added: readonly TenantEntries[]) => Promise<Result>,
): Promise<Result> {
  const added = newOf(state, carried);
  const { entries } = state;
  const result = await store(added.map(([tenant, numbers]) => [tenant, formatEntries(numbers)]));
  // After a restart of the engine the state is what the engine says, this append among it.
  if (state.entries === entries) noteCarried(state, added, carried);
  return result;
}

function noteCarried(state: SourceState, added: NewEntries, { mistyped }: Carried): void {
  for (const [tenant, entries] of added) noteTenant(state, tenant, entries);
  for (const field of mistyped) {
    const known = state.mistyped.get(field.path);
    const { count, example } = known ?? { count: 0, example: null };
    state.mistyped.set(field.path, { ...field, count: count + field.count, example: example ?? field.example });
  }
}

/** Deletes events of the source, and forgets the examples of values that did not fit: they may be of these events. */
export async function deleteCarried(state: SourceState, work: () => Promise<Deletion>): Promise<Deletion> {
  let deletion: Deletion | undefined;
  try {
    deletion = await work();
    return deletion;
  } finally {
    // One that failed may have deleted some.
    const isUnchanged = deletion?.deleted === 0;
    for (const field of isUnchanged ? [] : state.mistyped.values()) {
      state.mistyped.set(field.path, { ...field, example: null });
    }
  }
}

export function appendResult(
  state: SourceState,
  { stored, repeated }: AppendResult,
  { tenants, mistyped }: Carried,
): AppendResult {
  const count = mistyped.reduce((sum, field) => sum + field.count, 0);
  const newest = new Map<string, bigint>();
  for (const { tenant, newestTimestampUs } of tenants) if (tenant !== null) newest.set(tenant, newestTimestampUs);
  if (state.declaration.tenant === undefined) return { stored, repeated, ...(count === 0 ? {} : { mistyped: count }) };
  const tenantless = tenants.find(({ tenant }) => tenant === null)?.eventCount ?? 0;
  return {
    stored,
    repeated,
    ...(count === 0 ? {} : { mistyped: count }),
    ...(tenantless === 0 ? {} : { tenantless }),
    newestByTenant: newest,
  };
}
