import { createHash } from "node:crypto";
import { redactJson } from "../../redaction/redact-json.ts";
import { redactText } from "../../redaction/redact-text.ts";
import { ServiceError } from "../../shared/errors.ts";
import { splitValues } from "../../values/json/split-json.ts";
import type { PlannedQuery } from "../call/plan/planned-query.ts";
import { prepareFairly } from "../call/prepare/prepare-call.ts";
import type { FollowedPeriod, PreparedCall, QueryCall } from "../call/prepare/query-call.ts";
import { runPrepared } from "../call/run/run-prepared.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import type { PagePlace } from "../paging/cursor.ts";
import { maxFollowedRows } from "../paging/follow-query.ts";
import { hideFrom, placeOf } from "../paging/page-end.ts";
import { placeParameter } from "../paging/page-query.ts";

/** A row of a query that is followed. */
export interface TailRow {
  /** Identifies it among all rows. */
  readonly key: string;
  /** Microseconds since 1970. */
  readonly timeUs: bigint;
  /** Nanoseconds behind them, where they are known. */
  readonly restNs?: number;
  /** As the endpoint answers it. */
  readonly json: string;
  readonly place: PagePlace;
  /** True for a row that is sent to nobody, but counts as one of the answer's. */
  readonly isHidden?: boolean;
}

/** Orders rows by their times, the first one first. */
export function compareTimes(a: TailRow, b: TailRow): number {
  if (a.timeUs !== b.timeUs) return a.timeUs < b.timeUs ? -1 : 1;
  return (a.restNs ?? 0) - (b.restNs ?? 0);
}

/** The newest rows of a period, newest first. */
export interface TailAnswer {
  readonly rows: readonly TailRow[];
  /** True where there may be more of the period. */
  readonly isFull: boolean;
  /** The number of rows that an answer has at most. */
  readonly maxRows: number;
  /** Whether each row is one event, so that events can be asked for by their ids. */
  readonly isOfEvents: boolean;
  /** The scope of the call's cursors. */
  readonly cursorScope: string;
  readonly tables: readonly string[];
}

type Call = Omit<QueryCall, "openSignal" | "shape" | "follow">;

/** Turns at the engine that tails take, all of them together. */
const caller = "tail";

/** Checks a call that is to be followed; what is wrong with it is thrown at once. */
export function prepareTail(
  runner: EndpointRunner,
  call: Call,
  follow: FollowedPeriod,
  turn: Parameters<typeof prepareFairly>[2],
): Promise<PreparedCall> {
  const parameters = new Map(call.parameters);
  for (const name of ["limit", "cursor", "since"]) parameters.delete(name);
  return prepareFairly(runner, { ...call, parameters, follow }, turn);
}

/** Asks for the newest rows of a call in a period. Rows and errors are redacted as the call is. */
export async function askTail(
  runner: EndpointRunner,
  call: Call,
  period: FollowedPeriod,
  signal: AbortSignal,
): Promise<TailAnswer> {
  const prepared = await prepareTail(runner, call, period, { caller, openSignal: () => signal });
  const { paging, ...query } = prepared.query;
  const { detectors } = prepared;
  const redact = (json: string) => (prepared.redactsPii ? redactJson(json, detectors) : json);
  const rows: TailRow[] = [];
  try {
    // Rows keep the columns that only give their place, and are redacted behind that.
    for await (const { json, rowCount } of runPrepared(runner, { ...prepared, query, redactsPii: false }, signal, {
      caller,
    })) {
      if (rowCount > 0) for (const row of splitValues(json)) rows.push(toRow(row, paging, redact));
    }
  } catch (error) {
    if (!prepared.redactsPii || !(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, redactText(error.message, detectors), error.details);
  }
  const maxRows = Math.min(maxFollowedRows, prepared.maxRows);
  const isFull = rows.length >= maxRows;
  return {
    rows,
    isFull,
    maxRows,
    isOfEvents: query.isOfEvents === true,
    cursorScope: prepared.cursorScope,
    tables: query.tables,
  };
}

function toRow(row: string, paging: PlannedQuery["paging"], redact: (json: string) => string): TailRow {
  const keys = paging?.keys ?? [];
  const place = placeOf(row, { keys });
  const hidden = keys.findIndex(({ name }, index) => name === placeParameter(index));
  const shown = hidden === -1 ? row : hideFrom(row, placeParameter(hidden));
  const [time = null] = place;
  // Where no columns identify a row, its whole text does.
  const key = place.length > 1 ? JSON.stringify(place) : createHash("sha256").update(row).digest("base64url");
  return { key, timeUs: BigInt(time ?? 0), json: redact(shown), place };
}
