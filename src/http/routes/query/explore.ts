import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { findDefaultTable } from "../../../endpoints/call/plan/saved-query.ts";
import { prepareFairly } from "../../../endpoints/call/prepare/prepare-call.ts";
import { readToEnd, runPrepared } from "../../../endpoints/call/run/run-prepared.ts";
import { withQuery } from "../../../endpoints/explore/all-rows.ts";
import { inspectConsumer, listScopeTables } from "../../../endpoints/explore/inspect-consumer.ts";
import { toOverviewAnswer } from "../../../endpoints/explore/overview-answer.ts";
import { aroundShape, bucketWidthUs, overviewShape } from "../../../endpoints/explore/overview-query.ts";
import type { QueryShape } from "../../../endpoints/explore/query-shape.ts";
import {
  aroundParameters,
  overviewParameters,
  readAround,
  readOverview,
} from "../../../endpoints/explore/read-options.ts";
import { callErrors, consumerErrors, runErrors } from "../../../openapi/error-responses.ts";
import {
  allInQuery,
  anyRow,
  count,
  flag,
  inPath,
  inQuery,
  listOf,
  orNull,
  text,
  texts,
} from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { ErrorCode } from "../../../shared/error-catalogue.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { noteRun, type OpenedCall, openCall } from "../../request/endpoint-call.ts";
import { readWait } from "../../request/read-wait.ts";

/** The parameters of every exploring call: an endpoint, and a query over its tables. */
export const consumerParameters = [
  inPath("endpoint", "Id or name of an endpoint, or source:NAME for owners"),
  inQuery("sql", "Your own GoogleSQL query; the endpoint's parameters can be sent too"),
  inQuery("lql", "The same in LQL"),
] as const;
const table = inQuery("table", "The table to read if neither sql nor lql is sent");

/** Errors of a call that runs a query over an endpoint's tables. */
export const consumerRunErrors: readonly ErrorCode[] = [
  ...runErrors,
  ...consumerErrors,
  "missing_parameter",
  "sandbox_disabled",
];
const checkErrors: readonly ErrorCode[] = [
  ...callErrors,
  "missing_parameter",
  "sql_and_lql",
  "query_too_long",
  "too_complex",
];

const value = orNull(text);
const placedProblems = listOf({
  code: text,
  message: text,
  line: count,
  column: count,
  end_line: count,
  end_column: count,
  excerpt: text,
});
const ofExplorers = {
  tag: "explore",
  scope: "query",
  tokenIn: "parameters",
  alsoBy: ["post"],
  hasBodyParameters: true,
} as const;

export const exploreRoutes = describeRoutes({
  listTables: {
    ...ofExplorers,
    path: "/api/endpoints/query/{endpoint}/tables",
    summary: "List the tables that queries of this endpoint's callers may name, with their fields",
    parameters: consumerParameters.slice(0, 1),
    answer: Type.Object({
      tables: listOf({ name: text, aliases: texts, is_default: flag, fields: listOf({ path: text, type: text }) }),
    }),
    errors: checkErrors,
  },
  checkQuery: {
    ...ofExplorers,
    path: "/api/endpoints/query/{endpoint}/parse",
    summary: "Report the problems of a caller's query, or its columns",
    parameters: consumerParameters,
    answer: Type.Object({
      result: Type.Object({
        is_valid: flag,
        columns: listOf({ name: text, type: text }),
        diagnostics: placedProblems,
        warnings: placedProblems,
      }),
    }),
    errors: checkErrors,
  },
  countRows: {
    ...ofExplorers,
    path: "/api/endpoints/query/{endpoint}/overview",
    summary: "Count the rows of a query over time, and by the values of fields",
    parameters: [...consumerParameters, table, ...allInQuery(overviewParameters)],
    answer: Type.Object({
      result: Type.Object({
        from: text,
        to: text,
        bucket_us: count,
        total: count,
        is_truncated: flag,
        series: listOf({ value, counts: Type.Array(count) }),
        facets: listOf({ path: text, values: listOf({ value, count }) }),
      }),
    }),
    errors: consumerRunErrors,
  },
  showAround: {
    ...ofExplorers,
    path: "/api/endpoints/query/{endpoint}/around",
    summary: "Show a row with its neighbours in time, newest first",
    parameters: [...consumerParameters, table, ...allInQuery(aroundParameters)],
    answer: Type.Object({ result: Type.Array(anyRow) }),
    errors: consumerRunErrors,
  },
});

/**
 * The exploring calls about the tables of an endpoint, by GET or POST below its path: `tables` lists them with their
 * fields, `parse` reports the problems of a query, `overview` counts rows over time and by the values of fields,
 * `around` shows a row's neighbours. Each is a call of the endpoint like any other: with the same token, pins,
 * parameters, redaction and limits.
 */
export function addExploreRoutes(app: FastifyInstance, dependencies: AppContext): void {
  const { runner } = dependencies;
  const addRoute = createRouteAdder(app);
  addRoute(exploreRoutes.listTables, async (request) => {
    const call = await openCall(dependencies, request);
    const defaultTable = findDefaultTable(call.target.savedQuery);
    const isOpen = call.target.definition.isSandboxed;
    return { tables: isOpen ? listScopeTables(runner, call, defaultTable) : [] };
  });
  addRoute(exploreRoutes.checkQuery, async (request, reply) => {
    const call = await openCall(dependencies, request);
    const signal = createCallSignal(reply, dependencies.shutdown);
    const turn = { caller: call.identity.tokenId, openSignal: () => signal };
    return { result: await inspectConsumer(runner, call, turn) };
  });
  addRoute(exploreRoutes.countRows, async (request, reply) => {
    const call = await openCall(dependencies, request);
    const overview = readOverview(call.sent);
    noteRun(request, call.identity, call);
    const signal = createCallSignal(reply, dependencies.shutdown, readWait(request, reply));
    const { rows, isTruncated } = await readRows(
      dependencies,
      await checkCall(dependencies, call, signal),
      overviewShape(overview),
      signal,
    );
    return { result: toOverviewAnswer(overview, bucketWidthUs(overview), rows, isTruncated) };
  });
  addRoute(exploreRoutes.showAround, async (request, reply) => {
    const call = await openCall(dependencies, request);
    const { atUs, id, count } = readAround(call.sent);
    noteRun(request, call.identity, call);
    const signal = createCallSignal(reply, dependencies.shutdown, readWait(request, reply));
    const checked = await checkCall(dependencies, call, signal);
    const ask = (direction: "before" | "after", rows: number) =>
      readRows(dependencies, checked, aroundShape({ atUs, id, direction, count: rows }), signal);
    const { rows } = await ask("before", count + 1);
    // The row itself may not match the query.
    const before = rows[0]?.id === id ? rows : rows.slice(0, count);
    const after = await ask("after", count);
    // Newest first, as everywhere.
    return { result: [...after.rows.reverse(), ...before] };
  });
}

/** The call with a query, found good: errors of the caller's own text are reported as a plain call of it reports them. */
async function checkCall({ runner }: AppContext, call: OpenedCall, signal: AbortSignal): Promise<OpenedCall> {
  const { parameters, target, sent } = call;
  const checked = { ...call, parameters: withQuery(parameters, target, sent.get("table")?.at(-1)) };
  await prepareFairly(runner, checked, { caller: call.identity.tokenId, openSignal: () => signal });
  return checked;
}

async function readRows(
  { runner }: AppContext,
  call: OpenedCall,
  shape: QueryShape,
  signal: AbortSignal,
): Promise<{ readonly rows: Record<string, unknown>[]; readonly isTruncated: boolean }> {
  const { tokenId: caller } = call.identity;
  const prepared = await prepareFairly(runner, { ...call, shape }, { caller, openSignal: () => signal });
  const { batches, summary } = await readToEnd(runPrepared(runner, prepared, signal, { caller }));
  const rows = JSON.parse(`[${batches.join(",")}]`) as Record<string, unknown>[];
  return { rows, isTruncated: summary.isTruncated || rows.length >= shape.maxRows };
}
