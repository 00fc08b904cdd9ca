import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DrainRule } from "./backend.ts";
import { createJournals, type Journals } from "./journals.ts";
import { openPosition, type Position } from "./position.ts";

/** Where keys of events wait for their delivery, and how far each rule has come. */
export interface DrainLog {
  readonly journals: Journals;
  /** Of a rule that has no position yet, at the beginning or the end of what waits. */
  openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<Position>;
  /** Whether this service sends; of several on one log, one does. */
  isSender(): boolean;
  /** Is called when that changes; what it does is waited for before it is called again. */
  onTurn(listener: () => Promise<void>): void;
  close(): Promise<void>;
}

/** In files of a folder, which one service has for itself. */
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
