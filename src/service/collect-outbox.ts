import type { AuditChange } from "../audit/audit-event.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { AuditOutbox } from "../metadata/audit-outbox.ts";

const everyMs = 500;

/** Takes what commands left for the audit into it, twice a second, until it is closed. */
export function startCollecting(
  outbox: Pick<AuditOutbox, "take">,
  audit: Pick<AuditLog, "record">,
  warn: (message: string) => void,
): { close(): Promise<void> } {
  let running: Promise<void> | undefined;
  const collect = async () => {
    try {
      for (const { at, event } of await outbox.take()) {
        audit.record({ ...(JSON.parse(event) as AuditChange), atMs: at });
      }
    } catch (error) {
      warn(`what commands did could not be taken into the audit: ${String(error)}`);
    }
  };
  const timer = setInterval(() => {
    running ??= collect().finally(() => {
      running = undefined;
    });
  }, everyMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
