import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DrainRule } from "./backend.ts";
import { createJournals, type Journals } from "./journals.ts";
import { openPosition, type Position } from "./position.ts";

/** Keys of events that wait for delivery, and the position of each rule. */
export interface DrainLog {
  readonly journals: Journals;
  /** The start of a rule without a position: at the first or after the last pending key. */
  openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<Position>;
  /** Whether this service delivers; of several with a common log, exactly one does. */
  isSender(): boolean;
  /** Called when that changes; the next call waits for the previous one. */
  onTurn(listener: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Stored in files of a folder, which belongs to one service. */
export function createFileLog(folder: string, maxBytes: number): DrainLog {
  const journals = createJournals(folder, maxBytes);
  return {
    journals,
    async openPosition({ id, source }, otherwise) {
      const positions = join(folder, "positions");
      await mkdir(positions, { recursive: true });
      const journal = await journals.open(source);
      return openPosition(join(positions, id), journal[otherwise]);
    },
    isSender: () => true,
    onTurn: () => undefined,
    close: () => journals.close(),
  };
}
