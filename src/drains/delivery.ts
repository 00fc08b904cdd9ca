import type { Backend, DrainRule } from "./backend.ts";
import { makeRequest } from "./destinations/make-request.ts";
import type { SendRequest } from "./destinations/send-request.ts";
import type { Journal } from "./journal.ts";
import type { Position } from "./position.ts";
import { type EventReader, maxBatch } from "./read-events.ts";

/** Counters of a rule's events since the start, and the current obstacle. */
export interface DeliveryState {
  /** Accepted by the destination. */
  delivered: number;
  /** Refused by the destination when sent alone, and skipped. */
  refused: number;
  /** Dropped because the size limit on disk was reached, or their keys could not be written. */
  dropped: number;
  /** Requests that failed and were repeated. */
  failures: number;
  /** Why nothing is being delivered at the moment. */
  lastError: string | undefined;
  lastDeliveredAtMs: number | undefined;
}

/** The clock of deliveries. */
export interface DeliveryClock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after so long, or when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export interface DeliveryOptions {
  readonly rule: DrainRule;
  readonly backend: Backend;
  readonly journal: Journal;
  readonly position: Position;
  readonly reader: Pick<EventReader, "read">;
  readonly send: SendRequest;
  readonly clock: DeliveryClock;
  readonly state: DeliveryState;
  readonly warn: (message: string) => void;
}

/** The first pause after a failure; each further one is twice as long, up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/** Of a request with more than one event. */
const maxBodyCharacters = 4_000_000;

export function newDeliveryState(): DeliveryState {
  return { delivered: 0, refused: 0, dropped: 0, failures: 0, lastError: undefined, lastDeliveredAtMs: undefined };
}

/**
 * Sends a rule's events in the order of their acknowledgement until the signal aborts. The position advances only after
 * the destination has accepted all events before it, so a crash at any moment repeats events but loses none.
 */
export async function deliver(options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { journal, position, state, warn } = options;
  const { name } = options.backend;
  let batch = maxBatch;
  let failures = 0;
  while (!signal.aborted) {
    await skipDropped(options);
    await journal.waitForKeys(position.number, signal);
    if (signal.aborted) return;
    let outcome: Outcome;
    try {
      outcome = await sendBatch(options, batch, signal);
    } catch (error) {
      if (signal.aborted) return;
      outcome = { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
    if (outcome.kind === "failed") {
      if (state.lastError === undefined) warn(`events for ${name} wait: ${outcome.reason}`);
      state.failures++;
      state.lastError = outcome.reason;
      await options.clock.sleep(pauseAfter(failures++, outcome.retryAfterMs, options.clock), signal);
      continue;
    }
    if (outcome.kind === "split") {
      batch = Math.max(1, Math.floor(outcome.keyCount / 2));
      continue;
    }
    if (state.lastError !== undefined) warn(`events for ${name} are delivered again`);
    state.lastError = undefined;
    failures = 0;
    batch = Math.min(maxBatch, batch * 2);
    await position.moveTo(outcome.end);
  }
}

type Outcome =
  | { readonly kind: "done"; readonly end: number }
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs?: number }
  /** Too many events for one request, or some of them were refused: smaller requests show which ones. */
  | { readonly kind: "split"; readonly keyCount: number };

async function sendBatch(options: DeliveryOptions, maxCount: number, signal: AbortSignal): Promise<Outcome> {
  const { rule, backend, journal, position, reader, send, clock, state, warn } = options;
  const keys = await journal.read(position.number, maxCount);
  const end = position.number + keys.length;
  const events = keys.length === 0 ? [] : await reader.read(rule.source, rule.lql, keys, signal);
  if (events.length === 0) return { kind: "done", end };
  const request = makeRequest(backend, rule.source, events);
  if (request.body.length > maxBodyCharacters && keys.length > 1) return { kind: "split", keyCount: keys.length };
  const answer = await send(request, signal);
  if (answer.kind === "failed") return answer;
  if (answer.kind === "taken") {
    state.delivered += events.length;
    state.lastDeliveredAtMs = clock.nowMs();
    return { kind: "done", end };
  }
  if (keys.length > 1) return { kind: "split", keyCount: keys.length };
  state.refused += events.length;
  warn(`${backend.name} refuses an event of ${rule.source}, which is given up: ${answer.reason}`);
  return { kind: "done", end };
}

/** Continues after keys that the size limit dropped, and at the start of a journal that was replaced. */
async function skipDropped({ journal, position, state, backend, rule, warn }: DeliveryOptions): Promise<void> {
  if (position.number > journal.end) await position.moveTo(journal.first);
  const lost = journal.first - position.number;
  if (lost <= 0) return;
  state.dropped += lost;
  warn(`${lost} events of ${rule.source} for ${backend.name} were dropped: more waited than drain_max_mb allows`);
  await position.moveTo(journal.first);
}

/** With jitter, so that rules that failed together do not retry together. */
function pauseAfter(failures: number, retryAfterMs: number | undefined, clock: DeliveryClock): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 20));
  const spread = pause * (0.5 + clock.random() / 2);
  return Math.max(spread, Math.min(retryAfterMs ?? 0, longestPauseMs));
}
