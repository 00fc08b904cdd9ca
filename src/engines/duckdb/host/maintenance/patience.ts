/** The first wait for statements, beside which nothing of what was deleted becomes free. */
const FIRST_WAIT_MS = 2000;
/** A little more than a query has unless a setting gives it more. */
const LONGEST_WAIT_MS = 32_000;
/** So many times as long statements are left alone that outlasted one. */
const PAUSES = 5;

/** How long statements are waited for, new ones with it: twice as long after each time that one went on. */
export class Patience {
  #waitMs = FIRST_WAIT_MS;
  #againMs = 0;

  get waitMs(): number {
    return this.#waitMs;
  }

  /** Whether statements have been left alone for long enough. */
  isBack(): boolean {
    return performance.now() >= this.#againMs;
  }

  /** Called after each wait. */
  note(hasOutlastedThem: boolean): void {
    this.#againMs = performance.now() + PAUSES * this.#waitMs;
    this.#waitMs = hasOutlastedThem ? FIRST_WAIT_MS : Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }
}
