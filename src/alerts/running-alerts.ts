import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { type DeliveryClock, pauseAfter } from "../drains/delivery.ts";
import { Agenda } from "../shared/concurrency/agenda.ts";
import { createWay } from "../shared/concurrency/give-way.ts";
import { ServiceError } from "../shared/errors.ts";
import { writeDefect } from "../shared/message-of.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import type { AlertPlan } from "./alert.ts";
import { type AlertFigures, countRun, createCounts, figuresOf } from "./alert-counts.ts";
import { advance, isOpening, type Notice, type RunOutcome } from "./alert-state.ts";
import { destinationKey } from "./destinations/make-request.ts";
import { type NoticeWays, sendNotice } from "./destinations/send-notice.ts";
import { type DueAlert, DueAlerts } from "./due-alerts.ts";
import { evaluate } from "./evaluate.ts";
import type { Redactions } from "./redactions.ts";
import type { AlertQueries } from "./run-query.ts";
import { type Lane, newRunningAlert, type RunningAlert } from "./running-alert.ts";
import { createNextRun } from "./schedule.ts";
import type { StoredState, Waiting } from "./stored-state.ts";
import { addWaiting, mayShow, readState, takeBack, withoutDestination } from "./stored-state.ts";
import { createStateWriter, type StateDocuments, type StateWriter } from "./write-states.ts";

export interface RunningOptions extends NoticeWays {
  readonly documents: StateDocuments;
  /** Whether this service runs alerts: one of those on the same documents does. */
  readonly isEvaluator: () => boolean;
  readonly clock: DeliveryClock;
  /** Called with each notice that has been stored. */
  readonly onNotice: (plan: AlertPlan, notice: Notice) => void;
  readonly warn: (message: string) => void;
}

/** Why something failed, for the log: a defect's own words may have values of rows in them. */
function reasonOf(error: unknown): string {
  return error instanceof ServiceError ? error.message : writeDefect(error);
}

/** The loop's longest sleep: so soon a service runs the alerts of another that has ended. */
const longestSleepMs = 1_000;
/** Queries of alerts that run at once: few, since however many are due, callers' queries run beside them. */
const maxRunning = 2;

/** Alerts in operation. */
export class RunningAlerts {
  readonly #options: RunningOptions;
  readonly #alerts = new Map<string, RunningAlert>();
  /** When there is something to do for which: a run, or notices that a destination did not take. */
  readonly #agenda = new Agenda<RunningAlert>();
  readonly #due = new DueAlerts<RunningAlert>();
  #runningCount = 0;
  /** Queries whose rows are being given to their alerts. */
  #sharingCount = 0;
  readonly #states: StateWriter;
  readonly #ending = new AbortController();
  /** Runs and deliveries that have not ended. */
  readonly #open = new Set<Promise<void>>();
  readonly #plans = new Map<string, AlertPlan>();
  readonly #counts = createCounts();
  /** Whether the alerts have the states that are stored. */
  #isLoaded = false;
  /** Sources of which events were deleted before that. */
  readonly #forgotten = new Set<string>();
  #steppedAtMs = Number.NEGATIVE_INFINITY;
  readonly #nextRunMs = createNextRun();
  /** When the loop looks again by itself. */
  #wakesAtMs = Number.NEGATIVE_INFINITY;
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  /** Undefined before the start. */
  #queries: AlertQueries | undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
    this.#states = createStateWriter(options.documents, () => this.#due.size + this.#sharingCount > 0);
    // Every request listens.
    setMaxListeners(0, this.#ending.signal);
  }

  /** These are all alerts now. */
  replaceAll(plans: readonly AlertPlan[]): void {
    const ids = new Set(plans.map(({ id }) => id));
    for (const id of this.#plans.keys()) if (!ids.has(id)) this.remove(id);
    for (const plan of plans) this.put(plan);
  }

  /** Makes an alert, or changes the one of its id. */
  put(plan: AlertPlan): void {
    this.#plans.set(plan.id, plan);
    if (this.#isLoaded) this.#place(plan, undefined);
  }

  remove(id: string): void {
    this.#plans.delete(id);
    this.#alerts.delete(id);
  }

  /** Begins to run and to send. */
  start(queries: AlertQueries): void {
    this.#queries = queries;
    this.#loop = this.#run(queries);
  }

  /**
   * Takes back the notices that wait of a source: its events were deleted. On another service than the one that runs
   * alerts, nothing is taken back before it runs them.
   */
  async forget(source: string): Promise<void> {
    if (!this.#isLoaded) this.#forgotten.add(source);
    const all = [...this.#alerts.values()];
    for (const { forgotten } of all) forgotten.add(source);
    await Promise.all(all.map((alert) => this.#takeBack(alert, mayShow(source))));
  }

  /** False where they are not: the alert is gone. */
  #takeBack(alert: RunningAlert, isOver: (waiting: Waiting) => boolean): Promise<boolean> {
    return alert.inTurn(async () => {
      const state = takeBack(alert.plan, alert.state, isOver);
      return state === undefined || this.#save(alert, state);
    });
  }

  /** The state as it was stored last, by whichever service runs the alert. */
  async stateOf(id: string): Promise<StoredState> {
    return readState(await this.#options.documents.readState(id));
  }

  figures(): AlertFigures {
    return figuresOf(this.#counts, this.#alerts.values(), this.#due.lateMs(this.#options.clock.nowMs()));
  }

  /** Ends running and sending, and waits until that is so. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake.abort();
    await this.#loop;
    this.#states.flush();
    await Promise.all(this.#open);
  }

  async #run(queries: AlertQueries): Promise<void> {
    const { clock, warn } = this.#options;
    while (!this.#ending.signal.aborted) {
      this.#wake = new AbortController();
      const sleepMs = await this.#step(queries).catch((error: unknown) => {
        warn(`alerts cannot run: ${reasonOf(error)}`);
        return longestSleepMs;
      });
      if (!this.#ending.signal.aborted) await clock.sleep(sleepMs, this.#wake.signal);
    }
  }

  /** Begins what is due. Resolves with the milliseconds until more is. */
  async #step(queries: AlertQueries): Promise<number> {
    const { clock, isEvaluator, documents } = this.#options;
    // Those beside a query that takes long.
    this.#states.flush();
    if (!isEvaluator()) {
      this.#isLoaded = false;
      for (const each of [this.#alerts, this.#agenda, this.#due]) each.clear();
      return longestSleepMs;
    }
    const giveWay = createWay();
    if (!this.#isLoaded) {
      const states = await documents.states();
      for (const plan of this.#plans.values()) {
        this.#place(plan, states.get(plan.id));
        await giveWay();
      }
      this.#isLoaded = true;
      for (const source of this.#forgotten) await this.forget(source);
      this.#forgotten.clear();
    }
    const nowMs = clock.nowMs();
    if (nowMs < this.#steppedAtMs) this.#setBack(nowMs);
    this.#steppedAtMs = nowMs;
    for (let alert = this.#agenda.take(nowMs); alert !== undefined; alert = this.#agenda.take(nowMs)) {
      if (this.#isOurs(alert)) this.#attend(alert, nowMs);
      // Thousands may be due in the same minute.
      await giveWay();
    }
    this.#runDue(queries);
    this.#wakesAtMs = Math.min(nowMs + longestSleepMs, this.#agenda.nextMs);
    return Math.max(1, this.#wakesAtMs - nowMs);
  }

  #attend(alert: RunningAlert, nowMs: number): void {
    if (alert.nextMs !== undefined && alert.nextMs <= nowMs && alert.dueMs === undefined) {
      alert.dueMs = alert.nextMs;
      alert.nextMs = this.#nextRunMs(alert.plan.schedule, nowMs);
      this.#due.add(alert);
    }
    this.#sendWaiting(alert);
  }

  /** Runs queries whose turn it is, the one that has waited longest first. */
  #runDue(queries: AlertQueries): void {
    while (this.#runningCount < maxRunning && !this.#ending.signal.aborted) {
      const taken = this.#due.take();
      if (taken === undefined) return;
      const due: DueAlert<RunningAlert>[] = [];
      for (const each of taken) {
        if (each.alert.plan === each.plan && this.#isOurs(each.alert)) due.push(each);
        else this.#leave(each.alert);
      }
      const [first] = due;
      if (first === undefined) continue;
      this.#runningCount++;
      this.#follow(first.alert, this.#evaluate(queries, first.plan, due));
    }
  }

  /** The alert waits for its next turn. */
  #leave(alert: RunningAlert): void {
    alert.dueMs = undefined;
    this.#schedule(alert, alert.nextMs);
  }

  /** Has the loop look at an alert at a time. */
  #schedule(alert: RunningAlert, atMs: number | undefined): void {
    if (atMs === undefined) return;
    this.#agenda.add(atMs, alert);
    if (atMs < this.#wakesAtMs) this.#wake.abort();
  }

  /** The clock was ahead: nothing waits until it is there again. */
  #setBack(nowMs: number): void {
    for (const alert of this.#alerts.values()) {
      if (alert.nextMs !== undefined) alert.nextMs = this.#nextRunMs(alert.plan.schedule, nowMs);
      for (const lane of alert.lanes.values()) lane.notBeforeMs = nowMs;
      for (const atMs of [alert.nextMs, alert.lanes.size > 0 ? nowMs : undefined]) this.#schedule(alert, atMs);
    }
  }

  #place(plan: AlertPlan, state: string | undefined): void {
    const before = this.#alerts.get(plan.id);
    if (before?.plan === plan || isDeepStrictEqual(before?.plan, plan)) return;
    const nowMs = this.#options.clock.nowMs();
    // Those of an interval run at once when they are made or changed.
    const startMs = this.#isLoaded && plan.schedule.kind === "every" ? nowMs : this.#nextRunMs(plan.schedule, nowMs);
    const nextMs = plan.isEnabled ? startMs : undefined;
    const alert: RunningAlert = Object.assign(before ?? newRunningAlert(plan, state), { plan, nextMs });
    this.#alerts.set(plan.id, alert);
    this.#schedule(alert, nextMs);
    if (alert.state.waiting.length > 0) this.#schedule(alert, nowMs);
  }

  #follow({ plan }: RunningAlert, work: Promise<void>): void {
    const followed: Promise<void> = work
      .catch((error: unknown) => {
        if (this.#ending.signal.aborted) return;
        this.#options.warn(`the alert ${plan.name} cannot go on, and tries again later: ${reasonOf(error)}`);
      })
      .finally(() => this.#open.delete(followed));
    this.#open.add(followed);
  }

  /** Runs a query, and gives its rows to all alerts that were due with it. */
  async #evaluate(queries: AlertQueries, first: AlertPlan, due: readonly DueAlert<RunningAlert>[]): Promise<void> {
    const { signal } = this.#ending;
    for (const { alert } of due) alert.forgotten.clear();
    const startMs = this.#options.clock.nowMs();
    const redactions = queries.redactionsOf(first);
    const rows = queries.run(first, signal);
    await rows.catch(() => undefined);
    const queryMs = this.#options.clock.nowMs() - startMs;
    this.#runningCount--;
    this.#runDue(queries);
    const giveWay = createWay();
    this.#sharingCount++;
    for (const [index, { alert, plan }] of due.entries()) {
      const outcome = await evaluate({ run: () => rows }, plan, signal).catch(this.#toFailure);
      countRun(this.#counts, outcome, index === 0 ? queryMs : 0);
      if (index === due.length - 1) this.#sharingCount--;
      this.#follow(alert, this.#end(alert, plan, outcome, redactions));
      await giveWay();
    }
  }

  /** Takes over the outcome of a run. */
  async #end(alert: RunningAlert, plan: AlertPlan, outcome: RunOutcome, redactions: Redactions): Promise<void> {
    try {
      await alert.inTurn(async () => {
        // It was changed meanwhile, or belongs to another service now.
        if (alert.plan !== plan || !this.#isOurs(alert)) return;
        const nowMs = this.#options.clock.nowMs();
        const sources = outcome.kind === "found" ? outcome.sources : undefined;
        // It may have read what was deleted meanwhile.
        if (sources === undefined ? alert.forgotten.size > 0 : sources.some((each) => alert.forgotten.has(each))) {
          alert.nextMs = nowMs;
          return;
        }
        const { state, notices } = advance(plan, alert.state, outcome, nowMs);
        const to = plan.destinations.map(destinationKey);
        const waiting = addWaiting(alert.state, notices, to, omitUndefined({ sources, redactions }));
        const dropped = waiting.droppedCount - alert.state.droppedCount;
        if (!(await this.#save(alert, { ...alert.state, ...state, ...waiting, lastRunAtMs: nowMs }))) return;
        this.#counts.notices.dropped += dropped;
        for (const notice of notices) this.#options.onNotice(plan, notice);
      });
    } finally {
      this.#leave(alert);
    }
    this.#sendWaiting(alert);
  }

  readonly #toFailure = (error: unknown): RunOutcome => {
    if (this.#ending.signal.aborted) throw error;
    this.#options.warn(`the query of an alert failed: ${reasonOf(error)}`);
    return { kind: "failed", reason: "an internal error, which is in the log of the service" };
  };

  #isOurs(alert: RunningAlert): boolean {
    return this.#options.isEvaluator() && this.#alerts.get(alert.plan.id) === alert && !this.#ending.signal.aborted;
  }

  /** Nothing is sent of a state that is not stored: after a restart it would be reported again as something new. */
  async #save(alert: RunningAlert, state: StoredState): Promise<boolean> {
    if (!(await this.#states.put(alert.plan.id, JSON.stringify(state)))) return false;
    alert.state = state;
    return true;
  }

  /** Sends what waits, to each destination in order and to all of them at once. */
  #sendWaiting(alert: RunningAlert): void {
    const nowMs = this.#options.clock.nowMs();
    for (const key of new Set(alert.state.waiting.flatMap(({ to }) => to))) {
      const lane = alert.lanes.get(key) ?? { isSending: false, failures: 0, notBeforeMs: 0 };
      alert.lanes.set(key, lane);
      if (lane.isSending || lane.notBeforeMs > nowMs) continue;
      lane.isSending = true;
      this.#follow(
        alert,
        this.#sendTo(alert, key, lane)
          .catch((error: unknown) => {
            // What was sent and is not noted is sent again.
            this.#leaveAlone(lane);
            throw error;
          })
          .finally(() => {
            lane.isSending = false;
            if (lane.failures > 0) this.#schedule(alert, lane.notBeforeMs);
            else if (this.#isOurs(alert)) this.#sendWaiting(alert);
          }),
      );
    }
  }

  async #sendTo(alert: RunningAlert, key: string, lane: Lane): Promise<void> {
    const { clock, warn } = this.#options;
    for (;;) {
      const next = alert.state.waiting.find(({ to }) => to.includes(key));
      if (next === undefined || !this.#isOurs(alert)) return;
      if (this.#isRedactedOtherwise(next)) {
        if (await this.#takeBack(alert, this.#isRedactedOtherwise)) continue;
        return;
      }
      const destination = alert.plan.destinations.find((each) => destinationKey(each) === key);
      const at = { nowMs: clock.nowMs(), signal: this.#ending.signal };
      const answer = await sendNotice(this.#options, alert.plan, next.notice, destination, at);
      if (answer.kind === "failed") {
        this.#counts.failures++;
        this.#leaveAlone(lane, answer.retryAfterMs);
        if (alert.state.deliveryError !== answer.reason) {
          warn(`notices of the alert ${alert.plan.name} wait: ${answer.reason}`);
          await this.#change(alert, (state) => ({ ...state, deliveryError: answer.reason }));
        }
        return;
      }
      const isTaken = answer.kind === "taken";
      this.#counts.notices[isTaken ? "delivered" : "refused"]++;
      if (!isTaken) warn(`a notice of the alert ${alert.plan.name} is given up: ${answer.reason}`);
      await this.#change(alert, ({ waiting, droppedCount, ...state }) => ({
        ...state,
        waiting: waiting.flatMap((each) => (each.notice === next.notice ? withoutDestination(each, key) : each)),
        droppedCount: droppedCount + (isTaken ? 0 : 1),
        deliveryError: isTaken ? undefined : answer.reason,
      }));
      lane.failures = 0;
    }
  }

  /** Whether a notice's rows are redacted otherwise than their endpoints do now. */
  readonly #isRedactedOtherwise = ({ notice, redactions = {} }: Waiting): boolean =>
    isOpening(notice.status) && this.#queries?.isRedactedSo(redactions) === false;

  #leaveAlone(lane: Lane, retryAfterMs?: number): void {
    const { clock } = this.#options;
    lane.notBeforeMs = clock.nowMs() + pauseAfter(lane.failures++, retryAfterMs, clock);
  }

  #change(alert: RunningAlert, change: (state: StoredState) => StoredState): Promise<unknown> {
    return alert.inTurn(() => this.#save(alert, change(alert.state)));
  }
}
