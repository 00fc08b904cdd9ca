import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseLifetime } from "../../access/expiry.ts";
import type { FollowedPeriod, PreparedCall } from "../../endpoints/call/prepare/query-call.ts";
import { askTail, prepareTail, type TailRow } from "../../endpoints/tail/ask-tail.ts";
import type { TailAsk, TailStart } from "../../endpoints/tail/shared-tail.ts";
import { inQuery } from "../../openapi/forms.ts";
import { describeRoutes } from "../../openapi/route-description.ts";
import { ServiceError } from "../../shared/errors.ts";
import { answerBy } from "../answer/answer-by.ts";
import type { AppContext } from "../app-context.ts";
import { createRouteAdder, type RequestOf } from "../request/add-route.ts";
import { createCallSignal } from "../request/call-signal.ts";
import {
  chooseParameters,
  decideRedaction,
  findTarget,
  noteRun,
  type OpenedCall,
  openCall,
} from "../request/endpoint-call.ts";
import { createTailGuard, guardFollower, type TailGuard } from "../request/tail-guard.ts";
import { createTailChunks, openStream, type TailChunks, type WaitingBytes } from "../request/tail-stream.ts";
import { consumerParameters, consumerRunErrors } from "./explore.ts";

/** The maximum number of concurrent followers of a token. */
const maxPerToken = 1_000;
const heartbeatMs = 15_000;
const checkMs = 500;
const maxSinceMs = 7 * 86_400_000;

export const tailRoutes = describeRoutes({
  followRows: {
    tag: "explore",
    scope: "query",
    method: "get",
    path: "/api/endpoints/query/{endpoint}/tail",
    hasBodyParameters: true,
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
  const tokens = new Map<string, TokenTails>();
  const chunks = createTailChunks();
  createRouteAdder(app)(
    tailRoutes.followRows,
    answerBy(async (request: TailRequest, reply) => {
      const openedAt = dependencies.revision();
      const call = await openCall(dependencies, request);
      const { tokenId } = call.identity;
      const signal = createCallSignal(reply, dependencies.shutdown);
      const turn = { caller: tokenId, openSignal: () => signal };
      const prepared = await prepareTail(dependencies.runner, call, nothing, turn);
      signal.throwIfAborted();
      const start = readStart(dependencies, request, call, prepared.cursorScope);
      const own = tokens.get(tokenId) ?? { count: 0, waiting: { count: 0 } };
      if (own.count >= maxPerToken) {
        throw new ServiceError("too_many_queries", `This token follows ${maxPerToken} queries already`);
      }
      tokens.set(tokenId, own);
      own.count++;
      reply.raw.once("close", () => {
        own.count--;
        if (own.count === 0) tokens.delete(tokenId);
      });
      noteRun(request, call.identity, call);
      const { cursorScope } = prepared;
      const view = describeView(prepared);
      await follow(dependencies, request, reply, {
        ...{ ...call, chunks, cursorScope, start, openedAt, view, turn },
        waiting: own.waiting,
      });
    }),
  );
}

/** The tails of a token. */
interface TokenTails {
  count: number;
  readonly waiting: WaitingBytes;
}

interface FollowedCall extends OpenedCall {
  readonly chunks: TailChunks;
  readonly waiting: WaitingBytes;
  /** The scope of the call's cursors. */
  readonly cursorScope: string;
  readonly start: TailStart;
  /** The revision of endpoints and sources before it was opened, and what it could be shown then. */
  readonly openedAt: number;
  readonly view: string;
  readonly turn: Parameters<typeof prepareTail>[3];
}

async function follow(
  dependencies: AppContext,
  request: TailRequest,
  reply: FastifyReply,
  { chunks, waiting, start, ...call }: FollowedCall,
): Promise<void> {
  const { runner, tails, shutdown } = dependencies;
  const { cursorScope } = call;
  // Tokens with the same view share a tail; the limits of a token are part of the key, and what errors tell it.
  const key = JSON.stringify([cursorScope, call.budget ?? null, call.identity.pins, call.isOwner]);
  const seal = (place: TailRow["place"]) => runner.cursors.seal(cursorScope, place);
  const stream = openStream(reply, { chunks, seal, waiting });
  const ask: TailAsk = async (period, signal) => {
    const target = await findTarget(dependencies, call.identity, request.params.endpoint);
    return askTail(runner, { ...call, target }, period, signal);
  };
  const guard = createGuard(dependencies, request, call);
  const guarded = guardFollower(stream.follower, guard);
  const following = tails.follow(key, ask, guarded, start);
  const timers = [
    setInterval(stream.beat, heartbeatMs).unref(),
    setInterval(() => guarded.deliver([]), checkMs).unref(),
  ];
  const stop = () => stream.follower.end(new ServiceError("shutting_down", "The service is stopping"));
  const forget = shutdown.onStopping(stop);
  reply.raw.once("close", () => {
    for (const timer of timers) clearInterval(timer);
    forget();
    following.leave();
  });
  // Errors of the query's first run are reported before the answer begins.
  await following.joined;
  stream.begin();
}

/** Checks a follower's access as if its call were opened now. */
function createGuard(
  dependencies: AppContext,
  request: TailRequest,
  call: Omit<FollowedCall, "chunks" | "waiting" | "start">,
): TailGuard {
  const { authenticator, runner, revision } = dependencies;
  const { identity, openedAt, view } = call;
  const readView = async () => {
    const target = await findTarget(dependencies, identity, request.params.endpoint);
    const parameters = chooseParameters(identity, target, call.sent);
    const redactsPii = decideRedaction(identity, target, request);
    const now = { ...call, target, parameters, redactsPii };
    return describeView(await prepareTail(runner, now, nothing, call.turn));
  };
  return createTailGuard({ authenticator, secret: request.secret, identity, revision, openedAt, view, readView });
}

/** A period of no events: that calls are checked for. */
const nothing: FollowedPeriod = { fromUs: 0n, toUs: 0n };

function describeView({ query, cursorScope, redactsPii, budget, detectors }: PreparedCall): string {
  return JSON.stringify([query.sql, query.computed ?? null, redactsPii, cursorScope, budget, detectors ?? null]);
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
