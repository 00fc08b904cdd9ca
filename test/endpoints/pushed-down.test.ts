import { describe, expect, it } from "vitest";
import { defaultEndMs } from "../../bench/events.ts";
import { benchQueries, contextOf } from "../../bench/queries.ts";
import { others, previews, reports, tables } from "../acceptance/studio-forms.ts";
import { sampleOf } from "../support/sample-size.ts";
import { openServerPlanner } from "./server-planner.ts";

/** A clause of each kind, alone and together. */
const lqlForms: readonly string[] = [
  ..."error|-debug|~^GET|m.response.status_code:500|m.response.status_code:400..499|m.level:error".split("|"),
  ...'metadata.level:warning..critical|-m.level:info|m.request.path:~"^/rest"|m.request.path:NULL|t:last@2h'.split("|"),
  ..."t:today|t:2020-01-{01..03}|t:>2026-03-17T14:47:02+02:00|m.latency:30.1..300.5".split("|"),
  "f:postgres_logs m.parsed.error_severity:ERROR s:timestamp s:event_message",
  "c:count(*) c:group_by(t::minute) f:edge_logs",
  "f:edge_logs c:p95(m.response.origin_time) c:group_by(t::hour) m.request.method:GET t:last@1d",
];

const planner = await openServerPlanner();
const byName = new Map(planner.endpoints.map((endpoint) => [endpoint.definition.name, endpoint]));

function endpointOf(name: string) {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`There is no endpoint ${name}`);
  return found;
}

/** The reasons why a query does not run wholly on the server; undefined if it does. */
function obstacle(name: string, sql?: string, language?: "sql" | "lql"): string | undefined {
  const plan = planner.plan(endpointOf(name), sql, language);
  return plan.kind === "whole" ? undefined : plan.reasons.map(({ reason }) => reason).join("; ") || "no reason";
}

const context = contextOf({ seed: 1, eventCount: 10_000, endMs: defaultEndMs });

describe("on ClickHouse", () => {
  it.each([...byName.keys()])("the query of %s runs wholly on the server", (name) => {
    expect(obstacle(name)).toBeUndefined();
  });

  it.each(benchQueries.map((query) => [query.title, query] as const))(
    "the benchmark's %s runs wholly on the server",
    (_, query) => {
      const { endpoint, parameters } = query.logweir(context);
      expect(obstacle(endpoint === "logs.all" ? endpoint : "usage.api-counts", parameters.sql)).toBeUndefined();
    },
  );

  it("the queries that Studio sends run wholly on the server, except those that read JSON texts", () => {
    const forms = [...tables.flatMap(([table]) => previews(table)), ...reports(), ...others].map(([sql]) => sql);
    const readingJson = forms.filter((sql) => /\bjson_/.test(sql));
    expect(readingJson.length / forms.length).toBeLessThan(0.05);
    const divided = sampleOf(forms, 0.05).flatMap((sql) => {
      const reason = obstacle("logs.all", sql);
      return reason === undefined || /\bjson_/.test(sql) ? [] : [`${reason}: ${sql}`];
    });
    expect(divided).toEqual([]);
  });

  it.each(lqlForms)("the LQL query %s runs wholly on the server", (text) => {
    expect(obstacle("logs.all", text, "lql")).toBeUndefined();
  });
});
