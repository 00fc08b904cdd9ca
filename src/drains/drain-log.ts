import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DrainRule } from "./backend.ts";
import { type JournalOptions, openJournal } from "./journal.ts";
import { createJournals, folderOf, type Journals } from "./journals.ts";
import { openPosition, type Position } from "./position.ts";
import { openPositionLog, type PositionLog } from "./position-log.ts";

/** Keys of events that wait for delivery, and the position of each rule. */
export interface DrainLog {
  readonly journals: Journals;
  /**
   * The rule's position in its source's journal; that of a rule without one is at the first or after the last pending
   * key. Undefined where another service has removed the rule, or given it another source.
   */
  openPosition(rule: Pick<DrainRule, "id" | "source">, otherwise: "first" | "end"): Promise<Position | undefined>;
  /** Drops the oldest keys of the longest journals until all of them together are within the limit. */
  keepWithinBound(): Promise<void>;
  /** Whether this service delivers; of several with a common log, exactly one does. */
  isSender(): boolean;
  /** Called when that changes; the next call waits for the previous one. */
  onTurn(listener: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface FileLogOptions extends Pick<JournalOptions, "flush" | "segmentBytes"> {
  readonly folder: string;
  /** The maximum size of all waiting keys. */
  readonly maxBytes: number;
  readonly warn: (message: string) => void;
}

/** Stored in files of a folder, which belongs to one service. */
export function createFileLog({ folder, maxBytes, warn, ...options }: FileLogOptions): DrainLog {
  const onDamage = (message: string) => warn(`keys of events that wait for drains: ${message}`);
  const journals = createJournals({
    open: (source) => openJournal({ ...options, folder: folderOf(folder, source), onDamage }),
    discard: (source) => rm(folderOf(folder, source), { recursive: true, force: true }),
  });
  let positions: Promise<PositionLog> | undefined;
  let dropping: Promise<void> = Promise.resolve();
  const drop = async () => {
    while (journals.byteCount > maxBytes) if (!(await dropOldest(journals))) return;
  };
  return {
    journals,
    async openPosition(rule, otherwise) {
      const { source } = rule;
      positions ??= openPositionLog(join(folder, "positions"), warn);
      const [journal, saved] = await Promise.all([journals.open(source), positions]);
      const position = await openPosition(saved.of(rule), journal[otherwise], warn);
      if (position.number > journal.end) {
        // All keys that are there were passed.
        warn(`keys of ${source} are missing at the end of their file: events that still waited there are not drained`);
        await position.restartAt(journal.end);
      }
      return position;
    },
    keepWithinBound() {
      if (journals.byteCount > maxBytes) dropping = dropping.then(drop);
      return dropping;
    },
    isSender: () => true,
    onTurn: () => undefined,
    async close() {
      await dropping;
      await journals.close();
      await (await positions)?.close();
    },
  };
}

/** Drops the oldest keys of the longest journal that has some to drop; false where none has. */
export async function dropOldest(journals: Journals): Promise<boolean> {
  for (const journal of journals.byLength()) if ((await journal.dropOldest()) > 0) return true;
  return false;
}
