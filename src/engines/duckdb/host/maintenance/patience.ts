/** The first wait for statements, beside which nothing of what was deleted becomes free. */
const FIRST_WAIT_MS = 2000;
/** A little more than a query has unless a setting gives it more. */
const LONGEST_WAIT_MS = 32_000;
/** For so many times as long statements are left alone that outlasted the first wait. */
const PAUSES = 5;

/**
 * How long statements are waited for, and new ones with it: twice as long after each time that one went on, and four
 * times as rarely; half as long after each time that none did. Otherwise whoever runs long ones all the time would
 * hold up all others' for a sixth of it.
 */
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
    this.#againMs = performance.now() + (PAUSES * this.#waitMs ** 2) / FIRST_WAIT_MS;
    const next = hasOutlastedThem ? this.#waitMs / 2 : this.#waitMs * 2;
    this.#waitMs = Math.min(Math.max(next, FIRST_WAIT_MS), LONGEST_WAIT_MS);
  }
}
