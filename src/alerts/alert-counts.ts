import type { AlertPlan } from "./alert.ts";
import { type AlertState, alertStatuses, type RunOutcome, statusOf } from "./alert-state.ts";

/** Counts of runs and notices of a service since its start. */
export interface AlertCounts {
  /** Runs whose rows met the condition, met it not, or that failed. */
  readonly runs: Record<"met" | "quiet" | "failed", number>;
  runSeconds: number;
  /** Notices by what became of them at each destination; those that were dropped went to none. */
  readonly notices: Record<"delivered" | "refused" | "dropped", number>;
  /** Requests to destinations that failed and are repeated. */
  failures: number;
}

/** The counts, and what is so now; a service that does not run the alerts has none. */
export interface AlertFigures extends Readonly<AlertCounts> {
  readonly waiting: number;
  /** For how long the run that has waited longest for its turn has been due. */
  readonly lateSeconds: number;
  /** Alerts by their status; `off` for those that do not run. */
  readonly alerts: Readonly<Record<(typeof alertStatuses)[number] | "off", number>>;
}

export function createCounts(): AlertCounts {
  return {
    runs: { met: 0, quiet: 0, failed: 0 },
    runSeconds: 0,
    notices: { delivered: 0, refused: 0, dropped: 0 },
    failures: 0,
  };
}

/** Counts a run that took so many milliseconds. */
export function countRun(counts: AlertCounts, outcome: RunOutcome, ms: number): void {
  counts.runs[outcome.kind === "failed" ? "failed" : outcome.groups.length > 0 ? "met" : "quiet"]++;
  counts.runSeconds += ms / 1_000;
}

interface CountedAlert {
  readonly plan: Pick<AlertPlan, "isEnabled">;
  readonly state: AlertState & { readonly waiting: readonly unknown[] };
}

/** The counts with those of the alerts that the service runs. */
export function figuresOf(counts: AlertCounts, running: Iterable<CountedAlert>, lateMs: number): AlertFigures {
  const statuses = [...alertStatuses, "off"].map((status) => [status, 0] as const);
  const alerts = Object.fromEntries(statuses) as Record<keyof AlertFigures["alerts"], number>;
  let waiting = 0;
  for (const { plan, state } of running) {
    alerts[plan.isEnabled ? statusOf(state) : "off"]++;
    waiting += state.waiting.length;
  }
  return { ...counts, waiting, lateSeconds: lateMs / 1_000, alerts };
}
