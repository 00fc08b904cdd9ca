import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { valueText } from "../../engines/contract/event-line.ts";
import { EngineError, type EventValue } from "../../engines/contract/query-engine.ts";
import { openParquetFile } from "../../engines/index.ts";
import { messageOf } from "../../shared/message-of.ts";
import { CliError } from "../context.ts";
import { digestKey, eventColumn } from "../exporting/parquet-file.ts";
import type { NumberedLine } from "./numbered-lines.ts";

const magic = "PAR1";

/** Whether a file is Parquet, or has its name. */
export async function isParquet(path: string): Promise<boolean> {
  if (path.endsWith(".parquet")) return true;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return bytesRead === magic.length && buffer.toString("latin1") === magic;
  } finally {
    await file.close();
  }
}

/**
 * The rows of a Parquet file as events of `/api/logs`, numbered from 1: those of an export by their text, others with a
 * field for each column. Throws `CliError` for a file that cannot be read, at its end also for one whose events are not
 * those that were written.
 */
export async function* parquetLines(path: string): AsyncGenerator<NumberedLine> {
  try {
    const file = await openParquetFile(path);
    try {
      const isExport = file.columns.includes(eventColumn);
      const columns = isExport ? [eventColumn] : file.columns;
      const written = file.facts.get(digestKey);
      if (written !== undefined && !isExport) throw new Error(`it lacks the column ${eventColumn}`);
      const hash = createHash("sha256");
      let number = 1;
      for await (const row of file.rows(columns)) {
        const bytes = Buffer.from(isExport ? eventOf(row[0], number) : valueText(toEvent(columns, row)));
        if (written !== undefined) hash.update(bytes).update("\n");
        yield { bytes, number: number++ };
      }
      if (written !== undefined && written !== hash.digest("hex")) throw new Error("its events were changed");
    } finally {
      file.close();
    }
  } catch (error) {
    const isTooLarge = error instanceof EngineError && error.code === "memory_exceeded";
    const what = isTooLarge ? "cannot be read" : "is damaged, or no Parquet file that can be read";
    throw new CliError(`${path} ${what}: ${messageOf(error)}`);
  }
}

function toEvent(columns: readonly string[], row: readonly (EventValue | null)[]): EventValue {
  return Object.fromEntries(columns.map((name, index) => [name, row[index]])) as EventValue;
}

function eventOf(text: unknown, number: number): string {
  if (typeof text !== "string") throw new Error(`row ${number} has no event`);
  // Damage shows before anything is sent.
  JSON.parse(text);
  return text;
}
