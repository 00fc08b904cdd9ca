import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { crowdingEvents, foreignMark, type SentEvent, type TenantCase, tenantCases } from "./tenant-events.ts";
import { type TenantQuery, tenantQueries } from "./tenant-queries.ts";
import { openTwoStores, type Seen, type TwoStores, type Which } from "./two-stores.ts";

export interface Size {
  readonly seed: number;
  /** Rounds of tenants, each ended by a restart of both stores. */
  readonly rounds: number;
  readonly tenantsPerRound: number;
  readonly queriesPerTenant: number;
  /**
   * The round from which on others have taken all columns of a source, so that fields of later tenants are in the JSON
   * only.
   */
  readonly crowdedFrom: Readonly<Record<SentEvent["source"], number>>;
}

/** The number of concurrent calls. */
const CONCURRENCY = 4;
const sources = ["edge", "function"] as const;

/**
 * The rule about tenants as a test: the answer from a store that contains other tenants too equals, byte for byte, that
 * of a store with the caller's tenants only, whatever was sent and queried. A failure names the seed, the events and
 * the call.
 */
export function testNonInterference({ seed, rounds, tenantsPerRound, queriesPerTenant, crowdedFrom }: Size): void {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores();
  }, 60_000);

  afterAll(async () => {
    await stores.stop();
  });

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    `a query answers a tenant as if no other tenants existed, seed ${seed}, round %i`,
    { timeout: 900_000 },
    async (round) => {
      const options = { seed: seed + round, numRuns: tenantsPerRound };
      const cases = fc.sample(tenantCases(), options).map((make, index) => make(round * tenantsPerRound + index));
      const queries = fc.sample(tenantQueries, { seed: seed + round, numRuns: tenantsPerRound * queriesPerTenant });
      for (const source of sources) {
        if (crowdedFrom[source] === round) await ingestAll(stores, "shared", crowdingEvents(source));
      }
      await sendCases(stores, cases);
      if (round > 0 || rounds === 1) await stores.restart();
      const calls = queries.map((query, index) => {
        const tenant = cases[index % tenantsPerRound];
        if (tenant === undefined) throw new Error("There are no cases");
        // The counts match the project against URLs: only a pin binds them to a tenant.
        return { tenant, query, isPinned: index % 3 !== 0 || query.endpoint !== "logs.all" };
      });
      const differences = await compareAll(stores, calls);
      expect(differences.slice(0, 5), `${differences.length} of ${calls.length} calls differ`).toEqual([]);
    },
  );
}

/** Others first, then the tenants' own, then others again; a tenant's events arrive in one order in both stores. */
export async function sendCases(stores: TwoStores, cases: readonly TenantCase[]): Promise<void> {
  await ingestAll(
    stores,
    "shared",
    cases.flatMap(({ othersBefore }) => othersBefore),
  );
  const own = cases.flatMap((each) => each.own);
  await ingestAll(stores, "alone", own);
  await ingestAll(stores, "shared", own);
  await ingestAll(
    stores,
    "shared",
    cases.flatMap(({ othersAfter }) => othersAfter),
  );
}

async function ingestAll(stores: TwoStores, which: Which, events: readonly SentEvent[]): Promise<void> {
  for (const source of sources) {
    const texts = events.filter((event) => event.source === source).map(({ json }) => json);
    if (texts.length > 0) await stores.ingest(which, source, texts);
  }
}

interface Call {
  readonly tenant: TenantCase;
  readonly query: TenantQuery;
  readonly isPinned: boolean;
}

async function compareAll(stores: TwoStores, calls: readonly Call[]): Promise<string[]> {
  const differences: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++]) {
      const difference = await compare(stores, call);
      if (difference !== undefined) differences.push(difference);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return differences;
}

async function compare(stores: TwoStores, { tenant, query, isPinned }: Call): Promise<string | undefined> {
  const { endpoint, path, redacts, parameters: own } = query;
  const parameters = path === "/around" ? { ...tenant.event, ...own } : own;
  const call = { tenant: tenant.tenant, isPinned, endpoint, path, redacts, parameters };
  const [alone, shared] = await Promise.all([stores.ask("alone", call), stores.ask("shared", call)]);
  const [expected, answered] = [show(alone, query), show(shared, query)];
  const leaks = answered.includes(foreignMark) && !JSON.stringify(query.parameters).includes(foreignMark);
  // A query over stored events must not fail by itself.
  if (expected === answered && !leaks && shared.status < 500) return undefined;
  return [
    `${isPinned ? "pinned" : "named"} ${query.endpoint} ${JSON.stringify(query.parameters)}`,
    `alone:  ${expected.slice(0, 600)}`,
    `shared: ${answered.slice(0, 600)}`,
    ...[tenant.othersBefore, tenant.own, tenant.othersAfter].map((events) => events.map(({ json }) => json).join("\n")),
  ].join("\n");
}

/** The compared parts of an answer. */
function show({ status, headers, body }: Seen, { isExact, hasOpenOrder = false }: TenantQuery): string {
  const { link, "x-logweir-next-cursor": cursor, age: _age, "cache-status": cached, etag, ...others } = headers;
  // A cursor is encrypted anew each time.
  const page = cursor === undefined ? link?.replace(/cursor=[^>&]*/, "cursor=") : "cursor";
  // The age of a cached answer depends on time.
  const cache = cached?.replace(/ttl=-?\d+/, "ttl=");
  const exact = [status, others, page, cache];
  if (isExact && status === 200 && hasOpenOrder) return JSON.stringify([...exact, sortRows(body.toString())]);
  if (isExact) return JSON.stringify([...exact, etag, body.toString("latin1")]);
  if (status === 200) return JSON.stringify([status, sortRows(body.toString())]);
  const { code } = (JSON.parse(body.toString()) as { error: { code: string } }).error;
  return JSON.stringify([status, code, body.includes(foreignMark)]);
}

function sortRows(body: string): readonly string[] {
  const { result } = JSON.parse(body) as { result: readonly unknown[] };
  return result.map((row) => JSON.stringify(row)).sort();
}
