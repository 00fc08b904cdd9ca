import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { noPins, prepareCall } from "../../endpoints/call/run-endpoint.ts";
import { runPrepared } from "../../endpoints/call/run-prepared.ts";
import { createSourceEndpoint } from "../../endpoints/call/source-events.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { fullPageRows } from "../../endpoints/paging/page-end.ts";
import { ServiceError } from "../../shared/errors.ts";
import { formatIsoTimestamp } from "../../shared/iso-timestamp.ts";
import { listFields } from "../../sources/list-fields.ts";
import type { Source } from "../../sources/source.ts";
import { showSource } from "../../sources/source-document.ts";
import type { SourceRegistry } from "../../sources/source-registry.ts";
import { answerBy } from "../answer/answer-by.ts";
import { sendRows } from "../answer/stream-answer.ts";
import type { AppDependencies } from "../app.ts";
import { jsonFormat, jsonFrame } from "../formats/json.ts";
import { createCallSignal } from "../request/call-signal.ts";
import { urlParameters } from "../request/request-parameters.ts";
import { ownerOf, requirePrivate } from "../request/require-private.ts";

/**
 * `GET /api/sources`, `/api/sources/{source}`, and of a source `/schema`, `/events` and `/recent`, for owners (scope
 * `private`). A source is named by its name, an alias or its id.
 */
export function addSourcesRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { sources, dataThrough } = dependencies;
  const options = { onRequest: requirePrivate(dependencies.authenticator) };
  const show = (source: Source) => {
    const newest = dataThrough.newestOf(source.name);
    return { ...showSource(source), newest_event: newest === undefined ? null : formatIsoTimestamp(newest) };
  };

  // Clients of the reference look for their sources by name: those come last, under each of their further names.
  app.get("/api/sources", options, () => [
    ...sources.sources.map(show),
    ...sources.sources.flatMap((source) =>
      source.aliases.map((alias) => ({ ...show(source), name: alias, aliases: [], alias_of: source.name })),
    ),
  ]);
  app.get<SourceRoute>("/api/sources/:name", options, ({ params }) => show(findSource(sources, params.name)));
  app.get<SourceRoute>("/api/sources/:name/schema", options, (request) => showFields(sources, request));

  const sendEvents = createEventSender(dependencies);
  for (const [path, frame] of [
    ["events", jsonFrame],
    ["recent", { begin: "[", end: "]" }],
  ] as const) {
    const handler = answerBy<SourceRoute>((request, reply) => sendEvents(request, reply, frame));
    app.get<SourceRoute>(`/api/sources/:name/${path}`, options, handler);
  }
}

function findSource(sources: SourceRegistry, name: string): Source {
  const source = sources.find(name);
  if (source === undefined) throw new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`);
  return source;
}

function showFields(sources: SourceRegistry, request: FastifyRequest<SourceRoute>) {
  const { name } = findSource(sources, request.params.name);
  const table = sources.findTable(name);
  const fields = table === undefined ? [] : listFields(table);
  const variant = urlParameters(request).get("variant")?.at(-1) ?? "";
  if (variant === "dot") return Object.fromEntries(fields.map(({ path, type }) => [path, type]));
  if (variant === "") return { name, fields };
  throw new ServiceError("invalid_parameter", "The parameter variant can only be dot", {
    parameter: "variant",
    allowed: ["dot"],
  });
}

type SendEvents = (
  request: FastifyRequest<SourceRoute>,
  reply: FastifyReply,
  frame: { readonly begin: string; readonly end: string },
) => Promise<void>;

/** Sends a page of a source's events as JSON. */
function createEventSender({ sources, runner, drain }: AppDependencies): SendEvents {
  // Plans are kept by endpoint, so each source has one for good.
  const endpoints = new Map<string, Endpoint>();
  const eventsOf = ({ name }: Source): Endpoint => {
    const endpoint = endpoints.get(name) ?? createSourceEndpoint(name);
    endpoints.set(name, endpoint);
    return endpoint;
  };
  return async (request, reply, frame) => {
    const redactsPii = ownerOf(request).redaction === "required";
    const endpoint = eventsOf(findSource(sources, request.params.name));
    const sent = urlParameters(request);
    const parameters = new Map(["after", "limit"].map((name) => [name, sent.get(name)?.at(-1)]));
    const prepared = prepareCall(runner, { endpoint, parameters, pinned: noPins, redactsPii });
    const signal = createCallSignal(reply, drain);
    const writer = jsonFormat.open(prepared.query.columns.slice(0, 4));
    const framed = { ...writer, begin: () => frame.begin, end: () => frame.end };
    await sendRows(reply, runPrepared(runner, prepared, signal, { caller: "events" }), framed, {
      pageRows: fullPageRows(prepared.query.paging, prepared.maxRows),
      onHeaders: () => reply.type("application/json; charset=utf-8").header("Cache-Control", "no-store"),
      encode: (work) => work(),
    });
  };
}

interface SourceRoute {
  readonly Params: { readonly name: string };
}
