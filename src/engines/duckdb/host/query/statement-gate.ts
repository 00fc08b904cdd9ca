/**
 * Prevents statements from running during checkpoints that move rows. DuckDB finds the rows of `ORDER BY ... LIMIT` by
 * their row ids in a second scan of the same statement; a checkpoint that frees the row groups of deleted rows gives
 * later rows other ids, and if it happens between the two scans, rows are missing from the answer.
 */

/**
 * How long a checkpoint, and with it commits, waits for statements at most: one that takes longer runs beside it. Most
 * take some milliseconds.
 */
const MAX_WAIT_MS = 250;

export class StatementGate {
  readonly #maxWaitMs: number;
  #openCount = 0;
  readonly #onIdle = new Set<() => void>();
  readonly #pauses = new Set<Promise<void>>();

  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Resolves when a statement may begin; it must `leave` once it has ended. */
  async enter(): Promise<void> {
    while (this.#pauses.size > 0) await Promise.all(this.#pauses);
    this.#openCount++;
  }

  leave(): void {
    this.#openCount--;
    if (this.#openCount === 0) for (const finish of this.#onIdle) finish();
  }

  /**
   * Does the work while no statement begins, once those that run have ended, for which it waits a bounded time.
   * Reports it, and answers, whether none was left. One pause may be within another.
   */
  async pause(work: (isAlone: boolean) => Promise<void>, maxWaitMs = this.#maxWaitMs): Promise<boolean> {
    let end = (): void => undefined;
    const pause = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#pauses.add(pause);
    try {
      const isIdle = await this.#waitForIdle(maxWaitMs);
      await work(isIdle);
      return isIdle;
    } finally {
      this.#pauses.delete(pause);
      end();
    }
  }

  async #waitForIdle(maxWaitMs: number): Promise<boolean> {
    if (this.#openCount === 0) return true;
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#onIdle.delete(finish);
        resolve(this.#openCount === 0);
      };
      const timer = setTimeout(finish, maxWaitMs);
      this.#onIdle.add(finish);
    });
  }
}
