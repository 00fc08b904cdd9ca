import type { LogEvent } from "../engines/contract/query-engine.ts";
import { groupBy } from "../shared/group-by.ts";
import { messageOf } from "../shared/message-of.ts";
import type { Backend, DrainRule } from "./backend.ts";
import type { ByteBudget, ByteLease } from "./byte-budget.ts";
import { makeRequest } from "./destinations/make-request.ts";
import { hourOf } from "./destinations/put-object.ts";
import type { SendRequest } from "./destinations/send-request.ts";
import { writeEvent } from "./destinations/write-event.ts";
import { joinWays } from "./hops.ts";
import type { Journal, WaitingKey } from "./journal.ts";
import { type DrainTally, type Position, sumOf } from "./position.ts";
import { isTooLarge, maxBatch, maxReadBytes } from "./read-events.ts";
import type { Finding, NextEvents, SharedReads } from "./shared-reads.ts";

/** The state of a rule's delivery; the counts of its events are in its position. */
export interface DeliveryState {
  /** Requests that failed and were repeated, and events that could not be read at first, since the start. */
  failures: number;
  /** Why nothing is being delivered at the moment. */
  lastError: string | undefined;
  lastDeliveredAtMs: number | undefined;
}

/** The clock of deliveries. */
export interface DeliveryClock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds of a clock that nobody sets: what it measures has passed. */
  steadyMs(): number;
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
  /** Called when the position has advanced. */
  readonly onAdvance: () => void;
  readonly reads: Pick<SharedReads, "read" | "forget">;
  readonly send: SendRequest;
  /** Asked before each request: another service may have taken over since the events were read. */
  readonly maySend: () => boolean;
  /** Names this service to those that its events reach. */
  readonly serviceId: string;
  readonly clock: DeliveryClock;
  readonly memory: ByteBudget;
  /** Whether an event that the store does not hold is known to have been deleted, by its key and the key's number. */
  readonly isRemoved: (key: WaitingKey, number: number) => boolean;
  /** An event that the store does not show for so long after its acknowledgement is not in it. */
  readonly graceMs: number;
  readonly state: DeliveryState;
  readonly warn: (message: string) => void;
}

/** The first pause after a failure; each further one is twice as long, up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;
/** After keys that are gone before the journal says so, and while another service sends. */
const idlePauseMs = 200;
/** Room that a rule waits for, however much others hold. */
const leastReadBytes = 64_000;

/** The maximum length of a request with more than one event. */
const maxBodyCharacters = 4_000_000;
/**
 * How often a single event is read before it counts as too large: not for long where its size alone decides, and for a
 * quarter of an hour where others may have taken the engine's time and memory.
 */
const maxReads = { result_too_large: 3, otherwise: 10 };
const maxNamed = 10;

export function newDeliveryState(): DeliveryState {
  return { failures: 0, lastError: undefined, lastDeliveredAtMs: undefined };
}

/**
 * Sends a rule's events until the signal aborts, those that came the same way in the order of their acknowledgement.
 * The position advances only past events that have come to an end, so a crash at any moment repeats events but loses
 * none. Does not reject.
 */
export async function deliver(options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const delivery = new Delivery(options, signal);
  while (!signal.aborted) await delivery.step();
}

type FoundEvents = Extract<NextEvents, { kind: "found" }>;

/** Events that go with one list of services. */
interface OneWay {
  readonly hops: readonly string[];
  readonly findings: readonly Finding[];
}

class Delivery {
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  /** Keys that are looked up at once. */
  #batch = maxBatch;
  /** Bytes without which nothing can be sent; 0 where the rule's query selects nothing of late. */
  #leastBytes = 0;
  #failures = 0;
  /** Before the next step. */
  #pauseMs = 0;
  /** How often the event at the position was too large to be read. */
  #reads = 0;
  /** Keys before this number were acknowledged longer ago than the grace. */
  #durableEnd = Number.NEGATIVE_INFINITY;
  #mark: { readonly atMs: number; readonly end: number } | undefined;
  /** Outcomes of events beyond the position: those before them are still to be sent, another way. */
  readonly #ended = new Map<number, keyof DrainTally>();

  constructor(options: DeliveryOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Delivers the next events, or pauses after a failure. */
  async step(): Promise<void> {
    try {
      await this.#deliverNext();
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(messageOf(error));
    }
    const pauseMs = this.#pauseMs;
    this.#pauseMs = 0;
    // Nothing is held meanwhile: the other rules need the memory.
    if (pauseMs > 0) await this.#options.clock.sleep(pauseMs, this.#signal);
  }

  async #deliverNext(): Promise<void> {
    const { journal, position, memory, reads, rule, backend } = this.#options;
    await this.#skipDropped();
    await journal.waitForKeys(position.number, this.#signal);
    if (this.#signal.aborted) return;
    const wish = { owner: backend.id, most: maxReadBytes, least: this.#leastBytes };
    const lease = this.#leastBytes === 0 ? undefined : await memory.take(wish, this.#signal);
    try {
      const { source, lql } = rule;
      const wanted = { source, lql, journal, from: position.number, maxCount: this.#batch };
      const next = await reads.read(wanted, this.#signal);
      if (next.kind === "failed") await this.#readLess(next);
      else if (next.kind === "passed") {
        this.#leastBytes = 0;
        await this.#pass(next.tally);
        this.#growBatch();
      } else if (next.findings.length === 0) this.#pauseMs = idlePauseMs;
      else await this.#deliverFindings(next, lease);
    } finally {
      lease?.release();
    }
  }

  /** Sends what there is room for. Without any, the next step takes some: nothing is held by one who waits for it. */
  async #deliverFindings({ findings, isCurrent }: FoundEvents, lease: ByteLease | undefined): Promise<void> {
    const room = Math.max(lease?.byteCount ?? 0, this.#leastBytes);
    const { count, byteCount } = countFitting(findings, room);
    if (count === 0 || (lease === undefined && count < findings.length)) {
      this.#leastBytes = Math.max(leastReadBytes, findings[count]?.byteCount ?? 0);
      return;
    }
    lease?.shrinkTo(byteCount);
    this.#leastBytes = byteCount === 0 ? 0 : Math.max(leastReadBytes, byteCount / count);
    this.#reads = 0;
    const fitting = findings.slice(0, count);
    const known = fitting.slice(0, this.#knownCount(fitting));
    if (known.length === 0) this.#fail(`${nameEvents(fitting.slice(0, 1))} is not in the store yet`);
    else if (await this.#send(known, isCurrent)) this.#growBatch();
  }

  #growBatch(): void {
    this.#batch = Math.min(maxBatch, this.#batch * 2);
  }

  async #readLess({ keys, error }: Extract<NextEvents, { kind: "failed" }>): Promise<void> {
    const { rule, backend, warn } = this.#options;
    this.#batch = Math.max(1, Math.min(this.#batch, Math.floor(keys.length / 2)));
    const reason = messageOf(error);
    if (!isTooLarge(error)) this.#fail(reason);
    else if (keys.length === 1 && ++this.#reads >= readsOf(error)) {
      this.#reads = 0;
      warn(`${nameEvents([{ key: keys[0] }])} of ${rule.source} for ${backend.name} is dropped: ${reason}`);
      await this.#pass({ dropped: 1 });
    } else if (keys.length === 1) this.#fail(reason);
  }

  /** How many of these have an end, or can be sent: those before the first that the store may show later. */
  #knownCount(findings: readonly Finding[]): number {
    const index = findings.findIndex(({ kind, key, number }) => {
      return kind === "absent" && !this.#options.isRemoved(key, number) && !this.#isDurable(number);
    });
    return index === -1 ? findings.length : index;
  }

  #isDurable(number: number): boolean {
    const { clock, journal, graceMs } = this.#options;
    const atMs = clock.steadyMs();
    if (this.#mark === undefined || atMs - this.#mark.atMs >= graceMs) {
      this.#durableEnd = this.#mark?.end ?? this.#durableEnd;
      this.#mark = { atMs, end: journal.end };
    }
    return number < this.#durableEnd;
  }

  /** Sends the events, in several requests where they must be; false where some are to be read again. */
  async #send(findings: readonly Finding[], isCurrent: () => boolean): Promise<boolean> {
    const waiting = findings.filter(({ number }) => !this.#ended.has(number));
    for (const way of divideByWay(waiting)) {
      if (!(await this.#sendWay(way, isCurrent))) return false;
    }
    return true;
  }

  async #sendWay({ hops, findings }: OneWay, isCurrent: () => boolean): Promise<boolean> {
    const { rule, backend, send, maySend, isRemoved, serviceId, clock, state, warn } = this.#options;
    const waiting = (backend.type === "s3" ? divideByHour(findings) : [findings]).flatMap(cutBySize);
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const events = new Set(part.flatMap((each) => each.events));
      if (events.size === 0) {
        await this.#end(part, "delivered");
        continue;
      }
      if (!maySend()) {
        this.#pauseMs = idlePauseMs;
        return false;
      }
      // Deleted while others were sent.
      if (!isCurrent() && part.some(({ key, number }) => isRemoved(key, number))) return false;
      const request = { source: rule.source, events: [...events], hops: [...hops, serviceId] };
      const answer = await send(makeRequest(backend, request), this.#signal);
      if (answer.kind === "failed") {
        this.#batch = Math.max(1, Math.floor(this.#batch / 4));
        this.#fail(answer.reason, answer.retryAfterMs);
        return false;
      }
      if (answer.kind === "refused" && events.size > 1 && part.length > 1) {
        const half = Math.ceil(part.length / 2);
        waiting.unshift(part.slice(0, half), part.slice(half));
        continue;
      }
      if (answer.kind === "taken") state.lastDeliveredAtMs = clock.nowMs();
      else warn(`${backend.name} refuses ${nameEvents(part)} of ${rule.source}, which is given up: ${answer.reason}`);
      await this.#end(part, answer.kind === "taken" ? "delivered" : "refused");
    }
    return true;
  }

  /** Records what became of events, and passes those that nothing before them holds up. */
  async #end(findings: readonly Finding[], ofSent: "delivered" | "refused"): Promise<void> {
    const { rule, backend, isRemoved, warn } = this.#options;
    const lost = findings.filter(({ kind, key, number }) => kind === "absent" && !isRemoved(key, number));
    const damaged = findings.filter(({ kind }) => kind === "damaged");
    for (const { number, kind } of findings) this.#ended.set(number, kind === "selected" ? ofSent : outcomeOf[kind]);
    for (const { number } of lost) this.#ended.set(number, "dropped");
    const dropped = `of ${rule.source} for ${backend.name} are dropped`;
    if (lost.length > 0) warn(`${nameEvents(lost)} ${dropped}: they are not in the store`);
    if (damaged.length > 0) warn(`${damaged.length} events ${dropped}: their keys are damaged`);
    await this.#pass({});
  }

  async #pass(tally: Partial<DrainTally>): Promise<void> {
    const { position, state, backend, warn } = this.#options;
    const all: { -readonly [Outcome in keyof DrainTally]?: number } = { ...tally };
    let next = position.number + sumOf(tally);
    for (let outcome = this.#ended.get(next); outcome !== undefined; outcome = this.#ended.get(next)) {
      all[outcome] = (all[outcome] ?? 0) + 1;
      this.#ended.delete(next++);
    }
    if (next > position.number) await this.#advance(all);
    if (state.lastError !== undefined) warn(`events for ${backend.name} are delivered again`);
    state.lastError = undefined;
    this.#failures = 0;
  }

  /** Continues after keys that the size limit dropped, and at the start of a journal that was replaced. */
  async #skipDropped(): Promise<void> {
    const { journal, position, reads, backend, rule, warn } = this.#options;
    if (position.number > journal.end) {
      this.#ended.clear();
      reads.forget(journal);
      await position.restartAt(journal.first);
    }
    const lost = journal.first - position.number;
    if (lost <= 0) return;
    this.#ended.clear();
    warn(`${lost} events of ${rule.source} for ${backend.name} were dropped: more waited than drain_max_mb allows`);
    await this.#advance({ dropped: lost });
  }

  async #advance(tally: Partial<DrainTally>): Promise<void> {
    await this.#options.position.advance(tally);
    this.#options.onAdvance();
  }

  #fail(reason: string, retryAfterMs?: number): void {
    const { state, backend, clock, warn } = this.#options;
    if (state.lastError === undefined) warn(`events for ${backend.name} wait: ${reason}`);
    state.failures++;
    state.lastError = reason;
    this.#pauseMs = pauseAfter(this.#failures++, retryAfterMs, clock);
  }
}

function readsOf(error: unknown): number {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "result_too_large" ? maxReads.result_too_large : maxReads.otherwise;
}

const outcomeOf = { excluded: "excluded", looped: "looped", absent: "removed", damaged: "dropped" } as const;

/** How many of the first events fit in so many bytes. */
function countFitting(findings: readonly Finding[], maxBytes: number) {
  let byteCount = 0;
  for (const [count, finding] of findings.entries()) {
    if (byteCount + finding.byteCount > maxBytes) return { count, byteCount };
    byteCount += finding.byteCount;
  }
  return { count: findings.length, byteCount };
}

/** One request has one list of services. */
function divideByWay(findings: readonly Finding[]): readonly OneWay[] {
  const listFor = joinWays(findings.map(({ key }) => key.hops ?? []));
  const ways = groupBy(findings, ({ key }) => listFor(key.hops ?? []).join());
  return [...ways.values()].map((some) => ({ hops: listFor(some[0]?.key.hops ?? []), findings: some }));
}

/** Objects of a store are by the hour of their events. */
function divideByHour(findings: readonly Finding[]): readonly (readonly Finding[])[] {
  return [...groupBy(findings, ({ events: [first] }) => (first === undefined ? "" : hourOf(first))).values()];
}

function cutBySize(findings: readonly Finding[]): Finding[][] {
  const parts: Finding[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const finding of findings) {
    const own = finding.events.reduce((sum, event) => sum + sizeOf(event), 0);
    if (size + own > maxBodyCharacters) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(finding);
    size += own;
  }
  return parts;
}

function sizeOf(event: LogEvent): number {
  return writeEvent(event).length + 1;
}

/** Ids in quotes: they are texts of senders. */
function nameEvents(findings: readonly { readonly key: WaitingKey | undefined }[]): string {
  const names = findings.slice(0, maxNamed).map(({ key }) => JSON.stringify(key?.id.slice(0, 100)));
  const more = findings.length > maxNamed ? ` and ${findings.length - maxNamed} more` : "";
  return `${findings.length === 1 ? "event" : "events"} ${names.join(", ")}${more}`;
}

/**
 * Milliseconds until the next attempt, after so many failures before this one. With jitter, so that what failed
 * together is not retried together.
 */
export function pauseAfter(
  failures: number,
  retryAfterMs: number | undefined,
  clock: Pick<DeliveryClock, "random">,
): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 20));
  const spread = pause * (0.5 + clock.random() / 2);
  return Math.max(spread, Math.min(retryAfterMs ?? 0, longestPauseMs));
}
