import { type Kysely, sql } from "kysely";
import { createSerialQueue } from "../../shared/concurrency/serial-queue.ts";
import { ServiceError } from "../../shared/errors.ts";
import { messageOf } from "../../shared/message-of.ts";
import { UserError } from "../../shared/user-error.ts";
import type { JoinOptions } from "../database.ts";
import type { NodeState, Nodes } from "../nodes.ts";
import type { Topic } from "../topics.ts";
import { changesChannel } from "./columns.ts";
import type { Session, SessionEvents } from "./connections.ts";
import { isLockTimeout, metadataUnavailable } from "./database-error.ts";
import { lockOf } from "./locks.ts";
import type { PostgresSchema } from "./schema.ts";
import { type CounterRow, type Counters, readCounters, TakeOvers, toCounters } from "./take-overs.ts";

/** How often the counters are read, whether or not notifications arrive. */
const pollMs = 500;
/** The deadline of the session's statements. */
const queryTimeoutMs = 2_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** The time since the last read of the counters after which the node no longer counts as current, or as leader. */
const currentMs = 3_000;
/** How many times the lock is tried, five seconds each, until another node's change ends. */
const patientWaits = 12;
/** So long a node that led does not lead again: who asks now and then learns that another may have led meanwhile. */
const resignedMs = 2_000;
/** The time after which the last known state is no longer used. */
const outdatedMs = 30_000;

export interface MemberOptions extends JoinOptions {
  /** The database, for people. */
  readonly shown: string;
}

type OpenSession = (queryTimeoutMs: number, events: SessionEvents) => Promise<Session>;

/**
 * One of the services on a database. Its session listens for notifications, reads the change counters, and holds its
 * locks.
 */
export class Member implements Nodes {
  readonly #queries: Kysely<PostgresSchema>;
  readonly #open: OpenSession;
  readonly #options: MemberOptions;
  readonly #takeOvers = new TakeOvers();
  readonly #inTurn = createSerialQueue();
  #session: Session | undefined;
  #sessionCount = 0;
  #backend: number | undefined;
  #leads = false;
  #resignedAtMs = Number.NEGATIVE_INFINITY;
  #currentAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #wakeUp: () => void = () => undefined;
  #isFailing = false;
  /** The read of the counters that callers of `confirm` wait for, and the one that begins after it. */
  #confirming: Promise<void> | undefined;
  #confirmingNext: Promise<void> | undefined;

  constructor(queries: Kysely<PostgresSchema>, open: OpenSession, options: MemberOptions) {
    this.#queries = queries;
    this.#open = open;
    this.#options = options;
  }

  /** Takes part from now on. Throws `UserError` where another node keeps this one out, else the driver's error. */
  async start(): Promise<void> {
    try {
      await this.#connect();
      await this.#poll();
    } catch (error) {
      await this.#drop();
      throw error;
    }
    this.#running = this.#run();
  }

  /** True when an attempt to reach the database would be futile now: a new session reads what changed meanwhile. */
  get isAway(): boolean {
    return this.#failures > 0 && this.#session === undefined;
  }

  /** Sessions that were begun so far. */
  get sessionCount(): number {
    return this.#sessionCount;
  }

  versionOf(topic: Topic): number {
    return this.#takeOvers.versionOf(topic);
  }

  /** Reads the counters; callers that come during a read, which may miss what they ask about, share the next one. */
  confirm(): Promise<void> {
    const running = this.#confirming;
    this.#confirmingNext ??= (running ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#confirming = this.#confirmingNext;
        this.#confirmingNext = undefined;
        return this.#readCounters();
      });
    return this.#confirmingNext;
  }

  async #readCounters(): Promise<void> {
    const session = this.#session;
    if (session === undefined) throw metadataUnavailable("The database of the metadata does not answer");
    this.#takeOvers.note(toCounters(await session.query<CounterRow>(readCounters)));
  }

  state(): NodeState {
    const age = this.#options.nowMs() - this.#currentAtMs;
    if (this.#session !== undefined && age < currentMs) return "current";
    return age < outdatedMs ? "behind" : "outdated";
  }

  isLeader(): boolean {
    const isBack = Math.abs(this.#options.nowMs() - this.#resignedAtMs) >= resignedMs;
    return this.#leads && isBack && this.state() === "current";
  }

  onChange(topic: Topic, takeOver: () => Promise<void>): void {
    this.#takeOvers.add(topic, takeOver);
  }

  exclusively<T>(work: () => Promise<T>, isPatient = false): Promise<T> {
    return this.#inTurn(() => this.#change(work, isPatient ? patientWaits : 1));
  }

  async alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    const session = this.#session;
    if (session === undefined || !(await takeLock(session, lockOf(name)))) return undefined;
    try {
      return await work();
    } finally {
      // When the session is gone, so is the lock.
      await session.query("SELECT pg_advisory_unlock($1, $2)", lockOf(name)).catch(() => undefined);
    }
  }

  async announce(topic: Topic): Promise<void> {
    await this.#queries.transaction().execute(async (transaction) => {
      // Or what was cleared would be taken from there.
      await transaction.deleteFrom("warm_answers").execute();
      await sql`UPDATE metadata_changes SET number = number + 1 WHERE topic = ${topic}`.execute(transaction);
      await sql`SELECT pg_notify(${changesChannel}, ${topic})`.execute(transaction);
    });
  }

  async checkAnnouncing(): Promise<void> {
    await sql`UPDATE metadata_changes SET number = number WHERE topic = 'cache'`.execute(this.#queries);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#running;
    await this.#drop();
  }

  /** The lock belongs to a transaction: any end of it releases the lock. */
  async #change<T>(work: () => Promise<T>, waits: number): Promise<T> {
    let outcome: { readonly value: T } | undefined;
    try {
      return await this.#queries.transaction().execute(async (transaction) => {
        const [space, number] = lockOf("changes");
        await sql`SELECT pg_advisory_xact_lock(${space}, ${number})`.execute(transaction);
        const { rows } = await sql<CounterRow>`${sql.raw(readCounters)}`.execute(transaction);
        await this.#takeOvers.run(toCounters(rows));
        outcome = { value: await work() };
        return outcome.value;
      });
    } catch (error) {
      // The change has transactions of its own: it applies even if the lock could not be released.
      if (outcome !== undefined) return outcome.value;
      if (waits > 1 && isLockTimeout(error)) return this.#change(work, waits - 1);
      throw error;
    }
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#pause(this.#failures === 0 ? pollMs : pauseAfter(this.#failures));
      if (this.#isClosed) return;
      this.#isWoken = false;
      try {
        if (this.#session === undefined) await this.#connect();
        await this.#poll();
        if (this.#failures > 0) this.#options.log("info", `${this.#options.shown} answers again`);
        this.#failures = 0;
      } catch (error) {
        await this.#drop();
        if (this.#failures++ === 0) {
          const reason = messageOf(error);
          this.#options.log("error", `${this.#options.shown} is away, and is tried again until it is back: ${reason}`);
        }
      }
    }
  }

  /** Until the time is over, or something happened. */
  #pause(ms: number): Promise<void> {
    if (this.#isWoken) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  async #connect(): Promise<void> {
    let session: Session | undefined;
    let isEnded = false;
    // It may end before it is open.
    const opened = await this.#open(queryTimeoutMs, {
      onNotice: () => this.#wake(),
      onEnd: () => {
        isEnded = true;
        if (session === undefined || this.#session !== session) return;
        this.#session = undefined;
        this.#wake();
      },
    });
    try {
      await opened.query(`LISTEN ${changesChannel}`);
      await this.#lockEngine(opened);
      if (isEnded) throw new Error("the connection was closed");
    } catch (error) {
      await opened.close();
      throw error;
    }
    session = opened;
    this.#session = session;
    this.#sessionCount++;
    this.#backend = undefined;
    this.#resign();
  }

  #resign(): void {
    if (this.#leads) this.#resignedAtMs = this.#options.nowMs();
    this.#leads = false;
  }

  async #lockEngine(session: Session): Promise<void> {
    const { isEngineShared, shown } = this.#options;
    if (await takeLock(session, lockOf("engine"), isEngineShared)) return;
    throw new UserError(
      isEngineShared
        ? `${shown} is used by a node with an embedded engine, whose events no other node sees. Stop that node first`
        : `${shown} is used by another node, and this one has an embedded engine, whose events no other node sees. ` +
            "Stop the other node, or give this one a database of its own; several nodes need an engine that they share",
    );
  }

  async #poll(): Promise<void> {
    const session = this.#session;
    if (session === undefined) throw metadataUnavailable("The session of the node has ended");
    const atMs = this.#options.nowMs();
    const rows = await session.query<CounterRow>(readCounters);
    const backend = rows[0]?.pid;
    this.#backend ??= backend;
    if (backend === undefined || backend !== this.#backend) {
      throw new Error("the statements of one connection reach several backends, as behind a pooler of transactions");
    }
    const isTaken = await this.#tryTakeOver(toCounters(rows));
    this.#leads ||= await takeLock(session, lockOf("leader"));
    if (isTaken) this.#currentAtMs = atMs;
  }

  /** False when the obstacle is not the database, for example the engine; the next poll tries again. */
  async #tryTakeOver(counters: Counters): Promise<boolean> {
    try {
      await this.#takeOvers.run(counters);
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === "metadata_unavailable") throw error;
      if (!this.#isFailing)
        this.#options.log("error", `what other nodes changed cannot be taken over: ${String(error)}`);
      this.#isFailing = true;
      return false;
    }
  }

  async #drop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#resign();
    await session?.close();
  }
}

async function takeLock(session: Session, lock: readonly [number, number], isShared = false): Promise<boolean> {
  const take = isShared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock";
  const rows = await session.query<{ readonly taken: boolean }>(`SELECT ${take}($1, $2) AS taken`, lock);
  return rows[0]?.taken === true;
}

function pauseAfter(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
}
