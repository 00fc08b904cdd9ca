import type { FastifyReply, FastifyRequest } from "fastify";
import {
  BodyError,
  type BodyResult,
  type EventBody,
  type EventStore,
  newestTimestampUs,
} from "../../engines/contract/query-engine.ts";
import { mediaTypeOf, parseEvents } from "../../ingest/parse-events.ts";
import type { IngestOutcome } from "../../ingest/protocols/protocol.ts";
import type { Source } from "../../sources/source.ts";
import type { AppDependencies } from "../app.ts";
import { createCallSignal } from "../request/call-signal.ts";

type Needs = Pick<AppDependencies, "runner" | "dataThrough" | "maxBodyBytes" | "nowMs" | "drain">;

/** Stores what a request's body holds. Resolves once it is on disk; throws `BodyError` and `EngineError`. */
export async function storeBody(
  { runner, dataThrough, maxBodyBytes, nowMs, drain }: Needs,
  source: Source,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: Pick<EventBody, "protocol" | "details"> = {},
): Promise<IngestOutcome> {
  request.logNotes.source = source.name;
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const { "content-type": contentType, "content-encoding": contentEncoding } = request.headers;
  const nowUs = BigInt(nowMs()) * 1000n;
  const body = { ...protocol, bytes, contentType, contentEncoding, nowUs, maxBytes: maxBodyBytes };
  const signal = createCallSignal(reply, drain);
  const { store } = runner.engine;
  const result = await append(store, source.name, body, signal);
  const { stored, repeated, rejected, untimed, mistyped, receipt, newestTimestampUs: newestUs } = result;
  if (newestUs !== undefined) dataThrough.note(source.name, newestUs, result.newestByTenant);
  const accepted = stored + repeated;
  request.logNotes.events = accepted;
  request.logNotes.rejected = rejected.length;
  request.logNotes.untimed = untimed;
  const mediaType = mediaTypeOf(contentType);
  return { accepted, rejected, untimed, mistyped, receipt, mediaType, tookMs: Math.round(reply.elapsedTime) };
}

/** Bytes of a body that takes milliseconds to read. */
const longBytes = 65_536;

/** Long bodies are read where they hold up nobody, and so are short ones that unpack to long ones. */
async function append(store: EventStore, source: string, body: EventBody, signal: AbortSignal): Promise<BodyResult> {
  const { appendBody } = store;
  if (appendBody === undefined) return appendShort(store, source, body, signal);
  const isPacked = body.contentEncoding !== undefined;
  if (body.bytes.length >= (isPacked ? longBytes / 10 : longBytes)) return appendBody(source, body, signal);
  if (!isPacked || body.maxBytes <= longBytes) return appendShort(store, source, body, signal);
  try {
    return await appendShort(store, source, { ...body, maxBytes: longBytes }, signal);
  } catch (error) {
    if (error instanceof BodyError && error.code === "body_too_large") return appendBody(source, body, signal);
    throw error;
  }
}

async function appendShort(
  store: EventStore,
  source: string,
  body: EventBody,
  signal: AbortSignal,
): Promise<BodyResult> {
  const { events, ...remarks } = await parseEvents(body);
  const result = await store.append(source, events, signal);
  return { ...result, ...remarks, newestTimestampUs: newestTimestampUs(events) };
}
