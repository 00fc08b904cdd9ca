import type { EventStore } from "../../../engines/contract/query-engine.ts";
import type { TenantOfSource } from "../../tenants/newest-of-tenant.ts";
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
  /** Called with the names of all sources when these may be others, or have other tenants, than before. */
  noteSources(names: readonly string[]): void;
  /** Called when events were deleted. Resolves once they do not count, or the store cannot say so. */
  noteDeletion(): Promise<void>;
}

const readTimeoutMs = 30_000;

/** Tenants that the engine was asked for and that are remembered, also where they have no event. */
const MAX_ASKED = 10_000;

/**
 * Begins with what the store holds. `readTenant` is asked for a tenant that a call reads the first time, and again
 * after `noteSources` or where it failed.
 */
export async function createDataThrough(
  store: Pick<EventStore, "statistics">,
  readTenant: (of: TenantOfSource) => Promise<bigint | undefined>,
  signal: AbortSignal,
): Promise<DataThrough> {
  let newest = new Map<string, bigint>();
  /** By reads of the store under way: what was stored since each began. */
  const since = new Set<Map<string, bigint>>();
  const readStore = async (ending: AbortSignal) => {
    const noted = new Map<string, bigint>();
    since.add(noted);
    try {
      const held = await store.statistics(ending);
      for (const { name, newestTimestampUs } of held) raise(noted, name, newestTimestampUs ?? undefined);
      newest = noted;
    } finally {
      since.delete(noted);
    }
  };
  await readStore(signal);
  let tenants = new TenantTimes(readTenant);

  const newestOf = async ({ source, tenant }: TenantRead): Promise<bigint | undefined> => {
    const sourceNewestUs = newest.get(source);
    if (tenant === null || sourceNewestUs === undefined) return undefined;
    return tenant === undefined ? sourceNewestUs : tenants.of({ source, tenant, sourceNewestUs });
  };
  return {
    note(source, newestUs, byTenant) {
      for (const known of [newest, ...since]) raise(known, source, newestUs);
      for (const [tenant, us] of byTenant ?? []) tenants.note(source, tenant, us);
    },
    newestOf: (source) => newest.get(source),
    async of(reads) {
      return (await Promise.all(reads.map(newestOf))).reduce(latest, undefined);
    },
    noteSources(names) {
      for (const name of newest.keys()) if (!names.includes(name)) newest.delete(name);
      tenants = new TenantTimes(readTenant);
    },
    async noteDeletion() {
      await readStore(AbortSignal.timeout(readTimeoutMs)).catch(() => undefined);
      tenants = new TenantTimes(readTenant);
    },
  };
}

/** The newest events of tenants: of those that were stored since the start, and of those that were asked for. */
class TenantTimes {
  readonly #readTenant: (of: TenantOfSource) => Promise<bigint | undefined>;
  readonly #noted = new Map<string, bigint>();
  /** The store's answers, in the order of the questions. */
  readonly #asked = new Map<string, Promise<bigint | undefined>>();

  constructor(readTenant: (of: TenantOfSource) => Promise<bigint | undefined>) {
    this.#readTenant = readTenant;
  }

  note(source: string, tenant: string, us: bigint): void {
    const key = keyOf(source, tenant);
    this.#noted.set(key, latest(this.#noted.get(key), us) ?? us);
  }

  async of(wanted: TenantOfSource): Promise<bigint | undefined> {
    const key = keyOf(wanted.source, wanted.tenant);
    const asked = this.#asked.get(key) ?? this.#ask(key, wanted);
    return latest(await asked, this.#noted.get(key));
  }

  #ask(key: string, wanted: TenantOfSource): Promise<bigint | undefined> {
    const asked = this.#readTenant(wanted).catch(() => {
      // The next call that needs it asks again.
      this.#asked.delete(key);
      return undefined;
    });
    this.#asked.set(key, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_ASKED && oldest !== undefined) this.#asked.delete(oldest);
    return asked;
  }
}

function keyOf(source: string, tenant: string): string {
  return `${source.length}:${source}${tenant}`;
}

function raise(times: Map<string, bigint>, name: string, us: bigint | undefined): void {
  const newest = latest(times.get(name), us);
  if (newest !== undefined) times.set(name, newest);
}

function latest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
