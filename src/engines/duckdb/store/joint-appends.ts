/**
 * Stores the events of several requests for a source as one batch: a frame, its header and a commit's share of each
 * column cost as much for one event as for a hundred. What comes while a source's last batches are being stored is sent
 * once they are, with what the senders that are answered send next.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type AppendResult, type BodyResult, EngineError, type PlainBody } from "../../contract/query-engine.ts";
import type { StoreAttempt } from "../../encoder/store-events.ts";
import { type Carried, joinCarried } from "../../schema/carried-entries.ts";
import { appendResult } from "../../schema/source/first-carried.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import type { BatchEncoder, EncodedPart, RequestEvents } from "../batch/event-encoder.ts";
import { isOfOneBatch, type JointResult } from "../host/protocol.ts";

/** The outcome of one request: none of its events is stored where the schema lacks something for them. */
type JointOutcome<Result> = Exclude<StoreAttempt<Result>, "outdated">;

type BodyOutcome = JointOutcome<BodyResult | undefined>;

type Encoded = Extract<EncodedPart, { kind: "encoded" }>;

/** The events of one request. */
interface Part extends RequestEvents {
  readonly resolve: (outcome: JointOutcome<AppendResult | undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends a batch, whose rows are so many of each request, one after the other. */
type Send = (
  state: SourceState,
  batch: EncodedBatch,
  carried: Carried,
  rowCounts: readonly number[],
) => Promise<JointResult>;

/** Events that are encoded without a break for other work, unless one request has more. */
const MAX_EVENTS = 256;

/** Bytes of a body that take as long as an event: how many it holds shows when it is read. */
const EVENT_BYTES = 2_048;

/** A pause in which none of the senders that were answered comes again ends the wait for them. */
const PAUSE_MS = 1;

/** The requests of a source. */
interface Queue {
  readonly waiting: Part[];
  isWorking: boolean;
  /** As many as were answered last, and waited then: so many will wait if each of their senders sends again. */
  expected: number;
}

export class JointAppends {
  readonly #encoder: Pick<BatchEncoder, "encodeParts">;
  readonly #send: Send;
  readonly #pause: () => Promise<void>;
  readonly #queues = new WeakMap<SourceState, Queue>();

  constructor(encoder: Pick<BatchEncoder, "encodeParts">, send: Send, pause = (): Promise<void> => sleep(PAUSE_MS)) {
    this.#encoder = encoder;
    this.#send = send;
    this.#pause = pause;
  }

  /**
   * Resolves when the events are stored, or cannot be for want of fields; rejects as `send` does. Without a result
   * where they are in a body that has to be parsed.
   */
  append(state: SourceState, request: RequestEvents & { readonly events: PlainBody }): Promise<BodyOutcome>;
  append(state: SourceState, request: RequestEvents): Promise<JointOutcome<AppendResult>>;
  append(state: SourceState, request: RequestEvents): Promise<JointOutcome<AppendResult | undefined>> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(state) ?? { waiting: [], isWorking: false, expected: 1 };
      this.#queues.set(state, queue);
      queue.waiting.push({ ...request, resolve, reject });
      if (!queue.isWorking) void this.#work(state, queue);
    });
  }

  async #work(state: SourceState, queue: Queue): Promise<void> {
    const { waiting } = queue;
    queue.isWorking = true;
    while (waiting.length > 0) {
      await this.#gather(queue);
      const gathered = waiting.splice(0);
      queue.expected = gathered.length;
      const storing: Promise<void>[] = [];
      while (gathered.length > 0) {
        storing.push(this.#store(state, takeSome(gathered)));
        if (gathered.length > 0) await new Promise(setImmediate);
      }
      await Promise.all(storing);
      queue.expected += waiting.length;
    }
    queue.isWorking = false;
  }

  /**
   * Waits for what the answers to the last requests bring, for as long as some come: the first of them alone would make
   * all others wait for a commit of its own.
   */
  async #gather({ waiting, expected }: Queue): Promise<void> {
    // Requests whose bytes arrived with the first one's join it.
    await new Promise(setImmediate);
    for (let seen = 0; seen < waiting.length && waiting.length < expected; ) {
      seen = waiting.length;
      await this.#pause();
    }
  }

  async #store(state: SourceState, parts: readonly Part[]): Promise<void> {
    let sent: readonly (readonly [Part, Encoded])[] = [];
    try {
      // What was encoded by an older schema would arrive behind the change, and not where rows are read from then on.
      while (state.openChanges > 0) await state.changes;
      const { batch, encoded } = this.#encoder.encodeParts(state, parts);
      sent = encoded.flatMap((each, index) => {
        const part = parts[index] as Part;
        if (each.kind === "encoded") return [[part, each] as const];
        if (each.kind === "failed") part.reject(each.error);
        else part.resolve(each.kind === "missing" ? { missing: each.missing } : { result: undefined });
        return [];
      });
      if (sent.length === 0) return;
      const carried = sent.map(([, each]) => each.carried);
      const rowCounts = sent.map(([, { rowCount }]) => rowCount);
      const joint = await this.#send(state, batch, joinCarried(carried), rowCounts);
      const results = joint.parts ?? [joint];
      sent.forEach(([part, { carried: own, counts }], index) => {
        const result = appendResult(state, results[index] as AppendResult, own);
        part.resolve({ result: counts === undefined ? result : bodyResult(result, counts) });
      });
    } catch (error) {
      // One request's events may be the reason, or none.
      if (sent.length > 1 && error instanceof EngineError && isOfOneBatch(error.code)) {
        for (const [part] of sent) await this.#store(state, [{ ...part, mayBeStored: true }]);
      } else for (const part of parts) part.reject(error);
    }
  }
}

function bodyResult(result: AppendResult, counts: NonNullable<Encoded["counts"]>): BodyResult {
  return { ...result, ...counts, rejected: [], keys: undefined };
}

function takeSome(gathered: Part[]): readonly Part[] {
  let [count, sum] = [0, 0];
  for (const { events } of gathered) {
    sum += eventCountOf(events);
    if (count > 0 && sum > MAX_EVENTS) break;
    count++;
  }
  return gathered.splice(0, count);
}

/** The number of events, or by what a body that was not read yet counts. */
export function eventCountOf(events: RequestEvents["events"]): number {
  return "bytes" in events ? Math.ceil(events.bytes.length / EVENT_BYTES) : events.length;
}
