import { type DrainLog, dropOldest } from "../../../src/drains/drain-log.ts";
import { type Journal, parseKey, writeKey } from "../../../src/drains/journal.ts";
import { createJournals } from "../../../src/drains/journals.ts";
import { openPosition, type Progress, startProgress } from "../../../src/drains/position.ts";
import type { EventKey } from "../../../src/engines/contract/query-engine.ts";

/** The files of a drain log. */
export interface Disk {
  readonly journals: Map<string, { first: number; lines: string[] }>;
  /** By rules; with the source that they were saved for. */
  readonly positions: Map<string, Progress & { readonly source?: string }>;
}

export interface MemoryLogOptions {
  readonly disk: Disk;
  /** Keys of a segment, of which the oldest are dropped or released together. */
  readonly segmentKeys: number;
  readonly maxBytes: number;
  /** Awaited before each operation: throws for one that fails, and never resolves for a process that has ended. */
  readonly enter: (what: "note" | "read" | "save") => Promise<void>;
}

export function createDisk(): Disk {
  return { journals: new Map(), positions: new Map() };
}

/** A drain log in memory, whose disk outlives it. */
export function createMemoryLog(options: MemoryLogOptions): DrainLog {
  const { disk, maxBytes, enter } = options;
  const journals = createJournals({
    open: async (source) => new MemoryJournal(source, options),
    discard: async (source) => void disk.journals.delete(source),
  });
  return {
    journals,
    async openPosition({ id, source }, otherwise) {
      const journal = await journals.open(source);
      const readOf = () => [disk.positions.get(id)].find((each) => (each?.source ?? source) === source);
      const store = {
        read: async () => readOf(),
        write: async (progress: Progress) => {
          await enter("save");
          disk.positions.set(id, { ...progress, source });
        },
        remove: async () => void disk.positions.delete(id),
      };
      // The first one is made with the rule.
      if (readOf() === undefined) disk.positions.set(id, { ...startProgress(journal[otherwise]), source });
      return openPosition(store, journal[otherwise], () => undefined);
    },
    async keepWithinBound() {
      while (journals.byteCount > maxBytes) if (!(await dropOldest(journals))) return;
    },
    isSender: () => true,
    onTurn: () => undefined,
    close: () => journals.close(),
  };
}

class MemoryJournal implements Journal {
  readonly #state: { first: number; lines: string[] };
  readonly #options: MemoryLogOptions;
  readonly #listeners = new Set<() => void>();

  constructor(source: string, options: MemoryLogOptions) {
    this.#options = options;
    const { journals } = options.disk;
    this.#state = journals.get(source) ?? { first: 0, lines: [] };
    journals.set(source, this.#state);
  }

  get first(): number {
    return this.#state.first;
  }

  get end(): number {
    return this.#state.first + this.#state.lines.length;
  }

  get byteCount(): number {
    return this.#state.lines.reduce((sum, line) => sum + line.length + 1, 0);
  }

  async note(keys: readonly EventKey[]): Promise<void> {
    await this.#options.enter("note");
    this.#state.lines.push(...keys.map(writeKey));
    for (const listener of [...this.#listeners]) listener();
  }

  async read(from: number, maxCount: number) {
    await this.#options.enter("read");
    const at = from - this.first;
    return at < 0 ? [] : this.#state.lines.slice(at, at + maxCount).map(parseKey);
  }

  async releaseBefore(number: number): Promise<void> {
    const { segmentKeys } = this.#options;
    while (this.first + segmentKeys <= number && this.#state.lines.length > segmentKeys) this.#cut();
  }

  async dropOldest(): Promise<number> {
    return this.#state.lines.length > this.#options.segmentKeys ? this.#cut() : 0;
  }

  waitForKeys(from: number, signal: AbortSignal): Promise<void> {
    if (from < this.end || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        this.#listeners.delete(finish);
        resolve();
      };
      this.#listeners.add(finish);
      signal.addEventListener("abort", finish, { once: true });
    });
  }

  async close(): Promise<void> {}

  #cut(): number {
    const cut = this.#state.lines.splice(0, this.#options.segmentKeys).length;
    this.#state.first += cut;
    return cut;
  }
}
