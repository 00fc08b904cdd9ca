import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { applyPins } from "../../access/pins.ts";
import { canQuery, canQueryAnything, type Identity } from "../../access/scope.ts";
import type { CachedAnswer } from "../../endpoints/cache/result-cache.ts";
import { runCached } from "../../endpoints/cache/run-cached.ts";
import type { Endpoint } from "../../endpoints/definition.ts";
import { type EndpointCall, prepareCall } from "../../endpoints/run-endpoint.ts";
import { type RunOptions, runPrepared } from "../../endpoints/run-prepared.ts";
import { ServiceError } from "../../errors.ts";
import { addCachedHeaders, addDataThrough, addNextPage } from "../answer-headers.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import { createCallSignal } from "../call-signal.ts";
import type { AnswerFormat } from "../formats/answer-format.ts";
import { chooseFormat } from "../formats/choose-format.ts";
import { answerFormats } from "../formats/index.ts";
import { jsonFormat, jsonFrame } from "../formats/json.ts";
import { readParameters, type SentParameters, urlParameters } from "../request-parameters.ts";
import { sendRows } from "../stream-answer.ts";
import { createTimings, type Timings } from "../timings.ts";

const paths = ["/api/endpoints/query/:name", "/api/endpoints/query/name/:name", "/endpoints/query/:name"];

declare module "fastify" {
  interface FastifyRequest {
    identity: Identity | undefined;
    timings: Timings;
  }
}

/** `GET` and `POST /api/endpoints/query/{uuid-or-name}` and its older forms: runs an endpoint. */
export function addRunEndpointRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  app.decorateRequest("identity");
  app.decorateRequest("timings");
  for (const url of paths) {
    app.route<{ Params: { name: string } }>({
      method: ["GET", "POST"],
      url,
      onRequest: async (request, reply) => {
        request.timings = createTimings(dependencies.runner.now);
        reply.header("Vary", "Accept, Accept-Encoding, LF-ENDPOINT-REDACT-PII");
        request.identity = await request.timings.measureWaiting("auth", () => identifyEarly(dependencies, request));
      },
      onSend: async (request, reply) => {
        // Who is sent away before the first phase has none.
        const { timings } = request as { readonly timings?: Timings };
        if (timings !== undefined) reply.header("Server-Timing", timings.header());
      },
      handler: (request, reply) => runEndpoint(dependencies, request.params.name, request, reply),
    });
  }
}

/** Before the body is read, unless the token can only be in there. */
async function identifyEarly(
  { authenticator }: AppDependencies,
  request: FastifyRequest,
): Promise<Identity | undefined> {
  const secret = findSecret(request, urlParameters(request));
  const { "content-length": length = "0", "transfer-encoding": transferEncoding } = request.headers;
  const hasBody = length !== "0" || transferEncoding !== undefined;
  return secret === undefined && hasBody ? undefined : authenticate(authenticator, request, secret);
}

async function runEndpoint(
  dependencies: AppDependencies,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sent = await readParameters(request, dependencies.maxBodyBytes);
  const identity =
    request.identity ??
    (await request.timings.measureWaiting("auth", () =>
      authenticate(dependencies.authenticator, request, textOf(sent.get("api_key"))),
    ));
  dependencies.rates.take(identity.tokenId);
  const endpoint = findEndpoint(dependencies, identity, name);
  request.logNotes.endpoint = endpoint.definition.name;
  const declaresFormat = endpoint.contract.parameters.some((parameter) => parameter.name === "format");
  const waitMs = readWait(request, reply);
  let signal: AbortSignal | undefined;
  const call = {
    endpoint,
    parameters: chooseParameters(identity, endpoint, sent),
    redactsPii: decideRedaction(identity, endpoint, request),
    format: chooseFormat(
      answerFormats,
      declaresFormat ? undefined : sent.get("format")?.at(-1),
      request.headers.accept,
    ),
    get signal() {
      signal ??= createCallSignal(reply, dependencies.drain.cutOff, waitMs);
      return signal;
    },
    caller: identity.tokenId,
  };
  noteRun(request, identity, call);
  await (endpoint.definition.cacheSeconds > 0 ? answerKept : answerAnew)(dependencies, call, request, reply);
  return reply;
}

interface Call extends EndpointCall {
  readonly format: AnswerFormat;
  readonly caller: string;
}

/** Answers from the cache, or from a run whose answer is kept. */
async function answerKept(
  dependencies: AppDependencies,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { endpoint, format } = call;
  const { answer, isHit, identity } = await runCached(dependencies, call, runOptions(request, call));
  request.logNotes.cache = isHit ? "hit" : "miss";
  const { cacheSeconds } = endpoint.definition;
  const kept = { answer, isHit, cacheSeconds, format, nowMs: dependencies.nowMs() };
  addDataThrough(reply, answer.dataThroughUs);
  addNextPage(request, reply, dependencies.runner.cursors, identity, answer.next);
  if (addCachedHeaders(request, reply, kept)) {
    reply.code(304).send();
    return;
  }
  setType(reply, format);
  reply.send(format === jsonFormat ? answer.body : request.timings.measure("encode", () => convert(answer, format)));
}

/** A kept answer in another form. */
function convert({ body, columns }: CachedAnswer, format: AnswerFormat): Buffer {
  const json = body.toString("utf8", jsonFrame.begin.length, body.length - jsonFrame.end.length);
  const writer = format.open(columns);
  const chunks = [writer.begin(), json === "" ? "" : writer.write({ json, rowCount: 1 }), writer.end()];
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}

async function answerAnew(
  dependencies: AppDependencies,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { runner, dataThrough } = dependencies;
  const { timings } = request;
  const prepared = timings.measure("parse", () => prepareCall(runner, call));
  const { query, identity } = prepared;
  const columns = query.columns.slice(0, query.columns.length - (query.paging?.hiddenCount ?? 0));
  const dataThroughUs = dataThrough.of(query.tables);
  await sendRows(
    reply,
    runPrepared(runner, prepared, call.signal, runOptions(request, call)),
    call.format.open(columns),
    {
      hasPages: query.paging !== undefined,
      onHeaders(summary) {
        setType(reply, call.format);
        reply.header("Cache-Control", "no-store");
        addDataThrough(reply, dataThroughUs);
        addNextPage(request, reply, runner.cursors, identity, summary?.next);
      },
      encode: (work) => timings.measure("encode", work),
    },
  );
}

/** For the audit, which is told how the call went once it is answered. */
function noteRun(
  request: FastifyRequest,
  { tokenId }: Identity,
  { endpoint, parameters, redactsPii }: Omit<EndpointCall, "signal">,
): void {
  const { definition, contract, version } = endpoint;
  const audited = { id: definition.id, name: definition.name, parameters: contract.parameters };
  const actor = tokenId;
  request.auditRun = { action: "endpoint.run", actor, endpoint: audited, version, parameters, redactsPii };
}

function runOptions({ timings, auditRun }: FastifyRequest, { caller }: Call): RunOptions {
  return {
    caller,
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

/** The seconds that the caller wants to wait at most (RFC 7240, section 4.3), in milliseconds. */
function readWait(request: FastifyRequest, reply: FastifyReply): number | undefined {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(
    request.headers.prefer?.toString() ?? "",
  )?.[1];
  if (seconds === undefined) return undefined;
  reply.header("Preference-Applied", `wait=${Number(seconds)}`);
  return Number(seconds) * 1000;
}

function textOf(values: readonly unknown[] | undefined): string | undefined {
  const value = values?.at(-1);
  return typeof value === "string" ? value : undefined;
}

function findEndpoint({ endpoints }: AppDependencies, identity: Identity, name: string): Endpoint {
  const noScope = () => new ServiceError("insufficient_scope", "The access token has no scope for this endpoint");
  if (!canQueryAnything(identity)) throw noScope();
  const endpoint = endpoints.find(name);
  if (endpoint === undefined) {
    throw new ServiceError("unknown_endpoint", `There is no endpoint ${name.slice(0, 200)}`);
  }
  if (!canQuery(identity, endpoint.definition)) throw noScope();
  return endpoint;
}

/** The last value of each name, and the token's pins over them. */
function chooseParameters(identity: Identity, endpoint: Endpoint, sent: SentParameters): ReadonlyMap<string, unknown> {
  const declared = new Set(endpoint.contract.parameters.map((parameter) => parameter.name));
  const pins = applyPins(identity, declared, sent);
  const chosen = new Map<string, unknown>();
  for (const [name, values] of sent) chosen.set(name, values.at(-1));
  for (const [name, value] of pins) chosen.set(name, value);
  return chosen;
}

/** The header turns redaction on for anybody, and off for who has the scope `private`; else the endpoint's setting holds. */
function decideRedaction(identity: Identity, endpoint: Endpoint, request: FastifyRequest): boolean {
  const header = request.headers["lf-endpoint-redact-pii"];
  const { redactsPii } = endpoint.definition;
  if (header === undefined) return redactsPii;
  const values = String(header).split(",");
  if (values.some((value) => value.trim().toLowerCase() === "true")) return true;
  return redactsPii && !identity.scopes.includes("private");
}
