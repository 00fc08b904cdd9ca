/**
 * Keeps statements and the checkpoints that move rows apart. DuckDB finds the rows of `ORDER BY ... LIMIT` by their row
 * ids in a second scan of the same statement; a checkpoint that frees the row groups of deleted rows gives the rows
 * behind them other ids, and where it falls between the two scans, rows are missing from the answer.
 */

/**
 * So long a checkpoint waits for statements at most, and with it commits: one that takes longer goes on beside it. Most
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
   * Answers whether none was left. At most one pause is asked for at a time.
   */
  async pause(work: () => Promise<void>): Promise<boolean> {
    let end = (): void => undefined;
    this.#pause = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      const isIdle = await this.#waitForIdle();
      await work();
      return isIdle;
    } finally {
      this.#pause = undefined;
      end();
    }
  }

  async #waitForIdle(): Promise<boolean> {
    if (this.#openCount === 0) return true;
    return new Promise((resolve) => {
      const finish = (isIdle: boolean) => {
        clearTimeout(timer);
        this.#onIdle = undefined;
        resolve(isIdle);
      };
      const timer = setTimeout(() => finish(false), this.#maxWaitMs);
      this.#onIdle = () => finish(true);
    });
  }
}
