import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../../access/scope.ts";
import { readsOf, shownColumns } from "../../../endpoints/call/plan/planned-query.ts";
import { prepareFairly } from "../../../endpoints/call/prepare/prepare-call.ts";
import { type RunOptions, type RunSummary, runPrepared } from "../../../endpoints/call/run/run-prepared.ts";
import { isEndpoint } from "../../../endpoints/definition/query-target.ts";
import { fullPageRows } from "../../../endpoints/paging/page-end.ts";
import { answerBy } from "../../answer/answer-by.ts";
import { addDataThrough, nextPageHeader, varyHeader } from "../../answer/answer-headers.ts";
import { chooseEncoding } from "../../answer/content-encoding.ts";
import { sendRows } from "../../answer/stream-answer.ts";
import type { AppContext, AppDependencies } from "../../app-context.ts";
import { answerCached, type FormattedCall } from "../../cached-replies/answer-cached.ts";
import type { CachedReplies } from "../../cached-replies/cached-replies.ts";
import type { AnswerFormat } from "../../formats/answer-format.ts";
import { chooseFormat } from "../../formats/choose-format.ts";
import { answerFormats } from "../../formats/index.ts";
import type { Timings } from "../../observe/timings.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { noteRun, openNamedCall } from "../../request/endpoint-call.ts";
import { readWait } from "../../request/read-wait.ts";
import { readParameters } from "../../request/request-parameters.ts";
import { findDialect } from "../surfaces/otel-logs.ts";

const paths = ["/api/endpoints/query/:name", "/api/endpoints/query/name/:name", "/endpoints/query/:name"];

/** `GET` and `POST /api/endpoints/query/{uuid-or-name}` and its older forms: runs an endpoint. */
export function addRunEndpointRoutes(app: FastifyInstance, dependencies: AppContext, replies: CachedReplies): void {
  for (const url of paths) {
    app.route<{ Params: { name: string } }>({
      method: ["GET", "POST"],
      url,
      config: { access: { scope: "query", tokenIn: "parameters", hasBody: true } },
      onSend: async (request, reply) => {
        reply.header("Vary", varyHeader);
        // A caller that is refused before the first phase has none.
        const { timings } = request as { readonly timings?: Timings };
        if (timings !== undefined) reply.header("Server-Timing", timings.header());
      },
      handler: answerBy((request, reply) => runEndpoint(dependencies, replies, request.params.name, request, reply)),
    });
  }
}

async function runEndpoint(
  dependencies: AppContext,
  replies: CachedReplies,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const sent = await readParameters(request, dependencies.maxBodyBytes);
  const { name: endpoint, ...asked } = findDialect(dependencies, name, sent);
  const opened = { ...(await openNamedCall(dependencies, request, endpoint, sent)), ...asked };
  const { target, identity } = opened;
  const declaresFormat = target.contract.parameters.some((parameter) => parameter.name === "format");
  const waitMs = readWait(request, reply);
  let signal: AbortSignal | undefined;
  const call = {
    ...opened,
    format: chooseFormat(
      answerFormats,
      declaresFormat ? undefined : sent.get("format")?.at(-1),
      request.headers.accept,
    ),
    openSignal: () => {
      signal ??= createCallSignal(reply, dependencies.shutdown, waitMs);
      return signal;
    },
    name,
  };
  noteRun(request, identity, call);
  const options = runOptions(request, identity);
  if (isEndpoint(target) && target.definition.cacheSeconds > 0) {
    await answerCached(dependencies, replies, { ...call, target }, request, reply, options);
  } else await answerAnew(dependencies, call, request, reply, options);
}

async function answerAnew(
  dependencies: AppDependencies,
  call: FormattedCall,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RunOptions,
): Promise<void> {
  const { runner, dataThrough } = dependencies;
  const { timings } = request;
  const { tokenId: caller } = call.identity;
  const turn = { caller, openSignal: call.openSignal };
  const prepared = await timings.measureWaiting("parse", () => prepareFairly(runner, call, turn));
  const { query, cursorScope } = prepared;
  const columns = shownColumns(query);
  const dataThroughUs = await dataThrough.of(readsOf(query));
  const linkOf = ({ next }: RunSummary): readonly [string, string] | undefined =>
    next === undefined ? undefined : nextPageHeader(request.url, runner.cursors.seal(cursorScope, next));
  await sendRows(reply, runPrepared(runner, prepared, call.openSignal(), options), call.format.open(columns), {
    pageRows: fullPageRows(query.paging, prepared.maxRows),
    encoding: call.format.isCompressed === true ? undefined : chooseEncoding(request.headers["accept-encoding"]),
    onHeaders(summary) {
      setType(reply, call.format);
      addDataThrough(reply, dataThroughUs);
      const link = summary === undefined ? undefined : linkOf(summary);
      if (link !== undefined) reply.header(...link);
    },
    linkOf,
    encode: (work) => timings.measure("encode", work),
  });
}

/** Notes of a run for its headers, its traces and the audit. */
export function runOptions({ timings, auditRun }: FastifyRequest, { tokenId }: Identity): RunOptions {
  return {
    caller: tokenId,
    onPrepared: (ms) => timings.add("parse", ms),
    onQueued: (ms) => timings.add("queue", ms),
    onEngine: (ms) => timings.add("engine", ms),
    onRows: (count) => {
      if (auditRun !== undefined) auditRun.rows = count;
    },
  };
}

function setType(reply: FastifyReply, { mediaType, typeParameters }: AnswerFormat): void {
  reply.header("Content-Type", mediaType + typeParameters);
}
