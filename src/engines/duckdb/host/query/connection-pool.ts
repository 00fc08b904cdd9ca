import type { Connection, Database } from "../../driver/connection.ts";

/**
 * Statements that each connection keeps prepared, those of constants among them: DuckDB plans one that is prepared and
 * run twice.
 */
const KEPT_STATEMENTS = 32;

interface Waiting {
  /** Takes the connection, or opens the one that it now may. */
  readonly start: (connection: Connection | undefined) => void;
}

/** Hands out at most so many connections; the rest wait in line. DuckDB's threads are shared by all of them. */
export class ConnectionPool {
  readonly #database: Pick<Database, "connect">;
  readonly #maxConnections: number;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  readonly #waiting = new Set<Waiting>();
  #openCount = 0;

  constructor(database: Pick<Database, "connect">, maxConnections: number) {
    this.#database = database;
    this.#maxConnections = maxConnections;
  }

  /**
   * Resolves with a connection, to be released. Rejects with the signal's reason once that is aborted, also while
   * waiting.
   */
  async acquire(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    const idle = this.#idle.pop() ?? (await this.#openOrWait(signal));
    this.#busy.add(idle);
    if (!signal.aborted) return idle;
    this.release(idle);
    throw signal.reason;
  }

  release(connection: Connection): void {
    this.#busy.delete(connection);
    const next = this.#takeNext();
    if (next === undefined) this.#idle.push(connection);
    else next.start(connection);
  }

  forgetStatements(): void {
    for (const connection of [...this.#idle, ...this.#busy]) connection.forgetStatements();
  }

  async #openOrWait(signal: AbortSignal): Promise<Connection> {
    if (this.#openCount < this.#maxConnections) return this.#open();
    const given = await new Promise<Connection | undefined>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        start(connection) {
          signal.removeEventListener("abort", leave);
          resolve(connection);
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", leave, { once: true });
    });
    return given ?? this.#open();
  }

  async #open(): Promise<Connection> {
    this.#openCount++;
    try {
      return await this.#database.connect(KEPT_STATEMENTS);
    } catch (error) {
      this.#openCount--;
      // The slot is free again: a waiting query would otherwise wait for ever.
      this.#takeNext()?.start(undefined);
      throw error;
    }
  }

  #takeNext(): Waiting | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}
