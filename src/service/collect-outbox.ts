import type { AuditChange } from "../audit/audit-event.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { AuditOutbox, OutboxEntry } from "../metadata/audit-outbox.ts";

const everyMs = 500;
/** Fewer than the audit's limit of pending events. */
const maxAtOnce = 1_000;

export interface Collecting {
  readonly outbox: Pick<AuditOutbox, "list" | "remove">;
  readonly audit: Pick<AuditLog, "record" | "flush">;
  /** Whether this service takes entries; several may, each entry is stored once. */
  readonly isOurs: () => boolean;
  readonly warn: (message: string) => void;
}

/** Collects the audit entries of commands twice a second, until it is closed. */
export function startCollecting({ isOurs, warn, ...parts }: Collecting): { close(): Promise<void> } {
  /** Recorded, but not known to be stored yet. */
  const recorded = new Set<string>();
  let running: Promise<void> | undefined;
  const collect = () =>
    collectOnce(parts, recorded).catch((error: unknown) => {
      warn(`what commands did could not be taken into the audit: ${String(error)}`);
    });
  const timer = setInterval(() => {
    if (!isOurs()) return;
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

/** An entry leaves the outbox once the store has it; until then it is retried, by whichever service collects. */
async function collectOnce(
  { outbox, audit }: Pick<Collecting, "outbox" | "audit">,
  recorded: Set<string>,
): Promise<void> {
  const entries = (await outbox.list()).slice(0, maxAtOnce);
  if (entries.length === 0) return;
  for (const entry of entries) {
    if (!recorded.has(entry.id)) audit.record(toChange(entry));
    recorded.add(entry.id);
  }
  if (!(await audit.flush())) return;
  await outbox.remove(entries);
  for (const { id } of entries) recorded.delete(id);
}

function toChange({ id, at, event }: OutboxEntry): AuditChange {
  return { ...(JSON.parse(event) as AuditChange), entryId: id, atMs: at };
}
