import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { LokiCaller } from "../../../loki/loki-caller.ts";
import type { LokiRequest } from "../../../loki/serve-loki.ts";
import { consumerErrors, runErrors } from "../../../openapi/error-responses.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError, toErrorBody } from "../../../shared/errors.ts";
import type { AppContext } from "../../app-context.ts";
import { answerErrors, type ErrorForm } from "../../plugins/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { noteRun } from "../../request/endpoint-call.ts";
import { readParameters } from "../../request/request-parameters.ts";
import { createLokiTail } from "./loki-tail.ts";
import { createSurfaceCaller } from "./surface-caller.ts";

const root = "/loki/api/v1";
const rules = "/prometheus/api/v1";
const read = {
  tag: "service",
  scope: "query",
  tokenIn: "sender",
  alsoBy: ["post"],
  hasBodyParameters: true,
  answer: anyRow,
  errors: [...runErrors, ...consumerErrors, "missing_parameter", "invalid_body", "body_too_large"],
} as const;

export const lokiRoutes = describeRoutes({
  queryLokiRange: { ...read, path: `${root}/query_range`, summary: "Loki: lines, or a metric query at each step" },
  queryLoki: { ...read, path: `${root}/query`, summary: "Loki: a metric query at one time" },
  listLokiLabels: { ...read, path: `${root}/labels`, aliases: [`${root}/label`], summary: "Loki: the names of labels" },
  listLokiLabelValues: { ...read, path: `${root}/label/{name}/values`, summary: "Loki: the values of a label" },
  listLokiSeries: { ...read, path: `${root}/series`, summary: "Loki: the labels of each stream" },
  reportLokiStats: { ...read, path: `${root}/index/stats`, summary: "Loki: streams, lines and bytes of a selector" },
  reportLokiVolume: { ...read, path: `${root}/index/volume`, summary: "Loki: bytes by stream or label" },
  reportLokiVolumeRange: { ...read, path: `${root}/index/volume_range`, summary: "Loki: the same at each step" },
  listLokiDetectedLabels: { ...read, path: `${root}/detected_labels`, summary: "Loki: labels with their cardinality" },
  listLokiDetectedFields: { ...read, path: `${root}/detected_fields`, summary: "Loki: the fields of the newest lines" },
  listLokiDetectedFieldValues: {
    ...read,
    path: `${root}/detected_field/{name}/values`,
    summary: "Loki: the values of a field of the newest lines",
  },
  formatLokiQuery: { ...read, path: `${root}/format_query`, summary: "Loki: a query, laid out for readers" },
  tailLoki: {
    tag: "service",
    scope: "query",
    tokenIn: "sender",
    isWebSocket: true,
    path: `${root}/tail`,
    summary: "Loki: lines as they arrive, by a WebSocket",
    status: 101,
    errors: [...read.errors, "foreign_origin"],
  },
  listLokiPatterns: { ...read, path: `${root}/patterns`, summary: "Loki: the kinds of lines, counted at each step" },
  reportLokiLimits: { ...read, path: `${root}/drilldown-limits`, summary: "Loki: limits, for Logs Drilldown" },
  listLokiRules: { ...read, path: `${rules}/rules`, summary: "Loki: rules of its ruler, of which there are none" },
  listLokiAlerts: { ...read, path: `${rules}/alerts`, summary: "Loki: alerts of its ruler, of which there are none" },
  refuseLoki: { ...read, path: `${root}/index/shards`, summary: "Loki: refused" },
});

type Serve = typeof import("../../../loki/serve-loki.ts");

/** The functions that answer requests by nothing but their parameters. */
const functions = {
  queryLokiRange: "queryRange",
  queryLoki: "queryInstant",
  listLokiLabels: "listLabels",
  listLokiSeries: "listSeries",
  reportLokiStats: "answerStats",
  reportLokiVolume: "answerVolume",
  reportLokiVolumeRange: "answerVolumeRange",
  listLokiDetectedLabels: "listDetectedLabels",
  listLokiDetectedFields: "listDetectedFields",
  formatLokiQuery: "formatQuery",
  listLokiPatterns: "listPatterns",
  reportLokiLimits: "answerLimits",
  listLokiRules: "listRules",
  listLokiAlerts: "listAlerts",
} as const satisfies Partial<Record<keyof typeof lokiRoutes, keyof Serve>>;

/**
 * Loki's read API over the sources and endpoints; its code is loaded with the first request. Errors have Loki's form,
 * plain text, those of authentication too.
 */
export function addLokiRoutes(app: FastifyInstance, dependencies: AppContext): void {
  app.register(async (scope) => {
    scope.setErrorHandler(answerErrors(writeError));
    const add = createRouteAdder(scope);
    const answer =
      (run: (serve: Serve, request: LokiRequest, name: string) => Promise<object>) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const opened = await openRequest(dependencies, request, reply);
        const { name = "" } = request.params as { readonly name?: string };
        return reply.send(await run(await import("../../../loki/serve-loki.ts"), opened, name));
      };
    for (const [id, name] of Object.entries(functions)) {
      add(
        lokiRoutes[id as keyof typeof functions],
        answer((serve, request) => serve[name](request)),
      );
    }
    add(
      lokiRoutes.listLokiLabelValues,
      answer((serve, request, name) => serve.listLabelValues(request, name)),
    );
    add(
      lokiRoutes.listLokiDetectedFieldValues,
      answer((serve, request, name) => serve.listDetectedFieldValues(request, name)),
    );
    const tail = createLokiTail(dependencies);
    add(lokiRoutes.tailLoki, async (request, reply) => {
      await tail(request, reply, await openRequest(dependencies, request, reply));
      return undefined;
    });
    add(lokiRoutes.refuseLoki, (request) => {
      const path = request.routeOptions.url?.slice(root.length + 1) ?? "";
      throw new ServiceError("unsupported", `Loki's ${path} is not supported`);
    });
  });
}

async function openRequest(
  dependencies: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<LokiRequest> {
  const parameters = await readParameters(request, dependencies.maxBodyBytes);
  const sent = new Map<string, string>();
  for (const [name, values] of parameters) {
    const value = values.at(-1);
    if (typeof value === "string" || typeof value === "number") sent.set(name, String(value));
  }
  const matches = ["match[]", "match"].flatMap((name) => parameters.get(name) ?? []).map(String);
  const flags = String(request.headers["x-loki-response-encoding-flags"] ?? "");
  return {
    caller: createCaller(dependencies, request, reply),
    ...{ sent, matches, nowMs: dependencies.nowMs(), isCategorized: flags.split(",").includes("categorize-labels") },
  };
}

function createCaller(dependencies: AppContext, request: FastifyRequest, reply: FastifyReply): LokiCaller {
  const caller = createSurfaceCaller(dependencies, request, reply, "loki");
  const { runner, identity } = caller;
  const { query_timeout_ms: ownMs = runner.timeoutMs } = identity.budget;
  const [startedAt, timeoutMs] = [runner.now(), Math.min(runner.timeoutMs, ownMs)];
  const tenant = request.headers["x-scope-orgid"]?.toString();
  return {
    ...caller,
    sources: dependencies.sources.sources,
    tenant: tenant === "" ? undefined : tenant,
    noteRun: (call) => noteRun(request, identity, call, "loki"),
    checkTime() {
      if (runner.now() - startedAt <= timeoutMs) return;
      throw new ServiceError("timeout", `The query took longer than ${timeoutMs} ms`, {
        hint: "Narrow the time range or the selector.",
      });
    },
  };
}

/** Errors of addresses below Loki's that have no route. */
export const lokiErrors: ErrorForm = { below: [`${root}/`], write: writeError };

function writeError(error: ServiceError, reply: FastifyReply): FastifyReply {
  const { hint } = toErrorBody(error).error;
  const text = hint === undefined ? error.message : `${error.message}. ${hint}`;
  return reply
    .status(error.status === 422 ? 400 : error.status)
    .header("Content-Type", "text/plain; charset=utf-8")
    .send(`${text}\n`);
}
