import type { Answers } from "../api/operations.ts";
import { formatCount } from "./values.ts";

/** How events of a source came in since the service started, as the API counts it. */
export type Intake = Answers["countIntake"]["sources"][number];

/** A reason why events that arrive are not among the rows. */
export interface UnseenReason {
  readonly source: string;
  readonly kind: "tenantless" | "ahead" | "old" | "rejected";
  readonly text: string;
  /** The time of the source's newest event in milliseconds since 1970, where a range around it shows events. */
  readonly newestMs?: number;
}

/** Clocks differ by as much. */
const clockMs = 60_000;
/** Events that arrived within this long are those that somebody looks for. */
const recentMs = 3_600_000;

/** Why events of these sources are not seen in a range of time that begins at `fromMs`; nothing where nothing came. */
export function findUnseenReasons(intakes: readonly Intake[], fromMs: number, nowMs: number): readonly UnseenReason[] {
  return intakes.flatMap((intake) => [...findTimeReasons(intake, fromMs, nowMs), ...findOtherReasons(intake)]);
}

function findTimeReasons(intake: Intake, fromMs: number, nowMs: number): readonly UnseenReason[] {
  const { source, last_stored: stored, newest_event: newest } = intake;
  if (newest === null) return [];
  const newestMs = Date.parse(newest);
  const dated = `${newest.slice(0, 19).replace("T", " ")} UTC`;
  if (newestMs > nowMs + clockMs) {
    return [
      { source, kind: "ahead", newestMs, text: `the newest event is dated ${dated}: the sender's clock is ahead` },
    ];
  }
  const isArriving = stored !== null && Date.parse(stored) > nowMs - recentMs;
  if (!isArriving || newestMs >= fromMs) return [];
  return [{ source, kind: "old", newestMs, text: `events arrive, but are older: the newest is dated ${dated}` }];
}

function findOtherReasons(intake: Intake): readonly UnseenReason[] {
  const { source, rejected, refused_bodies: bodies, without_tenant: tenantless, reasons } = intake;
  const found: UnseenReason[] = [];
  if (tenantless > 0) {
    found.push({
      source,
      kind: "tenantless",
      text: `${ofEvents(tenantless)} came without a tenant: no query of one shows them`,
    });
  }
  const [newest] = reasons;
  if (rejected + bodies > 0 && newest !== undefined) {
    found.push({
      source,
      kind: "rejected",
      text: `${ofEvents(rejected + bodies)} or bodies were not stored: ${newest.reason}`,
    });
  }
  return found;
}

function ofEvents(count: number): string {
  return count === 1 ? "1 event" : `${formatCount(count)} events`;
}
