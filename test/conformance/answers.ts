import { PassThrough, Readable } from "node:stream";
import { runSqlBatch, type SqlBatchOptions } from "../../src/cli/commands/sql-batch.ts";
import { readLines } from "../../src/cli/input/lines.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";

/** A query to be answered, with or without parameters. */
export interface Question {
  readonly query: string;
  readonly params?: unknown;
  /** Set if the query is expected to fail. */
  readonly error?: unknown;
}

/** The answer of `sql --batch` to it. */
export interface Answer {
  readonly columns?: readonly { readonly type: string }[];
  readonly rows?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

type Server = SqlBatchOptions["server"];

/**
 * The answers to queries, of one engine in this process or of a server. Those that read no table are asked several at
 * once: ask for many together.
 */
export async function answerAll<Q extends Question>(
  questions: readonly Q[],
  server?: Server,
): Promise<ReadonlyMap<Q, Answer>> {
  const combined = combine(questions);
  const found = new Map<number, Answer>();
  for (const [index, answer] of (await askAll(combined, server)).entries()) {
    const group = combined[index];
    for (const [position, own] of (group && split(group, answer)) ?? []) found.set(position, own);
  }
  const rest = questions.flatMap((question, position) => (found.has(position) ? [] : [{ question, position }]));
  const answers = await askAll(
    rest.map(({ question }) => question),
    server,
  );
  rest.forEach(({ position }, index) => {
    const answer = answers[index];
    if (answer !== undefined) found.set(position, answer);
  });
  return new Map(questions.map((question, position) => [question, found.get(position) ?? {}]));
}

/** The answers to queries, each asked by itself. */
export async function askAll(questions: readonly Question[], server?: Server): Promise<readonly Answer[]> {
  const lines = questions.map(({ query, params }) => `${JSON.stringify({ query, params })}\n`);
  const output = new PassThrough();
  const done = runSqlBatch(Readable.from(lines), output, server === undefined ? {} : { server }).finally(() =>
    output.end(),
  );
  const answers: Answer[] = [];
  for await (const line of readLines(output)) answers.push(JSON.parse(line) as Answer);
  await done;
  return answers;
}

/** A query that asks several questions at once. */
interface Combined {
  readonly query: string;
  /** The position of each question, and the number of its columns. */
  readonly parts: readonly { readonly question: number; readonly width: number }[];
}

const MAX_COLUMNS = 24;

/**
 * The texts of a select list that reads no table, so that it may stand beside others in one row; undefined for any
 * other query.
 */
function loneItems({ query, params }: Question): readonly string[] | undefined {
  if (params !== undefined || /\bSELECT\b.*\bSELECT\b|@|\?|--|#/is.test(query)) return undefined;
  try {
    const { body, with: ctes, orderBy, limit, pipes } = parseQuery(query);
    if (body.kind !== "Select" || ctes !== undefined || orderBy !== undefined || limit !== undefined) return undefined;
    const isPlain =
      [body.from, body.where, body.groupBy, body.having, body.qualify].every((clause) => clause === undefined) &&
      !body.isDistinct &&
      body.as === undefined &&
      pipes.length === 0;
    if (!isPlain || body.items.some(({ kind }) => kind !== "SelectExpression")) return undefined;
    return body.items.map(({ span }) => query.slice(span.start, span.end));
  } catch {
    return undefined;
  }
}

/** Questions that fit together in one row, a few columns at a time. Those that are asked alone are left out. */
function combine(questions: readonly Question[]): readonly Combined[] {
  const combined: Combined[] = [];
  let items: string[] = [];
  let parts: { question: number; width: number }[] = [];
  const flush = () => {
    if (parts.length > 1) combined.push({ query: `SELECT ${items.join(", ")}`, parts });
    items = [];
    parts = [];
  };
  questions.forEach((question, position) => {
    const own = question.error !== undefined ? undefined : loneItems(question);
    if (own === undefined) return;
    if (items.length + own.length > MAX_COLUMNS) flush();
    items.push(...own);
    parts.push({ question: position, width: own.length });
  });
  flush();
  return combined;
}

/** The answers to the parts; undefined where the one row did not come, and each must be asked alone. */
function split({ parts }: Combined, answer: Answer): ReadonlyMap<number, Answer> | undefined {
  const [row] = answer.rows ?? [];
  if (!Array.isArray(row)) return undefined;
  const answers = new Map<number, Answer>();
  let next = 0;
  for (const { question, width } of parts) {
    answers.set(question, { rows: [row.slice(next, next + width)] });
    next += width;
  }
  return answers;
}
