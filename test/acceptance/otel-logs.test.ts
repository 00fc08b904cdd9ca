import { describe, expect } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { type OtelForm, otelForms } from "./otel-forms.ts";
import { privateToken, type Row, type Service } from "./service.ts";
import { it } from "./shared-service.ts";
import { tables } from "./studio-forms.ts";

let service: Service;
const project = "otel";
const window = { iso_timestamp_start: "2026-08-20T08:00:00.000Z", iso_timestamp_end: "2026-08-20T10:00:00.000Z" };
const forms = otelForms();

/** The event of a table at an index: the first fails, the second may warn, the third is fine. */
function eventOf(table: string, index: number): { readonly message: string; readonly metadata: object } {
  const plain = index === 0 ? `it's broken in ${table}` : `fine ${index}`;
  switch (table) {
    case "edge_logs":
      return {
        message: plain,
        metadata: {
          request: {
            ...{ method: index === 0 ? "POST" : "GET", path: index === 0 ? "/auth/v1/token" : "/rest/v1/orders" },
            ...{ search: `?n=${index}`, cf: { country: index === 2 ? "DE" : "FR" } },
          },
          response: {
            ...{ status_code: [500, 404, 200][index], origin_time: 10 * (index + 1) },
            headers: { content_length: 1_000 * index, cf_cache_status: index === 1 ? "HIT" : "MISS" },
          },
        },
      };
    case "postgres_logs": {
      const parsed = {
        error_severity: ["ERROR", "WARNING", "LOG"][index],
        sql_state_code: `0000${index}`,
        application_name: "pg_cron",
      };
      return { message: index === 2 ? "connection received" : plain, metadata: { parsed } };
    }
    case "auth_logs": {
      const auth_event = { action: index === 2 ? "user_signedup" : "login", actor_id: `u${index}` };
      const told = { auth_event, duration: 1_000_000 * (index + 1), provider: "email", login_method: "password" };
      const metadata = {
        level: index === 0 ? "error" : "info",
        status: [500, 422, 200][index],
        path: "/token",
        auth_event,
      };
      return { message: JSON.stringify(told), metadata: { ...metadata, request_id: index < 2 ? "r1" : "r2" } };
    }
    case "function_logs":
      return { message: plain, metadata: { level: ["error", "warning", "log"][index], function_id: `f${index}` } };
    case "function_edge_logs": {
      const request = { method: "POST", pathname: "/f" };
      const response = { status_code: [500, 404, 200][index] };
      return { message: plain, metadata: { request, response, function_id: "f1", execution_time_ms: 8 * (index + 1) } };
    }
    case "multigres_logs":
      return { message: JSON.stringify({ level: ["ERROR", "WARN", "INFO"][index] }), metadata: { host: "m" } };
    case "pgbouncer_logs":
      return { message: plain, metadata: { project } };
    case "etl_replication_logs":
      return { message: plain, metadata: { pipeline_id: 6 + index } };
    case "supamonitor_logs": {
      const supamonitor = {
        query: "SELECT 1",
        query_id: 7,
        calls: 2,
        total_exec_time: 1.5 + index,
        total_plan_time: 0,
      };
      return { message: "log", metadata: { supamonitor } };
    }
    default:
      return { message: plain, metadata: { host: "a" } };
  }
}

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  for (const [table, source, place] of tables) {
    const events = [0, 1, 2].map((index) => {
      const { message, metadata } = eventOf(table, index);
      return {
        ...{ id: `${table}-${index}`, timestamp: `2026-08-20T09:0${index}:00.125Z`, event_message: message },
        ...(place === "top" ? { project, identifier: project } : {}),
        metadata: { ...metadata, ...(place === "top" ? {} : { [place]: project }) },
      };
    });
    await service.ingest(source, events);
  }
});

async function ask(endpoint: string, sql: string): Promise<{ readonly rows?: readonly Row[]; readonly text: string }> {
  const response = await service.get(`/api/endpoints/query/${endpoint}`, { project, ...window, sql });
  const text = await response.text();
  return response.status === 200 ? { rows: (JSON.parse(text) as { result: Row[] }).result, text } : { text };
}

/** Rows without an order, as both dialects tell them: times as microseconds, all values as texts, none as an empty one. */
function compared(rows: readonly Row[]): readonly string[] {
  const show = (value: unknown): string => {
    if (value === null || value === undefined) return "";
    const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value);
    return isTime ? String(Date.parse(`${value}Z`) * 1000) : String(value);
  };
  return rows.map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, show(value)]))).sort();
}

describe("logs.all.otel", () => {
  it("answers what Studio builds for it with the rows that its older builders get", async () => {
    const table: string[] = [];
    const check = async ({ name, otel, googleSql }: OtelForm) => {
      const found = await ask("logs.all.otel", otel);
      const wanted = googleSql === undefined ? found : await ask("logs.all", googleSql);
      const isSame = JSON.stringify(compared(found.rows ?? [])) === JSON.stringify(compared(wanted.rows ?? []));
      const isRun = (found.rows?.length ?? 0) > 0 && (wanted.rows?.length ?? 0) > 0;
      table.push(`${isSame && isRun ? "same" : "OTHER"}  ${found.rows?.length ?? "-"} rows  ${name}`);
      return isSame && isRun ? [] : [`${name}\n  ${found.text.slice(0, 600)}\n  ${wanted.text.slice(0, 600)}`];
    };
    const wrong: string[] = [];
    const tried = sampleOf(forms, 0.1);
    for (let at = 0; at < tried.length; at += 8) {
      wrong.push(...(await Promise.all(tried.slice(at, at + 8).map(check))).flat());
    }
    if (process.env.LOGWEIR_TEST_TABLES !== undefined) process.stdout.write(`${table.join("\n")}\n`);
    expect(wrong).toEqual([]);
    expect(forms.length).toBeGreaterThan(100);
  });

  it("tells a line with its severity and every field by its key", async () => {
    const { rows } = await ask(
      "logs.all.otel",
      "SELECT id, source, severity_text, log_attributes FROM logs WHERE id = 'postgres_logs-0'",
    );
    const others = { "parsed.application_name": "pg_cron", identifier: project };
    expect(rows).toEqual([
      {
        ...{ id: "postgres_logs-0", source: "postgres_logs", severity_text: "ERROR" },
        log_attributes: { "parsed.error_severity": "ERROR", "parsed.sql_state_code": "00000", ...others },
      },
    ]);
  });

  it("has the rows of every table, each once", async () => {
    const { rows } = await ask(
      "logs.all.otel",
      "SELECT source, count() AS n FROM logs GROUP BY source ORDER BY source",
    );
    const named = ["postgres_logs", "postgrest_logs", "pgbouncer_logs"];
    expect(rows?.length).toBe(tables.length);
    expect(rows?.filter(({ source }) => named.includes(String(source)))).toEqual(
      [...named].sort().map((source) => ({ source, n: 3 })),
    );
  });

  it("goes on behind a full page", async () => {
    const sql = "SELECT id, timestamp FROM logs WHERE source = 'edge_logs' ORDER BY timestamp DESC LIMIT 2";
    const response = await service.get("/api/endpoints/query/logs.all.otel", { project, sql });
    const [, next = ""] = /<([^>]+)>/.exec(response.headers.get("link") ?? "") ?? [];
    const rest = await service.get(next);
    expect(((await rest.json()) as { result: Row[] }).result).toEqual([
      { id: "edge_logs-0", timestamp: "2026-08-20T09:00:00.125000" },
    ]);
  });

  it("reads nothing of another tenant, and nothing hidden where it must be redacted", async () => {
    const other = await service.get("/api/endpoints/query/logs.all.otel", {
      project: "otel-p2",
      sql: "SELECT id FROM logs",
    });
    expect(await other.json()).toEqual({ result: [] });
    await service.ingest("edge", [
      { id: "mail", project: "otel-p3", event_message: "to someone@example.com", metadata: { m: "a@example.com" } },
    ]);
    const sql = "SELECT event_message, log_attributes['m'] AS m, log_attributes FROM logs WHERE source = 'edge_logs'";
    const headers = { "LF-ENDPOINT-REDACT-PII": "true", "x-api-key": privateToken };
    const response = await service.get("/api/endpoints/query/logs.all.otel", { project: "otel-p3", sql }, headers);
    expect(await response.json()).toEqual({
      result: [{ event_message: "to REDACTED", m: "REDACTED", log_attributes: { m: "REDACTED" } }],
    });
  });

  it.each([
    ["SELECT * FROM logs", "unsupported", 8],
    ["SELECT id FROM edge_logs", "sandbox_table_denied", 16],
    ["SELECT id FROM (SELECT id FROM logs)", "unsupported", 16],
    ["WITH a AS (SELECT 1) SELECT 1", "unsupported", 1],
    ["SELECT id FROM logs JOIN logs AS b ON 1", "unsupported", 21],
    ["SELECT currentUser() FROM logs", "unknown_function", 8],
    ["SELECT file('/etc/passwd')", "unknown_function", 8],
    ["SELECT 1 FROM url('http://x')", "unsupported", 15],
    ["SELECT id FROM system.tables", "sandbox_table_denied", 16],
    ["SELECT metadata FROM logs", "unknown_column", 8],
    ["DROP TABLE logs", "unsupported", 1],
    ["SELECT id FROM logs SETTINGS max_threads = 1", "unsupported", 21],
    ["SELECT id FROM logs LIMIT 1 BY id", "unsupported", 29],
    ["SELECT 'a", "syntax_error", 8],
    ["SELECT id FROM logs; SELECT 1", "syntax_error", 22],
    ["SELECT toInt32OrZero() FROM logs", "type_mismatch", 8],
    ["SELECT log_attributes[id] FROM logs", "unsupported", 23],
  ])("refuses %s at its place", async (sql, code, column) => {
    const response = await service.get("/api/endpoints/query/logs.all.otel", { project, sql });
    const { error } = (await response.json()) as { error: Row };
    expect([error.code, error.line, error.column]).toEqual([code, 1, column]);
  });

  it("bounds nesting, and aliases that stand for each other", async () => {
    const nested = `SELECT ${"(".repeat(300)}1${")".repeat(300)}`;
    const aliases = Array.from({ length: 40 }, (_, index) => `a${index} + a${index} AS a${index + 1}`);
    for (const sql of [nested, `SELECT 1 AS a0, ${aliases.join(", ")}`]) {
      expect(JSON.parse((await ask("logs.all.otel", sql)).text)).toMatchObject({ error: { code: "too_complex" } });
    }
    expect((await ask("logs.all.otel", "SELECT a AS b, b AS a FROM logs")).text).toContain("unknown_column");
  });

  it("needs a query, and takes it in a body", async () => {
    const none = await service.get("/api/endpoints/query/logs.all.otel", { project });
    expect([none.status, ((await none.json()) as { error: Row }).error.code]).toEqual([400, "missing_parameter"]);
  });
});
