import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GoogleSqlError, positionAt } from "../../src/googlesql/diagnostic.ts";
import { parseSyntax } from "../../src/googlesql/parse.ts";

/** A text that the grammar accepts, or rejects at a position. */
interface SyntaxCase {
  readonly id: string;
  readonly area: string;
  readonly sql: string;
  readonly accept: boolean;
  /** The reference's message, which ends in `[at line:column]`. */
  readonly error?: string;
}

/** How one half of the cases came out. */
interface ConformanceCount {
  readonly passed: number;
  readonly failed: number;
  /** One line for each failure: its id, its area and what was wrong. */
  readonly failures: readonly string[];
}

/** The outcome of a folder's `syntax.json`. */
export interface SyntaxConformance {
  readonly accepted: ConformanceCount;
  readonly rejected: ConformanceCount;
  /** How many rejected cases were rejected at the position the reference names. */
  readonly samePosition: number;
}

type Outcome =
  | { readonly isAccepted: true }
  | { readonly isAccepted: false; readonly message: string; readonly at: string };

/** Runs the cases of `folder/syntax.json` through the parser. */
export function runSyntaxConformance(folder: string): SyntaxConformance {
  const cases: readonly SyntaxCase[] = JSON.parse(readFileSync(join(folder, "syntax.json"), "utf8"));
  const outcomes = cases.map((item) => ({ item, outcome: parseCase(item.sql) }));
  const accepted = outcomes.filter(({ item }) => item.accept);
  const rejected = outcomes.filter(({ item }) => !item.accept);
  return {
    accepted: count(accepted, ({ outcome }) =>
      outcome.isAccepted ? undefined : `rejected: ${outcome.message} ${outcome.at}`,
    ),
    rejected: count(rejected, ({ item, outcome }) =>
      outcome.isAccepted ? `accepted, but: ${item.error ?? "an error is due"}` : undefined,
    ),
    samePosition: rejected.filter(
      ({ item, outcome }) => !outcome.isAccepted && item.error?.endsWith(outcome.at) === true,
    ).length,
  };
}

/** In the files that such cases come from, a line of a statement that begins with `--` has a backslash before it. */
function withoutFileEscapes(sql: string): string {
  return sql.replace(/^\\(?=--)/gm, "");
}

function parseCase(sql: string): Outcome {
  try {
    parseSyntax(withoutFileEscapes(sql));
    return { isAccepted: true };
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    const [{ message, span }] = error.diagnostics;
    const { line, column } = positionAt(sql, span.start);
    return { isAccepted: false, message, at: `[at ${line}:${column}]` };
  }
}

type Case = { readonly item: SyntaxCase; readonly outcome: Outcome };

function count(cases: readonly Case[], findFault: (item: Case) => string | undefined): ConformanceCount {
  const failures = cases.flatMap((item) => {
    const fault = findFault(item);
    return fault === undefined ? [] : [`${item.item.id} ${item.item.area}: ${fault}`];
  });
  return { passed: cases.length - failures.length, failed: failures.length, failures };
}

/** The outcome as text: every failure by name, then one line a set. */
export function printSyntaxConformance(result: SyntaxConformance): string {
  const { accepted, rejected } = result;
  return [
    ...accepted.failures,
    ...rejected.failures,
    `syntax, rejected at the reference's position: ${result.samePosition} of ${rejected.passed + rejected.failed}`,
    `syntax, to accept: ${accepted.passed} passed, ${accepted.failed} failed`,
    `syntax, to reject: ${rejected.passed} passed, ${rejected.failed} failed`,
  ].join("\n");
}
