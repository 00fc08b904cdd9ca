import type { AlertPlan } from "./alert.ts";

interface Planned {
  readonly plan: AlertPlan;
  /** Since when it waits for its turn to run, or runs. */
  readonly dueMs: number | undefined;
}

export interface DueAlert<Alert> {
  readonly alert: Alert;
  /** As it was when it became due. */
  readonly plan: AlertPlan;
}

/** Alerts whose turn to run has yet to come, by their queries: those with the same one share its run. */
export class DueAlerts<Alert extends Planned> {
  readonly #byQuery = new Map<string, DueAlert<Alert>[]>();

  /** How many queries are to be run. */
  get size(): number {
    return this.#byQuery.size;
  }

  /** The milliseconds for which the query has been due that has waited longest. */
  lateMs(nowMs: number): number {
    const [first] = this.#byQuery.values().next().value ?? [];
    return nowMs - (first?.alert.dueMs ?? nowMs);
  }

  add(alert: Alert): void {
    const { plan } = alert;
    const key = JSON.stringify([plan.query.kind, plan.query.text, ...plan.parameters]);
    const due = this.#byQuery.get(key) ?? [];
    this.#byQuery.set(key, due);
    due.push({ alert, plan });
  }

  /** The alerts of the query that has waited longest; undefined where none is due. */
  take(): readonly DueAlert<Alert>[] | undefined {
    const [first] = this.#byQuery;
    if (first === undefined) return undefined;
    this.#byQuery.delete(first[0]);
    return first[1];
  }

  clear(): void {
    this.#byQuery.clear();
  }
}
