import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { createFlights } from "../shared/concurrency/flights.ts";
import { isLoop } from "./hops.ts";
import type { Journal, WaitingKey } from "./journal.ts";
import type { DrainTally } from "./position.ts";
import { type EventReader, type FoundEvent, maxReadBytes } from "./read-events.ts";

/** A key that waits, and its event as one rule has it. */
export interface Finding {
  readonly number: number;
  readonly key: WaitingKey;
  /** `absent`: the store does not show the event. */
  readonly kind: "selected" | "excluded" | "absent" | "looped" | "damaged";
  /** Those to be sent; more than one only for a key without a tenant, which an earlier release wrote. */
  readonly events: readonly FoundEvent["event"][];
  /** The size of the events as JSON. */
  readonly byteCount: number;
}

/** From where, and how many keys at most, a rule reads. */
export interface ReadWish {
  readonly source: string;
  readonly lql: string;
  readonly journal: Journal;
  readonly from: number;
  readonly maxCount: number;
}

/** The next events of a rule. */
export type NextEvents =
  /** Nothing is to be sent, or looked for again. */
  | { readonly kind: "passed"; readonly tally: Partial<DrainTally> }
  /** A finding for each key, in their order; none where the keys are gone. */
  | { readonly kind: "found"; readonly findings: readonly Finding[]; readonly isCurrent: () => boolean }
  /** These keys, read together, could not be dealt with. */
  | { readonly kind: "failed"; readonly keys: readonly WaitingKey[]; readonly error: unknown };

/** The size of batches that are kept, together; single ones are gone earlier. */
const maxKeptBytes = 16_000_000;
/** Batches that are kept at most, and for how long: an event that was deleted on another node is not sent for ever. */
const maxKept = 64;
const keptMs = 10_000;
/** Conditions of one query. */
const maxConditions = 100;

/** For each event that a query saw, whether it selects it. */
type Matches = (event: FoundEvent) => boolean | undefined;

/** A stretch of a journal with its events, for all rules that are there. */
interface Batch {
  readonly id: string;
  readonly source: string;
  readonly journal: Journal;
  readonly first: number;
  readonly keys: readonly WaitingKey[];
  /** By the keys' places; undefined where nothing is looked for. */
  readonly found: readonly (readonly FoundEvent[] | undefined)[];
  readonly readAtMs: number;
  /** False once something was forgotten since it was read. */
  readonly isCurrent: () => boolean;
  byteCount: number;
  /** Why the events could not be read. */
  readonly failure?: Failure;
  /** Queries that are still to be asked about the events, and the answers. */
  readonly asked: Set<string>;
  readonly answers: Map<string, Matches | Failure>;
}

interface Failure {
  readonly error: unknown;
}

/**
 * Reads keys and events once for all rules that have come as far: who asks for what is being read, or was read last,
 * gets the same. The queries of all of them are asked together; one that fails is asked alone, and fails no other.
 */
export class SharedReads {
  readonly #reader: EventReader;
  readonly #serviceId: string;
  readonly #steadyMs: () => number;
  readonly #reading = createFlights<Batch>();
  readonly #matching = createFlights<void>();
  readonly #kept: LRUCache<Batch, Batch>;
  #lastId = 0;
  /** Changes when something is forgotten. */
  #generation = 0;

  constructor(reader: EventReader, serviceId: string, steadyMs: () => number) {
    this.#steadyMs = steadyMs;
    this.#reader = reader;
    this.#serviceId = serviceId;
    this.#kept = new LRUCache({
      max: maxKept,
      maxSize: maxKeptBytes,
      sizeCalculation: ({ byteCount }) => byteCount + 1,
    });
  }

  /** The events from a number on as a rule has them. Rejects where keys cannot be read, and with the signal's reason. */
  async read(wish: ReadWish, signal: AbortSignal): Promise<NextEvents> {
    const { source, from, maxCount, lql } = wish;
    const batch =
      this.#find(wish) ?? (await this.#reading.join(`${from} ${source}`, (ending) => this.#load(wish, ending), signal));
    const matches = batch.failure ?? (lql.trim() === "" ? () => true : await this.#matchesOf(batch, lql, signal));
    // It failed for all of its keys, however few of them the rule asked for.
    if ("error" in matches) return { kind: "failed", keys: batch.keys, error: matches.error };
    const at = from - batch.first;
    const keys = batch.keys.slice(at, at + maxCount);
    return toNext(
      keys.map((_, index) => toFinding(batch, at + index, matches)),
      batch.isCurrent,
    );
  }

  /** Reads anew from now on what was read of a journal. */
  forget(journal: Journal): void {
    this.#generation++;
    for (const batch of this.#kept.values()) if (batch.journal === journal) this.#kept.delete(batch);
  }

  #find({ journal, from }: ReadWish): Batch | undefined {
    for (const batch of this.#kept.values()) {
      if (batch.journal !== journal || from < batch.first || from >= batch.first + batch.keys.length) continue;
      if (this.#steadyMs() - batch.readAtMs < keptMs) return batch;
      this.#kept.delete(batch);
    }
    return undefined;
  }

  async #load({ source, journal, from, maxCount }: ReadWish, signal: AbortSignal): Promise<Batch> {
    const generation = this.#generation;
    const keys = await journal.read(from, maxCount);
    const wanted = keys.filter((key) => key.isDamaged !== true && !isLoop(key.hops, this.#serviceId));
    const own = { id: String(++this.#lastId), asked: new Set<string>(), answers: new Map<string, Matches | Failure>() };
    const isCurrent = () => generation === this.#generation;
    const batch = { ...own, source, journal, first: from, keys, readAtMs: this.#steadyMs(), isCurrent };
    try {
      const events = await this.#reader.find(source, { keys: wanted, maxBytes: maxReadBytes }, signal);
      const looked = new Set(wanted);
      const found = keys.map((key) => (looked.has(key) ? (events.get(key) ?? []) : undefined));
      const byteCount = [...new Set(found.flat())].reduce((sum, event) => sum + (event?.byteCount ?? 0), 0);
      const read: Batch = { ...batch, found, byteCount };
      // What is not shown yet is looked for again.
      const isWhole = keys.length > 0 && found.every((each) => each?.length !== 0);
      if (isWhole && isCurrent()) this.#kept.set(read, read);
      return read;
    } catch (error) {
      if (signal.aborted) throw error;
      return { ...batch, found: [], byteCount: 0, failure: { error } };
    }
  }

  async #matchesOf(batch: Batch, lql: string, signal: AbortSignal): Promise<Matches | Failure> {
    for (let answer = batch.answers.get(lql); ; answer = batch.answers.get(lql)) {
      if (answer !== undefined) return answer;
      batch.asked.add(lql);
      await this.#matching.join(batch.id, (ending) => this.#ask(batch, ending), signal);
    }
  }

  async #ask(batch: Batch, signal: AbortSignal): Promise<void> {
    // So that rules of the same moment share the first query too.
    await setImmediate();
    const lqls = [...batch.asked].slice(0, maxConditions);
    for (const lql of lqls) batch.asked.delete(lql);
    await this.#match(batch, lqls, signal);
  }

  async #match(batch: Batch, lqls: readonly string[], signal: AbortSignal): Promise<void> {
    const events = [...new Set(batch.found.flatMap((each) => each ?? []))];
    try {
      const rows = await this.#reader.match(batch.source, lqls, events, signal);
      lqls.forEach((lql, index) => {
        batch.answers.set(lql, (event) => {
          const answers = rows.get(event);
          return answers === undefined ? undefined : answers[index] === "1";
        });
      });
      const isWhole = rows.size === events.length;
      batch.byteCount += rows.size * lqls.length;
      if (!isWhole) this.#kept.delete(batch);
      else if (this.#kept.has(batch)) this.#kept.set(batch, batch);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#kept.delete(batch);
      if (lqls.length === 1 || isOfEngine(error)) {
        for (const lql of lqls) batch.answers.set(lql, { error });
        return;
      }
      const half = Math.ceil(lqls.length / 2);
      await this.#match(batch, lqls.slice(0, half), signal);
      await this.#match(batch, lqls.slice(half), signal);
    }
  }
}

/** Whether others would fail by it too. */
function isOfEngine(error: unknown): boolean {
  return error instanceof Error && "code" in error && ofEngine.has(error.code);
}

const ofEngine: ReadonlySet<unknown> = new Set(["timeout", "unavailable", "engine_unavailable"]);

function toFinding(batch: Batch, at: number, matches: Matches): Finding {
  const key = batch.keys[at] as WaitingKey;
  const found = batch.found[at];
  const nothing = { number: batch.first + at, key, events: [], byteCount: 0 };
  if (found === undefined) return { ...nothing, kind: key.isDamaged === true ? "damaged" : "looped" };
  if (found.length === 0 || found.some((each) => matches(each) === undefined)) return { ...nothing, kind: "absent" };
  const selected = found.filter((each) => matches(each) === true);
  if (selected.length === 0) return { ...nothing, kind: "excluded" };
  const byteCount = selected.reduce((sum, each) => sum + each.byteCount, 0);
  return { ...nothing, kind: "selected", events: selected.map(({ event }) => event), byteCount };
}

/** Thousands of rules of which nothing is sent hold no list of findings meanwhile. */
function toNext(findings: readonly Finding[], isCurrent: () => boolean): NextEvents {
  const looped = findings.filter(({ kind }) => kind === "looped").length;
  const excluded = findings.filter(({ kind }) => kind === "excluded").length;
  const isPassed = findings.length > 0 && looped + excluded === findings.length;
  return isPassed ? { kind: "passed", tally: { looped, excluded } } : { kind: "found", findings, isCurrent };
}
