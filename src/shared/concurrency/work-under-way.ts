/** Work that has begun and not ended, for those who have to wait until what they do not know of is over. */
export class WorkUnderWay {
  readonly #works = new Set<Promise<unknown>>();

  /** Starts work, and counts it until it ends. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.#works.add(done);
    try {
      return await done;
    } finally {
      this.#works.delete(done);
    }
  }

  /** Resolves once all that is under way now has ended, well or not; what begins later is not waited for. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#works]);
  }
}
