import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { Backend } from "../drains/backend.ts";
import { type DeliveryClock, pauseAfter } from "../drains/delivery.ts";
import type { SendRequest } from "../drains/destinations/send-request.ts";
import { Admission } from "../shared/concurrency/admission.ts";
import { createWay } from "../shared/concurrency/give-way.ts";
import { createSerialQueue, type SerialQueue } from "../shared/concurrency/serial-queue.ts";
import { ServiceError } from "../shared/errors.ts";
import { writeDefect } from "../shared/message-of.ts";
import type { AlertDestination, AlertPlan } from "./alert.ts";
import { type AlertFigures, countRun, createCounts, figuresOf } from "./alert-counts.ts";
import { advance, type Notice, type RunOutcome } from "./alert-state.ts";
import { makeMail } from "./destinations/make-mail.ts";
import { destinationKey, makeRequest } from "./destinations/make-request.ts";
import { noMailServer, type SendMail } from "./destinations/send-mail.ts";
import { evaluate } from "./evaluate.ts";
import type { AlertQueries } from "./run-query.ts";
import { createNextRun } from "./schedule.ts";
import { addWaiting, readState, type StoredState, takeBack, withoutDestination } from "./stored-state.ts";
import { createStateWriter, type StateWriter } from "./write-states.ts";

/** Stores states. */
export interface StateDocuments {
  states(): Promise<ReadonlyMap<string, string>>;
  readState(id: string): Promise<string | undefined>;
  putStates(states: ReadonlyMap<string, string>): Promise<ReadonlySet<string>>;
}

export interface RunningOptions {
  readonly documents: StateDocuments;
  readonly send: SendRequest;
  /** Undefined where no server for mail is set. */
  readonly sendMail?: SendMail | undefined;
  /** Names this service. */
  readonly serviceId: string;
  readonly findBackend: (id: string) => Backend | undefined;
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

/** How long the loop sleeps at most: so soon a service runs the alerts of another that has ended. */
const longestSleepMs = 1_000;
/** Queries of alerts that run at once: few, since however many are due, callers' queries run beside them. */
const maxRunning = 2;

/** Sending to a destination, which is left alone until a time after a failure. */
interface Lane {
  isSending: boolean;
  failures: number;
  notBeforeMs: number;
}

interface RunningAlert {
  plan: AlertPlan;
  state: StoredState;
  nextMs: number | undefined;
  isRunning: boolean;
  /** Sources of which events were deleted since its run began. */
  readonly forgotten: Set<string>;
  /** By the keys of destinations. */
  readonly lanes: Map<string, Lane>;
  /** Changes of the state come one after another. */
  readonly inTurn: SerialQueue;
}

/** Alerts in operation. */
export class RunningAlerts {
  readonly #options: RunningOptions;
  readonly #alerts = new Map<string, RunningAlert>();
  readonly #turns = new Admission({ maxRunning, maxWaiting: Number.POSITIVE_INFINITY });
  readonly #states: StateWriter;
  readonly #ending = new AbortController();
  /** Runs and deliveries that have not ended. */
  readonly #open = new Set<Promise<void>>();
  #plans: readonly AlertPlan[] = [];
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

  constructor(options: RunningOptions) {
    this.#options = options;
    const { documents } = options;
    this.#states = createStateWriter(documents.putStates.bind(documents), () => this.#turns.load.waiting > 0);
    // Every run that waits for its turn listens.
    setMaxListeners(0, this.#ending.signal);
  }

  /** These are all alerts now. */
  replaceAll(plans: readonly AlertPlan[]): void {
    this.#plans = plans;
    const ids = new Set(plans.map(({ id }) => id));
    for (const id of this.#alerts.keys()) if (!ids.has(id)) this.#alerts.delete(id);
    if (this.#isLoaded) for (const plan of plans) this.#place(plan, undefined);
    this.#wake.abort();
  }

  /** Begins to run and to send. */
  start(queries: AlertQueries): void {
    this.#loop = this.#run(queries);
  }

  /**
   * Takes back the notices that wait of a source: its events were deleted. On another service than the one that runs
   * alerts, nothing is taken back before it runs them.
   */
  async forget(source: string): Promise<void> {
    if (!this.#isLoaded) this.#forgotten.add(source);
    await Promise.all([...this.#alerts.values()].map((alert) => this.#takeBack(alert, source)));
  }

  async #takeBack(alert: RunningAlert, source: string): Promise<void> {
    alert.forgotten.add(source);
    await alert.inTurn(async () => {
      const state = takeBack(alert.plan, alert.state, source);
      if (state !== undefined) await this.#save(alert, state);
    });
  }

  /** The state as it was stored last, by whichever service runs the alert. */
  async stateOf(id: string): Promise<StoredState> {
    return readState(await this.#options.documents.readState(id));
  }

  figures(): AlertFigures {
    return figuresOf(this.#counts, this.#alerts.values());
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
      this.#alerts.clear();
      return longestSleepMs;
    }
    if (!this.#isLoaded) {
      const states = await documents.states();
      for (const plan of this.#plans) this.#place(plan, states.get(plan.id));
      this.#isLoaded = true;
      for (const source of this.#forgotten) await this.forget(source);
      this.#forgotten.clear();
    }
    const nowMs = clock.nowMs();
    if (nowMs < this.#steppedAtMs) this.#setBack(nowMs);
    this.#steppedAtMs = nowMs;
    let wakeMs = nowMs + longestSleepMs;
    const giveWay = createWay();
    for (const alert of this.#alerts.values()) {
      if (alert.nextMs !== undefined && alert.nextMs <= nowMs && !alert.isRunning) {
        alert.nextMs = this.#nextRunMs(alert.plan.schedule, nowMs);
        this.#follow(alert, this.#evaluate(queries, alert));
        // Thousands may be due in the same minute.
        await giveWay();
      }
      this.#sendWaiting(alert);
      wakeMs = Math.min(wakeMs, alert.nextMs ?? wakeMs);
      for (const { isSending, notBeforeMs } of alert.lanes.values()) {
        if (!isSending && notBeforeMs > nowMs) wakeMs = Math.min(wakeMs, notBeforeMs);
      }
    }
    this.#wakesAtMs = wakeMs;
    return Math.max(1, wakeMs - nowMs);
  }

  /** The clock was ahead: nothing waits until it is there again. */
  #setBack(nowMs: number): void {
    for (const alert of this.#alerts.values()) {
      if (alert.nextMs !== undefined) alert.nextMs = this.#nextRunMs(alert.plan.schedule, nowMs);
      for (const lane of alert.lanes.values()) lane.notBeforeMs = nowMs;
    }
  }

  #place(plan: AlertPlan, state: string | undefined): void {
    const before = this.#alerts.get(plan.id);
    if (before?.plan === plan || isDeepStrictEqual(before?.plan, plan)) return;
    const nowMs = this.#options.clock.nowMs();
    // Those of an interval run at once when they are made or changed.
    const startMs = this.#isLoaded && plan.schedule.kind === "every" ? nowMs : this.#nextRunMs(plan.schedule, nowMs);
    const nextMs = plan.isEnabled ? startMs : undefined;
    if (before === undefined) {
      const own = { isRunning: false, forgotten: new Set<string>(), lanes: new Map(), inTurn: createSerialQueue() };
      this.#alerts.set(plan.id, { plan, nextMs, state: readState(state), ...own });
    } else {
      before.plan = plan;
      before.nextMs = nextMs;
    }
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

  async #evaluate(queries: AlertQueries, alert: RunningAlert): Promise<void> {
    const { signal } = this.#ending;
    const { plan } = alert;
    alert.isRunning = true;
    try {
      const leave = await this.#turns.enter(signal);
      const startMs = this.#options.clock.nowMs();
      alert.forgotten.clear();
      const outcome = await evaluate(queries, plan, signal).catch(this.#toFailure).finally(leave);
      countRun(this.#counts, outcome, this.#options.clock.nowMs() - startMs);
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
        const waiting = addWaiting(alert.state, notices, plan.destinations.map(destinationKey), sources);
        const dropped = waiting.droppedCount - alert.state.droppedCount;
        if (!(await this.#save(alert, { ...alert.state, ...state, ...waiting, lastRunAtMs: nowMs }))) return;
        this.#counts.notices.dropped += dropped;
        for (const notice of notices) this.#options.onNotice(plan, notice);
      });
    } finally {
      alert.isRunning = false;
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
            // Not by a look at all alerts: as many may have been reported at the same time.
            if (lane.failures > 0) this.#lookAt(lane.notBeforeMs);
            else if (this.#isOurs(alert)) this.#sendWaiting(alert);
          }),
      );
    }
  }

  /** Has the loop look at a time, where it would sleep for longer. */
  #lookAt(atMs: number): void {
    if (atMs < this.#wakesAtMs) this.#wake.abort();
  }

  async #sendTo(alert: RunningAlert, key: string, lane: Lane): Promise<void> {
    const { warn } = this.#options;
    for (;;) {
      const next = alert.state.waiting.find(({ to }) => to.includes(key));
      if (next === undefined || !this.#isOurs(alert)) return;
      const destination = alert.plan.destinations.find((each) => destinationKey(each) === key);
      const answer = await this.#send(alert.plan, next.notice, destination);
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

  #leaveAlone(lane: Lane, retryAfterMs?: number): void {
    const { clock } = this.#options;
    lane.notBeforeMs = clock.nowMs() + pauseAfter(lane.failures++, retryAfterMs, clock);
  }

  #change(alert: RunningAlert, change: (state: StoredState) => StoredState): Promise<unknown> {
    return alert.inTurn(() => this.#save(alert, change(alert.state)));
  }

  async #send(plan: AlertPlan, notice: Notice, destination: AlertDestination | undefined) {
    const { send, sendMail, findBackend, serviceId, clock } = this.#options;
    if (destination?.type === "email") {
      if (sendMail === undefined) return { kind: "failed", reason: noMailServer } as const;
      return sendMail(makeMail(plan, notice, destination.to), this.#ending.signal);
    }
    const backend = destination?.type === "backend" ? findBackend(destination.id) : undefined;
    const parts = { backend, serviceId, nowMs: clock.nowMs() };
    const request = destination && makeRequest(plan, notice, destination, parts);
    if (request === undefined) return { kind: "refused", reason: "the destination was removed" } as const;
    return send(request, this.#ending.signal);
  }
}
