/**
 * Deletions of events that wait on this node's disk. A deletion is noted with the number of the next line of the queue,
 * and applies to the lines before it whenever they are read: what waits is not written anew.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isOfFile, moveAside } from "../../../shared/journal/set-aside.ts";
import { codeOf, messageOf } from "../../../shared/message-of.ts";
import { writeDurably } from "../../../shared/system/write-durably.ts";
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

  /**
   * Reads those of a queue's folder. An empty queue has none: its lines are numbered from 0 again. `onDamage` is called
   * with a file that cannot be read, without which events are stored that were deleted.
   */
  static async open(
    folder: string,
    { first, end }: { readonly first: number; readonly end: number },
    onDamage: (message: string) => void,
  ): Promise<SpoolDeletions> {
    const path = join(folder, "deletions.json");
    if (first === end) await rm(path, { recursive: true, force: true });
    try {
      const deletions = new SpoolDeletions(path, parse(await readFile(path, "utf8")));
      await deletions.#endAt(end);
      return deletions;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return new SpoolDeletions(path, []);
      if (!isOfFile(error)) throw error;
      const kept = await moveAside(path);
      onDamage(
        `${path} is damaged (${messageOf(error)}), and was moved to ${kept}: repeat deletions of events that wait`,
      );
      return new SpoolDeletions(path, []);
    }
  }

  /** Those that are known now. */
  get noted(): readonly SpoolDeletion[] {
    return this.#noted;
  }

  /** Resolves once it is on the disk. */
  async note(deletion: SpoolDeletion, end: number): Promise<void> {
    await this.#save([...this.#noted, { ...deletion, end }]);
  }

  /** The events of the line that none has deleted. */
  left(append: SpooledAppend, number: number): SpooledAppend {
    return this.#noted.filter(({ end }) => number < end).reduce(withoutDeleted, append);
  }

  /** Forgets those that apply to no line from a number on. */
  async releaseBefore(first: number): Promise<void> {
    const needed = this.#noted.filter(({ end }) => end > first);
    if (needed.length < this.#noted.length) await this.#save(needed);
  }

  /** Where lines at the end of the queue are lost, others get their numbers. */
  async #endAt(end: number): Promise<void> {
    if (this.#noted.every((each) => each.end <= end)) return;
    await this.#save(this.#noted.map((each) => ({ ...each, end: Math.min(each.end, end) })));
  }

  /** They apply once they are on the disk: what is not is not reported as deleted. */
  async #save(noted: readonly NotedDeletion[]): Promise<void> {
    if (noted.length === 0) await rm(this.#path, { force: true });
    else await writeDurably(this.#path, JSON.stringify(noted, replaceTime));
    this.#noted = noted;
  }
}

/** Throws `SyntaxError` for anything else. */
function parse(text: string): readonly NotedDeletion[] {
  const noted = JSON.parse(text, reviveTime) as readonly Partial<NotedDeletion>[];
  const isNoted = (each: Partial<NotedDeletion> | null) =>
    typeof each?.source === "string" && typeof each.filter === "object" && Number.isSafeInteger(each.end);
  if (Array.isArray(noted) && noted.every(isNoted)) return noted as readonly NotedDeletion[];
  throw new SyntaxError("it lists no deletions");
}

const times: ReadonlySet<string> = new Set(["fromUs", "toUs"]);

function replaceTime(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function reviveTime(name: string, value: unknown): unknown {
  return times.has(name) ? BigInt(String(value)) : value;
}
