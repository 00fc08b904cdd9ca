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
  #onIdle: (() => void) | undefined;
  #pause: Promise<void> | undefined;

  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Resolves when a statement may begin; it must `leave` once it has ended. */
  async enter(): Promise<void> {
    while (this.#pause !== undefined) await this.#pause;
    this.#openCount++;
  }

  leave(): void {
    this.#openCount--;
    if (this.#openCount === 0) this.#onIdle?.();
  }

  /**
   * Does the work while no statement begins, once those that run have ended, for which it waits a bounded time.
   * Reports it, and answers, whether none was left. At most one pause is asked for at a time.
   */
  async pause(work: (isAlone: boolean) => Promise<void>, maxWaitMs = this.#maxWaitMs): Promise<boolean> {
    let end = (): void => undefined;
    this.#pause = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      const isIdle = await this.#waitForIdle(maxWaitMs);
      await work(isIdle);
      return isIdle;
    } finally {
      this.#pause = undefined;
      end();
    }
  }

  async #waitForIdle(maxWaitMs: number): Promise<boolean> {
    if (this.#openCount === 0) return true;
    return new Promise((resolve) => {
      const finish = (isIdle: boolean) => {
        clearTimeout(timer);
        this.#onIdle = undefined;
        resolve(isIdle);
      };
      const timer = setTimeout(() => finish(false), maxWaitMs);
      this.#onIdle = () => finish(true);
    });
  }
}
