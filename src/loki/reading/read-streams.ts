import type { LokiCaller } from "../loki-caller.ts";
import { type Buckets, countStreams, type Selection } from "./build-sql.ts";
import type { LokiReader } from "./find-tables.ts";
import { tooMany } from "./read-lines.ts";
import { runSql, type SqlRow } from "./run-sql.ts";

/** The lines of a stream, counted; with buckets, those of one of them. */
export interface CountedStream {
  readonly labels: ReadonlyMap<string, string>;
  readonly bucket: number;
  readonly entries: number;
  readonly bytes: number;
}

const maxStreams = 50_000;

/** Parts of time in which lines are counted, and the fields that distinguish streams beside their labels. */
export interface StreamParts extends Buckets {
  readonly fields: readonly string[];
}

/** Has the store count the lines of each stream. Throws `limit_exceeded` where there are too many streams. */
export async function readStreams(
  caller: LokiCaller,
  readers: readonly LokiReader[],
  selection: Selection,
  parts?: StreamParts,
): Promise<readonly CountedStream[]> {
  const streams: CountedStream[] = [];
  for (const { call, tables } of readers) {
    const own = tables.flatMap(({ constant, labels }) => [...constant.keys(), ...labels.map(({ name }) => name)]);
    const names = [...new Set([...own, ...(parts?.fields ?? [])])];
    const selects = tables.flatMap((table) => countStreams(table, names, selection, parts) ?? []);
    if (selects.length === 0) continue;
    const { rows, maxRows } = await runSql(caller, call, selects.join("\nUNION ALL\n"), undefined, maxStreams);
    for (let step = await rows.next(); ; step = await rows.next()) {
      if (step.done !== true) {
        for (const row of step.value) streams.push(toStream(row, names));
        continue;
      }
      if (step.value) throw tooMany(maxRows, "counts");
      break;
    }
  }
  return streams;
}

function toStream(row: SqlRow, names: readonly string[]): CountedStream {
  const labels = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const value = row[`label_${index}`];
    if (typeof value === "string" && value !== "") labels.set(name, value);
  }
  const [bucket, entries, bytes] = [row.bucket, row.entries, row.bytes].map((each) => Number(each ?? 0));
  return { labels, bucket: bucket ?? 0, entries: entries ?? 0, bytes: bytes ?? 0 };
}
