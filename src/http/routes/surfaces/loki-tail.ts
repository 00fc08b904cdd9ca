import type { FastifyReply, FastifyRequest } from "fastify";
import { prepareTail, type TailRow } from "../../../endpoints/tail/ask-tail.ts";
import { mergeTails } from "../../../endpoints/tail/merge-tails.ts";
import type { LokiRequest } from "../../../loki/serve-loki.ts";
import type { LokiTail } from "../../../loki/serve-tail.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { AppContext } from "../../app-context.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { refuseForeignOrigin } from "../../request/foreign-origin.ts";
import { keepTail } from "../../tail/keep-tail.ts";
import { openSocketOutlet } from "../../tail/socket-outlet.ts";
import { createTailGuard, describeView, guardFollower, noPeriod } from "../../tail/tail-guard.ts";
import { layOutOnce, openTailStream, type TailForm } from "../../tail/tail-stream.ts";

/** Lines of one message at most. */
const maxLines = 100;

/** Answers a request of a tail. */
type AnswerTail = (request: FastifyRequest, reply: FastifyReply, opened: LokiRequest) => Promise<void>;

/**
 * Loki's `tail`: lines as they arrive, by a WebSocket. What is wrong with the request, and with the first run of its
 * query, is reported by an ordinary answer.
 */
export function createLokiTail(dependencies: AppContext): AnswerTail {
  const { runner, tails, tailLimits, shutdown, authenticator, revision, nowMs } = dependencies;
  const forms = [false, true].map((isCategorized) => createForm(isCategorized, nowMs));
  return async (request, reply, opened) => {
    const { webSockets } = request.server;
    if (!webSockets.isOffered(request)) {
      throw new ServiceError("unsupported", "tail is a WebSocket", { hint: "Connect to it by ws:// or wss://." });
    }
    refuseForeignOrigin(request);
    const openedAt = revision();
    const { openTail } = await import("../../../loki/serve-tail.ts");
    const tail = openTail(opened);
    const { caller } = opened;
    const { identity } = caller;
    const signal = createCallSignal(reply, shutdown);
    const turn = { caller: identity.tokenId, openSignal: () => signal };
    const prepare = async ({ readTables }: LokiTail) => {
      const prepared = [];
      for (const table of await readTables()) {
        prepared.push({ table, prepared: await prepareTail(runner, table.call, noPeriod, turn) });
      }
      return prepared;
    };
    const view = (found: Awaited<ReturnType<typeof prepare>>) => describeView(found.map(({ prepared }) => prepared));

    const found = await prepare(tail);
    signal.throwIfAborted();
    const { waiting, leave } = tailLimits.enter(identity.tokenId, Math.max(1, found.length));
    const merged = mergeTails(tail);
    const closing = [leave, merged.close];
    reply.raw.once("close", () => {
      for (const close of closing) close();
    });
    for (const { table } of found) caller.noteRun(table.call);
    for (const { table, prepared } of found) {
      // Tokens with the same view share a tail: see the tails of endpoints.
      const { budget, pins } = identity;
      const key = JSON.stringify(["loki", tail.key, prepared.cursorScope, budget, pins, table.call.isOwner]);
      const { follower, join } = merged.add();
      const following = tails.follow(key, table.ask, follower, { fromUs: tail.fromUs });
      closing.push(following.leave);
      await following.joined;
      signal.throwIfAborted();
      join();
    }

    const socket = await webSockets.accept(request, reply);
    const outlet = openSocketOutlet(socket);
    const stream = openTailStream(outlet, forms[Number(tail.isCategorized)] as TailForm, waiting);
    const guard = createTailGuard({
      ...{ authenticator, secret: request.secret, identity, nowMs, revision, openedAt, view: view(found) },
      readView: async () => view(await prepare(tail)),
    });
    const guarded = guardFollower(stream.follower, guard);
    keepTail(shutdown, request, { outlet, stream, guarded });
    merged.begin(guarded);
    stream.open();
  };
}

function createForm(isCategorized: boolean, nowMs: () => number): TailForm {
  const flags = isCategorized ? ',"encodingFlags":["categorize-labels"]' : "";
  const rows = layOutOnce((all) => {
    const messages: Buffer[] = [];
    for (let at = 0; at < all.length; at += maxLines) {
      const streams = all.slice(at, at + maxLines).map(({ json }) => json);
      messages.push(Buffer.from(`{"streams":[${streams.join(",")}]${flags}}`));
    }
    return messages;
  });
  return {
    rows,
    skippedRow({ json }: TailRow) {
      const { stream, values } = JSON.parse(json) as { readonly stream: object; readonly values: readonly string[][] };
      return JSON.stringify({ labels: stream, timestamp: values[0]?.[0] });
    },
    // Of a gap that nothing is known of, the time at which it was found is reported.
    skipped(_, skippedRows) {
      const entries =
        skippedRows.length > 0 ? skippedRows : [JSON.stringify({ labels: {}, timestamp: `${nowMs()}000000` })];
      return `{"streams":[],"dropped_entries":[${entries.join(",")}]${flags}}`;
    },
  };
}
