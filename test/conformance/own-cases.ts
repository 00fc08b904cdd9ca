/** The cases that are the project's own, with what is wrong with their answers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Question } from "./answers.ts";
import { isSameRows, type Json } from "./cells.ts";
import { aggregates } from "./tables/aggregates.ts";
import { comparisons } from "./tables/comparisons.ts";
import { frames } from "./tables/frames.ts";
import { nullOperands } from "./tables/null-operands.ts";
import type { TableCase } from "./tables/table.ts";
import { writtenNumbers } from "./tables/written-numbers.ts";

/** A case of `corpus/` or of `corpus/families/`, where cases have no names and an error may have any wording. */
export interface OwnCase extends Question {
  readonly name?: string;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

interface CaseFile {
  readonly file: string;
  readonly text: string;
  readonly cases: readonly OwnCase[];
}

function readCaseFiles(folder: string): readonly CaseFile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return { file, text, cases: JSON.parse(text) as readonly OwnCase[] };
  });
}

export const readCorpus = () => readCaseFiles("test/conformance/corpus");
export const readFamilies = () => readCaseFiles("test/conformance/corpus/families");

/** Cases that are generated: a plain second way computes their rows. */
export const tables = [...aggregates, ...comparisons, ...frames, ...nullOperands, ...writtenNumbers];

function faultOf(query: string, expected: unknown, answer: Answer | undefined, isRight: boolean) {
  return isRight ? [] : [{ query, expected, got: answer?.rows ?? answer?.error?.message }];
}

/** A generated case whose answer is wrong: as a list of one or none. */
export function findTableFault({ query, rows, error }: TableCase, answer: Answer | undefined) {
  const isRight =
    rows === undefined
      ? error?.test(answer?.error?.message ?? "") === true
      : answer?.rows !== undefined && isSameRows(rows as Json[], answer.rows as Json[], true);
  return faultOf(query, rows ?? String(error), answer, isRight);
}

/** Types by the names that engines give them, which no error may show. */
const ENGINE_WORDS =
  /\b(?:INT128|HUGEINT|BIGINT|U?INTEGER|VARCHAR|BLOB|DOUBLE|DECIMAL\(\d|TIMESTAMPTZ|U?Int\d+|Float\d+|Decimal\d*|Nullable)\b/;

/** The same of a written case, whose rows are compared exactly and in order, and whose error is in GoogleSQL's words. */
export function findCaseFault({ query, rows, error }: OwnCase, answer: Answer | undefined) {
  const message = answer?.error?.message ?? "";
  const isRight =
    error === undefined
      ? JSON.stringify(answer?.rows) === JSON.stringify(rows)
      : message.includes(error) && (ENGINE_WORDS.test(query) || !ENGINE_WORDS.test(message));
  return faultOf(query, rows ?? error, answer, isRight);
}

/** The same on a server, which has words of its own and orders rows as it likes where the query does not say. */
export function findServerFault({ query, rows, error }: OwnCase, answer: Answer | undefined) {
  const isRight =
    rows === undefined
      ? answer?.error !== undefined
      : answer?.rows !== undefined && isSameRows(rows as Json[], answer.rows as Json[], false);
  return faultOf(query, rows ?? error, answer, isRight);
}
