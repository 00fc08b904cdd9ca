import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlBatchOptions } from "../../src/cli/commands/sql-batch.ts";
import type { Query } from "../../src/googlesql/ast.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { type Answer, askAll } from "./answers.ts";
import { isSameRows, type Json } from "./cells.ts";
import { findSketchColumns } from "./sketch-columns.ts";

/** A query with the rows, or the error, that GoogleSQL gives. */
interface QueryCase {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly params?: Json;
  readonly rows?: readonly Json[];
  readonly error?: string;
}

/** The outcome of a folder's `queries.json`. */
export interface QueryConformance {
  readonly passed: number;
  readonly failed: number;
  /** Failures in which rows were given where others, or an error, were due. */
  readonly wrongRows: number;
  readonly failures: readonly string[];
  /** Ids of cases with a column of sketches, whose bytes are not compared. */
  readonly sketches: readonly string[];
}

/** Runs the cases of `folder/queries.json` through `sql --batch`, in this process or on a server. */
export async function runQueryConformance(
  folder: string,
  server?: SqlBatchOptions["server"],
): Promise<QueryConformance> {
  const cases: readonly QueryCase[] = JSON.parse(readFileSync(join(folder, "queries.json"), "utf8"));
  const answers = await askAll(cases, server);
  const outcomes = cases.map((item, index) => ({ item, ...judge(item, answers[index]) }));
  const failures = outcomes.filter((outcome) => outcome.fault !== undefined);
  const sketches = cases.filter(({ rows, query }) => rows !== undefined && findSketchColumns(query).includes(true));
  return {
    passed: cases.length - failures.length,
    failed: failures.length,
    wrongRows: failures.filter((failure) => failure.isWrongRows).length,
    failures: failures.map(
      ({ item, fault, isWrongRows }) => `${item.id} ${item.name}: ${isWrongRows ? "WRONG ROWS " : ""}${fault}`,
    ),
    sketches: sketches.map(({ id }) => id),
  };
}

function judge(
  item: QueryCase,
  answer: Answer | undefined,
): { readonly fault?: string; readonly isWrongRows: boolean } {
  if (answer === undefined) return { fault: "no answer", isWrongRows: false };
  if (answer.error !== undefined || answer.rows === undefined) {
    if (item.rows === undefined) return { isWrongRows: false };
    return { fault: `error ${answer.error?.code}: ${answer.error?.message}`, isWrongRows: false };
  }
  if (item.rows === undefined)
    return { fault: `${JSON.stringify(answer.rows)}, but an error is due`, isWrongRows: true };
  const areSketches = findSketchColumns(item.query);
  const expected = withoutSketches(item.rows, areSketches);
  const isSame = [answer.rows, withoutJsonNulls(answer)].some((rows) =>
    isSameRows(expected, withoutSketches(rows as readonly Json[], areSketches), isOrdered(item.query)),
  );
  if (isSame) return { isWrongRows: false };
  return { fault: `${JSON.stringify(answer.rows)} instead of ${JSON.stringify(item.rows)}`, isWrongRows: true };
}

/** The rows with every sketch as one and the same text, and what is no text as it is. */
function withoutSketches(rows: readonly Json[], areSketches: readonly boolean[]): readonly Json[] {
  if (!areSketches.includes(true)) return rows;
  const blank = (cell: Json, index: number) => (areSketches[index] === true && typeof cell === "string" ? "" : cell);
  return rows.map((row) => (Array.isArray(row) ? row.map(blank) : row));
}

/** Some case files write JSON's null as NULL. */
function withoutJsonNulls({ columns = [], rows = [] }: Answer): readonly unknown[] {
  const isJson = columns.map((column) => column.type === "JSON");
  return rows.map((row) =>
    Array.isArray(row) ? row.map((cell, index) => (isJson[index] === true && cell === "null" ? null : cell)) : row,
  );
}

/** Does the outermost query order its rows? */
function isOrdered(text: string): boolean {
  try {
    return orders(parseQuery(text));
  } catch {
    return false;
  }
}

function orders(query: Query): boolean {
  const lastOrder = query.pipes.findLastIndex((pipe) => pipe.kind === "PipeOrderBy");
  if (lastOrder !== -1) return true;
  if (query.orderBy !== undefined && query.orderBy.length > 0) return true;
  return query.body.kind === "Query" && orders(query.body);
}

/** The outcome as text: every failure by name, then one line. */
export function printQueryConformance(result: QueryConformance): string {
  const total = result.passed + result.failed;
  const percent = (count: number) => `${((100 * count) / Math.max(total, 1)).toFixed(1)}%`;
  return [
    ...result.failures,
    ...(result.sketches.length === 0
      ? []
      : [
          `columns of sketches, whose bytes are each implementation's own, not compared: ${result.sketches.join(", ")}`,
        ]),
    `queries, right: ${percent(result.passed)}, wrong rows: ${result.wrongRows} (${percent(result.wrongRows)})`,
    `queries: ${result.passed} passed, ${result.failed} failed`,
  ].join("\n");
}
