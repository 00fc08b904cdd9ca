import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Backend } from "../drains/backend.ts";
import { mapInTurns } from "../shared/concurrency/give-way.ts";
import { createSerialQueue } from "../shared/concurrency/serial-queue.ts";
import { uuidOf } from "../shared/crypto/uuid-of.ts";
import { type FieldProblems, refuseDocument } from "../shared/documents/document-form.ts";
import { ServiceError } from "../shared/errors.ts";
import { groupBy } from "../shared/group-by.ts";
import type { Alert, AlertPlan } from "./alert.ts";
import type { AlertFigures } from "./alert-counts.ts";
import { planOf, readAlert } from "./alert-document.ts";
import type { AlertForm } from "./alert-form.ts";
import { noMailServer } from "./destinations/send-mail.ts";
import { maxRehearsedRuns, type Rehearsal, rehearse } from "./evaluate.ts";
import type { AlertFile } from "./load-alerts.ts";
import type { AlertQueries } from "./run-query.ts";
import type { RunningAlerts } from "./running-alerts.ts";
import { nextRunMs } from "./schedule.ts";
import type { StoredState } from "./stored-state.ts";

/** A document as it is sent, not yet looked at. */
type Sent = Readonly<Record<string, unknown>>;

/** The names of alerts that files changed. */
export interface TakenFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Those that are new or changed. */
  readonly written: readonly Alert[];
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
    /** All of them, or none. */
    put(alerts: readonly Alert[]): Promise<void>;
    remove(ids: readonly string[]): Promise<void>;
  };
  readonly running: Pick<RunningAlerts, "replaceAll" | "put" | "remove" | "stateOf" | "figures">;
  readonly queries: AlertQueries;
  readonly findBackend: (id: string) => Backend | undefined;
  /** Why nothing may be sent to an address; undefined for nothing. */
  readonly findAddressProblem: (url: string) => Promise<string | undefined>;
  readonly canMail: boolean;
  readonly nowMs: () => number;
  /** Runs a change exclusively among the services on the same documents. */
  readonly amongServices: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Alerts: queries that are run by schedule, and notify others of their rows. Changes take effect immediately. */
export class Alerts {
  readonly #options: Omit<AlertsOptions, "alerts">;
  #alerts = new Map<string, Alert>();
  readonly #plans = new WeakMap<Alert, AlertPlan>();
  readonly #exclusively = createSerialQueue();

  constructor({ alerts, ...options }: AlertsOptions) {
    this.#options = options;
    this.replaceAll(alerts);
  }

  get alerts(): readonly Alert[] {
    return [...this.#alerts.values()];
  }

  /** The alert of an id, or else of a name that it alone has. Throws `unknown_alert`. */
  find(idOrName: string): Alert {
    const alert = this.#alerts.get(idOrName.toLowerCase());
    if (alert !== undefined) return alert;
    const named = this.alerts.filter(({ form }) => form.name === idOrName);
    const only = named.length > 1 ? named.find(({ file }) => file !== undefined) : named[0];
    if (only !== undefined) return only;
    const shown = idOrName.slice(0, 100);
    const message = named.length > 1 ? `Several alerts are called ${shown}: use an id` : `There is no alert ${shown}`;
    throw new ServiceError("unknown_alert", message);
  }

  /** Makes an alert, or changes one. Throws `validation_failed`, `unknown_alert` and `alert_read_only`. */
  async save(sent: Sent, id?: string): Promise<Alert> {
    const { nowMs } = this.#options;
    const read = () => {
      const before = id === undefined ? undefined : this.#requireOwn(id);
      const found = readAlert(sent, this.#options, before?.form);
      if ("problems" in found) throw refuseDocument("The alert was not saved", found.problems);
      return { before, form: found.form };
    };
    // Before its turn, since name servers may be silent. Another change that brings an address has looked at it too.
    const ofAddresses = await this.#findAddressProblems(read().form);
    return this.#inTurn(async () => {
      const { before, form } = read();
      const own = { id: before?.id ?? randomUUID(), createdAtMs: before?.createdAtMs ?? nowMs() };
      const alert: Alert = { ...before, ...own, form, updatedAtMs: nowMs() };
      const problems = joinProblems(this.#findProblems(alert), ofAddresses);
      if (Object.keys(problems).length > 0) throw refuseDocument("The alert was not saved", problems);
      return this.#put(alert);
    });
  }

  /** Throws `unknown_alert` and `alert_read_only`. */
  remove(id: string): Promise<Alert> {
    return this.#inTurn(async () => {
      const alert = this.#requireOwn(id);
      await this.#options.documents.remove([alert.id]);
      this.#alerts.delete(alert.id);
      this.#options.running.remove(alert.id);
      return alert;
    });
  }

  /** Holds back what begins until a time; undefined ends that. `comment` is for people. Throws `unknown_alert`. */
  silence(id: string, untilMs: number | undefined, comment?: string): Promise<Alert> {
    return this.#inTurn(async () => {
      const { silencedUntilMs: _, silenceComment: __, ...alert } = this.find(id);
      const silence = untilMs === undefined ? {} : { silencedUntilMs: untilMs };
      return this.#put({ ...alert, ...silence, ...(comment === undefined ? {} : { silenceComment: comment }) });
    });
  }

  /** For metrics. */
  figures(): AlertFigures {
    return this.#options.running.figures();
  }

  /** Throws `unknown_alert`. */
  async stateOf(id: string): Promise<AlertStatus> {
    const { running, nowMs } = this.#options;
    const alert = this.find(id);
    const { schedule, isEnabled } = planOf(alert);
    const nextRunAtMs = isEnabled ? nextRunMs(schedule, nowMs()) : undefined;
    return { alert, state: await running.stateOf(alert.id), nextRunAtMs };
  }

  /**
   * The notices that the alert would have sent between two times. Throws `unknown_alert`, and `invalid_parameter` for
   * too many runs.
   */
  async rehearse(
    id: string,
    range: { readonly fromMs: number; readonly toMs: number },
    signal: AbortSignal,
  ): Promise<Rehearsal> {
    const { silencedUntilMs: _, ...alert } = this.find(id);
    const rehearsal = await rehearse(this.#options.queries, planOf(alert), range, signal);
    if (rehearsal !== undefined) return rehearsal;
    const message = `The alert would run more than ${maxRehearsedRuns} times between from and to`;
    throw new ServiceError("invalid_parameter", message, { parameter: "from", hint: "Send a shorter range." });
  }

  /** Applies the changes of another service: these are all alerts. */
  replaceAll(alerts: readonly Alert[]): void {
    this.#alerts = new Map(alerts.map((alert) => [alert.id, alert]));
    this.#options.running.replaceAll(alerts.map((alert) => this.#planOf(alert)));
  }

  /** The same plan for the same alert, so that one that is saved among thousands is all that changes. */
  #planOf(alert: Alert): AlertPlan {
    const plan = this.#plans.get(alert) ?? planOf(alert);
    this.#plans.set(alert, plan);
    return plan;
  }

  /**
   * Takes over alerts of files, which are all that live in files. One with the name of an alert that is there goes on
   * with its id, state and silence. No other service may change alerts meanwhile.
   */
  takeFiles(files: readonly AlertFile[]): Promise<TakenFiles> {
    return this.#exclusively(async () => {
      const { documents } = this.#options;
      const before = this.alerts;
      const byName = groupBy(before, ({ form }) => form.name);
      const next = await mapInTurns(files, (file) => this.#toAlert(file, byName.get(file.form.name) ?? []));
      const ids = new Set(next.map(({ id }) => id));
      const gone = before.filter(({ id, file }) => file !== undefined && !ids.has(id));
      const changes = await mapInTurns(next, (alert) => !isDeepStrictEqual(alert, this.#alerts.get(alert.id)));
      const written = next.filter((_, index) => changes[index]);
      const stored = new Map(this.#alerts);
      try {
        for (const some of chunksOf(written)) {
          await documents.put(some);
          for (const alert of some) stored.set(alert.id, alert);
        }
        for (const some of chunksOf(gone)) {
          await documents.remove(some.map(({ id }) => id));
          for (const { id } of some) stored.delete(id);
        }
      } finally {
        await mapInTurns(written, (alert) => this.#planOf(alert));
        this.replaceAll([...stored.values()]);
      }
      const known = new Set(before.map(({ id }) => id));
      return {
        added: namesOf(written.filter(({ id }) => !known.has(id))),
        changed: namesOf(written.filter(({ id }) => known.has(id))),
        removed: namesOf(gone),
        written,
      };
    });
  }

  /** The alert of a file: as it is, where the file says what it said. */
  #toAlert({ path, form }: AlertFile, named: readonly Alert[]): Alert {
    const known = named.find(({ file }) => file !== undefined) ?? named[0];
    const now = this.#options.nowMs();
    const isSame = known !== undefined && isDeepStrictEqual(known.form, form);
    // The same for a name on every service, so that state and audit outlive a new data folder.
    const id = known?.id ?? uuidOf(`alert ${form.name}`);
    const createdAtMs = known?.createdAtMs ?? now;
    const updatedAtMs = isSame ? known.updatedAtMs : now;
    return { ...known, id, form, file: path, createdAtMs, updatedAtMs };
  }

  /**
   * Why an alert of a file cannot run or notify anyone for now. Nothing may wait for it that others wait for: name
   * servers may be silent.
   */
  async describeProblems(alert: Alert): Promise<readonly string[]> {
    // A loader knows no backends.
    const read = readAlert({ ...alert.form }, this.#options);
    const ofRead = "problems" in read ? read.problems : {};
    const problems = [ofRead, this.#findProblems(alert), await this.#findAddressProblems(alert.form)];
    return problems
      .flatMap(Object.entries<readonly string[]>)
      .flatMap(([field, texts]) => texts.map((text) => `${alert.file}: ${field}: ${text}`));
  }

  /** The alert to be changed, if that is allowed. */
  #requireOwn(id: string): Alert {
    const alert = this.find(id);
    if (alert.file === undefined) return alert;
    const message = `The alert ${alert.form.name} lives in the file ${alert.file}: change it there`;
    throw new ServiceError("alert_read_only", message);
  }

  async #put(alert: Alert): Promise<Alert> {
    await this.#options.documents.put([alert]);
    // In its place, so that the order is that of creation.
    this.#alerts.set(alert.id, alert);
    this.#options.running.put(this.#planOf(alert));
    return alert;
  }

  /** Looks at what only others know: the query, other alerts, the mail server. */
  #findProblems({ form, ...alert }: Alert): FieldProblems {
    const { queries, canMail } = this.#options;
    // Files have no twins among themselves.
    const twin = alert.file ? undefined : this.alerts.find(({ file, form: { name } }) => file && name === form.name);
    const hasMail = form.notify?.some((each) => typeof each !== "string" && each.type === "email") ?? false;
    return joinProblems(
      queries.findProblems(planOf({ ...alert, form }), form),
      twin === undefined ? {} : { name: [`is the name of the alert in ${twin.file}`] },
      hasMail && !canMail ? { notify: [noMailServer] } : {},
    );
  }

  async #findAddressProblems({ notify = [], ...form }: AlertForm): Promise<FieldProblems> {
    const addresses = [
      ...notify.map((each) => ["notify", typeof each === "string" ? undefined : each.url] as const),
      ["webhook_notification_url", form.webhook_notification_url] as const,
      ["slack_hook_url", form.slack_hook_url] as const,
    ];
    const found = addresses.map(async ([field, url]): Promise<FieldProblems> => {
      const problem = url === undefined ? undefined : await this.#options.findAddressProblem(url);
      return problem === undefined ? {} : { [field]: [problem] };
    });
    return joinProblems(...(await Promise.all(found)));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.amongServices(() => this.#exclusively(work));
  }
}

function joinProblems(...all: readonly FieldProblems[]): FieldProblems {
  const joined: Record<string, readonly string[]> = {};
  for (const [field, texts] of all.flatMap((each) => Object.entries(each))) {
    joined[field] = [...(joined[field] ?? []), ...texts];
  }
  return joined;
}

/** Documents of one write: as short as others wait for it. */
const maxTogether = 100;

function chunksOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / maxTogether) }, (_, index) => {
    return all.slice(index * maxTogether, (index + 1) * maxTogether);
  });
}

function namesOf(alerts: readonly Alert[]): readonly string[] {
  return alerts.map(({ form }) => form.name);
}
