import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { openLineJournal } from "../shared/journal/line-journal.ts";
import { isOfFile, moveAside } from "../shared/journal/set-aside.ts";
import type { DrainRule } from "./backend.ts";
import { type Progress, type ProgressStore, readProgress, writeProgress } from "./position.ts";

/** Positions of rules in files. */
export interface PositionLog {
  /** The rule's position among the keys of its source; that of a rule which had another source is none. */
  of(rule: Pick<DrainRule, "id" | "source">): ProgressStore;
  close(): Promise<void>;
}

/** Lines of this size, or four times what the last ones of all rules take, are replaced by those. */
const leastBytes = 1_000_000;

/** A line: the rule's id, its source, and its progress; the id alone for a rule that was removed. */
type Line = readonly [id: string, source?: string, progress?: string];

/**
 * Opens the positions in a folder. They are one journal, to which each is added as it moves: thousands that move
 * together are one write. A damaged line is set aside and reported, and the rule's line before it counts.
 */
export async function openPositionLog(folder: string, warn: (message: string) => void): Promise<PositionLog> {
  const onDamage = (message: string) => warn(`a drain's position is damaged, and events are sent again: ${message}`);
  const lines = await openLineJournal({ folder, extension: "positions", onDamage });
  const known = new Map<string, Line>();
  for (let from = lines.first; from < lines.end; ) {
    const read = await lines.read(from, lines.end - from);
    for (const [index, text] of read.entries()) {
      const line = parseLine(text);
      if (line === undefined) await lines.keepDamaged(from + index);
      else if (line.length === 1) known.delete(line[0]);
      else known.set(line[0], line);
    }
    from += read.length;
  }
  const ofEarlierRelease = new Set((await readdir(folder)).filter((name) => !name.endsWith(".positions")));
  let maxBytes = leastBytes;
  const compact = async () => {
    if (lines.byteCount < maxBytes) return;
    maxBytes = Number.POSITIVE_INFINITY;
    try {
      const from = lines.end;
      await lines.note([...known.values()].map((line) => JSON.stringify(line)));
      await lines.releaseBefore(from);
    } finally {
      maxBytes = Math.max(leastBytes, lines.byteCount * 4);
    }
  };
  const note = async (line: Line) => {
    if (line.length === 1) known.delete(line[0]);
    else known.set(line[0], line);
    await lines.note([JSON.stringify(line)]);
    if (ofEarlierRelease.delete(line[0])) await rm(join(folder, line[0]), { force: true });
    await compact();
  };
  return {
    of: ({ id, source }) => ({
      async read() {
        const [, ofSource, progress = ""] = known.get(id) ?? [];
        if (ofSource !== undefined) return ofSource === source ? readProgress(progress) : undefined;
        return ofEarlierRelease.has(id) ? readFileOf(join(folder, id), warn) : undefined;
      },
      write: (progress) => note([id, source, writeProgress(progress)]),
      remove: () => note([id]),
    }),
    close: () => lines.close(),
  };
}

function parseLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!Array.isArray(line) || !line.every((each) => typeof each === "string")) return undefined;
    const isWhole = line.length === 1 || (line.length === 3 && readProgress(String(line[2])) !== undefined);
    return isWhole ? (line as unknown as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** A position in a file of its own, as an earlier release wrote it. */
async function readFileOf(path: string, warn: (message: string) => void): Promise<Progress | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (!isOfFile(error)) throw error;
    return "";
  });
  const progress = readProgress(text.trimEnd());
  if (progress === undefined) {
    const kept = await moveAside(path);
    warn(`a drain's position is damaged, and its counts begin anew: what waits is sent again. It is kept as ${kept}`);
  }
  return progress;
}
