import type { EventKey } from "../engines/contract/query-engine.ts";
import { type LineJournal, type JournalOptions as Options, openLineJournal } from "../shared/journal/line-journal.ts";

/** An event's key as it waits; its tenant is undefined where an earlier release wrote it. */
export type WaitingKey = Omit<EventKey, "tenant"> & {
  readonly tenant: string | null | undefined;
  /** It cannot be read: nothing is known of its event. */
  readonly isDamaged?: true;
};

/**
 * The keys of events of one source in the order of their acknowledgement, numbered from 0 and stored until no rule
 * needs them.
 */
export interface Journal
  extends Pick<LineJournal, "first" | "end" | "byteCount" | "releaseBefore" | "dropOldest" | "close"> {
  /** Resolves once the keys are durable; rejects where they cannot be written, and then none of them is in it. */
  note(keys: readonly EventKey[]): Promise<void>;
  /** Up to so many keys from a number on, which is `first` at least; none at the end, or where they are gone. */
  read(from: number, maxCount: number): Promise<readonly WaitingKey[]>;
  /** Resolves when keys come, or the signal aborts. */
  waitForKeys(from: number, signal: AbortSignal): Promise<void>;
}

export type JournalOptions = Pick<Options, "folder" | "segmentBytes" | "flush" | "onDamage">;

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
    async read(from, maxCount) {
      const keys = (await lines.read(from, maxCount)).map(parseKey);
      const index = keys.findIndex(({ isDamaged }) => isDamaged);
      if (index !== -1) await lines.keepDamaged(from + index);
      return keys;
    },
    releaseBefore: (number) => lines.releaseBefore(number),
    dropOldest: () => lines.dropOldest(),
    waitForKeys: (from, signal) => lines.waitForLines(from, signal),
    async close() {
      await lines.seal().catch(() => undefined);
      await lines.close();
    },
  };
}

/** A key as a line, without its end. */
export function writeKey({ id, timestampUs, tenant, hops = [] }: EventKey): string {
  return `${timestampUs} ${JSON.stringify([id, tenant, ...hops])}`;
}

const damaged: WaitingKey = { id: "", timestampUs: 0n, tenant: undefined, isDamaged: true };

/** A key out of its line, which may be damaged. An earlier release wrote the id alone. */
export function parseKey(line: string): WaitingKey {
  const [, time, rest = ""] = /^(-?\d{1,19}) (.+)$/.exec(line) ?? [];
  if (time === undefined) return damaged;
  const parsed = tryParse(rest);
  const timestampUs = BigInt(time);
  if (typeof parsed === "string") return { timestampUs, id: parsed, tenant: undefined };
  if (!Array.isArray(parsed)) return damaged;
  const [id, tenant, ...hops] = parsed as readonly unknown[];
  if (typeof id !== "string" || (tenant !== null && typeof tenant !== "string") || !hops.every(isText)) return damaged;
  return { timestampUs, id, tenant, ...(hops.length === 0 ? {} : { hops }) };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
