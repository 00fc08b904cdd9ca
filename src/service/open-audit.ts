import { AuditLog } from "../audit/audit-log.ts";
import type { DataThrough } from "../endpoints/call/run/data-through.ts";
import { createAuditOutbox } from "../metadata/audit-outbox.ts";
import { startCollecting } from "./collect-outbox.ts";
import { demotePinnedOwners } from "./demote-pinned-owners.ts";
import type { Storage } from "./open-storage.ts";
import type { Start } from "./start.ts";

/** Opens the audit, which also collects the actions of commands. */
export async function openAudit(
  { settings, fixedTokens, nowMs, logger, closers }: Start,
  { metadata, nodes, engine, tokens, serviceKey }: Storage,
  dataThrough: DataThrough,
): Promise<AuditLog> {
  const warn = (message: string) => logger.warn(message);
  const audit = new AuditLog({
    level: settings.audit,
    store: engine.store,
    onStored: dataThrough.note,
    writeLine: (fields, message) => logger.info({ audit: fields }, message),
    warn,
    digestKey: serviceKey,
    secrets: fixedTokens.map(({ secret }) => secret),
    nowMs,
  });
  closers.push(() => audit.close());
  await nodes.exclusively(() => demotePinnedOwners(tokens, audit, warn), true);
  const outbox = createAuditOutbox(metadata, nowMs);
  const collecting = startCollecting({ outbox, audit, isOurs: () => nodes.isLeader(), warn });
  closers.push(() => collecting.close());
  return audit;
}
