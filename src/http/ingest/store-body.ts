import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hopsHeader, readHops } from "../../drains/hops.ts";
import {
  BodyError,
  type BodyResult,
  describeFullDisk,
  EngineError,
  type EventBody,
  type EventStore,
  newestTimestampUs,
  type StoredBody,
} from "../../engines/contract/query-engine.ts";
import { mediaTypeOf, parseEvents } from "../../ingest/parse-events.ts";
import { readPlainBody } from "../../ingest/plain-body.ts";
import type { IngestOutcome } from "../../ingest/protocols/protocol.ts";
import type { IngestGate } from "../../ingest/quotas/ingest-quotas.ts";
import type { Source } from "../../sources/source.ts";
import type { AppContext } from "../app-context.ts";
import { createCallSignal } from "../request/call-signal.ts";
import { callerOf } from "../request/route-access.ts";

type Needs = Pick<
  AppContext,
  | "runner"
  | "dataThrough"
  | "quotas"
  | "maxBodyBytes"
  | "maxBodyEvents"
  | "nowMs"
  | "shutdown"
  | "intake"
  | "warnOfTenantless"
>;

/**
 * Stores what a request's body holds, where the limits of its token and of its tenants allow that: all of it or
 * nothing. Resolves once it is on disk; throws `BodyError`, `EngineError`, `rate_limited` and `tenant_limit`.
 */
export async function storeBody(
  { runner, dataThrough, quotas, maxBodyBytes, maxBodyEvents, nowMs, shutdown, intake, warnOfTenantless }: Needs,
  source: Source,
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: Pick<EventBody, "protocol" | "details"> = {},
): Promise<IngestOutcome> {
  request.logNotes.source = source.name;
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const { "content-type": contentType, "content-encoding": contentEncoding } = request.headers;
  const nowUs = BigInt(nowMs()) * 1000n;
  const { tokenId, budget } = callerOf(request);
  const gate = quotas.gateFor({ tokenId, budget, source: source.name, tenantField: source.tenantField });
  const measure = gate?.measure;
  const hops = readHops(request.headers[hopsHeader]);
  const body = {
    ...protocol,
    bytes,
    contentType,
    contentEncoding,
    nowUs,
    id: randomUUID(),
    maxBytes: maxBodyBytes,
    maxEvents: Math.min(maxBodyEvents, gate?.maxEvents ?? maxBodyEvents),
    measure,
    sender: tokenId,
    wantsKeys: false,
    ...(hops === undefined ? {} : { hops }),
  };
  const signal = createCallSignal(reply, shutdown);
  const { store } = runner.engine;
  const result = await appendThrough(gate, (admit) => append(store, source.name, body, signal, admit)).catch(
    (error: unknown) => {
      if (!(error instanceof BodyError)) throw describeFailure(error);
      intake.refuse(source.name, error.message);
      // Where the token may send fewer than a body may hold, that is the limit that was passed.
      const isOfToken = error.code === "too_many_events" && gate !== undefined && gate.maxEvents < maxBodyEvents;
      throw isOfToken ? gate.refuseMore() : error;
    },
  );
  const { stored, repeated, rejected, untimed, mistyped, tenantless, receipt, newestTimestampUs: newestUs } = result;
  if (newestUs !== undefined) dataThrough.note(source.name, newestUs, result.newestByTenant);
  const accepted = stored + repeated;
  request.logNotes.events = accepted;
  intake.note(source.name, { stored, untimed, rejected, tenantless });
  request.logNotes.rejected = rejected.length;
  request.logNotes.untimed = untimed;
  if (tenantless !== undefined) {
    request.logNotes.tenantless = tenantless;
    warnOfTenantless(request.log, source, tenantless);
  }
  const mediaType = mediaTypeOf(contentType);
  return { accepted, rejected, untimed, mistyped, receipt, mediaType, tookMs: Math.round(reply.elapsedTime) };
}

/** A lack of the engine's, or of its rights, is none of the events: senders give up what is answered with other 4xx. */
function describeFailure(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { code, message, retryAfterSeconds } = error;
  const again = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  if (code === "memory_exceeded") {
    return new EngineError("overloaded", "The engine is short of memory for new events", again);
  }
  if (code === "refused") return new EngineError("unavailable", message, again);
  return describeFullDisk(error, "The events were not stored");
}

type Admit = IngestGate["admit"] | undefined;

/** Checks the events against the limits, and gives their share back when they were not stored. */
async function appendThrough(gate: IngestGate | undefined, work: (admit: Admit) => Promise<BodyResult>) {
  try {
    return await work(gate?.admit);
  } catch (error) {
    // Events of a caller that has disconnected may be stored all the same.
    if (!(error instanceof EngineError && error.code === "aborted")) gate?.giveBack();
    throw error;
  }
}

/** Bytes and events of a body that takes milliseconds to read. */
const longBytes = 65_536;
const manyEvents = 1_000;

/** Long bodies are read off the main thread, and so are short ones that decompress to long ones or hold many events. */
async function append(
  store: EventStore,
  source: string,
  body: StoredBody,
  signal: AbortSignal,
  admit: Admit,
): Promise<BodyResult> {
  const { appendBody } = store;
  if (appendBody === undefined) return appendShort(store, source, body, signal, admit);
  const { maxBytes, maxEvents = Number.POSITIVE_INFINITY } = body;
  const isPacked = body.contentEncoding !== undefined;
  if (body.bytes.length >= (isPacked ? longBytes / 10 : longBytes)) return appendBody(source, body, signal, admit);
  const short = { ...body, maxBytes: Math.min(maxBytes, longBytes), maxEvents: Math.min(maxEvents, manyEvents) };
  try {
    return await appendShort(store, source, short, signal, admit);
  } catch (error) {
    const isLong = error instanceof BodyError && error.code === "body_too_large" && maxBytes > longBytes;
    const isMany = error instanceof BodyError && error.code === "too_many_events" && maxEvents > manyEvents;
    if (isLong || isMany) return appendBody(source, body, signal, admit);
    throw error;
  }
}

async function appendShort(
  store: EventStore,
  source: string,
  body: StoredBody,
  signal: AbortSignal,
  admit: Admit,
): Promise<BodyResult> {
  const plain = store.appendPlain === undefined ? undefined : await readPlainBody(body);
  const stored = plain === undefined ? undefined : await store.appendPlain?.(source, plain, signal);
  if (stored !== undefined) return stored;
  const unpacked = { contentType: mediaTypeOf(body.contentType), contentEncoding: undefined };
  const decoded = plain === undefined ? body : { ...body, ...unpacked, bytes: plain.bytes };
  const { events, ...remarks } = await parseEvents(decoded);
  admit?.(remarks.loads ?? []);
  const result = await store.append(source, events, signal);
  return { ...result, ...remarks, keys: undefined, newestTimestampUs: newestTimestampUs(events) };
}
