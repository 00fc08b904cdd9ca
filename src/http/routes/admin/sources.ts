import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { prepareCall } from "../../../endpoints/call/prepare/prepare-call.ts";
import { noPins } from "../../../endpoints/call/prepare/query-call.ts";
import { createSourceEvents, maxEvents } from "../../../endpoints/call/prepare/source-events.ts";
import { runPrepared } from "../../../endpoints/call/run/run-prepared.ts";
import type { QueryTarget } from "../../../endpoints/definition/query-target.ts";
import { fullPageRows } from "../../../endpoints/paging/page-end.ts";
import { inPath, inQuery, listOf, orNull, reference, text, texts } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { invalidParameter, ServiceError } from "../../../shared/errors.ts";
import { listFields } from "../../../sources/list-fields.ts";
import type { Source } from "../../../sources/source.ts";
import { RetentionOrNull, showSource } from "../../../sources/source-document.ts";
import type { SourceRegistry } from "../../../sources/source-registry.ts";
import { formatIsoTimestamp } from "../../../values/iso-timestamp.ts";
import { answerBy } from "../../answer/answer-by.ts";
import { sendRows } from "../../answer/stream-answer.ts";
import type { AppDependencies } from "../../app-context.ts";
import { jsonFormat, jsonFrame } from "../../formats/json.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";
import { queryAnswer } from "../query/query.ts";

const ShownSource = Type.Object(
  {
    id: text,
    name: text,
    aliases: texts,
    kind: text,
    description: text,
    retention_days: RetentionOrNull,
    tenant: Type.Optional(Type.String({ description: "The field that tells tenants apart, if there is one" })),
    fields: Type.Record(Type.String(), Type.String(), { description: "Types of declared fields by dotted path" }),
    newest_event: Type.Optional(orNull(text)),
    read_only: Type.Boolean({ description: "True for a source that is defined in a file, or is the service's own" }),
    alias_of: Type.Optional(Type.String({ description: "The source's name, if this is another name of it" })),
  },
  { additionalProperties: true },
);
const SourceSchema = Type.Object({ name: text, fields: listOf({ path: text, type: text }) });

export const sourceSchemas = { Source: ShownSource, SourceSchema };
/** A source as an answer. */
export const source = reference("Source", ShownSource);
/** The source that a path names. */
export const sourceInPath = inPath("source", "Id, name or alias");

const ofSources = { tag: "sources", scope: "private", isRedacted: true } as const;
const ofOne = { ...ofSources, parameters: [sourceInPath] } as const;
/** Both routes to a source's newest events. */
const ofEvents = {
  ...ofSources,
  parameters: [
    sourceInPath,
    inQuery("after", "A timestamp; only events after it"),
    inQuery("limit", "Maximum number of events", Type.Integer({ minimum: 1, maximum: maxEvents })),
  ],
  answer: queryAnswer,
  errors: ["unknown_source", "invalid_parameter"],
} as const;

export const sourceRoutes = describeRoutes({
  listSources: {
    ...ofSources,
    path: "/api/sources",
    summary: "List the sources, with their newest event",
    answer: Type.Array(source),
  },
  getSource: {
    ...ofOne,
    path: "/api/sources/{source}",
    summary: "Show a source",
    answer: source,
    errors: ["unknown_source"],
  },
  getSourceSchema: {
    ...ofOne,
    path: "/api/sources/{source}/schema",
    summary: "List a source's fields by dotted path, with type",
    answer: reference("SourceSchema", SourceSchema),
    errors: ["unknown_source"],
  },
  listRecentEvents: {
    ...ofEvents,
    path: "/api/sources/{source}/recent",
    summary: "Newest events of a source, newest first",
  },
  listEvents: { ...ofEvents, path: "/api/sources/{source}/events", summary: "The same as recent" },
});

type EventsRequest = RequestOf<typeof sourceRoutes.listEvents>;

/**
 * `GET /api/sources`, `/api/sources/{source}`, and of a source `/schema`, `/events` and `/recent`, for owners (scope
 * `private`). A source is named by its name, an alias or its id.
 */
export function addSourcesRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { sources, dataThrough } = dependencies;
  const addRoute = createRouteAdder(app);
  const show = (source: Source) => {
    const newest = dataThrough.newestOf(source.name);
    return { ...showSource(source), newest_event: newest === undefined ? null : formatIsoTimestamp(newest) };
  };

  // Clients of the reference look for their sources by name: those come last, under each of their further names.
  addRoute(sourceRoutes.listSources, () => [
    ...sources.sources.map(show),
    ...sources.sources.flatMap((source) =>
      source.aliases.map((alias) => ({ ...show(source), name: alias, aliases: [], alias_of: source.name })),
    ),
  ]);
  addRoute(sourceRoutes.getSource, ({ params }) => show(findSource(sources, params.source)));
  addRoute(sourceRoutes.getSourceSchema, (request, reply) =>
    reply.send(showFields(sources, request.params.source, urlParameters(request).get("variant")?.at(-1))),
  );

  const sendEvents = createEventSender(dependencies);
  for (const [description, frame] of [
    [sourceRoutes.listEvents, jsonFrame],
    [sourceRoutes.listRecentEvents, { begin: "[", end: "]" }],
  ] as const) {
    addRoute(
      description,
      answerBy((request: EventsRequest, reply) => sendEvents(request, reply, frame)),
    );
  }
}

/** The source of a name, an alias or an id. Throws `unknown_source`. */
export function findSource(sources: SourceRegistry, name: string): Source {
  const source = sources.find(name);
  if (source === undefined) throw new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`);
  return source;
}

function showFields(sources: SourceRegistry, reference: string, variant = ""): object {
  const { name } = findSource(sources, reference);
  const table = sources.findTable(name);
  const fields = table === undefined ? [] : listFields(table);
  if (variant === "dot") return Object.fromEntries(fields.map(({ path, type }) => [path, type]));
  if (variant === "") return { name, fields };
  throw invalidParameter("variant", "The parameter variant can only be dot", { allowed: ["dot"] });
}

type SendEvents = (
  request: EventsRequest,
  reply: FastifyReply,
  frame: { readonly begin: string; readonly end: string },
) => Promise<void>;

/** Sends a page of a source's events as JSON. */
function createEventSender({ sources, runner, shutdown }: AppDependencies): SendEvents {
  // Plans belong to a target, so each source has one permanent target.
  const targets = new Map<string, QueryTarget>();
  const eventsOf = ({ name }: Source): QueryTarget => {
    const target = targets.get(name) ?? createSourceEvents(name);
    targets.set(name, target);
    return target;
  };
  return async (request, reply, frame) => {
    const redactsPii = callerOf(request).redaction === "required";
    const target = eventsOf(findSource(sources, request.params.source));
    const sent = urlParameters(request);
    const parameters = new Map(["after", "limit"].map((name) => [name, sent.get(name)?.at(-1)]));
    const prepared = prepareCall(runner, { target, parameters, pinned: noPins, redactsPii });
    const signal = createCallSignal(reply, shutdown);
    const writer = jsonFormat.open(prepared.query.columns.slice(0, 4));
    const framed = { ...writer, begin: () => frame.begin, end: () => frame.end };
    await sendRows(reply, runPrepared(runner, prepared, signal, { caller: "events" }), framed, {
      pageRows: fullPageRows(prepared.query.paging, prepared.maxRows),
      onHeaders: () => reply.type("application/json; charset=utf-8"),
      encode: (work) => work(),
    });
  };
}
