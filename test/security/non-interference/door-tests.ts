import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DoorRequest, doorRequests } from "./door-queries.ts";
import { sendCases } from "./non-interference-tests.ts";
import { foreignMark, personalMark, type TenantCase, tenantCases, withPersonalData } from "./tenant-events.ts";
import { openTwoStores, type Seen, type TwoStores } from "./two-stores.ts";

/** The number of concurrent requests. */
const CONCURRENCY = 4;

/**
 * The rule about tenants at the doors beside an endpoint's own address, and that of redaction: every third request is
 * one of a token that must see redacted data, whose answer has no personal data of the tenant's own events.
 */
export function testDoors(size: { readonly seed: number; readonly tenants: number; readonly requests: number }): void {
  const { seed, tenants, requests } = size;
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores();
  }, 60_000);

  afterAll(async () => {
    await stores.stop();
  });

  it(`every door answers a tenant as if no other tenants existed, seed ${seed}`, { timeout: 900_000 }, async () => {
    const cases = fc
      .sample(tenantCases(), { seed, numRuns: tenants })
      .map((make, index) => withPersonalData(make(index)));
    await sendCases(stores, cases);
    const asked = fc.sample(doorRequests, { seed, numRuns: requests });
    const told: Record<string, number> = {};
    const differences: string[] = [];
    const work = asked.map((request, index) => ({ request, of: cases[index % tenants], redacts: index % 3 === 0 }));
    let next = 0;
    const askAll = async (): Promise<void> => {
      for (let each = work[next++]; each !== undefined; each = work[next++]) {
        if (each.of === undefined) throw new Error("There are no tenants");
        const { status, difference } = await compare(stores, each.request, each.of, each.redacts);
        if (status === 200) told[each.request.door] = (told[each.request.door] ?? 0) + 1;
        if (difference !== undefined) differences.push(difference);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, askAll));
    expect(differences.slice(0, 5), `${differences.length} of ${asked.length} requests differ`).toEqual([]);
    expect(Object.keys(told).sort()).toEqual(["bigquery", "clickhouse", "loki", "mcp"]);
  });
}

async function compare(stores: TwoStores, request: DoorRequest, of: TenantCase, redacts: boolean) {
  const sent = { tenant: of.tenant, redacts, path: request.path, body: request.body };
  const [alone, shared] = await Promise.all([stores.send("alone", sent), stores.send("shared", sent)]);
  const [expected, answered] = [alone, shared].map((seen) => show(seen, request));
  const text = JSON.stringify(shared.headers) + shared.body;
  const asked = JSON.stringify(sent) + decodeURIComponent(request.path);
  const leaks = text.includes(foreignMark) && !asked.includes(foreignMark);
  const isRaw = redacts && text.includes(personalMark);
  if (expected === answered && !leaks && !isRaw && shared.status < 500) return { status: shared.status };
  const difference = [
    `${request.door} ${leaks ? "leaks" : isRaw ? "shows raw data" : "differs"}: ${asked}`,
    `alone:  ${expected?.slice(0, 1_500)}`,
    `shared: ${answered?.slice(0, 1_500)}`,
  ].join("\n");
  return { status: shared.status, difference };
}

/** The compared parts of an answer: without what is drawn for each, and without the order of rows. */
function show({ status, headers, body }: Seen, { isExact }: DoorRequest): string {
  const { etag: _, ...others } = headers;
  if (!isExact) return JSON.stringify([status, body.includes(foreignMark)]);
  const text = body
    .toString()
    .replaceAll(/job_[0-9a-f-]{36}/g, "job")
    .replaceAll(/"(?:creationTime|startTime|endTime)":"\d+"/g, '"time":""')
    .replaceAll(/"(?:pageToken|cursor)":"[\w.-]+"/g, '"page":""')
    .replaceAll(/\bcursor[=: \\"]+[\w-]{40,}/g, "cursor")
    .replaceAll(/(with|data) [0-9a-f]{12}/g, "$1 mark");
  return JSON.stringify([status, others["content-type"], sortDeeply(parse(text))]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  } catch {
    return text;
  }
}

function sortDeeply(value: unknown): unknown {
  if (typeof value === "string") return value.split("\n").sort();
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(sortDeeply(each))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sortDeeply(each)]),
  );
}
