import type { EngineError, QuerySummary, RowBatch } from "../../contract/query-engine.ts";

/** Batches that arrived and were not taken yet, and how it ended. */
export class BatchQueue {
  readonly #items: (RowBatch | QuerySummary | EngineError)[] = [];
  #wake: (() => void) | undefined;

  push(item: RowBatch | QuerySummary | EngineError): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Puts an end before everything that was not taken. */
  fail(error: EngineError): void {
    this.#items.unshift(error);
    this.#wake?.();
  }

  async next(): Promise<RowBatch | QuerySummary | EngineError> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
