import { isAway } from "../spool/spool-errors.ts";

/**
 * Ends work that waits for its turn with the error of work before it that found the server away. If each asked again,
 * the hundredth would wait a hundred times as long as the first for a server that is silent.
 */
export class SharedRefusal {
  #count = 0;
  #error: unknown;

  /** The work, for a turn that comes later. */
  guard<T>(work: () => Promise<T>): () => Promise<T> {
    const known = this.#count;
    return async () => {
      if (this.#count !== known) throw this.#error;
      try {
        return await work();
      } catch (error) {
        if (isAway(error)) {
          this.#count++;
          this.#error = error;
        }
        throw error;
      }
    };
  }
}
