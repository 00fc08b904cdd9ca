import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Start } from "./start.ts";

/** The first and the last line of the log, which also show the next start how this run ended. */
export interface Run {
  /** Releases everything, and logs the end with its reason: a signal's name, or `stop`. */
  stop(reason: string, release: () => Promise<void>): Promise<void>;
  /** Logs the end of a process that ends in the middle of whatever it does, and writes the log; the first end counts. */
  endAtOnce(reason: string): void;
}

/** Logs that the service starts, and how the run before it ended. */
export function beginRun({ settings, nowMs, logger }: Pick<Start, "settings" | "nowMs" | "logger">): Run {
  const record = openRunRecord(settings.dataDir, nowMs);
  const { previous } = record;
  if (previous === undefined) logger.info("The service starts, for the first time on its data folder");
  else if (previous.end?.isClean === true) {
    logger.info(`The service starts; the run before it ended cleanly: ${previous.end.reason}`);
  } else {
    const reason = previous.end?.reason ?? "without a word, as at a SIGKILL, a crash or a power failure";
    logger.warn(`The service starts; the run before it, of ${previous.startedAt}, did not end cleanly: ${reason}`);
  }
  let isEnded = false;
  const endAtOnce = (reason: string) => {
    if (isEnded) return;
    isEnded = true;
    logger.fatal(`The service ends at once: ${reason}`);
    record.end({ reason, isClean: false });
    logger.flush();
  };
  return {
    endAtOnce,
    async stop(reason, release) {
      logger.info(`The service stops: ${reason}`);
      try {
        await release();
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        endAtOnce(`${reason}, but not everything could be closed: ${name}`);
        throw error;
      }
      if (isEnded) return;
      isEnded = true;
      logger.info(`The service has ended cleanly: ${reason}`);
      record.end({ reason, isClean: true });
    },
  };
}

/** How a run of the service ended. */
interface RunEnd {
  /** A signal's name, or what happened. */
  readonly reason: string;
  /** True where calls under way were awaited and everything was closed. */
  readonly isClean: boolean;
}

/** The run before this one on the same data folder. */
interface PreviousRun {
  readonly startedAt: string;
  /** Undefined where it ended without a word: it was killed, or the machine went down. */
  readonly end: RunEnd | undefined;
}

/** The note that a run leaves for the next one. */
interface RunRecord {
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
function openRunRecord(folder: string, nowMs: () => number): RunRecord {
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

/** The size of a note, whatever it says. */
const noteBytes = 1_024;
const maxReasonCharacters = 150;

/**
 * Writes over the note that is there: on a full disk, room for another one would be lacking at a clean end, and a start
 * would leave the note of the run before. Where there is no room for the first either, the service runs without one.
 */
function writeNote(path: string, { reason, ...note }: RunNote): void {
  const text = JSON.stringify({ ...note, ...(reason === undefined ? {} : { reason: cut(reason) }) });
  const bytes = Buffer.alloc(noteBytes, " ");
  bytes.write(text);
  bytes.write("\n", noteBytes - 1);
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeSync(file, bytes, 0, noteBytes, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // Said above.
  }
}

function cut(reason: string): string {
  return reason.slice(0, maxReasonCharacters).toWellFormed();
}
