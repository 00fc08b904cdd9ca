import { describe, expect } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import type { Row, Service } from "./service.ts";
import { it } from "./shared-service.ts";
import { type Form, others, previews, reports, start, tables } from "./studio-forms.ts";

/** The forms of queries that a self-hosted Studio sends to `logs.all`, over events in the shapes of its log shipper. */
let service: Service;
const project = "studio";

/**
 * Returns the `metadata` of the shipper's events, by table; each table has three: the first fails, the others do not.
 */
function metadataOf(table: string, index: number): Record<string, unknown> {
  const isFirst = index === 0;
  switch (table) {
    case "edge_logs":
      return {
        request: {
          method: isFirst ? "POST" : "GET",
          path: isFirst ? "/auth/v1/token" : "/rest/v1/orders",
          protocol: "HTTP/1.1",
        },
        response: { status_code: isFirst ? 500 : 200 },
      };
    case "postgres_logs":
      return { host: "db-1", parsed: { error_severity: isFirst ? "ERROR" : "LOG", timestamp: start } };
    case "auth_logs":
      return {
        level: isFirst ? "error" : "info",
        status: isFirst ? 500 : 200,
        path: "/token",
        msg: "request completed",
      };
    case "storage_logs":
      return { level: isFirst ? "error" : "info", context: [{ host: "s", pid: 1 }] };
    case "realtime_logs":
      return { level: isFirst ? "error" : "info", external_id: "r" };
    case "supamonitor_logs":
      return { supamonitor: { query: "SELECT 1", query_id: 7, calls: 2, total_exec_time: 1.5 + index } };
    default:
      return { host: "a" };
  }
}

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  for (const [table, source, place] of tables) {
    const events = [0, 1, 2].map((index) => ({
      id: `${table}-${index}`,
      timestamp: `2026-08-20T09:0${index}:00.000Z`,
      event_message: index === 0 ? `it's broken in ${table}` : `fine ${index}`,
      ...(place === "top" ? { project } : {}),
      metadata: { ...metadataOf(table, index), ...(place === "top" ? {} : { [place]: project }) },
    }));
    await service.ingest(source, events);
  }
});

/** Runs all of them and returns those with unexpected results. */
async function misses(forms: readonly Form[]): Promise<readonly string[]> {
  const found: string[] = [];
  const window = { iso_timestamp_start: "2026-08-20T08:00:00.000Z", iso_timestamp_end: "2026-08-20T10:00:00.000Z" };
  const run = async ([sql, count, first = {}]: Form) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, ...window, sql });
    const text = await response.text();
    const rows = response.status === 200 ? (JSON.parse(text) as { result: Row[] }).result : undefined;
    const isExpected = Object.entries(first).every(([key, value]) => rows?.[0]?.[key] === value);
    if (rows?.length !== count || !isExpected) found.push(`${sql}\n  ${text.slice(0, 300)}`);
  };
  for (let at = 0; at < forms.length; at += 8) await Promise.all(forms.slice(at, at + 8).map(run));
  return found;
}

describe("queries in the form that a self-hosted Studio sends", () => {
  it("number more than 390", () => {
    expect(tables.flatMap(([table]) => previews(table)).length + reports().length + others.length).toBeGreaterThan(390);
  });

  it.each(tables.map(([table]) => table))("preview, count, chart and filter %s", async (table) => {
    expect(await misses(sampleOf(previews(table), 0.08))).toEqual([]);
  });

  it("report on services by their metadata", async () => {
    expect(await misses(sampleOf(reports(), 0.12))).toEqual([]);
  });

  it("can join, union, cast and read nested records", async () => {
    expect(await misses(others)).toEqual([]);
  });
});
