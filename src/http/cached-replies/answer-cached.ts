import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../access/scope.ts";
import type { CachedAnswer } from "../../endpoints/cache/cached-answer.ts";
import { type CacheableCall, runCached } from "../../endpoints/cache/run-cached.ts";
import type { QueryCall } from "../../endpoints/call/prepare/query-call.ts";
import type { RunOptions } from "../../endpoints/call/run/run-prepared.ts";
import { RowBatch } from "../../engines/contract/query-engine.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { ageHeaders, ageOf, cacheControl, nextPageHeader, varyHeader } from "../answer/answer-headers.ts";
import { type ContentEncoding, chooseEncoding, minEncodedBytes } from "../answer/content-encoding.ts";
import { isKnownTag } from "../answer/entity-tag.ts";
import type { AppDependencies } from "../app-context.ts";
import { type AnswerFormat, toBuffers } from "../formats/answer-format.ts";
import { jsonFormat, jsonFrame } from "../formats/json.ts";
import type { CachedReplies } from "./cached-replies.ts";

/** One call, and how its answer is to look. */
export interface FormattedCall extends QueryCall {
  readonly format: AnswerFormat;
  readonly identity: Identity;
  /** How the call named the endpoint. */
  readonly name: string;
}

/** Answers from the cache, or from a run whose answer is cached. */
export async function answerCached(
  dependencies: AppDependencies,
  replies: CachedReplies,
  call: FormattedCall & CacheableCall,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RunOptions,
): Promise<void> {
  const { target, format } = call;
  const { cacheSeconds } = target.definition;
  const { key, answer, isHit, isCollapsed, cursorScope, isCurrent } = await runCached(dependencies, call, options);
  request.logNotes.cache = isHit ? "hit" : "miss";
  const encoding = encodingOf(request, format, answer);
  const etag = answer.etag.replace(/"$/, `${suffixOf(format, encoding)}"`);
  const headers: string[] = ["vary", varyHeader, "cache-control", cacheControl(cacheSeconds), "etag", etag];
  if (answer.dataThroughUs !== undefined) {
    headers.push("x-logweir-data-through", formatIsoTimestamp(answer.dataThroughUs));
  }
  if (answer.next !== undefined) {
    const [name, value] = nextPageHeader(request.url, dependencies.runner.cursors.seal(cursorScope, answer.next));
    headers.push(name.toLowerCase(), value);
  }
  headers.push("content-type", format.mediaType + format.typeParameters);
  if (encoding !== undefined) headers.push("content-encoding", encoding.name);
  setAll(reply, headers);
  if (isHit) setAll(reply, ageHeaders(ageOf(answer.computedAtMs, dependencies.nowMs()), cacheSeconds));
  else
    reply
      .header("age", "0")
      .header("cache-status", isCollapsed ? "logweir; fwd=miss; collapsed" : "logweir; fwd=miss; stored");
  const form = format === jsonFormat && encoding === undefined ? undefined : suffixOf(format, encoding);
  const isKnown = isKnownTag(request.headers["if-none-match"], etag);
  const body = isKnown ? undefined : await bodyOf(dependencies, request, { key, answer, format, encoding, form });
  const { auditRun: notes } = request;
  // A miss may never be asked again; what is remembered of a call is more than is cached of its answer.
  if (isHit && isCurrent !== undefined && notes !== undefined) {
    const { identity, name } = call;
    const route = request.routeOptions.url ?? "";
    replies.remember(request.raw, {
      identity,
      endpoint: target,
      name,
      route,
      key,
      serial: answer.serial,
      form,
      etag,
      headers,
      isCurrent,
      notes,
    });
  }
  reply.code(isKnown ? 304 : 200).send(body);
}

function setAll(reply: FastifyReply, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1]);
}

/** Returns the suffix of entity tags and of cached forms. */
function suffixOf(format: AnswerFormat, encoding: ContentEncoding | undefined): string {
  return (format === jsonFormat ? "" : `.${format.name}`) + (encoding === undefined ? "" : `.${encoding.name}`);
}

function encodingOf(
  { headers }: FastifyRequest,
  format: AnswerFormat,
  { body }: CachedAnswer,
): ContentEncoding | undefined {
  if (format.isCompressed === true || body.length < minEncodedBytes) return undefined;
  return chooseEncoding(headers["accept-encoding"]);
}

interface AskedForm {
  readonly key: string;
  readonly answer: CachedAnswer;
  readonly format: AnswerFormat;
  readonly encoding: ContentEncoding | undefined;
  readonly form: string | undefined;
}

async function bodyOf(
  { cache }: AppDependencies,
  { timings }: FastifyRequest,
  { key, answer, format, encoding, form }: AskedForm,
): Promise<Buffer> {
  if (form === undefined) return answer.body;
  return timings.measureWaiting("encode", () =>
    cache.formOf(key, answer, form, async () => {
      const plain = format === jsonFormat ? answer.body : convert(answer, format);
      return encoding === undefined ? plain : encoding.encode(plain);
    }),
  );
}

/** A cached answer in another form. */
function convert({ body, columns }: CachedAnswer, format: AnswerFormat): Buffer {
  const json = body.toString("utf8", jsonFrame.begin.length, body.length - jsonFrame.end.length);
  const writer = format.open(columns);
  const rows = json === "" ? "" : writer.write(new RowBatch(json, 1));
  return Buffer.concat([writer.begin(), rows, writer.end()].flatMap(toBuffers));
}
