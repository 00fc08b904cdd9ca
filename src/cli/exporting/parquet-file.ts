import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { type EventValue, type OutputColumn, RowBatch } from "../../engines/contract/query-engine.ts";
import { BOOL, FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../googlesql/types.ts";
import { toBuffers, type Written } from "../../http/formats/answer-format.ts";
import { openParquet } from "../../http/formats/parquet.ts";
import { parseIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { NumberedLine } from "../input/numbered-lines.ts";
import { type ColumnType, cellText } from "./event-text.ts";

/** The column with the whole event, by which it is imported again. */
export const eventColumn = "event_json";

/** The fact in a file's footer that is the SHA-256 of its events' lines. */
export const digestKey = "logweir.events_sha256";

/** Names that columns of fields cannot have: the other columns, and what readers make of the folders' names. */
const takenNames = ["id", "timestamp", "event_message", eventColumn, "source", "day", "tenant"];

const sqlTypes: Readonly<Record<ColumnType, SqlType>> = { INT64, FLOAT64, BOOL, STRING };

interface FieldColumn {
  readonly field: string;
  readonly type: ColumnType;
}

interface EventObject {
  readonly id: string;
  readonly timestamp: string;
  readonly event_message?: string;
  readonly [field: string]: EventValue | undefined;
}

/**
 * Writes events, a line of `eventText` each, as Parquet: `id`, `timestamp`, `event_message`, a column for each of the
 * fields, and the line itself. A row group at a time is in memory.
 */
export async function writeParquet(
  lines: AsyncIterable<NumberedLine>,
  path: string,
  fields: ReadonlyMap<string, ColumnType>,
): Promise<void> {
  const columns = [...fields].map(([field, type]): FieldColumn => ({ field, type }));
  const hash = createHash("sha256");
  const fixed = [
    { name: "id", type: STRING },
    { name: "timestamp", type: TIMESTAMP },
    { name: "event_message", type: STRING },
  ];
  const writer = openParquet([...fixed, ...nameColumns(columns), { name: eventColumn, type: STRING }], () => [
    { key: digestKey, value: hash.digest("hex") },
  ]);
  const file = await open(path, "wx", 0o600);
  const write = async (written: Written) => {
    for (const bytes of toBuffers(written)) if (bytes.length > 0) await file.writeFile(bytes);
  };
  try {
    await write(writer.begin());
    for await (const { bytes } of lines) {
      hash.update(bytes).update("\n");
      await write(writer.write(new RowBatch(rowText(bytes.toString(), columns), 1)));
    }
    await write(writer.end());
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A field whose name is taken, whatever its case, has as many `_` before it as make it another. */
function nameColumns(columns: readonly FieldColumn[]): readonly OutputColumn[] {
  const taken = new Set([...takenNames, ...columns.map(({ field }) => field.toLowerCase())]);
  return columns.map(({ field, type }) => {
    let name = field;
    if (takenNames.includes(field.toLowerCase())) {
      while (taken.has(name.toLowerCase())) name = `_${name}`;
      taken.add(name.toLowerCase());
    }
    return { name, type: sqlTypes[type] };
  });
}

function rowText(line: string, columns: readonly FieldColumn[]): string {
  const event = parseJson(line) as EventObject;
  const cells = [
    JSON.stringify(event.id),
    String(parseIsoTimestamp(event.timestamp)?.us ?? null),
    JSON.stringify(event.event_message ?? null),
    ...columns.map(({ field, type }) => cellText(type, Object.hasOwn(event, field) ? event[field] : undefined)),
    JSON.stringify(line),
  ];
  return `{${cells.map((cell) => `"":${cell}`).join(",")}}`;
}
