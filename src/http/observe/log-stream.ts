/** How many characters are collected before they are written without waiting for the next `flush`. */
const ENOUGH_CHARS = 8_192;
/** How many characters wait at most for a log that takes nothing; further lines are lost, and counted. */
const MAX_WAITING_CHARS = 1_048_576;
/** How often, and how long after the previous time, a log that is full is tried again before the process ends. */
const LAST_TRIES = 100;
const LAST_TRY_MS = 10;

/** Writes as much as is possible without waiting, and returns the number of bytes; throws with the system's `code`. */
export type WriteBytes = (bytes: Uint8Array) => number;

/** The log as a stream of lines, which are written together. */
export interface LogStream {
  /** Collects a line. */
  write(line: string): void;
  /** Writes what was collected. Whatever the log does not take is tried again the next time. */
  flush(): void;
  /** Writes what was collected before the process ends: a log that is full gets a second, a broken one no time. */
  end(): void;
}

/**
 * A stream that no state of the log can stop: neither that nobody reads it, nor that its disk is full. It never throws,
 * and waits only in `end`, by `waitMs`.
 */
export function createLogStream(writeBytes: WriteBytes, waitMs: (ms: number) => void): LogStream {
  let lines: string[] = [];
  let chars = 0;
  let charsSinceTry = 0;
  let lostLines = 0;
  /** The rest of lines that were written in part. */
  let rest = new Uint8Array();

  const collect = (line: string) => {
    lines.push(line);
    chars += line.length;
  };
  /** The system's code, if the log did not take everything. */
  const tryToWrite = (): string | undefined => {
    charsSinceTry = 0;
    try {
      while (rest.length > 0 || chars > 0) {
        if (rest.length === 0) {
          rest = Buffer.from(lines.join(""));
          [lines, chars] = [[], 0];
        }
        rest = rest.subarray(writeBytes(rest));
        if (rest.length === 0 && lostLines > 0) {
          collect(describeLoss(lostLines));
          lostLines = 0;
        }
      }
      return undefined;
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  };
  return {
    write(line) {
      if (rest.length + chars + line.length > MAX_WAITING_CHARS) lostLines++;
      else collect(line);
      charsSinceTry += line.length;
      if (charsSinceTry >= ENOUGH_CHARS) tryToWrite();
    },
    flush: () => void tryToWrite(),
    end() {
      for (let tries = 0; isFull(tryToWrite()) && tries < LAST_TRIES; tries++) waitMs(LAST_TRY_MS);
    },
  };
}

function isFull(code: string | undefined): boolean {
  return code === "EAGAIN" || code === "EBUSY";
}

function describeLoss(lines: number): string {
  const entry = { level: "warn", time: new Date().toISOString(), lines, msg: "Lines of the log could not be written" };
  return `${JSON.stringify(entry)}\n`;
}
