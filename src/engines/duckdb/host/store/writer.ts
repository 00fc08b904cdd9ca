/**
 * The only writer: appends, changes of tables and checkpoints, one after the other on one connection. Appends that
 * arrive while a commit is under way are committed together by the next.
 */
import { EngineError } from "../../../contract/query-engine.ts";
import type { Connection } from "../../driver/connection.ts";
import { describeCause, isFatal, toEngineError } from "../../driver/driver-error.ts";
import { isOfOneBatch, type JointResult } from "../protocol.ts";
import { type AppendWork, asAgain, commitGroup } from "./group-commit.ts";

/** The limits of one group, so that no commit delays the next ones for long. */
const MAX_GROUP_ROWS = 2000;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;
/** How often a group is tried again when memory is short, and after how long the first time. */
const MEMORY_ATTEMPTS = 6;
const MEMORY_PAUSE_MS = 50;

interface AppendJob extends AppendWork {
  readonly kind: "append";
  readonly resolve: (result: JointResult) => void;
  readonly reject: (error: EngineError) => void;
}

interface TaskJob {
  readonly kind: "task";
  readonly run: () => Promise<void>;
}

export interface WriterHooks {
  /** Runs after each commit, on the queue. */
  readonly afterCommit: (works: readonly AppendWork[]) => Promise<void>;
  /** The database refuses everything until it is reopened. */
  readonly onFatal: (error: unknown) => void;
  /** Called when work after a commit failed; the events are stored. */
  readonly onProblem: (message: string) => void;
}

/** Memory that is short passes, with the next checkpoint or the end of a compaction: the events can come again. */
function toAppendError(error: unknown): EngineError {
  const failure = toEngineError(error);
  if (failure.code !== "memory_exceeded") return failure;
  return new EngineError("overloaded", "The engine is short of memory for new events", {
    retryAfterSeconds: 1,
    cause: error,
  });
}

export class Writer {
  readonly #connection: Connection;
  readonly #hooks: WriterHooks;
  readonly #jobs: (AppendJob | TaskJob)[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;
  #saidProblem: string | undefined;

  constructor(connection: Connection, hooks: WriterHooks) {
    this.#connection = connection;
    this.#hooks = hooks;
  }

  append(work: AppendWork): Promise<JointResult> {
    return new Promise((resolve, reject) => {
      this.#add({ kind: "append", ...work, resolve, reject }, reject);
    });
  }

  /** Runs a task in its turn; it has the connection for itself. */
  task<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const guarded = async () => {
        try {
          resolve(await run(this.#connection));
        } catch (error) {
          this.#noteFatal(error);
          reject(toEngineError(error));
        }
      };
      this.#add({ kind: "task", run: guarded }, reject);
    });
  }

  /** Refuses new work and waits for what is queued. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #add(job: AppendJob | TaskJob, reject: (error: EngineError) => void): void {
    if (this.#isClosed) {
      reject(new EngineError("unavailable", "The store is closing"));
      return;
    }
    this.#jobs.push(job);
    this.#running ??= this.#work();
  }

  async #work(): Promise<void> {
    // Work that arrives in this turn of the event loop joins the first group.
    await Promise.resolve();
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      if (job.kind === "task") {
        this.#jobs.shift();
        await job.run();
      } else {
        await this.#commit(this.#takeGroup());
      }
    }
    this.#running = undefined;
  }

  #takeGroup(): AppendJob[] {
    const group: AppendJob[] = [];
    let [rows, bytes] = [0, 0];
    for (let job = this.#jobs[0]; job?.kind === "append"; job = this.#jobs[0]) {
      rows += job.batch.header.rowCount;
      bytes += job.batch.payload.length;
      if (group.length > 0 && (rows > MAX_GROUP_ROWS || bytes > MAX_GROUP_BYTES)) break;
      group.push(job);
      this.#jobs.shift();
    }
    return group;
  }

  async #commit(group: readonly AppendJob[], attempt = 0): Promise<void> {
    try {
      const results = await commitGroup(this.#connection, group);
      results.forEach((result, index) => {
        group[index]?.resolve(result);
      });
    } catch (error) {
      await this.#failGroup(group, error, attempt);
      return;
    }
    try {
      await this.#hooks.afterCommit(group);
      this.#saidProblem = undefined;
    } catch (error) {
      this.#noteFatal(error);
      // Logged once for as long as it lasts: it is tried again after each commit.
      const problem = `a checkpoint failed and will be tried again: ${describeCause(error)}`;
      if (problem !== this.#saidProblem) this.#hooks.onProblem(problem);
      this.#saidProblem = problem;
    }
  }

  /** One bad batch must not fail the others: they are tried again one by one, unless the store itself is the reason. */
  async #failGroup(group: readonly AppendJob[], error: unknown, attempt: number): Promise<void> {
    this.#noteFatal(error);
    const failure = toAppendError(error);
    if (failure.code === "overloaded" && !isFatal(error) && attempt < MEMORY_ATTEMPTS) {
      // A query that takes too much is over soon.
      await new Promise((resolve) => setTimeout(resolve, MEMORY_PAUSE_MS * 2 ** attempt));
      return this.#commit(group.map(asAgain), attempt + 1);
    }
    if (group.length === 1 || !isOfOneBatch(failure.code) || isFatal(error)) {
      for (const job of group) job.reject(failure);
      return;
    }
    for (const job of group) await this.#commit([asAgain(job)]);
  }

  #noteFatal(error: unknown): void {
    if (isFatal(error)) this.#hooks.onFatal(error);
  }
}
