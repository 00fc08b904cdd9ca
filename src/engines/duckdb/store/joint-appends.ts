/**
 * Stores the events of several requests for a source as one batch: a frame, its header and a commit's share of each
 * column cost as much for one event as for a hundred. What comes while a source's last batches are being stored is sent
 * once they are.
 */

import { type AppendResult, EngineError, type LogEvent } from "../../contract/query-engine.ts";
import type { StoreAttempt } from "../../encoder/store-events.ts";
import { type Carried, joinCarried } from "../../schema/carried-entries.ts";
import type { Tenant } from "../../schema/field-requests.ts";
import { appendResult } from "../../schema/source/first-carried.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import type { BatchEncoder, EncodedPart } from "../batch/event-encoder.ts";
import { isOfOneBatch, type JointResult } from "../host/protocol.ts";

/** The events of one request. */
export interface JointEvents {
  readonly events: readonly LogEvent[];
  /** Tenants that may bring no further fields, beside those that the state knows. */
  readonly full: ReadonlySet<Tenant>;
  /** Whether the events may be stored already, with only the answer lost. */
  readonly mayBeStored: boolean;
}

/** The outcome of one request: none of its events is stored where the schema lacks something for them. */
type JointOutcome = Exclude<StoreAttempt, "outdated">;

interface Part extends JointEvents {
  readonly resolve: (outcome: JointOutcome) => void;
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

export class JointAppends {
  readonly #encoder: Pick<BatchEncoder, "encodeParts">;
  readonly #send: Send;
  /** The requests that wait, of each source of which events are being stored. */
  readonly #waiting = new Map<SourceState, Part[]>();

  constructor(encoder: Pick<BatchEncoder, "encodeParts">, send: Send) {
    this.#encoder = encoder;
    this.#send = send;
  }

  /** Resolves when the events are stored, or cannot be for want of fields; rejects as `send` does. */
  append(state: SourceState, events: JointEvents): Promise<JointOutcome> {
    return new Promise((resolve, reject) => {
      const part = { ...events, resolve, reject };
      const waiting = this.#waiting.get(state);
      if (waiting !== undefined) waiting.push(part);
      else {
        this.#waiting.set(state, [part]);
        void this.#work(state);
      }
    });
  }

  async #work(state: SourceState): Promise<void> {
    for (;;) {
      // Requests whose bytes arrived with the first one's join it.
      await new Promise(setImmediate);
      const waiting = this.#waiting.get(state) ?? [];
      if (waiting.length === 0) break;
      this.#waiting.set(state, []);
      const storing: Promise<void>[] = [];
      while (waiting.length > 0) {
        storing.push(this.#store(state, takeSome(waiting)));
        if (waiting.length > 0) await new Promise(setImmediate);
      }
      await Promise.all(storing);
    }
    this.#waiting.delete(state);
  }

  async #store(state: SourceState, parts: readonly Part[]): Promise<void> {
    let sent: readonly (readonly [Part, EncodedPart & { readonly carried: Carried }])[] = [];
    try {
      // What was encoded by an older schema would arrive behind the change, and not where rows are read from then on.
      while (state.openChanges > 0) await state.changes;
      const { batch, encoded } = this.#encoder.encodeParts(state, parts.map(toEncode));
      sent = encoded.flatMap((each, index) => {
        const part = parts[index] as Part;
        if (each.carried !== undefined) return [[part, each] as const];
        if (each.missing === undefined) part.reject(each.error);
        else part.resolve({ missing: each.missing });
        return [];
      });
      if (sent.length === 0) return;
      const carried = sent.map(([, each]) => each.carried);
      const rowCounts = sent.map(([{ events }]) => events.length);
      const joint = await this.#send(state, batch, joinCarried(carried), rowCounts);
      const results = joint.parts ?? [joint];
      sent.forEach(([part, each], index) => {
        part.resolve({ result: appendResult(state, results[index] as AppendResult, each.carried) });
      });
    } catch (error) {
      // One request's events may be the reason, or none.
      if (sent.length > 1 && error instanceof EngineError && isOfOneBatch(error.code)) {
        for (const [part] of sent) await this.#store(state, [{ ...part, mayBeStored: true }]);
      } else for (const part of parts) part.reject(error);
    }
  }
}

function takeSome(waiting: Part[]): readonly Part[] {
  let [count, sum] = [0, 0];
  for (const { events } of waiting) {
    sum += events.length;
    if (count > 0 && sum > MAX_EVENTS) break;
    count++;
  }
  return waiting.splice(0, count);
}

/** Every id of what may be stored is looked up, those too that were made here. */
function toEncode({ events, full, mayBeStored }: JointEvents) {
  return { full, events: mayBeStored ? events.map((event) => ({ ...event, hasGeneratedId: false })) : events };
}
