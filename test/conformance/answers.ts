import { PassThrough, Readable } from "node:stream";
import { runSqlBatch } from "../../src/cli/commands/sql-batch.ts";
import { readLines } from "../../src/cli/input/lines.ts";
import { combine, split } from "./combined.ts";

/** What is asked: a query, with parameters or without. */
export interface Question {
  readonly query: string;
  readonly params?: unknown;
  /** Set if the query is expected to fail. */
  readonly error?: unknown;
}

/** What `sql --batch` writes for it. */
export interface Answer {
  readonly rows?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * The answers to queries, of one engine in this process. Those that read no table are asked several at once: ask for
 * many together.
 */
export async function answerAll<Q extends Question>(questions: readonly Q[]): Promise<ReadonlyMap<Q, Answer>> {
  const combined = combine(questions);
  const found = new Map<number, Answer>();
  for (const [index, answer] of (await askAll(combined)).entries()) {
    const group = combined[index];
    for (const [position, own] of (group && split(group, answer)) ?? []) found.set(position, own);
  }
  const rest = questions.flatMap((question, position) => (found.has(position) ? [] : [{ question, position }]));
  const answers = await askAll(rest.map(({ question }) => question));
  rest.forEach(({ position }, index) => {
    const answer = answers[index];
    if (answer !== undefined) found.set(position, answer);
  });
  return new Map(questions.map((question, position) => [question, found.get(position) ?? {}]));
}

async function askAll(questions: readonly Question[]): Promise<readonly Answer[]> {
  const lines = questions.map(({ query, params }) => `${JSON.stringify({ query, params })}\n`);
  const output = new PassThrough();
  const done = runSqlBatch(Readable.from(lines), output).finally(() => output.end());
  const answers: Answer[] = [];
  for await (const line of readLines(output)) answers.push(JSON.parse(line) as Answer);
  await done;
  return answers;
}
