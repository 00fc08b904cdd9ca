/** The service's side of the thread that plans long queries: whose turn it is, and what ends a plan that takes too long. */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { findScript } from "../../../../engines/contract/find-script.ts";
import type { TableDefinition } from "../../../../googlesql/relation.ts";
import { Admission } from "../../../../shared/concurrency/admission.ts";
import { openDeadline } from "../../../../shared/concurrency/deadline.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import { writeDefect } from "../../../../shared/message-of.ts";
import type { SourceTables } from "../../../../sources/source-tables.ts";
import type { QueryTarget } from "../../../definition/query-target.ts";
import type { CompiledEndpoint, Place } from "../compile-query.ts";
import type { EndpointLookup } from "../endpoint-tables.ts";
import type { CallTenants, ConsumerQuery, PlanningTurn } from "../plan.ts";
import { fromFailure, isRefusal } from "./planning-failure.ts";
import type {
  AskedQuestion,
  NumberedAnswer,
  NumberedObject,
  PlannedApart,
  PlanningData,
  PlanningOutcome,
  PlanningTask,
  Question,
  QuestionAnswer,
} from "./protocol.ts";

/** Without work for so long the thread is ended. */
const IDLE_MS = 60_000;
/** A megabyte of text becomes some hundred megabytes of syntax tree and SQL. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 1_024 };
const MAX_WAITING = 256;
const MAX_WAITING_PER_CALLER = 32;
/** Objects that the thread holds; then it starts over. */
const MAX_OBJECTS = 2_000;

/** A query to plan in the thread. */
export interface ApartQuery {
  readonly target: QueryTarget;
  readonly consumer: ConsumerQuery | undefined;
  readonly rowLimit: number | undefined;
  readonly place: Place;
  readonly tenants: CallTenants;
  readonly nowMs: number;
}

export interface PlanningThreadOptions {
  readonly engine: string;
  readonly tables: SourceTables;
  readonly endpoints: EndpointLookup;
  readonly layoutOf: (table: TableDefinition) => object | undefined;
  readonly log: (level: "warn", message: string) => void;
  /** The thread's script; by default the bundle beside this one, or of the checkout. */
  readonly path?: string;
}

function refuse(whose: "own" | "all"): ServiceError {
  const message =
    whose === "own"
      ? `${MAX_WAITING_PER_CALLER} long queries of this token are waiting to be compiled`
      : `${MAX_WAITING} long queries are waiting to be compiled`;
  return new ServiceError("too_many_queries", message, { retryAfterSeconds: 1 });
}

function explainEnd(error: NodeJS.ErrnoException | undefined): ServiceError {
  if (error?.code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new ServiceError("too_complex", "The query needs more memory to be compiled than one query may take");
  }
  const message = "The thread that compiles long queries ended";
  return new ServiceError("engine_unavailable", message, { retryAfterSeconds: 1, cause: error });
}

/** One run of the thread. */
interface RunningThread {
  readonly worker: Worker;
  readonly questions: MessagePort;
  /** Objects that it has. */
  readonly known: Set<number>;
  /** The error that ended it, if it did not exit by itself. */
  failure: Error | undefined;
}

export class PlanningThread {
  readonly #options: PlanningThreadOptions;
  readonly #turns = new Admission({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingPerCaller: MAX_WAITING_PER_CALLER,
    refuse,
  });
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;
  #thread: RunningThread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** By number: what the plan under way has looked up, and whose values it reads. */
  #found = new Map<number, object>();
  #readValue: CallTenants["readValue"] = () => undefined;

  constructor(options: PlanningThreadOptions) {
    this.#options = options;
  }

  /**
   * Plans a query when it is its caller's turn. Rejects as compiling it does, with `too_many_queries` where too many
   * wait, with `timeout` at the deadline, and with the signal's reason when that is aborted first.
   */
  async plan(query: ApartQuery, { caller, openSignal, timeoutMs }: PlanningTurn): Promise<CompiledEndpoint> {
    const signal = openSignal();
    const deadline = openDeadline(signal, timeoutMs);
    try {
      const leave = await this.#turns.enter(deadline.signal, caller);
      const work = this.#run(query, deadline.signal, () => deadline.isOver).finally(leave);
      return await work;
    } catch (error) {
      if (!deadline.isOver) throw signal.aborted ? signal.reason : error;
      throw new ServiceError("timeout", "The query was not compiled before its deadline", {
        limit: "query_timeout_ms",
        hint: "Send a shorter query.",
      });
    } finally {
      deadline.release();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  async #run(query: ApartQuery, signal: AbortSignal, isOver: () => boolean): Promise<CompiledEndpoint> {
    signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    const thread = this.#thread ?? this.#begin();
    this.#found = new Map();
    this.#readValue = query.tenants.readValue;
    // Nobody waits for the plan any more, and nothing else ends it.
    const end = () => {
      if (this.#thread === thread) this.#thread = undefined;
      void thread.worker.terminate();
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      return this.#toCompiled(await this.#send(thread, this.#toTask(thread, query)));
    } catch (error) {
      if (isOver()) this.#options.log("warn", "a query was not compiled before its deadline, and its thread was ended");
      // After a defect it is not known what the thread holds.
      if (isRefusal(error)) throw error;
      end();
      if (!signal.aborted) this.#options.log("warn", `a query was not compiled: ${writeDefect(error)}`);
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      this.#restAfterWork(thread);
    }
  }

  #toTask(thread: RunningThread, { target, consumer, tenants, ...query }: ApartQuery): PlanningTask {
    const isFresh = thread.known.size > MAX_OBJECTS;
    if (isFresh) thread.known.clear();
    const { shape, ...text } = consumer ?? {};
    const { readValue: _, ...known } = tenants;
    return {
      ...query,
      target: this.#give(thread, target, target),
      consumer: consumer === undefined ? undefined : (text as Omit<ConsumerQuery, "shape">),
      shape: shape?.made,
      tenants: known,
      isFresh,
    };
  }

  #send(thread: RunningThread, task: PlanningTask): Promise<PlanningOutcome> {
    const { worker } = thread;
    return new Promise((resolve, reject) => {
      const onMessage = (outcome: PlanningOutcome) => {
        worker.off("exit", onExit).off("messageerror", reject);
        resolve(outcome);
      };
      const onExit = () => {
        worker.off("message", onMessage);
        reject(thread.failure ?? explainEnd(undefined));
      };
      worker.once("message", onMessage);
      worker.once("messageerror", reject);
      worker.once("exit", onExit);
      worker.postMessage(task);
    });
  }

  #toCompiled({ planned, failure }: PlanningOutcome): CompiledEndpoint {
    if (planned === undefined) throw fromFailure(failure);
    const { query, sources, endpoints }: PlannedApart = planned;
    const find = <T extends object>(number: number) => this.#found.get(number) as T | undefined;
    return {
      query,
      found: {
        sources: sources.map(({ name, scope, number }) => ({ name, scope, definition: find(number) })),
        endpoints: new Map(endpoints.map(([name, number]) => [name, find(number)])),
      },
    };
  }

  /** Throws `engine_unavailable` where there can be no thread now. */
  #begin(): RunningThread {
    try {
      return this.#start();
    } catch (error) {
      this.#options.log("warn", `no thread that compiles long queries can be started: ${writeDefect(error)}`);
      throw explainEnd(error as Error);
    }
  }

  #start(): RunningThread {
    const { engine, path = findScript("planning-thread.js"), log } = this.#options;
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const { port1, port2 } = new MessageChannel();
    const data: PlanningData & { readonly questions: MessagePort } = { engine, flag, questions: port2 };
    const worker = new Worker(path, { resourceLimits: MEMORY_LIMITS, workerData: data, transferList: [port2] });
    const thread: RunningThread = { worker, questions: port1, known: new Set(), failure: undefined };
    port1.on("message", (asked: AskedQuestion) => {
      this.#reply(thread, asked);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
    worker.unref();
    port1.unref();
    worker.on("error", (error: NodeJS.ErrnoException) => {
      log("warn", `the thread that compiles long queries failed: ${writeDefect(error)}`);
      thread.failure = explainEnd(error);
    });
    worker.on("exit", (code) => {
      // Whoever ends it forgets it first.
      if (this.#thread === thread) {
        this.#thread = undefined;
        if (thread.failure === undefined) log("warn", `the thread that compiles long queries ended with ${code}`);
      }
      port1.close();
    });
    this.#thread = thread;
    return thread;
  }

  /** The thread waits for an answer, whatever happens here. */
  #reply(thread: RunningThread, { number, question }: AskedQuestion): void {
    try {
      thread.questions.postMessage({ number, value: this.#answer(thread, question) } satisfies NumberedAnswer);
    } catch (error) {
      this.#options.log("warn", `the thread that compiles queries has no answer: ${writeDefect(error)}`);
      thread.questions.postMessage({ number, isFailed: true } satisfies NumberedAnswer);
    }
  }

  #answer(thread: RunningThread, question: Question): QuestionAnswer {
    const { tables, endpoints, layoutOf } = this.#options;
    switch (question.kind) {
      case "table": {
        const definition = tables.findTable(question.name, question.tenant);
        return this.#give(thread, definition, definition && { definition, layout: layoutOf(definition) });
      }
      case "endpoint": {
        const endpoint = endpoints.findByName(question.name);
        return this.#give(thread, endpoint, endpoint);
      }
      case "names":
        return question.of === "tables" ? tables.tableNames() : endpoints.names();
      case "value":
        return this.#readValue(question.name);
    }
  }

  /** The number of an object, with what is sent for it where the thread lacks it. */
  #give<T extends object>(
    { known }: RunningThread,
    object: object | undefined,
    sent: T | undefined,
  ): NumberedObject<T> {
    if (object === undefined || sent === undefined) return { number: 0 };
    const number = this.#numbers.get(object) ?? ++this.#lastNumber;
    this.#numbers.set(object, number);
    this.#found.set(number, object);
    if (known.has(number)) return { number };
    known.add(number);
    return { number, object: sent };
  }

  #restAfterWork(thread: RunningThread): void {
    if (this.#thread !== thread) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#thread === thread) this.#thread = undefined;
      void thread.worker.terminate();
    }, IDLE_MS).unref();
  }
}
