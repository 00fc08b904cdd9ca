import { masks } from "../../endpoints/explore/patterns-query.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { countPatterns, type Selection } from "./build-sql.ts";
import type { LokiReader } from "./find-tables.ts";
import { tooMany } from "./read-lines.ts";
import { runSql } from "./run-sql.ts";

/** A kind of lines, and how many there are by equal parts of time. */
export interface LinePattern {
  readonly pattern: string;
  readonly counts: ReadonlyMap<number, number>;
}

/** Patterns that are reported, and rows that the store answers for each reader, at most. */
const [maxPatterns, maxCounts] = [300, 50_000];
/** The names of what was masked, which Loki does not distinguish. */
const maskNames = new Set(masks.flatMap(([, mask]) => /<\w+>/.exec(mask)?.[0] ?? []));
const maskName = new RegExp([...maskNames].join("|"), "g");

/** Lines of one pattern of the store. */
interface Counted {
  readonly counts: Map<number, number>;
  /** Lines that were counted, and those that there are: fewer where the answer ends before all its counts. */
  counted: number;
  readonly total: number;
}

/**
 * Has the store count the kinds of lines. Those of the most lines come first, each with all of its counts. Throws
 * `limit_exceeded` where the caller may not have as many rows as that needs.
 */
export async function readPatterns(
  caller: LokiCaller,
  readers: readonly LokiReader[],
  selection: Selection,
  widthUs: number,
): Promise<readonly LinePattern[]> {
  const found = new Map<string, Counted>();
  for (const { call, tables } of readers) {
    const sql = countPatterns(tables, selection, widthUs, maxCounts);
    if (sql === undefined) continue;
    for (const [pattern, { counts, counted, total }] of await readCounts(caller, call, sql)) {
      if (counted < total) continue;
      const named = pattern.replaceAll(maskName, "<_>");
      const known = found.get(named) ?? { counts: new Map<number, number>(), counted: 0, total: 0 };
      for (const [bucket, count] of counts) known.counts.set(bucket, (known.counts.get(bucket) ?? 0) + count);
      known.counted += counted;
      found.set(named, known);
    }
  }
  const sorted = [...found].sort(([, a], [, b]) => b.counted - a.counted);
  return sorted.slice(0, maxPatterns).map(([pattern, { counts }]) => ({ pattern, counts }));
}

async function readCounts(caller: LokiCaller, call: LokiReader["call"], sql: string): Promise<Map<string, Counted>> {
  const found = new Map<string, Counted>();
  const { rows, maxRows } = await runSql(caller, call, sql, undefined, maxCounts);
  for (let step = await rows.next(); ; step = await rows.next()) {
    if (step.done === true) {
      if (step.value) throw tooMany(maxRows, "counts");
      return found;
    }
    for (const { pattern, bucket, entries, total } of step.value) {
      const name = String(pattern);
      const known = found.get(name) ?? { counts: new Map<number, number>(), counted: 0, total: Number(total) };
      known.counts.set(Number(bucket), Number(entries));
      known.counted += Number(entries);
      found.set(name, known);
    }
  }
}
