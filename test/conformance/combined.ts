import { parseQuery } from "../../src/googlesql/parse.ts";
import type { Answer, Question } from "./answers.ts";

/** A query that asks several questions at once. */
interface Combined {
  readonly query: string;
  /** Of each question its position, and how many columns are its own. */
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
export function combine(questions: readonly Question[]): readonly Combined[] {
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
export function split({ parts }: Combined, answer: Answer): ReadonlyMap<number, Answer> | undefined {
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
