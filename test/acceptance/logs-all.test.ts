import { beforeAll, describe, expect } from "vitest";
import { micros, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

it.beforeAll(({ sharedService }) => {
  service = sharedService;
});

/** The CTE tables, the sources behind them as clients name them, and where an event carries its project. */
const tables = [
  ["edge_logs", "cloudflare.logs.prod", "top"],
  ["db_logs", "postgres.logs", "top"],
  ["function_edge_logs", "deno-relay-logs", "project_ref"],
  ["function_logs", "deno-subhosting-events", "project_ref"],
  ["auth_logs", "gotrue.logs.prod", "top"],
  ["realtime_logs", "realtime.logs.prod", "project"],
  ["storage_logs", "storage.logs.prod.2", "project"],
  ["rest_logs", "postgREST.logs.prod", "top"],
  ["pooler_logs", "pgbouncer.logs.prod", "top"],
  ["auth_audit_logs", "auth_audit", "top"],
  ["pg_upgrade_logs", "pg_upgrade", "top"],
  ["etl_replication_logs", "etl_replication", "top"],
  ["multigres_logs", "multigres", "top"],
  ["workflow_run_logs", "workflow_run", "top"],
  ["supamonitor_logs", "supamonitor", "top"],
] as const;

function makeEvent(place: "top" | "project_ref" | "project", project: string, id: string, timestamp: string) {
  return place === "top"
    ? { id, timestamp, event_message: id, project, metadata: { level: "info" } }
    : { id, timestamp, event_message: id, metadata: { level: "info", [place]: project } };
}

describe.each(tables)("the table %s", (table, source, place) => {
  const project = `p-${table.replaceAll("_", "-")}`;

  beforeAll(async () => {
    await service.ingest(source, [
      makeEvent(place, project, `${table}-1`, "2026-08-20T09:00:00.000001Z"),
      makeEvent(place, project, `${table}-2`, "2026-08-20T09:00:00.000002Z"),
      makeEvent(place, project, `${table}-3`, "2026-08-20T09:00:00.000003Z"),
      makeEvent(place, "somebody-else", `${table}-4`, "2026-08-20T09:00:00.000002Z"),
      // The project is in a place where this source does not look for it.
      place === "top"
        ? { id: `${table}-5`, timestamp: "2026-08-20T09:00:00Z", metadata: { project, project_ref: project } }
        : { id: `${table}-5`, timestamp: "2026-08-20T09:00:00Z", project, metadata: { level: "info" } },
    ]);
  });

  const ids = async (parameters: Record<string, string>) => {
    const rows = await service.rows("logs.all", { project, sql: `select id from ${table}`, ...parameters });
    return rows.map((row) => row.id);
  };

  it("holds its project's rows only, newest first", async () => {
    expect(await ids({})).toEqual([`${table}-3`, `${table}-2`, `${table}-1`]);
  });

  it("excludes the start of the time range", async () => {
    expect(await ids({ iso_timestamp_start: "2026-08-20T09:00:00.000001Z" })).toEqual([`${table}-3`, `${table}-2`]);
    expect(await ids({ iso_timestamp_start: "2026-08-20T09:00:00.000000Z" })).toHaveLength(3);
  });

  it("includes the end of the time range", async () => {
    expect(await ids({ iso_timestamp_end: "2026-08-20T09:00:00.000002Z" })).toEqual([`${table}-2`, `${table}-1`]);
    expect(await ids({ iso_timestamp_end: "2026-08-20T08:59:59.999999Z" })).toEqual([]);
  });

  it("applies both bounds together, in any time zone", async () => {
    const bounds = {
      iso_timestamp_start: "2026-08-20T11:00:00.000001+02:00",
      iso_timestamp_end: "2026-08-20T09:00:00.000002Z",
    };
    expect(await ids(bounds)).toEqual([`${table}-2`]);
  });

  it("has no time bound when the parameter is an empty string", async () => {
    expect(await ids({ iso_timestamp_start: "", iso_timestamp_end: "" })).toHaveLength(3);
  });

  it("has the columns timestamp, id, event_message and metadata, and identifier by its name", async () => {
    const first = (columns: string) =>
      service.rows("logs.all", { project, sql: `select ${columns} from ${table} t order by timestamp limit 1` });
    const row = {
      timestamp: micros("2026-08-20T09:00:00.000001"),
      id: `${table}-1`,
      event_message: `${table}-1`,
      metadata: [place === "top" ? { level: "info" } : { level: "info", [place]: project }],
    };
    expect(await first("*")).toEqual([row]);
    expect(await first("t.*, identifier")).toEqual([{ ...row, identifier: null }]);
  });
});

describe("a table name of existing clients", () => {
  it.each([
    ["postgres_logs", "db_logs"],
    ["postgrest_logs", "rest_logs"],
    ["pgbouncer_logs", "pooler_logs"],
    ["supavisor_logs", "pooler_logs"],
  ])("%s reads %s", async (alias, table) => {
    const project = `p-${table.replaceAll("_", "-")}`;
    const rows = await service.rows("logs.all", { project, sql: `select id from ${alias}` });
    expect(rows.map((row) => row.id)).toEqual([`${table}-3`, `${table}-2`, `${table}-1`]);
  });
});

describe("the default query", () => {
  const project = "default-query";
  const start = Date.parse("2026-08-21T00:00:00Z");

  beforeAll(async () => {
    const events = Array.from({ length: 1_200 }, (_, i) => ({
      id: `edge-${String(i).padStart(4, "0")}`,
      timestamp: new Date(start + i).toISOString(),
      event_message: `event ${i}`,
      project,
      metadata: {
        request: { method: "GET", path: "/rest/v1/x", headers: { host: "a" } },
        response: { status_code: 200 },
      },
    }));
    await service.ingest("cloudflare.logs.prod", events);
    await service.ingest("postgres.logs", [
      { id: "db-only", timestamp: "2026-08-22T00:00:00Z", project, event_message: "db" },
    ]);
  });

  it("returns only the 100 newest rows of edge_logs", async () => {
    const rows = await service.rows("logs.all", { project });
    expect(rows).toHaveLength(100);
    expect(rows[0]?.id).toBe("edge-1199");
    expect(rows[99]?.id).toBe("edge-1100");
  });

  it("has the columns id, timestamp, event_message, metadata in this order", async () => {
    const [row] = await service.rows("logs.all", { project });
    expect(Object.keys(row ?? {})).toEqual(["id", "timestamp", "event_message", "metadata"]);
  });

  it("nests records as arrays of one object at every level", async () => {
    const [row] = await service.rows("logs.all", { project });
    expect(row?.metadata).toEqual([
      { request: [{ method: "GET", path: "/rest/v1/x", headers: [{ host: "a" }] }], response: [{ status_code: 200 }] },
    ]);
  });

  it("returns timestamps as integer microseconds", async () => {
    const [row] = await service.rows("logs.all", { project });
    expect(row?.timestamp).toBe((start + 1_199) * 1000);
  });

  it("is cut at the endpoint's maximum of 1000 rows when the consumer asks for more", async () => {
    const rows = await service.rows("logs.all", { project, sql: "select id from edge_logs limit 5000" });
    expect(rows).toHaveLength(1_000);
    expect(rows[0]?.id).toBe("edge-1199");
  });

  it("is computed afresh on each call", async () => {
    await service.ingest("edge", [{ id: "fresh", timestamp: "2026-08-21T10:00:00Z", project, event_message: "fresh" }]);
    expect((await service.rows("logs.all", { project }))[0]?.id).toBe("fresh");
  });
});

describe("parameters of logs.all", () => {
  it("must include project", async () => {
    const response = await service.get("/api/endpoints/query/logs.all");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { status: 400, parameter: "project" } });
  });

  it.each(["yesterday", "2026-13-01T00:00:00Z"])("are refused by name when the time is %s", async (value) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project: "p", iso_timestamp_start: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { status: 400, parameter: "iso_timestamp_start" } });
  });

  it.each(["2026-08-20T09:00:00.000001", "2026-08-20 09:00:00.000001"])(
    "read the time %s, which has no zone, as UTC",
    async (value) => {
      const bounds = { project: "p-edge-logs", iso_timestamp_start: value, sql: "select id from edge_logs" };
      expect((await service.rows("logs.all", bounds)).map(({ id }) => id)).toEqual(["edge_logs-3", "edge_logs-2"]);
    },
  );

  it("read a date alone as midnight UTC", async () => {
    const rows = await service.rows("logs.all", { project: "p-edge-logs", iso_timestamp_end: "2026-08-20" });
    expect(rows).toEqual([]);
  });

  it("are ignored when they are unknown", async () => {
    expect(await service.rows("logs.all", { project: "p-edge-logs", ref: "x", project_tier: "FREE" })).toHaveLength(3);
  });
});
