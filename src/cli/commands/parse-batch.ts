import { GoogleSqlError, positionAt } from "../../googlesql/diagnostic.ts";
import { parseSyntax } from "../../googlesql/parse.ts";
import type { CliContext } from "../context.ts";
import { queryLines, readLines, writeLine } from "../input/lines.ts";

/** The answer of `parse --batch` to one line. Lines and columns count from 1, columns in code points. */
type ParseBatchAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: { readonly message: string; readonly line: number; readonly column: number } }
  | { readonly ok: false; readonly error: { readonly code: "invalid_request"; readonly message: string } };

/** Checks the one query of the command line, or those that come in. */
export async function parse(
  context: CliContext,
  text: string | undefined,
  { batch }: { readonly batch?: boolean },
): Promise<void> {
  await runParseBatch(queryLines("sql", text, batch, context), context.output);
}

/**
 * Reads one JSON object `{"sql"}` a line and writes one answer a line, in order, each as soon as it
 * is known. Only the grammar is checked: no name is looked up.
 */
export async function runParseBatch(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  for await (const line of readLines(input)) await writeLine(output, JSON.stringify(answerLine(line)));
}

function answerLine(line: string): ParseBatchAnswer {
  const sql = readSql(line);
  if (sql === undefined) {
    const message = 'Expected a JSON object on one line, with the query as text in "sql"';
    return { ok: false, error: { code: "invalid_request", message } };
  }
  try {
    parseSyntax(sql);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    const [{ message, span }] = error.diagnostics;
    return { ok: false, error: { message, ...positionAt(sql, span.start) } };
  }
}

function readSql(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("sql" in value)) return undefined;
    return typeof value.sql === "string" ? value.sql : undefined;
  } catch {
    return undefined;
  }
}
