import { PassThrough, Readable } from "node:stream";
import { runSqlBatch } from "../../src/cli/commands/sql-batch.ts";
import { readLines } from "../../src/cli/input/lines.ts";

/** What is asked: a query, with parameters or without. */
export interface Question {
  readonly query: string;
  readonly params?: unknown;
}

/** What `sql --batch` writes for it. */
export interface Answer {
  readonly rows?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** The answers to queries, in their order, of one engine in this process. */
export async function answerAll(questions: readonly Question[]): Promise<readonly Answer[]> {
  const lines = questions.map(({ query, params }) => `${JSON.stringify({ query, params })}\n`);
  const output = new PassThrough();
  const done = runSqlBatch(Readable.from(lines), output).finally(() => output.end());
  const answers: Answer[] = [];
  for await (const line of readLines(output)) answers.push(JSON.parse(line) as Answer);
  await done;
  return answers;
}
