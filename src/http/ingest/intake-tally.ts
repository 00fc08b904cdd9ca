import type { RejectedEvent } from "../../engines/contract/query-engine.ts";

/** The outcome of events sent to a source since the service started. */
export interface SourceIntake {
  /** Events that were stored. */
  readonly stored: number;
  /** Events that were not; bodies that could not be read at all are not among them. */
  readonly rejected: number;
  /** Bodies of which nothing was stored, since they could not be read. */
  readonly refusedBodies: number;
  /** Stored events whose timestamp could not be read. */
  readonly untimed: number;
  /** Stored events without a tenant, of a source that has tenants. */
  readonly tenantless: number;
  /** When events were last stored, in milliseconds since 1970; undefined for never. */
  readonly lastStoredMs: number | undefined;
  /** Why events and bodies were rejected, the newest first. */
  readonly reasons: readonly RejectionReason[];
}

export interface RejectionReason {
  readonly reason: string;
  readonly count: number;
  /** When it last happened, in milliseconds since 1970. */
  readonly newestMs: number;
}

/** Counts the outcome of ingest by source, so that owners see why events are missing. Bounded, and in memory. */
export interface IntakeTally {
  /** When counting began, in milliseconds since 1970. */
  readonly sinceMs: number;
  note(source: string, outcome: IntakeOutcome): void;
  /** A body that could not be read. */
  refuse(source: string, reason: string): void;
  of(source: string): SourceIntake;
}

export interface IntakeOutcome {
  readonly stored: number;
  readonly untimed: number;
  readonly tenantless?: number | undefined;
  readonly rejected: readonly Pick<RejectedEvent, "reason">[];
}

/** Reasons that are kept of one source; the one that was longest ago goes first. */
const maxReasons = 20;
const maxReasonLength = 300;

type Counts = { -readonly [Key in keyof Omit<SourceIntake, "reasons">]: SourceIntake[Key] } & {
  /** In the order in which they last happened. */
  readonly reasons: Map<string, Omit<RejectionReason, "reason">>;
};

function noCounts(): Counts {
  const counts = { stored: 0, rejected: 0, refusedBodies: 0, untimed: 0, tenantless: 0 };
  return { ...counts, lastStoredMs: undefined, reasons: new Map() };
}

/** `nowMs` is the clock. */
export function createIntakeTally(nowMs: () => number): IntakeTally {
  const bySource = new Map<string, Counts>();

  const countsOf = (source: string): Counts => {
    const counts = bySource.get(source) ?? noCounts();
    bySource.set(source, counts);
    return counts;
  };
  const remember = ({ reasons }: Counts, text: string) => {
    const reason = text.slice(0, maxReasonLength);
    const count = (reasons.get(reason)?.count ?? 0) + 1;
    reasons.delete(reason);
    reasons.set(reason, { count, newestMs: nowMs() });
    const [oldest] = reasons.keys();
    if (reasons.size > maxReasons && oldest !== undefined) reasons.delete(oldest);
  };

  return {
    sinceMs: nowMs(),
    note(source, { stored, untimed, rejected, tenantless = 0 }) {
      const counts = countsOf(source);
      counts.stored += stored;
      if (stored > 0) counts.lastStoredMs = nowMs();
      counts.untimed += untimed;
      counts.tenantless += tenantless;
      counts.rejected += rejected.length;
      for (const { reason } of rejected) remember(counts, reason);
    },
    refuse(source, reason) {
      const counts = countsOf(source);
      counts.refusedBodies++;
      remember(counts, reason);
    },
    of(source) {
      const { reasons, ...counts } = bySource.get(source) ?? noCounts();
      return { ...counts, reasons: [...reasons].map(([reason, each]) => ({ reason, ...each })).reverse() };
    },
  };
}
