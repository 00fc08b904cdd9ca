import { ServiceError } from "../shared/errors.ts";
import type { AlertPlan } from "./alert.ts";
import { advance, type Notice, type RunOutcome, startState } from "./alert-state.ts";
import { findGroups } from "./find-groups.ts";
import type { AlertQueries } from "./run-query.ts";
import { nextRunMs } from "./schedule.ts";

/** Groups of an alert that are distinguished; an alert with more cannot run. */
const maxGroups = 100;

/** Runs an alert's query once. Rejects for the end of the signal, and for what is no error of the query. */
export async function evaluate(
  queries: Pick<AlertQueries, "run">,
  plan: AlertPlan,
  signal: AbortSignal,
  atMs?: number,
): Promise<RunOutcome> {
  try {
    const { rows, isCut, sources } = await queries.run(plan, signal, atMs);
    const isWhole = plan.groupBy.length === 0 && plan.condition.column === undefined;
    // A row that was not read might be the one that meets the condition.
    if (isCut && !isWhole) return fail(`its query has more than ${rows.length} rows`);
    const groups = findGroups(plan, rows);
    return groups.length > maxGroups
      ? fail(`${groups.length} groups meet its condition, of ${maxGroups} at most`)
      : { kind: "found", groups, sources };
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    return fail(`${error.message} (${error.code})`);
  }
}

function fail(reason: string): RunOutcome {
  return { kind: "failed", reason };
}

/** Runs of a rehearsal, at most. */
export const maxRehearsedRuns = 300;

/** The notices of past runs. */
export interface Rehearsal {
  readonly runCount: number;
  readonly notices: readonly Notice[];
}

/**
 * The notices of an alert if it had run between two times, over the events that are stored now: each run is as if its
 * clock were that of the schedule. Undefined where that takes too many runs.
 */
export async function rehearse(
  queries: Pick<AlertQueries, "run">,
  plan: AlertPlan,
  range: { readonly fromMs: number; readonly toMs: number },
  signal: AbortSignal,
): Promise<Rehearsal | undefined> {
  const times: number[] = [];
  let next = nextRunMs(plan.schedule, range.fromMs - 1);
  for (; next !== undefined && next <= range.toMs; next = nextRunMs(plan.schedule, next)) {
    if (times.push(next) > maxRehearsedRuns) return undefined;
  }
  let state = startState;
  const notices: Notice[] = [];
  for (const atMs of times) {
    const step = advance(plan, state, await evaluate(queries, plan, signal, atMs), atMs);
    state = step.state;
    notices.push(...step.notices);
  }
  return { runCount: times.length, notices };
}
