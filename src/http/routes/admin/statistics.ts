import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { parseLifetime } from "../../../access/expiry.ts";
import { prepareOwnerQuery } from "../../../endpoints/call/prepare/owner-query.ts";
import { readToEnd, runPrepared } from "../../../endpoints/call/run/run-prepared.ts";
import { count, inQuery, listOf, orNull, text } from "../../../openapi/forms.ts";
import { type AnswerOf, describeRoutes } from "../../../openapi/route-description.ts";
import { invalidParameter } from "../../../shared/errors.ts";
import { auditSourceName } from "../../../sources/audit-source.ts";
import { RetentionOrNull } from "../../../sources/source-document.ts";
import { formatIsoTimestamp } from "../../../values/iso-timestamp.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";

const maxSinceMs = 90 * 86_400_000;
const usualSince = "1d";

const ofStatistics = { tag: "statistics", scope: "private", isRedacted: true } as const;

export const statisticsRoutes = describeRoutes({
  countCalls: {
    ...ofStatistics,
    path: "/api/statistics/endpoints",
    summary: "Report how endpoints were called, from the audit",
    parameters: [inQuery("since", "Calls of this long before now, such as 12h", Type.String({ default: usualSince }))],
    answer: Type.Object({
      since: text,
      is_recorded: Type.Boolean({ description: "False if the service does not record runs" }),
      endpoints: listOf({
        endpoint: text,
        calls: count,
        errors: Type.Integer({
          description: "Calls that were answered with an error; callers that disconnected are not counted",
        }),
        cached: Type.Integer({ description: "Calls that were answered from the cache" }),
        p50_ms: orNull(Type.Number()),
        p95_ms: orNull(Type.Number()),
        newest_call: text,
      }),
    }),
    errors: ["invalid_parameter", "timeout", "engine_unavailable", "too_many_queries"],
  },
  countIntake: {
    ...ofStatistics,
    path: "/api/statistics/sources",
    summary: "Report stored and rejected events of each source since the service started",
    answer: Type.Object({
      since: text,
      sources: listOf({
        source: text,
        stored: count,
        rejected: Type.Integer({ description: "Events that were not stored" }),
        refused_bodies: Type.Integer({ description: "Bodies that could not be read as a whole" }),
        untimed: Type.Integer({ description: "Stored events whose timestamp could not be read" }),
        without_tenant: Type.Integer({
          description: "Stored events without a tenant, in a source that has tenants",
        }),
        reasons: Type.Array(Type.Object({ reason: text, count, newest: text }), {
          description: "Why events and bodies were not stored, newest first",
        }),
        last_stored: orNull(Type.String({ description: "When an event last arrived and was stored" })),
        newest_event: orNull(text),
        lag_ms: orNull(Type.Integer({ description: "How long ago the newest event happened" })),
        retention_days: RetentionOrNull,
      }),
    }),
  },
});

type CountedCalls = AnswerOf<typeof statisticsRoutes.countCalls>["endpoints"];

/**
 * Runs of endpoints, as the audit has them. Its entries count several runs where these differ in nothing but their
 * time.
 */
const endpointQuery = `SELECT metadata.endpoint AS endpoint, SUM(metadata.count) AS calls,
  SUM(IF(metadata.outcome IN ('ok', 'caller_gone'), 0, metadata.count)) AS errors,
  SUM(IF(metadata.cache = 'hit', metadata.count, 0)) AS cached,
  APPROX_QUANTILES(metadata.duration_ms, 100)[SAFE_OFFSET(50)] AS p50_ms,
  APPROX_QUANTILES(metadata.duration_ms, 100)[SAFE_OFFSET(95)] AS p95_ms,
  FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E3SZ', MAX(timestamp)) AS newest_call
FROM \`${auditSourceName}\`
WHERE metadata.action = 'endpoint.run' AND timestamp > TIMESTAMP_MILLIS(@since)
GROUP BY endpoint ORDER BY calls DESC, endpoint`;

/**
 * `GET /api/statistics/endpoints`: the calls of endpoints, from the audit. `GET /api/statistics/sources`: the outcome
 * of ingest for each source since the service started, and its lag. For owners (scope `private`).
 */
export function addStatisticsRoutes(app: FastifyInstance, dependencies: AppContext): void {
  const { audit, sources, dataThrough, intake, nowMs } = dependencies;
  const addRoute = createRouteAdder(app);

  addRoute(statisticsRoutes.countCalls, async (request, reply) => {
    const sinceMs = nowMs() - readSince(request);
    const rows = audit.level === "all" ? await readRuns(dependencies, request, reply, sinceMs) : [];
    return { since: new Date(sinceMs).toISOString(), is_recorded: audit.level === "all", endpoints: rows };
  });

  addRoute(statisticsRoutes.countIntake, () => {
    const shown = sources.sources.map(({ name, retentionDays }) => {
      const { stored, rejected, refusedBodies, untimed, tenantless, lastStoredMs, reasons } = intake.of(name);
      const newest = dataThrough.newestOf(name);
      return {
        source: name,
        stored,
        rejected,
        refused_bodies: refusedBodies,
        untimed,
        without_tenant: tenantless,
        reasons: reasons.map(({ reason, count, newestMs }) => ({
          reason,
          count,
          newest: new Date(newestMs).toISOString(),
        })),
        last_stored: lastStoredMs === undefined ? null : new Date(lastStoredMs).toISOString(),
        newest_event: newest === undefined ? null : formatIsoTimestamp(newest),
        lag_ms: newest === undefined ? null : Math.max(0, nowMs() - Number(newest / 1000n)),
        retention_days: retentionDays ?? null,
      };
    });
    return { since: new Date(intake.sinceMs).toISOString(), sources: shown };
  });
}

function readSince(request: FastifyRequest): number {
  const text = urlParameters(request).get("since")?.at(-1) ?? usualSince;
  const since = parseLifetime(text);
  if (since !== undefined && since > 0 && since <= maxSinceMs) return since;
  const problem = "The parameter since must be a number and s, m, h, d or w, such as 12h, of 90 days at most";
  throw invalidParameter("since", problem);
}

async function readRuns(
  { runner, sources, endpoints, shutdown, nowMs }: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sinceMs: number,
): Promise<CountedCalls> {
  const { tokenId, budget } = callerOf(request);
  const prepared = prepareOwnerQuery({ language: "sql", text: endpointQuery }, new Map([["since", sinceMs]]), false, {
    engine: runner.engine,
    tables: sources,
    endpoints,
    nowMs: nowMs(),
    budget,
  });
  const run = runPrepared(runner, prepared, createCallSignal(reply, shutdown), { caller: tokenId });
  return JSON.parse(`[${(await readToEnd(run)).batches.join(",")}]`) as CountedCalls;
}
