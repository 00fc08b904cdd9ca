import { describe, expect } from "vitest";
import { stoppedMs as now, type Row, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let lastId = 0;

function request(url: string, path: string, at: number) {
  return {
    id: `counted-${++lastId}`,
    timestamp: new Date(at).toISOString(),
    event_message: path,
    metadata: { request: { url, path }, response: { status_code: 200 } },
  };
}

/** Each interval with its window and its bucket. */
const windows = [
  ["15min", 15 * minute, minute],
  ["30min", 30 * minute, minute],
  ["1hr", hour, minute],
  ["minutely", hour, minute],
  ["hourly", hour, hour],
  ["3hr", 3 * hour, hour],
  ["1day", day, hour],
  ["3day", 3 * day, hour],
  ["daily", 7 * day, day],
  ["7day", 7 * day, day],
  ["weekly", 7 * day, day],
] as const;

const byTimestamp = (a: Row, b: Row) => (String(a.timestamp) < String(b.timestamp) ? -1 : 1);
const datetime = (at: number, bucketMs: number) =>
  new Date(Math.floor(at / bucketMs) * bucketMs).toISOString().slice(0, 19);
const counts = (timestamp: string, rest: number, storage: number, auth: number, realtime: number) => ({
  timestamp,
  total_rest_requests: rest,
  total_storage_requests: storage,
  total_auth_requests: auth,
  total_realtime_requests: realtime,
});

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  const url = "https://alpha.example.com";
  await service.ingest("edge", [
    // Inside all three windows.
    request(`${url}/rest/v1/a`, "/rest/v1/a", now - 10 * minute),
    request(`${url}/rest/v1/b`, "/rest/v1/b", now - 10 * minute),
    request(`${url}/auth/v1/token`, "/auth/v1/token", now - 20 * minute),
    // Counts in two areas; the area may stand anywhere in the path.
    request(`${url}/x/rest/y/storage/z`, "/x/rest/y/storage/z", now - 30 * minute),
    // In no area: its bucket appears with four zeros.
    request(`${url}/graphql/v1`, "/graphql/v1", now - 40 * minute),
    // Just inside and just outside of 60 minutes.
    request(`${url}/realtime/v1`, "/realtime/v1", now - hour),
    request(`${url}/realtime/v1`, "/realtime/v1", now - hour - 1),
    // Just inside and just outside of 7 days.
    request(`${url}/storage/v1`, "/storage/v1", now - 7 * day),
    request(`${url}/storage/v1`, "/storage/v1", now - 7 * day - 1),
    // At the first moment of each window, and before it.
    ...windows.flatMap(([, window]) =>
      [0, 1].map((before) => request("https://edges", "/auth", now - window - before)),
    ),
    // Another project, and one whose path (not URL) names this project.
    request("https://beta.example.com/rest/v1/a", "/rest/v1/a", now - 10 * minute),
    request("https://beta.example.com/rest/v1", "/rest/v1/alpha", now - 10 * minute),
  ]);
});

describe("the interval minutely", () => {
  it("counts the last 60 minutes by minute", async () => {
    const rows = await service.rows("usage.api-counts", { interval: "minutely", project: "alpha" });
    expect(rows).toEqual(
      [
        counts(datetime(now - hour, minute), 0, 0, 0, 1),
        counts(datetime(now - 40 * minute, minute), 0, 0, 0, 0),
        counts(datetime(now - 30 * minute, minute), 1, 1, 0, 0),
        counts(datetime(now - 20 * minute, minute), 0, 0, 1, 0),
        counts(datetime(now - 10 * minute, minute), 2, 0, 0, 0),
      ].sort(byTimestamp),
    );
  });
});

describe("the interval hourly", () => {
  it("counts the last hour by hour", async () => {
    const rows = await service.rows("usage.api-counts", { interval: "hourly", project: "alpha" });
    expect(rows).toEqual([counts("2026-08-20T09:00:00", 0, 0, 0, 1), counts("2026-08-20T10:00:00", 3, 1, 1, 0)]);
  });
});

describe("the interval daily", () => {
  it("counts the last 7 days by day", async () => {
    const rows = await service.rows("usage.api-counts", { interval: "daily", project: "alpha" });
    expect(rows).toEqual([counts("2026-08-13T00:00:00", 0, 1, 0, 0), counts("2026-08-20T00:00:00", 3, 1, 1, 2)]);
  });
});

it.each(windows)("the interval %s begins exactly %d ms ago, and counts by %d ms", async (interval, window, bucket) => {
  const rows = await service.rows("usage.api-counts", { interval, project: "edges" });
  const inside = windows.flatMap(([, other]) => [other, other + 1]).filter((age) => age <= window);
  const times = inside.map((age) => datetime(now - age, bucket));
  const expected = [...new Set(times)].map((time) =>
    counts(time, 0, 0, times.filter((each) => each === time).length, 0),
  );
  expect(rows).toEqual(expected.sort(byTimestamp));
});

describe("rows of usage.api-counts", () => {
  it("are sorted ascending and their counts are integers, never null", async () => {
    for (const interval of ["minutely", "hourly", "daily"]) {
      const rows = await service.rows("usage.api-counts", { interval, project: "example" });
      expect(rows).toEqual([...rows].sort(byTimestamp));
      for (const row of rows) {
        expect(Object.keys(row)).toEqual([
          "timestamp",
          "total_rest_requests",
          "total_storage_requests",
          "total_auth_requests",
          "total_realtime_requests",
        ]);
        expect(Object.values(row).slice(1).every(Number.isInteger)).toBe(true);
      }
    }
  });

  it("are none for a project without requests", async () => {
    expect(await service.rows("usage.api-counts", { interval: "daily", project: "nobody" })).toEqual([]);
  });
});

describe("the parameter project", () => {
  it.each([
    ["^https://alpha\\.", 3],
    ["ALPHA", 0],
    ["(?i)ALPHA", 3],
    ["alpha|beta", 5],
    ["beta", 2],
  ])("is the regular expression %s on the request's URL", async (project, restCount) => {
    const rows = await service.rows("usage.api-counts", { interval: "daily", project });
    expect(rows.reduce((sum, row) => sum + Number(row.total_rest_requests), 0)).toBe(restCount);
  });

  it("is refused when it is not a valid regular expression", async () => {
    const response = await service.get("/api/endpoints/query/usage.api-counts", { interval: "daily", project: "(" });
    expect(response.status).toBe(400);
  });

  it("is required", async () => {
    const response = await service.get("/api/endpoints/query/usage.api-counts", { interval: "daily" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { parameter: "project" } });
  });
});

describe("the parameter interval", () => {
  it.each(["yearly", "HOURLY", ""])("refuses %j and names the allowed values", async (interval) => {
    const response = await service.get("/api/endpoints/query/usage.api-counts", { interval, project: "alpha" });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { parameter: string; message: string; hint?: string } };
    expect(error.parameter).toBe("interval");
    for (const value of ["hourly", "daily", "minutely"]) expect(JSON.stringify(error)).toContain(value);
  });

  it("is required", async () => {
    const response = await service.get("/api/endpoints/query/usage.api-counts", { project: "alpha" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { parameter: "interval" } });
  });
});
