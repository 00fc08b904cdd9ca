import { parseJson } from "../../engines/contract/parse-json.ts";
import { createWay } from "../../shared/concurrency/give-way.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { LineLabels } from "../pipeline/line-labels.ts";
import { type Selection, selectLines } from "./build-sql.ts";
import { readLabels, readNanoseconds } from "./event-labels.ts";
import type { LokiReader, LokiTable } from "./find-tables.ts";
import { runSql, type SqlRow } from "./run-sql.ts";

/** A line as it is stored. */
export interface StoredLine {
  readonly ns: bigint;
  readonly line: string;
  readonly labels: LineLabels;
}

/** Lines that one query reads at most, whether or not its stages let them pass. */
export const maxLinesRead = 50_000;

/** Which lines are read, and how many of those that `take` accepts are enough. */
export interface LineRequest {
  readonly selection: Selection;
  readonly order: "ASC" | "DESC";
  /** Lines that the store has to answer at most; `maxLinesRead` where stages drop some, or all are needed. */
  readonly limit: number;
  /** Whether it is wrong to leave lines out that are there. */
  readonly isComplete: boolean;
  /** Takes a line; true once no more are needed of this reader. */
  take(line: StoredLine): boolean;
}

/**
 * Reads the lines of a selection, of one reader after the other, each in order. Throws `limit_exceeded` where a query
 * would have to read more than it may.
 */
export async function readLines(caller: LokiCaller, readers: readonly LokiReader[], request: LineRequest) {
  for (const reader of readers) await readFrom(caller, reader, request);
}

async function readFrom(caller: LokiCaller, { call, tables }: LokiReader, request: LineRequest): Promise<void> {
  const { selection, order, limit, isComplete } = request;
  const selects = tables.flatMap((table) => selectLines(table, selection, order, limit + 1) ?? []);
  if (selects.length === 0) return;
  const { rows, maxRows } = await runSql(caller, call, selects.join("\nUNION ALL\n"), order, limit);
  const giveWay = createWay();
  try {
    for (let step = await rows.next(); ; step = await rows.next()) {
      if (step.done === true) {
        if (step.value && isComplete) throw tooMany(maxRows, "lines");
        return;
      }
      for (const row of step.value) {
        caller.checkTime();
        await giveWay();
        if (request.take(toLine(row, tables))) return;
      }
    }
  } finally {
    await rows.return(false);
  }
}

/** The error of a query that would have to read more than it may. */
export function tooMany(limit: number, unit: "lines" | "counts"): ServiceError {
  return new ServiceError("limit_exceeded", `The query would have to read more than ${limit} ${unit}`, {
    hint:
      "Narrow the time range or the selector, or filter by |= before other stages. Counts and rates without parsers " +
      "are computed by the store and have no such limit.",
  });
}

/** A line of a table's row, with the labels that the table has. */
export function toLine({ source, us, line, fields }: SqlRow, tables: readonly LokiTable[]): StoredLine {
  const table = tables.find(({ name }) => name === source);
  if (table === undefined) throw new ServiceError("internal", "A line has no table");
  const read = parseJson(String(fields)) as Readonly<Record<string, unknown>>;
  const { stream, metadata, pushedWith } = readLabels(read, table);
  return {
    ns: readNanoseconds(read, BigInt(us as number | bigint)),
    line: String(line),
    labels: new LineLabels(stream, metadata, pushedWith),
  };
}
