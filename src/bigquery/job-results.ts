import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import { invalidParameter, ServiceError } from "../shared/errors.ts";
import type { BigQueryCaller } from "./bigquery-caller.ts";
import type { Job, JobStore } from "./job-store.ts";
import { type FieldSchema, type Row, type TimestampFormat, toRow, toSchema } from "./row-format.ts";
import { type Chunk, openQuery, runQuery } from "./run-query.ts";

/** The page of a result that a client asks for. */
export interface AskedPage {
  readonly pageToken: string | undefined;
  readonly startIndex: number;
  readonly maxResults: number | undefined;
  readonly timestamps: TimestampFormat;
}

export interface ResultPage {
  readonly rows: readonly Row[];
  readonly pageToken: string | undefined;
}

/** Rows of a page, unless the client asks for fewer; and characters of their JSON, but one row is always there. */
const maxPage = { rows: 10_000, characters: 8_000_000 } as const;

const cancelledMessage = "Job execution was cancelled: User requested cancellation";

/** Reads a page of a job's result. Runs its query unless the rows are held. Throws `ServiceError`. */
export async function readPage(
  caller: BigQueryCaller,
  jobs: JobStore,
  job: Job,
  asked: AskedPage,
): Promise<ResultPage> {
  const { cursor, offset } = readToken(job, asked);
  const chunk = await readChunk(caller, jobs, job, cursor);
  if (asked.pageToken === undefined && offset > chunk.rows.length && chunk.cursor !== undefined) {
    throw invalidParameter("startIndex", "startIndex is behind the first rows; read on by pageToken");
  }
  const most = Math.min(asked.maxResults ?? maxPage.rows, maxPage.rows);
  const rows: Row[] = [];
  let characters = 0;
  for (const row of chunk.rows.slice(offset, offset + most)) {
    characters += row.length;
    if (rows.length > 0 && characters > maxPage.characters) break;
    rows.push(toRow(row, job.columns, asked.timestamps));
  }
  const end = offset + rows.length;
  const isRest = end < chunk.rows.length;
  if (most === 0 || (!isRest && chunk.cursor === undefined)) return { rows, pageToken: undefined };
  return { rows, pageToken: writeToken(job, isRest ? { cursor, offset: end } : { cursor: chunk.cursor, offset: 0 }) };
}

/** Runs a job that has not run, or whose error may be another now, for its outcome, which its fields have then. */
export async function finishJob(caller: BigQueryCaller, jobs: JobStore, job: Job): Promise<void> {
  if (job.endedAtMs !== undefined && job.error === undefined) return;
  try {
    await readChunk(caller, jobs, job, undefined);
  } catch (error) {
    if (job.error !== error) throw error;
  }
}

/** Ends a job that has not ended. */
export function cancelJob(job: Job, nowMs: number): void {
  job.error = new ServiceError("query_failed", cancelledMessage);
  job.endedAtMs = nowMs;
  for (const stop of job.stops) stop();
}

/** Whether an error is that of a cancelled job. */
export function isCancelled(error: ServiceError): boolean {
  return error.message === cancelledMessage;
}

/** The call is opened for every page: a token that may no longer read it gets nothing of what is held. */
async function readChunk(caller: BigQueryCaller, jobs: JobStore, job: Job, cursor: string | undefined): Promise<Chunk> {
  if (job.error !== undefined && job.errorStamp === undefined) throw job.error;
  const call = await openQuery(caller, job.query, true, cursor);
  const stamp = stampOf(call, caller.cache.clearCount);
  if (job.error !== undefined && job.errorStamp === stamp) throw job.error;
  const { held } = job;
  if (held !== undefined && held.cursor === cursor && held.stamp === stamp) {
    caller.runOptions().onRows?.(held.chunk.rows.length);
    return held.chunk;
  }
  const chunk = await runStoppable(job, call, (stoppable) =>
    runQuery(caller, job.query, stoppable, job.usesCache),
  ).catch((error: unknown) => {
    if (isOutcome(error)) {
      job.error = error;
      job.errorStamp = stamp;
      job.endedAtMs ??= jobs.nowMs();
    }
    throw error;
  });
  if (job.endedAtMs === undefined || job.totalRows === undefined) job.columns = chunk.columns;
  else if (!fits(job.columns, chunk.columns)) throw refuseOtherColumns();
  job.endedAtMs ??= jobs.nowMs();
  job.error = undefined;
  job.isCacheHit = chunk.isCached;
  if (cursor === undefined) job.totalRows = chunk.rows.length + (chunk.cursor === undefined ? 0 : 1);
  jobs.hold(job, { chunk, cursor, stamp });
  return chunk;
}

/**
 * Whether rows with other columns can be written as those of the job, whose schema clients have: events may have
 * brought fields since, which are left out.
 */
function fits(columns: Chunk["columns"], others: Chunk["columns"]): boolean {
  if (columns === others) return true;
  const [before, now] = [toSchema(columns).fields, toSchema(others).fields];
  return before.length === now.length && before.every((field, index) => isSameField(field, now[index]));
}

function isSameField(field: FieldSchema, other: FieldSchema | undefined): boolean {
  const { name, type, mode, fields = [] } = field;
  if (other === undefined || name !== other.name || type !== other.type || mode !== other.mode) return false;
  return fields.every((each) => {
    const found = other.fields?.find((inner) => inner.name === each.name);
    return found === undefined || isSameField(each, found);
  });
}

function refuseOtherColumns(): ServiceError {
  const message = "The columns of the job's tables have changed since it ran, so that its other rows cannot be read";
  return new ServiceError("query_failed", message, { hint: "Send the query again." });
}

/** Distinguishes errors of the query itself from those that may pass, after which the job runs when asked for again. */
function isOutcome(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 400 || error.status === 422);
}

/** Everything that decides which rows a call reads; answers are cleared where events are deleted. */
function stampOf({ target, parameters, redactsPii, budget }: QueryCall, clearCount: number): string {
  const sent = [...parameters].filter(([name]) => name !== "cursor");
  return JSON.stringify([target.definition.id, target.version, sent, redactsPii, budget, clearCount]);
}

async function runStoppable<T>(job: Job, call: QueryCall, run: (call: QueryCall) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(job.error);
  const signal = AbortSignal.any([call.openSignal(), controller.signal]);
  job.stops.add(stop);
  try {
    return await run({ ...call, openSignal: () => signal });
  } finally {
    job.stops.delete(stop);
  }
}

interface PagePosition {
  readonly cursor: string | undefined;
  readonly offset: number;
}

/** The cursor is sealed; a forged offset only skips rows of the same result. */
function writeToken(job: Job, { cursor = "", offset }: PagePosition): string {
  return Buffer.from(JSON.stringify([job.id, cursor, offset])).toString("base64url");
}

/** The job of a page's token, for pages that name none; undefined for what is no token. */
export function jobOfToken(pageToken: string): string | undefined {
  const [id] = parseToken(pageToken);
  return typeof id === "string" ? id : undefined;
}

function parseToken(pageToken: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(pageToken, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function readToken(job: Job, { pageToken, startIndex }: AskedPage): PagePosition {
  if (pageToken === undefined) return { cursor: undefined, offset: startIndex };
  const [id, cursor, offset] = parseToken(pageToken);
  if (id === job.id && typeof cursor === "string" && Number.isSafeInteger(offset) && Number(offset) >= 0) {
    return { cursor: cursor === "" ? undefined : cursor, offset: Number(offset) };
  }
  throw invalidParameter("pageToken", "The page token is not one of this job");
}
