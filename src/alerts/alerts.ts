import { randomUUID } from "node:crypto";
import type { Backend } from "../drains/backend.ts";
import { notSaved } from "../drains/drains.ts";
import type { FieldProblems } from "../shared/document-form.ts";
import { ServiceError } from "../shared/errors.ts";
import { createSerialQueue } from "../shared/serial-queue.ts";
import type { Alert } from "./alert.ts";
import { planOf, readAlert } from "./alert-document.ts";
import { maxRehearsedRuns, type Rehearsal, rehearse } from "./evaluate.ts";
import type { AlertQueries } from "./run-query.ts";
import type { RunningAlerts, StoredState } from "./running-alerts.ts";
import { nextRunMs } from "./schedule.ts";

/** A document as it is sent, not yet looked at. */
type Sent = Readonly<Record<string, unknown>>;

/** Alerts: queries that are run by schedule, and tell of their rows. Changes take effect immediately. */
export interface Alerts {
  readonly alerts: readonly Alert[];
  /** Throws `unknown_alert`. */
  find(id: string): Alert;
  /** Makes an alert, or changes the one of an id. Throws `validation_failed` and `unknown_alert`. */
  save(sent: Sent, id?: string): Promise<Alert>;
  /** Throws `unknown_alert`. */
  remove(id: string): Promise<Alert>;
  /** Holds back what begins until a time; undefined ends that. Throws `unknown_alert`. */
  silence(id: string, untilMs: number | undefined): Promise<Alert>;
  /** Throws `unknown_alert`. */
  stateOf(id: string): Promise<AlertStatus>;
  /**
   * Tells what the alert would have told between two times. Throws `unknown_alert`, and `invalid_parameter` for too
   * many runs.
   */
  rehearse(
    id: string,
    range: { readonly fromMs: number; readonly toMs: number },
    signal: AbortSignal,
  ): Promise<Rehearsal>;
  /** Applies the changes of another service: these are all alerts. */
  replaceAll(alerts: readonly Alert[]): void;
}

/** An alert with the outcome of its runs. */
export interface AlertStatus {
  readonly alert: Alert;
  readonly state: StoredState;
  /** Undefined where it does not run. */
  readonly nextRunAtMs: number | undefined;
}

export interface AlertsOptions {
  readonly alerts: readonly Alert[];
  readonly documents: {
    put(alert: Alert): Promise<void>;
    remove(id: string): Promise<void>;
  };
  readonly running: Pick<RunningAlerts, "replaceAll" | "stateOf">;
  readonly queries: AlertQueries;
  readonly findBackend: (id: string) => Backend | undefined;
  /** Why nothing may be sent to an address; undefined for nothing. */
  readonly findAddressProblem: (url: string) => Promise<string | undefined>;
  readonly nowMs: () => number;
  /** Runs a change exclusively among the services on the same documents. */
  readonly amongServices: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createAlerts(options: AlertsOptions): Alerts {
  return new StoredAlerts(options);
}

class StoredAlerts implements Alerts {
  readonly #options: Omit<AlertsOptions, "alerts">;
  #alerts: ReadonlyMap<string, Alert> = new Map();
  readonly #exclusively = createSerialQueue();

  constructor({ alerts, ...options }: AlertsOptions) {
    this.#options = options;
    this.replaceAll(alerts);
  }

  get alerts(): readonly Alert[] {
    return [...this.#alerts.values()];
  }

  find(id: string): Alert {
    const alert = this.#alerts.get(id.toLowerCase());
    if (alert === undefined) throw new ServiceError("unknown_alert", `There is no alert ${id.slice(0, 100)}`);
    return alert;
  }

  save(sent: Sent, id?: string): Promise<Alert> {
    const { nowMs } = this.#options;
    return this.#inTurn(async () => {
      const before = id === undefined ? undefined : this.find(id);
      const read = readAlert(sent, this.#options, before?.form);
      if ("problems" in read) throw notSaved("alert", read.problems);
      const own = { id: before?.id ?? randomUUID(), createdAtMs: before?.createdAtMs ?? nowMs() };
      const alert: Alert = { ...before, ...own, form: read.form, updatedAtMs: nowMs() };
      const problems = await this.#findProblems(alert);
      if (Object.keys(problems).length > 0) throw notSaved("alert", problems);
      return this.#put(alert);
    });
  }

  remove(id: string): Promise<Alert> {
    return this.#inTurn(async () => {
      const alert = this.find(id);
      await this.#options.documents.remove(alert.id);
      this.replaceAll(this.alerts.filter((each) => each !== alert));
      return alert;
    });
  }

  silence(id: string, untilMs: number | undefined): Promise<Alert> {
    return this.#inTurn(async () => {
      const { silencedUntilMs: _, ...alert } = this.find(id);
      return this.#put({ ...alert, ...(untilMs === undefined ? {} : { silencedUntilMs: untilMs }) });
    });
  }

  async stateOf(id: string): Promise<AlertStatus> {
    const { running, nowMs } = this.#options;
    const alert = this.find(id);
    const { schedule, isEnabled } = planOf(alert);
    const nextRunAtMs = isEnabled ? nextRunMs(schedule, nowMs()) : undefined;
    return { alert, state: await running.stateOf(alert.id), nextRunAtMs };
  }

  async rehearse(...[id, range, signal]: Parameters<Alerts["rehearse"]>): Promise<Rehearsal> {
    const { silencedUntilMs: _, ...alert } = this.find(id);
    const rehearsal = await rehearse(this.#options.queries, planOf(alert), range, signal);
    if (rehearsal !== undefined) return rehearsal;
    const message = `The alert would run more than ${maxRehearsedRuns} times between from and to`;
    throw new ServiceError("invalid_parameter", message, { parameter: "from", hint: "Send a shorter range." });
  }

  replaceAll(alerts: readonly Alert[]): void {
    this.#alerts = new Map(alerts.map((alert) => [alert.id, alert]));
    this.#options.running.replaceAll(alerts.map(planOf));
  }

  async #put(alert: Alert): Promise<Alert> {
    await this.#options.documents.put(alert);
    // In its place, so that the order is that of creation.
    this.replaceAll([...new Map([...this.#alerts, [alert.id, alert]]).values()]);
    return alert;
  }

  /** Looks at what only others know: the query, and the addresses. */
  async #findProblems({ form, ...alert }: Alert): Promise<FieldProblems> {
    const { queries, findAddressProblem } = this.#options;
    const addresses = [
      ...(form.notify ?? []).map((each) => ["notify", typeof each === "string" ? undefined : each.url] as const),
      ["webhook_notification_url", form.webhook_notification_url] as const,
      ["slack_hook_url", form.slack_hook_url] as const,
    ];
    const problems: Record<string, readonly string[]> = { ...queries.findProblems(planOf({ ...alert, form }), form) };
    for (const [field, url] of addresses) {
      const problem = url === undefined ? undefined : await findAddressProblem(url);
      if (problem !== undefined) problems[field] = [...(problems[field] ?? []), problem];
    }
    return problems;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.amongServices(() => this.#exclusively(work));
  }
}
