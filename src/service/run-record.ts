import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How a run of the service ended. */
export interface RunEnd {
  /** A signal's name, or what happened. */
  readonly reason: string;
  /** True where calls under way were awaited and everything was closed. */
  readonly isClean: boolean;
}

/** The run before this one on the same data folder. */
export interface PreviousRun {
  readonly startedAt: string;
  /** Undefined where it ended without a word: it was killed, or the machine went down. */
  readonly end: RunEnd | undefined;
}

/** The note that a run leaves for the next one. */
export interface RunRecord {
  /** Undefined for the first run. */
  readonly previous: PreviousRun | undefined;
  /** Notes the end. Writes before it returns, and never throws. */
  end(end: RunEnd): void;
}

interface RunNote {
  readonly started_at: string;
  readonly reason?: string;
  readonly clean?: boolean;
}

/** Reads the note of the previous run from the data folder, and begins that of this one. */
export function openRunRecord(folder: string, nowMs: () => number): RunRecord {
  const path = join(folder, "last-run.json");
  const previous = readPrevious(path);
  const started = { started_at: new Date(nowMs()).toISOString() };
  writeNote(path, started);
  return {
    previous,
    end: ({ reason, isClean }) => writeNote(path, { ...started, reason, clean: isClean }),
  };
}

/** A note that cannot be read says no more than that there was a run. */
function readPrevious(path: string): PreviousRun | undefined {
  try {
    const note = JSON.parse(readFileSync(path, "utf8")) as Partial<RunNote> | null;
    const { started_at: startedAt, reason, clean } = note ?? {};
    const end = typeof reason === "string" ? { reason, isClean: clean === true } : undefined;
    return { startedAt: typeof startedAt === "string" ? startedAt : "unknown", end };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { startedAt: "unknown", end: undefined };
  }
}

/** A full disk stops no service: then the next start says that this run ended without a word. */
function writeNote(path: string, note: RunNote): void {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // Said above.
  }
}
