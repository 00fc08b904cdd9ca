import { ServiceError } from "../../shared/errors.ts";
import type { FollowedPeriod } from "../call/prepare/query-call.ts";
import { type ArrivalKey, clusterByTime } from "./arrivals.ts";
import type { TailAnswer, TailRow } from "./ask-tail.ts";

/** Asks the engine for the newest rows of a period. */
export type TailAsk = (period: FollowedPeriod, signal: AbortSignal) => Promise<TailAnswer>;

export interface FoundRows {
  readonly rows: readonly TailRow[];
  /** Whether there were more. */
  readonly hasGap: boolean;
}

/** The last time that an event can have: the end of the year 9999. */
const endOfTimeUs = 253_402_300_799_999_999n;

/** Errors after which a query over fewer events may fit into its limits. */
const tooMuch: ReadonlySet<string> = new Set(["result_too_large", "memory_exceeded"]);

/** A query that is followed, asked for periods and for events. */
export class TailQuery {
  readonly #ask: TailAsk;
  readonly #controller = new AbortController();
  #last: Pick<TailAnswer, "tables" | "isOfEvents" | "maxRows"> = { tables: [], isOfEvents: false, maxRows: 1 };

  constructor(ask: TailAsk) {
    this.#ask = ask;
  }

  /** Facts of its last answer that hold for the next, too. */
  get last(): Pick<TailAnswer, "tables" | "isOfEvents" | "maxRows"> {
    return this.#last;
  }

  get isClosed(): boolean {
    return this.#controller.signal.aborted;
  }

  close(): void {
    this.#controller.abort(new ServiceError("shutting_down", "Nobody follows any more"));
  }

  /** The newest rows from a time on; where they are many, those behind `nearUs` do not hide those before it. */
  async askFrom(fromUs: bigint, nearUs: bigint): Promise<readonly TailAnswer[]> {
    const all = await this.#askFor({ fromUs, toUs: endOfTimeUs });
    const isHiding = all.isFull && (all.rows[0]?.timeUs ?? 0n) > nearUs && fromUs <= nearUs;
    return isHiding ? [all, await this.#askFor({ fromUs, toUs: nearUs })] : [all];
  }

  /** The rows of events, each once, in pieces that the limits of the query allow. */
  async findEvents(keys: readonly ArrivalKey[]): Promise<FoundRows> {
    const { maxRows } = this.#last;
    const rows = new Map<string, TailRow>();
    let hasGap = false;
    for (let at = 0; at < keys.length; at += maxRows) {
      for (const cluster of clusterByTime(keys.slice(at, at + maxRows))) {
        hasGap = (await this.#findCluster(cluster, rows)) || hasGap;
      }
    }
    return { rows: [...rows.values()], hasGap };
  }

  /** Adds the rows of the events; true where some are missing, because those of one event are too many. */
  async #findCluster(keys: readonly ArrivalKey[], found: Map<string, TailRow>): Promise<boolean> {
    const [first] = keys;
    const last = keys.at(-1);
    if (first === undefined || last === undefined) return false;
    const ids = keys.map(({ id }) => id);
    const answer = await this.#askFor({ fromUs: first.timestampUs, toUs: last.timestampUs, ids }).catch((error) => {
      if (keys.length > 1 && error instanceof ServiceError && tooMuch.has(error.code)) return undefined;
      throw error;
    });
    if (answer !== undefined && (!answer.isFull || keys.length === 1)) {
      for (const row of answer.rows) found.set(row.key, row);
      return answer.isFull;
    }
    const half = Math.ceil(keys.length / 2);
    const isTorn = await this.#findCluster(keys.slice(0, half), found);
    return (await this.#findCluster(keys.slice(half), found)) || isTorn;
  }

  async #askFor(period: FollowedPeriod): Promise<TailAnswer> {
    const answer = await this.#ask(period, this.#controller.signal);
    const { tables, isOfEvents, maxRows } = answer;
    // Without its rows, which may be large.
    this.#last = { tables, isOfEvents, maxRows };
    return answer;
  }
}
