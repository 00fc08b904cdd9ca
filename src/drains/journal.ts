import type { EventKey } from "../engines/contract/query-engine.ts";
import { type LineJournal, type JournalOptions as Options, openLineJournal } from "../shared/journal/line-journal.ts";

/**
 * The keys of events of one source in the order of their acknowledgement, numbered from 0 and stored on disk until no
 * rule needs them.
 */
export interface Journal
  extends Pick<LineJournal, "first" | "end" | "byteCount" | "releaseBefore" | "dropOldest" | "close"> {
  /** Resolves once the keys are on disk; rejects where they cannot be written, and then none of them is in it. */
  note(keys: readonly EventKey[]): Promise<void>;
  /** Up to so many keys from a number on, which is `first` at least; none at the end. */
  read(from: number, maxCount: number): Promise<readonly EventKey[]>;
  /** Resolves when keys come, or the signal aborts. */
  waitForKeys(from: number, signal: AbortSignal): Promise<void>;
}

export type JournalOptions = Pick<Options, "folder" | "segmentBytes" | "flush">;

/** Opens the journal in the folder. A line truncated by a crash was never acknowledged, and is removed. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const lines: LineJournal = await openLineJournal({ ...options, extension: "keys" });
  return {
    get first() {
      return lines.first;
    },
    get end() {
      return lines.end;
    },
    get byteCount() {
      return lines.byteCount;
    },
    note: (keys) => lines.note(keys.map(writeKey)),
    read: async (from, maxCount) => (await lines.read(from, maxCount)).map(parseKey),
    releaseBefore: (number) => lines.releaseBefore(number),
    dropOldest: () => lines.dropOldest(),
    waitForKeys: (from, signal) => lines.waitForLines(from, signal),
    close: () => lines.close(),
  };
}

function writeKey({ id, timestampUs }: EventKey): string {
  return `${timestampUs} ${JSON.stringify(id)}`;
}

/** Keys as lines, each with its end. */
export function writeKeys(keys: readonly EventKey[]): string {
  return keys.map((key) => `${writeKey(key)}\n`).join("");
}

/** A key out of its line. */
export function parseKey(line: string): EventKey {
  const space = line.indexOf(" ");
  return { timestampUs: BigInt(line.slice(0, space)), id: JSON.parse(line.slice(space + 1)) as string };
}
