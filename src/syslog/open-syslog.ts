import { type EventStore, newestTimestampUs } from "../engines/contract/query-engine.ts";
import { listenForSyslog, type SyslogListener } from "./listen.ts";

/** Where messages of syslog go. */
const sourceName = "syslog";

export interface OpenSyslogOptions {
  readonly host: string;
  /** Nothing listens without one. */
  readonly port: number | undefined;
  readonly store: Pick<EventStore, "append">;
  /** Is told of the newest event that was stored. */
  readonly onStored: (source: string, newestUs: bigint) => void;
  readonly logger: { info(message: string): void; warn(message: string): void };
}

/** Listens for syslog where a port is set, and stores what comes in the source `syslog`. */
export async function openSyslog({
  host,
  port,
  store,
  onStored,
  logger,
}: OpenSyslogOptions): Promise<SyslogListener | undefined> {
  if (port === undefined) return undefined;
  const listener = await listenForSyslog({
    host,
    port,
    nowMs: Date.now,
    warn: (message) => logger.warn(message),
    append: async (events, signal) => {
      await store.append(sourceName, events, signal);
      const newest = newestTimestampUs(events);
      if (newest !== undefined) onStored(sourceName, newest);
    },
  });
  logger.info(`syslog is taken at ${host}:${listener.port}, over TCP and UDP, without a token`);
  return listener;
}
