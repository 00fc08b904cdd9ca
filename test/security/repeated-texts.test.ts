import { resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isWhole } from "../support/sample-size.ts";
import { tryAll } from "./attempt.ts";
import { type SecurityService, secret, startSecurityService } from "./security-service.ts";

let service: SecurityService;

/** Repeated texts are stored with a dictionary, which contains those of all projects. */
beforeAll(async () => {
  service = await startSecurityService({
    queryTimeoutMs: 60_000,
    endpointsDir: resolve("test/security/oracle-endpoints"),
  });
  const events = Array.from({ length: 9_000 }, (_, index) => {
    const isOwn = index % 3 === 0;
    return {
      id: `${isOwn ? "a" : "z"}${index}`,
      timestamp: new Date(Date.parse("2026-08-20T09:00:00Z") + index * 10).toISOString(),
      project: isOwn ? "inside" : "outside",
      event_message: isOwn ? "2020" : secret,
      metadata: { year: isOwn ? `202${index % 7}` : `${secret}-${index % 5}` },
    };
  });
  await service.ingest("edge", events);
  await service.restart();
}, 60_000);

afterAll(() => service.stop());

const failing = [
  "parse_date('%Y', x)",
  "cast(x as int64)",
  "cast(x as float64)",
  "cast(x as numeric)",
  "parse_json(x)",
  "from_hex(x)",
  "cast([x] as array<int64>)[offset(0)]",
  "cast(split(x, '-')[offset(0)] as int64)",
  "if(starts_with(x, '20'), 1, error(x))",
  "div(1, length(x) - 4 + 1)",
  "parse_timestamp('%Y', lower(x))",
  "safe.parse_date('%Y', x)",
  "safe_cast(x as numeric)",
  "(select cast(y as int64) from unnest([x]) as y)",
];

/** Each expression over one of the columns, in turns, and over both in the whole long suites. */
const columns = ["event_message", "m.year"].map(
  (column, turn) => [column, failing.filter((_, index) => isWhole || index % 2 === turn)] as const,
);

it.each(columns)(
  "a query shows nothing of other projects' %s, and evaluates no expression on it",
  async (column, tried) => {
    const attempts = tried.map((expression) => {
      const value = expression.replaceAll(/\bx\b/g, column);
      return { name: expression, sql: `select count(${value}) as n from plain cross join unnest(metadata) as m` };
    });
    const failures = await tryAll(service, attempts, (_, { status, rows }) =>
      status === 200 && rows[0]?.n === 3_000 ? undefined : `was computed: ${JSON.stringify(rows)}`,
    );
    expect(failures).toEqual([]);
  },
);
