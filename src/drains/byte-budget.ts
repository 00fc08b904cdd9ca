import { createPassingMap } from "../shared/passing-map.ts";

/** A share of a budget. */
export interface ByteLease {
  /** Gives back what is above so many bytes. */
  shrinkTo(byteCount: number): void;
  release(): void;
}

/** Memory that all deliveries together may hold; who asks for more waits, in the order of asking. */
export class ByteBudget {
  #free: number;
  #lastNumber = 0;
  readonly #waiting = createPassingMap<number, { readonly byteCount: number; readonly grant: () => void }>();

  constructor(maxBytes: number) {
    this.#free = maxBytes;
  }

  /** Resolves when so many bytes are free. Rejects with the signal's reason when it is aborted first. */
  async take(byteCount: number, signal: AbortSignal): Promise<ByteLease> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || this.#free < byteCount) await this.#wait(byteCount, signal);
    else this.#free -= byteCount;
    let held = byteCount;
    const shrinkTo = (left: number) => {
      if (left >= held) return;
      this.#free += held - left;
      held = left;
      this.#grant();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  #wait(byteCount: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const number = ++this.#lastNumber;
      const leave = () => {
        this.#waiting.delete(number);
        reject(signal.reason);
        this.#grant();
      };
      signal.addEventListener("abort", leave, { once: true });
      const grant = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      this.#waiting.set(number, { byteCount, grant });
    });
  }

  #grant(): void {
    for (const [number, { byteCount, grant }] of this.#waiting.entries()) {
      if (byteCount > this.#free) return;
      this.#waiting.delete(number);
      this.#free -= byteCount;
      grant();
    }
  }
}
