import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseLifetime } from "../../access/expiry.ts";
import { askTail, prepareTail, type TailRow } from "../../endpoints/tail/ask-tail.ts";
import type { Follower, TailAsk, TailStart } from "../../endpoints/tail/shared-tail.ts";
import { inQuery } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import { ServiceError } from "../../shared/errors.ts";
import { answerBy } from "../answer/answer-by.ts";
import { createTailChunks, type TailChunks } from "../answer/tail-chunks.ts";
import type { AppContext } from "../app.ts";
import { createRouteAdder, type RequestOf } from "../request/add-route.ts";
import { findSecret } from "../request/authenticate.ts";
import { findTarget, noteRun, type OpenedCall, openCall } from "../request/endpoint-call.ts";
import { urlParameters } from "../request/request-parameters.ts";
import { consumerParameters, consumerRunErrors } from "./explore.ts";

/** The maximum number of concurrent followers of a token. */
const maxPerToken = 1_000;
/** Bytes buffered for a slow reader before rows are skipped. */
const maxWaitingBytes = 1_000_000;
const heartbeatMs = 15_000;
const checkMs = 500;
const maxSinceMs = 7 * 86_400_000;

export const tailRoutes = describeRoutes({
  followRows: {
    tag: "explore",
    scope: "query",
    method: "get",
    path: "/api/endpoints/query/{endpoint}/tail",
    summary: "Follow the rows of an endpoint, or of a query, as they arrive",
    parameters: [
      ...consumerParameters,
      inQuery("since", "Also rows of this period up to now, such as 5m"),
      inQuery("cursor", "Resume after the row with this id, like the header Last-Event-ID"),
    ],
    status: 200,
    mediaType: "text/event-stream",
    errors: [...consumerRunErrors, "not_followable"],
  },
});

type TailRequest = RequestOf<typeof tailRoutes.followRows>;

/**
 * `GET /api/endpoints/query/{name}/tail`: the rows of an endpoint or of a caller's query as they arrive, as
 * Server-Sent Events.
 */
export function addTailRoute(app: FastifyInstance, dependencies: AppContext): void {
  const perToken = new Map<string, number>();
  const chunks = createTailChunks();
  createRouteAdder(app, dependencies.authenticator)(
    tailRoutes.followRows,
    answerBy(async (request: TailRequest, reply) => {
      const call = await openCall(dependencies, request);
      const { tokenId } = call.identity;
      const prepared = prepareTail(dependencies.runner, call, 0n);
      const start = readStart(dependencies, request, call, prepared.cursorScope);
      const running = perToken.get(tokenId) ?? 0;
      if (running >= maxPerToken) {
        throw new ServiceError("too_many_queries", `This token follows ${maxPerToken} queries already`);
      }
      perToken.set(tokenId, running + 1);
      reply.raw.once("close", () => {
        const left = (perToken.get(tokenId) ?? 1) - 1;
        if (left > 0) perToken.set(tokenId, left);
        else perToken.delete(tokenId);
      });
      noteRun(request, call.identity, call);
      await follow(dependencies, request, reply, { ...call, chunks, cursorScope: prepared.cursorScope, start });
    }),
  );
}

interface FollowedCall extends OpenedCall {
  readonly chunks: TailChunks;
  /** What cursors of the call belong to. */
  readonly cursorScope: string;
  readonly start: TailStart;
}

async function follow(
  dependencies: AppContext,
  request: TailRequest,
  reply: FastifyReply,
  { chunks, cursorScope, start, ...call }: FollowedCall,
): Promise<void> {
  const { runner, tails, drain } = dependencies;
  // Tokens with the same view share a tail; the limits of a token are part of the key.
  const key = JSON.stringify([cursorScope, call.budget ?? null, call.identity.pins]);
  const stream = openStream(reply, chunks, (place) => runner.cursors.seal(cursorScope, place));
  const ask: TailAsk = async (fromUs, signal) => {
    const target = await findTarget(dependencies, call.identity, request.params.endpoint);
    return askTail(runner, { ...call, target }, fromUs, signal);
  };
  const following = tails.follow(key, ask, stream.follower, start);
  const secret = findSecret(request, urlParameters(request)) ?? "";
  const timers = [
    setInterval(stream.beat, heartbeatMs).unref(),
    setInterval(() => void endWhenRevoked(dependencies, secret, stream.follower), checkMs).unref(),
  ];
  const stop = () => stream.follower.end(new ServiceError("shutting_down", "The service is stopping"));
  drain.stopping.addEventListener("abort", stop, { once: true });
  reply.raw.once("close", () => {
    for (const timer of timers) clearInterval(timer);
    drain.stopping.removeEventListener("abort", stop);
    following.leave();
  });
  // Errors of the query's first run are reported before the answer begins.
  await following.joined;
  stream.begin();
}

async function endWhenRevoked({ authenticator }: AppContext, secret: string, follower: Follower): Promise<void> {
  if (authenticator.recall(secret) !== undefined) return;
  const identity = await authenticator.authenticate(secret).catch(() => undefined);
  if (identity === undefined) follower.end(new ServiceError("unauthorized", "The access token is not valid any more"));
}

interface TailStream {
  readonly follower: Follower;
  readonly begin: () => void;
  readonly beat: () => void;
}

/** Writes messages; a slow reader is told how many were skipped. */
function openStream(reply: FastifyReply, chunks: TailChunks, seal: (place: TailRow["place"]) => string): TailStream {
  const { raw } = reply;
  let isOpen = false;
  let isOver = false;
  let skippedCount = 0;
  const early: (() => void)[] = [];
  const write = (text: string | Buffer) => {
    if (!isOver && !raw.destroyed) raw.write(text);
  };
  const tellSkipped = () => {
    if (skippedCount === 0 || raw.writableLength > maxWaitingBytes / 2) return;
    write(message("skipped", { count: skippedCount }));
    skippedCount = 0;
  };
  const whenOpen = (work: () => void) => (isOpen ? work() : void early.push(work));
  raw.on("drain", tellSkipped);
  const follower: Follower = {
    deliver: (rows) =>
      whenOpen(() => {
        if (raw.writableLength > maxWaitingBytes) {
          skippedCount += rows.length;
          return;
        }
        tellSkipped();
        write(chunks.of(rows, seal));
      }),
    skip: (count) => whenOpen(() => write(message("skipped", { count: count ?? null }))),
    end(error) {
      whenOpen(() => {
        tellSkipped();
        write(message("end", { code: error.code, message: error.message }));
        isOver = true;
        raw.end();
      });
    },
  };
  const begin = () => {
    reply.header("Content-Type", "text/event-stream; charset=utf-8");
    reply.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
    const headers = reply.getHeaders() as Record<string, string>;
    reply.hijack();
    raw.writeHead(200, headers);
    raw.write(": following\n\n");
    isOpen = true;
    for (const work of early.splice(0)) work();
  };
  return { follower, begin, beat: () => whenOpen(() => write(":\n\n")) };
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** After `Last-Event-ID` or `cursor`, otherwise since `since` ago, otherwise from now on. */
function readStart(
  { runner, nowMs }: AppContext,
  { headers }: FastifyRequest,
  { sent, target }: OpenedCall,
  cursorScope: string,
): TailStart {
  const declares = (name: string) => target.contract.parameters.some((parameter) => parameter.name === name);
  const lastId = headers["last-event-id"];
  const cursor =
    typeof lastId === "string" && lastId !== "" ? lastId : declares("cursor") ? "" : sent.get("cursor")?.at(-1);
  if (cursor !== undefined && cursor !== "") return { behind: runner.cursors.open(cursorScope, String(cursor)) };
  const since = declares("since") ? undefined : sent.get("since")?.at(-1);
  if (since === undefined || since === "") return undefined;
  const sinceMs = parseLifetime(String(since));
  if (sinceMs === undefined || sinceMs > maxSinceMs) {
    throw new ServiceError(
      "invalid_parameter",
      "The parameter since must be a number and s, m, h or d, such as 5m, of 7 days at most",
      {
        parameter: "since",
      },
    );
  }
  return { fromUs: BigInt(nowMs() - sinceMs) * 1000n };
}
