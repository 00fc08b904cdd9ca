import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseLifetime } from "../../../access/expiry.ts";
import { askTail, prepareTail } from "../../../endpoints/tail/ask-tail.ts";
import { placeBefore, type TailStart } from "../../../endpoints/tail/resume-place.ts";
import type { TailAsk } from "../../../endpoints/tail/tail-query.ts";
import { inQuery } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { invalidParameter } from "../../../shared/errors.ts";
import { answerBy } from "../../answer/answer-by.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import {
  chooseParameters,
  decideRedaction,
  findTarget,
  noteRun,
  type OpenedCall,
  openCall,
} from "../../request/endpoint-call.ts";
import { createEventForm, openEvents } from "../../tail/event-outlet.ts";
import { keepTail } from "../../tail/keep-tail.ts";
import { createTailGuard, describeView, guardFollower, noPeriod, type TailGuard } from "../../tail/tail-guard.ts";
import type { WaitingBytes } from "../../tail/tail-limits.ts";
import { openTailStream } from "../../tail/tail-stream.ts";
import { consumerParameters, consumerRunErrors } from "./explore.ts";

const maxSinceMs = 7 * 86_400_000;

export const tailRoutes = describeRoutes({
  followRows: {
    tag: "explore",
    scope: "query",
    path: "/api/endpoints/query/{endpoint}/tail",
    hasBodyParameters: true,
    summary: "Follow the rows of an endpoint, or of a query, as they arrive",
    parameters: [
      ...consumerParameters,
      inQuery("since", "Also rows of this period up to now, such as 5m"),
      inQuery("cursor", "Resume after the row with this id, like the header Last-Event-ID"),
    ],
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
  const makeForm = createEventForm();
  createRouteAdder(app)(
    tailRoutes.followRows,
    answerBy(async (request: TailRequest, reply) => {
      const openedAt = dependencies.revision();
      const call = await openCall(dependencies, request);
      const signal = createCallSignal(reply, dependencies.shutdown);
      const turn = { caller: call.identity.tokenId, openSignal: () => signal };
      const prepared = await prepareTail(dependencies.runner, call, noPeriod, turn);
      signal.throwIfAborted();
      const { cursorScope } = prepared;
      const start = readStart(dependencies, request, call, cursorScope);
      const { waiting, leave } = dependencies.tailLimits.enter(call.identity.tokenId, 1);
      reply.raw.once("close", leave);
      noteRun(request, call.identity, call);
      const { nowMs, tails } = dependencies;
      const form = makeForm({
        seal: (place) => dependencies.runner.cursors.seal(cursorScope, place),
        start: placeBefore(start, BigInt(nowMs()) * 1000n, tails.position(prepared.query.tables)),
        nowMs,
      });
      const view = describeView([prepared]);
      await follow(dependencies, request, reply, {
        ...{ ...call, form, waiting, cursorScope, start, openedAt, view, turn },
      });
    }),
  );
}

interface FollowedCall extends OpenedCall {
  readonly form: ReturnType<ReturnType<typeof createEventForm>>;
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
  { form, waiting, start, ...call }: FollowedCall,
): Promise<void> {
  const { runner, tails, shutdown } = dependencies;
  // Tokens with the same view share a tail; the limits of a token are part of the key, and what errors say to it.
  const key = JSON.stringify([call.cursorScope, call.budget ?? null, call.identity.pins, call.isOwner]);
  const { outlet, begin } = openEvents(reply, form.readId);
  const stream = openTailStream(outlet, form, waiting);
  const ask: TailAsk = async (period, signal) => {
    const target = await findTarget(dependencies, call.identity, request.params.endpoint);
    return askTail(runner, { ...call, target }, period, signal);
  };
  const guarded = guardFollower(stream.follower, createGuard(dependencies, request, call));
  const following = tails.follow(key, ask, guarded, start);
  outlet.onClose(following.leave);
  keepTail(shutdown, request, { outlet, stream, guarded });
  // Errors of the query's first run are reported before the answer begins.
  await following.joined;
  begin();
  stream.open();
}

/** Checks a follower's access as if its call were opened now. */
function createGuard(
  dependencies: AppContext,
  request: TailRequest,
  call: Omit<FollowedCall, "form" | "waiting" | "start">,
): TailGuard {
  const { authenticator, runner, revision, nowMs } = dependencies;
  const { identity, openedAt, view } = call;
  const readView = async () => {
    const target = await findTarget(dependencies, identity, request.params.endpoint);
    const parameters = chooseParameters(identity, target, call.sent);
    const redactsPii = decideRedaction(identity, target, request);
    const now = { ...call, target, parameters, redactsPii };
    return describeView([await prepareTail(runner, now, noPeriod, call.turn)]);
  };
  const { secret } = request;
  return createTailGuard({ authenticator, secret, identity, nowMs, revision, openedAt, view, readView });
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
    throw invalidParameter(
      "since",
      "The parameter since must be a number and s, m, h or d, such as 5m, of 7 days at most",
    );
  }
  return { fromUs: BigInt(nowMs() - sinceMs) * 1000n };
}
