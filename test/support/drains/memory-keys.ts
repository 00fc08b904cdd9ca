import type { KeptPosition, KeyStore, MovedPosition, WantedPosition } from "../../../src/drains/key-store.ts";

interface Batch {
  readonly first: number;
  readonly count: number;
  readonly lines: string;
}

/** Keys in memory, as a database has them that several services share, and that may be away. */
export class MemoryKeys implements KeyStore {
  readonly batches = new Map<string, Batch[]>();
  readonly next = new Map<string, number>();
  readonly kept = new Map<string, KeptPosition & { readonly source: string }>();
  /** Rules that are no more. */
  readonly gone = new Set<string>();
  /** Calls that fail, by name; `all` for everything. */
  readonly failing = new Set<string>();
  /** Calls whose work is done, and whose answer is lost. */
  readonly losing = new Set<string>();
  readonly calls: string[] = [];

  #enter(name: string): void {
    this.calls.push(name);
    if (this.failing.has(name) || this.failing.has("all")) throw new Error("the database is away");
  }

  #of(source: string): Batch[] {
    const batches = this.batches.get(source) ?? [];
    this.batches.set(source, batches);
    return batches;
  }

  async waiting() {
    this.#enter("waiting");
    return [...this.next].map(([source, end]) => {
      const batches = this.#of(source);
      const byteCount = batches.reduce((sum, { lines }) => sum + lines.length, 0);
      return { source, first: batches[0]?.first ?? end, end, byteCount };
    });
  }

  async positions() {
    this.#enter("positions");
    return new Map([...this.kept].map(([id, { number, progress }]) => [id, { number, progress }]));
  }

  async add(source: string, lines: string, count: number) {
    this.#enter("add");
    const first = this.next.get(source) ?? 0;
    this.#of(source).push({ first, count, lines });
    this.next.set(source, first + count);
    if (this.losing.has("add")) throw new Error("the answer was lost");
    return first + count;
  }

  async read(source: string, from: number) {
    this.#enter("read");
    const batches = this.#of(source);
    const start = batches.findLastIndex(({ first }) => first <= from);
    return start === -1 ? [] : batches.slice(start);
  }

  async releaseBefore(source: string, number: number) {
    this.#enter("releaseBefore");
    const needed = [...this.kept.values()].filter((each) => each.source === source).map((each) => each.number);
    const batches = this.#of(source);
    const least = Math.min(number, ...needed);
    while ((batches[0]?.first ?? 0) + (batches[0]?.count ?? Number.POSITIVE_INFINITY) <= least) batches.shift();
  }

  async dropOldest(source: string) {
    this.#enter("dropOldest");
    return this.#of(source).shift()?.count ?? 0;
  }

  async remove(source: string) {
    this.#enter("remove");
    if ([...this.kept.values()].some((each) => each.source === source)) return;
    this.batches.delete(source);
    this.next.delete(source);
  }

  async openPositions(wanted: readonly WantedPosition[]) {
    this.#enter("openPositions");
    for (const { id, source, otherwise } of wanted) {
      if (this.gone.has(id) || this.kept.get(id)?.source === source) continue;
      const end = this.next.get(source) ?? 0;
      const number = otherwise === "first" ? (this.#of(source)[0]?.first ?? end) : end;
      this.kept.set(id, { number, progress: null, source });
    }
    return this.kept;
  }

  async savePositions(moved: readonly MovedPosition[]) {
    this.#enter("savePositions");
    for (const { id, source, number, progress, isNewJournal } of moved) {
      const before = this.kept.get(id);
      if (before?.source !== source || !(isNewJournal || before.number < number)) continue;
      this.kept.set(id, { number, progress, source });
    }
  }

  /** Takes the position away with its rule, as another service removes it. */
  removeRule(id: string): void {
    this.gone.add(id);
    this.kept.delete(id);
  }
}
