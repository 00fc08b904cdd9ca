import { resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tryAll } from "./attempt.ts";
import { type SecurityService, secret, startSecurityService } from "./security-service.ts";
import { failingConditions, oraclePlaces, oracleTables } from "./tables/oracles.ts";

const eventCount = 6_000;
/** An optimizer changes the order of conditions on the way through a table, once it has seen some ten thousand rows. */
const manyEvents = 60_000;

function event(index: number): object {
  const isOwn = index % 3 === 0;
  const project = isOwn ? "inside" : "outside";
  return {
    id: `${isOwn ? "a" : "z"}${index}`,
    timestamp: new Date(Date.parse("2026-08-20T09:00:00Z") + index * 10).toISOString(),
    project,
    event_message: `GET /${isOwn ? "own" : secret}/${index}`,
    metadata: { project_ref: project, request: { headers: { user_agent: project } } },
  };
}

async function ingestEvents(service: SecurityService, from: number, count: number): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => from + index);
  await service.ingest("edge", indices.map(event));
}

export interface OracleEffort {
  /** In how many places of each table a condition is tried. */
  readonly placesPerCondition: number;
  /** Every n-th condition is tried on a table; others on the next table, so that all of them are tried. */
  readonly everyNth: number;
}

/** The tests of conditions that would tell of rows they must not see, on a service of their own. */
export function testOracles({ placesPerCondition, everyNth }: OracleEffort): void {
  let service: SecurityService;

  /** Every third event is the attacker's; enough of them that an optimizer has something to choose. */
  beforeAll(async () => {
    service = await startSecurityService({
      queryTimeoutMs: 60_000,
      endpointsDir: resolve("test/security/oracle-endpoints"),
    });
    await ingestEvents(service, 0, eventCount);
    await service.ingest("db", [
      { id: "d1", project: "inside", event_message: "inside" },
      { id: "d2", project: "outside", event_message: "outside" },
    ]);
  }, 60_000);

  afterAll(async () => {
    await service.stop();
  });

  it.each(oracleTables)(
    "a sandboxed query evaluates no expression of a consumer on rows that %s excludes",
    { timeout: 240_000 },
    async (table) => {
      const places = Object.entries(oraclePlaces);
      const first = oracleTables.indexOf(table);
      const conditions = Object.entries(failingConditions).filter((_, index) => (index + first) % everyNth === 0);
      const attempts = conditions.flatMap(([name, condition], index) =>
        // Other places for each table and condition, so that all tables together see every pair.
        Array.from({ length: placesPerCondition }, (_, step) => {
          const [place, query] = places[(first + index + step) % places.length] ?? ["", () => ""];
          return { name: `${table}: ${name} in ${place}`, sql: query(table, condition) };
        }),
      );
      const failures = await tryAll(service, attempts, (_, { status }) =>
        status === 200 ? undefined : "was computed",
      );
      expect(failures).toEqual([]);
    },
  );

  it("a sandboxed query evaluates no expression of a consumer on rows that a plain condition excludes from many", {
    timeout: 60_000,
  }, async () => {
    for (let from = eventCount; from < manyEvents; from += 9_000) await ingestEvents(service, from, 9_000);
    const attempts = Object.entries(failingConditions).map(([name, condition]) => {
      return { name: `many rows: ${name}`, sql: `select count(*) as n from plain where ${condition}` };
    });
    const failures = await tryAll(service, attempts, (_, { status }) => (status === 200 ? undefined : "was computed"));
    expect(failures).toEqual([]);
  });
}
