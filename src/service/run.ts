import { openRunRecord } from "./run-record.ts";
import type { Start } from "./start.ts";

/** The first and the last line of the log, which also tell the next start how this run ended. */
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
