import type { EventStore } from "../../../engines/contract/query-engine.ts";
import type { NewestByTenant } from "../../tenants/newest-by-tenant.ts";
import type { TenantRead } from "../plan/planned-query.ts";

/**
 * Tracks the newest event of each source and of each of its tenants, mostly without asking the engine, because it sees
 * every event that is stored.
 */
export interface DataThrough {
  /**
   * Called with the newest of the events that were stored, in microseconds since 1970: of all of them, and of each
   * tenant's.
   */
  note(source: string, newestUs: bigint, byTenant?: ReadonlyMap<string, bigint>): void;
  /** The newest event of a source, in microseconds since 1970; undefined when it has none. */
  newestOf(source: string): bigint | undefined;
  /** The newest of the events that are read, in microseconds since 1970; undefined when there are none. */
  of(reads: readonly TenantRead[]): Promise<bigint | undefined>;
  /** Called when sources may have other tenants than before. */
  forgetTenants(): void;
}

/**
 * Begins with what the store holds; `readTenants` is asked for sources with events at once, and again after
 * `forgetTenants` or where it failed.
 */
export async function createDataThrough(
  store: Pick<EventStore, "statistics">,
  readTenants: (sources: readonly string[]) => Promise<NewestByTenant>,
  signal: AbortSignal,
): Promise<DataThrough> {
  const newest = new Map<string, bigint>();
  for (const { name, newestTimestampUs } of await store.statistics(signal)) {
    if (newestTimestampUs !== null) newest.set(name, newestTimestampUs);
  }
  let tenants = new Map<string, Map<string, bigint>>();
  let loading: Promise<void> | undefined;

  const noteTenants = (all: typeof tenants, source: string, found: ReadonlyMap<string, bigint>) => {
    const known = all.get(source) ?? new Map<string, bigint>();
    all.set(source, known);
    for (const [tenant, us] of found) known.set(tenant, latest(known.get(tenant), us) ?? us);
  };
  const load = (into: typeof tenants): Promise<void> =>
    readTenants([...newest.keys()]).then(
      (found) => {
        for (const [source, each] of found) noteTenants(into, source, each);
      },
      () => {
        // The next call that needs it reads it again.
        if (into === tenants) loading = undefined;
      },
    );
  loading = load(tenants);

  const newestOf = ({ source, tenant }: TenantRead): bigint | undefined => {
    if (tenant === null) return undefined;
    return tenant === undefined ? newest.get(source) : tenants.get(source)?.get(tenant);
  };
  return {
    note(source, newestUs, byTenant) {
      newest.set(source, latest(newest.get(source), newestUs) ?? newestUs);
      if (byTenant !== undefined) noteTenants(tenants, source, byTenant);
    },
    newestOf: (source) => newest.get(source),
    async of(reads) {
      if (reads.some(({ tenant }) => typeof tenant === "string")) {
        loading ??= load(tenants);
        await loading;
      }
      return reads.map(newestOf).reduce(latest, undefined);
    },
    forgetTenants() {
      tenants = new Map();
      loading = load(tenants);
    },
  };
}

function latest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
