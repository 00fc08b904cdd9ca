import type { FastifyInstance } from "fastify";
import type { Endpoint } from "../../endpoints/definition.ts";
import { prepareCall } from "../../endpoints/run-endpoint.ts";
import { runPrepared } from "../../endpoints/run-prepared.ts";
import { createSourceEndpoint } from "../../endpoints/source-events.ts";
import { ServiceError } from "../../errors.ts";
import { formatIsoTimestamp } from "../../iso-timestamp.ts";
import { listFields } from "../../sources/list-fields.ts";
import type { Source } from "../../sources/source.ts";
import type { AppDependencies } from "../app.ts";
import { createCallSignal } from "../call-signal.ts";
import { jsonFormat } from "../formats/json.ts";
import { urlParameters } from "../request-parameters.ts";
import { requirePrivate } from "../require-private.ts";
import { sendRows } from "../stream-answer.ts";

/** `GET /api/sources`, `/api/sources/{name}/schema` and `/api/sources/{name}/events`, for owners (scope `private`). */
export function addSourcesRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { sources, dataThrough, runner } = dependencies;
  const options = { onRequest: requirePrivate(dependencies.authenticator) };
  // Plans are kept by endpoint, so each source has one for good.
  const endpoints = new Map<Source, Endpoint>(
    sources.sources.map((source) => [source, createSourceEndpoint(source.name)]),
  );
  const find = (name: string): Source => {
    const source = sources.findSource(name);
    if (source === undefined) throw new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`);
    return source;
  };

  app.get("/api/sources", options, () =>
    sources.sources.map(({ name, aliases, kind, description, retentionDays }) => {
      const newest = dataThrough.of([name]);
      return {
        name,
        aliases,
        kind,
        description,
        retention_days: retentionDays ?? null,
        newest_event: newest === undefined ? null : formatIsoTimestamp(newest),
      };
    }),
  );

  app.get<{ Params: { name: string } }>("/api/sources/:name/schema", options, ({ params }) => {
    const { name } = find(params.name);
    const table = sources.findTable(name);
    return { name, fields: table === undefined ? [] : listFields(table) };
  });

  app.get<{ Params: { name: string } }>("/api/sources/:name/events", options, async (request, reply) => {
    const endpoint = endpoints.get(find(request.params.name));
    if (endpoint === undefined) throw new ServiceError("internal", "A source has no events to show");
    const sent = urlParameters(request);
    const parameters = new Map(["after", "limit"].map((name) => [name, sent.get(name)?.at(-1)]));
    const prepared = prepareCall(runner, { endpoint, parameters, redactsPii: false });
    const signal = createCallSignal(reply, dependencies.drain.cutOff);
    const columns = prepared.query.columns.slice(0, 4);
    await sendRows(reply, runPrepared(runner, prepared, signal, { caller: "events" }), jsonFormat.open(columns), {
      hasPages: true,
      onHeaders: () => reply.type("application/json; charset=utf-8").header("Cache-Control", "no-store"),
      encode: (work) => work(),
    });
    return reply;
  });
}
