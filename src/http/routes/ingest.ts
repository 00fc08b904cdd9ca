import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { canIngest, canIngestAnything, type Identity } from "../../access/scope.ts";
import { type BodyResult, type EventBody, type EventStore, newestTimestampUs } from "../../engines/engine.ts";
import { ServiceError } from "../../errors.ts";
import { parseEvents } from "../../ingest/parse-events.ts";
import type { Source } from "../../sources/source.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import { createCallSignal } from "../call-signal.ts";
import { urlParameters } from "../request-parameters.ts";

const paths = ["/api/logs", "/logs", "/api/events"];

declare module "fastify" {
  interface FastifyRequest {
    ingestSource: Source | undefined;
  }
}

/** `POST /api/logs?source_name=...`: stores events. Who may, and where to, is settled before the body is read. */
export function addIngestRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  app.decorateRequest("ingestSource");
  for (const url of paths) {
    app.route({
      method: "POST",
      url,
      onRequest: async (request) => {
        request.ingestSource = await findSource(dependencies, request);
      },
      handler: (request, reply) => storeEvents(dependencies, request, reply),
    });
  }
}

async function findSource({ authenticator, sources }: AppDependencies, request: FastifyRequest): Promise<Source> {
  const parameters = urlParameters(request);
  const identity = await authenticate(authenticator, request, findSecret(request, parameters));
  if (!canIngestAnything(identity)) throw noScope();
  const header = request.headers["x-source"];
  const name = (parameters.get("source_name") ?? parameters.get("source"))?.at(-1) ?? header?.toString();
  if (name === undefined || name === "") {
    throw new ServiceError("missing_parameter", "The parameter source_name is required: it names the events' source", {
      parameter: "source_name",
    });
  }
  const source = sources.find(name);
  if (source === undefined) {
    throw new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`, { parameter: "source_name" });
  }
  requireScope(identity, source);
  if (source.origin?.kind === "service") {
    throw new ServiceError("source_read_only", `The source ${source.name} is written by the service alone`, {
      hint: "Send events to another source.",
    });
  }
  return source;
}

function noScope(): ServiceError {
  return new ServiceError("insufficient_scope", "The access token has no scope to write to this source");
}

function requireScope(identity: Identity, source: Source): void {
  if (!canIngest(identity, [source.name, ...source.aliases])) throw noScope();
}

async function storeEvents(
  { runner, dataThrough, maxBodyBytes, nowMs, drain }: AppDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const source = request.ingestSource;
  if (source === undefined) throw new ServiceError("internal", "The events' source was not found out");
  request.logNotes.source = source.name;
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const { "content-type": contentType, "content-encoding": contentEncoding } = request.headers;
  const body = { bytes, contentType, contentEncoding, nowUs: BigInt(nowMs()) * 1000n, maxBytes: maxBodyBytes };
  const signal = createCallSignal(reply, drain);
  const { store } = runner.engine;
  const {
    stored,
    repeated,
    rejected,
    newestTimestampUs: newestUs,
  } = store.appendBody !== undefined && isLong(body)
    ? await store.appendBody(source.name, body, signal)
    : await appendShort(store, source.name, body, signal);
  if (newestUs !== undefined) dataThrough.note(source.name, newestUs);
  const accepted = stored + repeated;
  request.logNotes.events = accepted;
  request.logNotes.rejected = rejected.length;
  if (rejected.length === 0) return reply.send({ message: "Logged!", accepted });
  const message = `${rejected.length} of ${accepted + rejected.length} events were not stored`;
  return reply.status(422).send({ message, accepted, rejected });
}

/** A body that takes milliseconds to read. Compressed ones are about a tenth of what they hold. */
function isLong({ bytes, contentEncoding }: EventBody): boolean {
  return bytes.length >= (contentEncoding === undefined ? 65_536 : 6_553);
}

async function appendShort(
  store: EventStore,
  source: string,
  body: EventBody,
  signal: AbortSignal,
): Promise<BodyResult> {
  const { events, rejected } = await parseEvents(body);
  const result = await store.append(source, events, signal);
  return { ...result, rejected, newestTimestampUs: newestTimestampUs(events) };
}
