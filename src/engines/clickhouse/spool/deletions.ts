/**
 * Deletions of events that wait on this node's disk. A deletion is noted with the number of the next line of the queue,
 * and applies to the lines before it whenever they are read: what waits is not written anew.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../../shared/write-durably.ts";
import { passesFilter } from "../../contract/event-filter.ts";
import { keyOf } from "../../contract/event-tenant.ts";
import type { EventFilter, LogEvent } from "../../contract/query-engine.ts";
import type { SpooledAppend } from "./event-line.ts";

/** Events of a source that are deleted, and the path of the source's tenant field. */
export interface SpoolDeletion {
  readonly source: string;
  readonly filter: EventFilter;
  readonly path: readonly string[] | undefined;
}

interface NotedDeletion extends SpoolDeletion {
  /** The number of the first line that it does not apply to. */
  readonly end: number;
}

/** The events of an append that a deletion leaves. */
export function withoutDeleted(append: SpooledAppend, { source, filter, path }: SpoolDeletion): SpooledAppend {
  if (append.source !== source) return append;
  const isLeft = (event: LogEvent) => !passesFilter(filter, keyOf(path, event));
  return { ...append, events: append.events.filter(isLeft) };
}

export class SpoolDeletions {
  readonly #path: string;
  #noted: readonly NotedDeletion[];

  private constructor(path: string, noted: readonly NotedDeletion[]) {
    this.#path = path;
    this.#noted = noted;
  }

  /** Reads those of a queue's folder. An empty queue has none: its lines are numbered from 0 again. */
  static async open(folder: string, isEmpty: boolean): Promise<SpoolDeletions> {
    const path = join(folder, "deletions.json");
    if (isEmpty) await rm(path, { force: true });
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if ((error as { code?: unknown }).code === "ENOENT") return "[]";
      throw error;
    });
    return new SpoolDeletions(path, JSON.parse(text, reviveTime) as readonly NotedDeletion[]);
  }

  /** Those that are known now. */
  get noted(): readonly SpoolDeletion[] {
    return this.#noted;
  }

  /** Resolves once it is on the disk. */
  async note(deletion: SpoolDeletion, end: number): Promise<void> {
    this.#noted = [...this.#noted, { ...deletion, end }];
    await this.#save();
  }

  /** The events of the line that none has deleted. */
  left(append: SpooledAppend, number: number): SpooledAppend {
    return this.#noted.filter(({ end }) => number < end).reduce(withoutDeleted, append);
  }

  /** Forgets those that apply to no line from a number on. */
  async releaseBefore(first: number): Promise<void> {
    const needed = this.#noted.filter(({ end }) => end > first);
    if (needed.length === this.#noted.length) return;
    this.#noted = needed;
    await this.#save();
  }

  async #save(): Promise<void> {
    if (this.#noted.length === 0) await rm(this.#path, { force: true });
    else await writeDurably(this.#path, JSON.stringify(this.#noted, replaceTime));
  }
}

const times: ReadonlySet<string> = new Set(["fromUs", "toUs"]);

function replaceTime(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function reviveTime(name: string, value: unknown): unknown {
  return times.has(name) ? BigInt(String(value)) : value;
}
