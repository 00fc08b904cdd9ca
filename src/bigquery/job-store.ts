import { randomUUID } from "node:crypto";
import { ServiceError } from "../shared/errors.ts";
import type { Chunk, RunnableQuery } from "./run-query.ts";

/** The rows of a result that were read last, and their place. */
export interface HeldChunk {
  readonly chunk: Chunk;
  /** Where the chunk begins; undefined for the first. */
  readonly cursor: string | undefined;
  /** The call that it answers: as long as the token may do the same. */
  readonly stamp: string;
}

/** A query of a token, and the rows of its result that were read last. */
export interface Job {
  readonly id: string;
  readonly project: string;
  readonly createdAtMs: number;
  readonly text: string;
  readonly query: RunnableQuery;
  readonly usesCache: boolean;
  held: HeldChunk | undefined;
  /** Until the job has run, those that it would have had when it was checked. */
  columns: Chunk["columns"];
  /** One more than the first rows where others follow them; undefined until the job has run. */
  totalRows: number | undefined;
  isCacheHit: boolean;
  endedAtMs: number | undefined;
  error: ServiceError | undefined;
  /** The call that failed so, as of a held chunk: an error may quote values. Undefined for a cancelled job. */
  errorStamp: string | undefined;
  /** They end the runs that are under way. */
  readonly stops: Set<() => void>;
}

/** Jobs of all tokens. A token finds its own only. */
export interface JobStore {
  add(tokenId: string, job: NewJob): Job;
  /** Throws `not_found` also for a job of another token. */
  find(tokenId: string, id: string): Job;
  /** Newest first. */
  list(tokenId: string): readonly Job[];
  /** Takes rows of a job in, and lets go of older jobs' where all together are too much. */
  hold(job: Job, held: HeldChunk): void;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

export type NewJob = Pick<Job, "project" | "text" | "query" | "usesCache" | "columns"> & {
  readonly id: string | undefined;
};

export interface JobBounds {
  /** Jobs of a token, of which the oldest goes. */
  readonly jobs: number;
  /** Characters of rows that all jobs hold together; and, apart from them, of their queries. */
  readonly characters: number;
  readonly lifeMs: number;
}

const defaults: JobBounds = { jobs: 100, characters: 32_000_000, lifeMs: 600_000 };

const queryLength = ({ text, query }: Job): number => text.length + query.placed.sql.length;
const rowsLength = ({ chunk }: HeldChunk): number => chunk.rows.reduce((sum, row) => sum + row.length, 0);

const keyOf = (tokenId: string, id: string): string => `${tokenId}\n${id}`;

const ownIn = (all: ReadonlyMap<string, Job>, tokenId: string): readonly (readonly [string, Job])[] =>
  [...all].filter(([key]) => key.startsWith(keyOf(tokenId, "")));

/** A job that has not run. */
export function newJob(job: NewJob & Pick<Job, "id">, createdAtMs: number): Job {
  return {
    ...{ ...job, createdAtMs, held: undefined, totalRows: undefined, isCacheHit: false },
    ...{ endedAtMs: undefined, error: undefined, errorStamp: undefined, stops: new Set() },
  };
}

/** While the queries of all jobs are too long, drops the oldest of the token that has the most of them. */
function dropLong(all: Map<string, Job>, maximum: number): void {
  const lengths = new Map<string, number>();
  for (const [key, job] of all) {
    const tokenId = key.slice(0, key.indexOf("\n"));
    lengths.set(tokenId, (lengths.get(tokenId) ?? 0) + queryLength(job));
  }
  let length = [...lengths.values()].reduce((sum, each) => sum + each, 0);
  while (length > maximum) {
    const [[tokenId, most] = ["", 0]] = [...lengths].sort(([, a], [, b]) => b - a);
    const [oldest] = ownIn(all, tokenId);
    if (oldest === undefined) return;
    const freed = queryLength(oldest[1]);
    all.delete(oldest[0]);
    lengths.set(tokenId, most - freed);
    length -= freed;
  }
}

/** Holds jobs in memory, for a while: a result that is gone is read again. `nowMs` is in milliseconds since 1970. */
export function createJobStore(nowMs: () => number, bounds: JobBounds = defaults): JobStore {
  const all = new Map<string, Job>();
  const rowLengths = new WeakMap<HeldChunk, number>();
  const dropOld = () => {
    for (const [key, { createdAtMs }] of all) if (createdAtMs + bounds.lifeMs <= nowMs()) all.delete(key);
  };
  const own = (tokenId: string) => ownIn(all, tokenId);
  return {
    nowMs,
    add(tokenId, { id = `job_${randomUUID()}`, ...job }) {
      dropOld();
      const key = keyOf(tokenId, id);
      if (all.has(key)) throw new ServiceError("duplicate_name", `Already Exists: Job ${id.slice(0, 200)}`);
      const [oldest, ...others] = own(tokenId);
      if (oldest !== undefined && others.length + 1 >= bounds.jobs) all.delete(oldest[0]);
      const added = newJob({ ...job, id }, nowMs());
      all.set(key, added);
      dropLong(all, bounds.characters);
      return added;
    },
    find(tokenId, id) {
      dropOld();
      const job = all.get(keyOf(tokenId, id));
      if (job !== undefined) return job;
      throw new ServiceError("not_found", `Not found: Job ${id.slice(0, 200)}`, {
        hint: `A token finds the jobs of its last ${bounds.lifeMs / 60_000} minutes.`,
      });
    },
    list(tokenId) {
      dropOld();
      return own(tokenId)
        .map(([, job]) => job)
        .reverse();
    },
    hold(job, held) {
      job.held = held;
      rowLengths.set(held, rowsLength(held));
      const lengthOf = (each: Job) => (each.held === undefined ? 0 : (rowLengths.get(each.held) ?? 0));
      let characters = lengthOf(job);
      for (const each of [...all.values()].reverse()) {
        if (each === job) continue;
        characters += lengthOf(each);
        if (characters > bounds.characters) each.held = undefined;
      }
    },
  };
}
