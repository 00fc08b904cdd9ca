import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileText } from "../compile/testing/compile-text.ts";

const number = `lw_float64_from_text({'a0': t1."event_message"})`;
const day = `CAST(t1."timestamp" AS DATE)`;
const rounded = (digits: number, clear: string) =>
  `list_transform([{'a0': ${number}}], lambda lw_round: CASE WHEN abs(lw_round.a0) < ${clear} AND ` +
  `abs(abs(lw_round.a0 * 1e${digits} - trunc(lw_round.a0 * 1e${digits})) - 0.5) > 1e-4 THEN ` +
  `round(lw_round.a0, ${digits}) ELSE lw_round({'a0': lw_round.a0, 'a1': ${digits}}) END)[1]`;

/** Beside a call, what is printed for it: the engine's own functions, where these are exact for the arguments. */
const forms: readonly (readonly [string, string])[] = [
  ["ROUND(CAST(event_message AS FLOAT64))", `round(${number})`],
  ["ROUND(CAST(event_message AS FLOAT64), 1)", rounded(1, "1e14")],
  ["ROUND(CAST(event_message AS FLOAT64), 9)", rounded(9, "1e6")],
  ["ROUND(CAST(event_message AS FLOAT64), 10)", `lw_round({'a0': ${number}, 'a1': 10::BIGINT})`],
  ["ROUND(CAST(event_message AS FLOAT64), -1)", `lw_round({'a0': ${number}, 'a1': (-1)::BIGINT})`],
  ["TRUNC(CAST(event_message AS FLOAT64))", `trunc(${number})`],
  ["TRUNC(CAST(event_message AS FLOAT64), 2)", `lw_trunc({'a0': ${number}, 'a1': 2::BIGINT})`],
  ["DATE_TRUNC(DATE(timestamp), DAY)", day],
  ["DATE_TRUNC(DATE(timestamp), MONTH)", `CAST(date_trunc('month', ${day}) AS DATE)`],
  ["TIME_TRUNC(TIME(timestamp), MICROSECOND)", `CAST(t1."timestamp" AS TIME)`],
  ["GREATEST(project)", `t1."c_project"`],
  ["project LIKE ANY ('a', 'b%')", `((t1."c_project" LIKE 'a') OR (t1."c_project" LIKE 'b%'))`],
  ["project LIKE ALL ('a_', '%b')", `((t1."c_project" LIKE 'a_') AND (t1."c_project" LIKE '%b'))`],
];

interface Printed {
  readonly plain: readonly (readonly [call: string, form: string])[];
  /** Functions of ours and tests for special values that longer forms have, and the words in which they fail. */
  readonly checked: readonly (readonly [call: string, marks: readonly string[]])[];
}

const { plain, checked } = JSON.parse(
  readFileSync(new URL("testing/printed.json", import.meta.url), "utf8"),
) as Printed;

function printed(call: string): string {
  const { sql } = compileText(`SELECT ${call} AS v FROM edge_logs`);
  return sql.replace(/^SELECT /, "").replace(/ AS c6_\w+ FROM "events_1" AS t1$/, "");
}

it.each([...forms, ...plain])("%s is printed plainly", (call, form) => {
  expect(printed(call)).toBe(form);
});

const MARKS = /lw_(?!fail\b)[a-z_0-9]+(?=\()|(?<='a0': (?:concat\()?')[^']+(?=')|\b(?:isnan|isinf|TRY|timezone)\b/g;

it.each(checked)("%s is printed with what it can fail by, and no more", (call, marks) => {
  expect([...new Set(printed(call).match(MARKS))]).toEqual(marks);
});
