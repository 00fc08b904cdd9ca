/** The engine host as seen over a stream of frames. */

import type { Duplex } from "node:stream";
import { createPassingMap } from "../../../shared/concurrency/passing-map.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import { EngineError, type QuerySummary, RowBatch } from "../../contract/query-engine.ts";
import { writtenColumns } from "../../values/written-type.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import { type Frame, FrameReader, writeFrame } from "../host/frames.ts";
import {
  type AppendContext,
  type CalledMethod,
  type CoreOptions,
  type EngineHost,
  type HostAnswer,
  type HostQuery,
  type HostRequest,
  type HostSummary,
  type JointResult,
  type OpenedStore,
  REPORTED_BATCHES,
} from "../host/protocol.ts";

/** Batches that arrived and were not taken yet, and how it ended. */
class BatchQueue {
  readonly #items: (RowBatch | QuerySummary | EngineError)[] = [];
  #wake: (() => void) | undefined;

  push(item: RowBatch | QuerySummary | EngineError): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Puts an end before everything that was not taken. */
  fail(error: EngineError): void {
    this.#items.unshift(error);
    this.#wake?.();
  }

  async next(): Promise<RowBatch | QuerySummary | EngineError> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;
type RequestBody = Unnumbered<HostRequest>;

interface Pending {
  readonly onAnswer: (answer: HostAnswer, body: readonly Buffer[]) => void;
  readonly onFailure: (error: EngineError) => void;
  /** Where it is a query. */
  readonly query?: RunningQuery;
}

interface RunningQuery {
  readonly startedAtMs: number;
  /** When its limit of time is over. */
  readonly deadlineMs: number;
  readonly onEngineEnded: (() => void) | undefined;
  /** When the caller gave up on it; the host should answer soon after. */
  cancelledAtMs?: number;
}

/** Which query a host that is gone was ended for: the oldest, the one that could not be stopped, or none. */
export type Blame = "oldest" | "overdue" | "nobody";

/** Since when a cancelled query has been running beyond its time; undefined if it was not cancelled. */
function overdueSince({ cancelledAtMs, deadlineMs }: RunningQuery): number | undefined {
  return cancelledAtMs === undefined ? undefined : Math.max(cancelledAtMs, deadlineMs);
}

function errorOf(answer: HostAnswer & { kind: "error" }): EngineError {
  const { code, message, detail, retryAfterSeconds, isLost = false, limit } = answer;
  return new EngineError(code, message, {
    ...omitUndefined({ cause: detail === undefined ? undefined : new Error(detail), retryAfterSeconds, limit }),
    isLost,
  });
}

export class HostClient implements EngineHost {
  readonly #stream: Duplex;
  readonly #pending = createPassingMap<number, Pending>();
  #lastId = 0;
  readonly createSources = this.#called("createSources");
  readonly addEntries = this.#called("addEntries");
  readonly defineSource = this.#called("defineSource");
  readonly statistics = this.#called("statistics");
  readonly countEvents = this.#called("countEvents");
  readonly deleteEvents = this.#called("deleteEvents");
  readonly dropSource = this.#called("dropSource");
  readonly sizes = this.#called("sizes");
  readonly report = this.#called("report");
  readonly beginSnapshot = this.#called("beginSnapshot");
  readonly endSnapshot = this.#called("endSnapshot");
  readonly maintain = this.#called("maintain");
  readonly ping = this.#called("ping");
  readonly close = this.#called("close");
  #failure: EngineError | undefined;

  /** `onBroken` is called once where what arrives is not what a host says: nothing after that can be read either. */
  constructor(stream: Duplex, onBroken: (reason: string) => void) {
    this.#stream = stream;
    const reader = new FrameReader();
    const read = (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) this.#receive(frame);
      } catch (error) {
        stream.off("data", read);
        // The host's further output must not fill the pipe, or the host would block for ever.
        stream.resume();
        onBroken(messageOf(error));
      }
    };
    stream.on("data", read);
  }

  /**
   * Since when a query goes on that was cancelled and has had its time, the longest one; undefined when there is
   * none. One that was cancelled early has its time first: it takes nothing that its caller was not given.
   */
  oldestOverdueMs(): number | undefined {
    let oldest: number | undefined;
    for (const [, { query }] of this.#pending.entries()) {
      const overdue = query === undefined ? undefined : overdueSince(query);
      if (overdue !== undefined && (oldest === undefined || overdue < oldest)) oldest = overdue;
    }
    return oldest;
  }

  /**
   * The host is gone: everything under way and to come fails. One query may be to blame, which is reported so and fails
   * with `memory_exceeded`; the rest was lost, and may be tried again.
   */
  fail(blame: Blame): void {
    if (this.#failure !== undefined) return;
    const lost = new EngineError("unavailable", "The engine stopped and is restarting", {
      retryAfterSeconds: 1,
      isLost: true,
    });
    this.#failure = lost;
    const blamed = this.#findBlamed(blame);
    for (const [, pending] of this.#pending.entries()) if (pending !== blamed) pending.onFailure(lost);
    blamed?.query?.onEngineEnded?.();
    blamed?.onFailure(new EngineError("memory_exceeded", "The query needs more memory than it may use"));
    this.#pending.clear();
  }

  /**
   * Several queries may run, and nobody knows what each of them holds: most that are well take milliseconds, so the
   * oldest is taken.
   */
  #findBlamed(blame: Blame): Pending | undefined {
    let found: { readonly pending: Pending; readonly sinceMs: number } | undefined;
    for (const [, pending] of blame === "nobody" ? [] : this.#pending.entries()) {
      if (pending.query === undefined) continue;
      const sinceMs = blame === "overdue" ? overdueSince(pending.query) : pending.query.startedAtMs;
      if (sinceMs !== undefined && (found === undefined || sinceMs < found.sinceMs)) found = { pending, sinceMs };
    }
    return found?.pending;
  }

  open(options: CoreOptions): Promise<OpenedStore> {
    return this.#request({ kind: "open", options }) as Promise<OpenedStore>;
  }

  append(source: string, { header, payload }: EncodedBatch, context: AppendContext): Promise<JointResult> {
    return this.#request({ kind: "append", source, header, context }, payload) as Promise<JointResult>;
  }

  async *run(
    query: HostQuery,
    signal: AbortSignal,
    onEngineEnded?: () => void,
  ): AsyncGenerator<RowBatch, HostSummary, void> {
    if (signal.aborted) throw new EngineError("aborted", "The query was stopped");
    const queue = new BatchQueue();
    const startedAtMs = performance.now();
    let isDone = false;
    let takenCount = 0;
    const end = (item: QuerySummary | EngineError) => {
      isDone = true;
      queue.push(item);
    };
    const id = this.#send(
      { kind: "run", query: { ...query, columns: writtenColumns(query.columns) } },
      {
        query: { startedAtMs, deadlineMs: startedAtMs + query.limits.timeoutMs, onEngineEnded },
        onAnswer: (answer, body) => {
          if (answer.kind === "rows") queue.push(new RowBatch(body, answer.rowCount));
          else end(answer.kind === "error" ? errorOf(answer) : (answer.value as QuerySummary));
        },
        onFailure: end,
      },
    );
    const onAbort = () => queue.fail(new EngineError("aborted", "The query was stopped"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for (;;) {
        const item = await queue.next();
        if (item instanceof EngineError) throw item;
        if (!(item instanceof RowBatch)) return item;
        if (++takenCount === REPORTED_BATCHES) {
          this.#write({ id, kind: "more", batchCount: takenCount });
          takenCount = 0;
        }
        yield item;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (!isDone) this.#cancel(id);
    }
  }

  #cancel(id: number): void {
    const query = this.#pending.get(id)?.query;
    if (query === undefined) return;
    query.cancelledAtMs = performance.now();
    this.#write({ id, kind: "cancel" });
  }

  /** The host's method of the name, called over the stream. */
  #called<Method extends CalledMethod>(method: Method): EngineHost[Method] {
    const call = (...args: readonly unknown[]) => this.#request({ kind: "call", method, args });
    return call as EngineHost[Method];
  }

  #request(body: RequestBody, payload?: Buffer): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#send(
        body,
        {
          onAnswer: (answer) => {
            if (answer.kind === "error") reject(errorOf(answer));
            else resolve(answer.kind === "done" ? answer.value : undefined);
          },
          onFailure: reject,
        },
        payload,
      );
    });
  }

  #send(body: RequestBody, pending: Pending, payload?: Buffer): number {
    const id = ++this.#lastId;
    if (this.#failure !== undefined) {
      pending.onFailure(this.#failure);
      return id;
    }
    this.#pending.set(id, pending);
    this.#write({ id, ...body } as HostRequest, payload);
    return id;
  }

  #write(request: HostRequest, payload?: Buffer): void {
    if (this.#failure !== undefined) return;
    writeFrame(this.#stream, request, payload);
  }

  #receive({ head, body }: Frame): void {
    const answer = head as HostAnswer;
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (answer.kind !== "rows") this.#pending.delete(answer.id);
    pending.onAnswer(answer, body);
  }
}
