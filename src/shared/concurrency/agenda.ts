/** Values with the times at which they are due, however many: a heap, the earliest of which is first. */
export class Agenda<Value> {
  readonly #heap: { readonly atMs: number; readonly value: Value }[] = [];

  /** Infinite where there is nothing. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  add(atMs: number, value: Value): void {
    let at = this.#heap.push({ atMs, value }) - 1;
    while (at > 0 && this.#swapsUp(at)) at = (at - 1) >> 1;
  }

  /** Takes what is due first; undefined where nothing is due. */
  take(nowMs: number): Value | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.atMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      for (let at = 0, child = 1; child < this.#heap.length; at = child, child = at * 2 + 1) {
        if ((this.#heap[child + 1]?.atMs ?? Number.POSITIVE_INFINITY) < (this.#heap[child]?.atMs ?? 0)) child++;
        if (!this.#swapsUp(child)) break;
      }
    }
    return first.value;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  /** Swaps an entry with the one above it, where that is later. */
  #swapsUp(at: number): boolean {
    const above = (at - 1) >> 1;
    const [own, other] = [this.#heap[at], this.#heap[above]];
    if (own === undefined || other === undefined || other.atMs <= own.atMs) return false;
    this.#heap[at] = other;
    this.#heap[above] = own;
    return true;
  }
}
