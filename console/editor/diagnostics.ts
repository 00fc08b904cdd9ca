import type { Diagnostic } from "@codemirror/lint";
import { ApiError, callApi, isAborted, type Problem } from "../api/client.ts";
import { completeLql, type Language } from "../lib/query-text.ts";
import { currentTable, ownParameters, query, queryWarnings } from "../state/explore.ts";

/** Errors of a query, and warnings: fields that no event has carried. */
interface Findings {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

let controller = new AbortController();

/** Checks a query of the endpoint's scope at the service. Further typing cancels the check. */
export function checkQuery(language: Language, text: string): Promise<readonly Diagnostic[]> {
  const sent = language === "sql" ? { sql: text } : { lql: completeLql(text, currentTable.value?.name, undefined) };
  queryWarnings.value = [];
  return check(text, async (signal) => {
    const path = { endpoint: query.value.scope };
    const { result } = await callApi("checkQuery", { path, body: { ...ownParameters(), ...sent }, signal });
    queryWarnings.value = result.warnings.map(({ message }) => message);
    return { errors: result.diagnostics, warnings: result.warnings };
  });
}

/** Checks an endpoint's query, over all sources. */
export function checkOwnerQuery(text: string): Promise<readonly Diagnostic[]> {
  return check(text, async (signal) => {
    try {
      const { result } = await callApi("parseQuery", { body: { sql: text }, signal });
      return { errors: [], warnings: result.warnings as readonly unknown[] as readonly Problem[] };
    } catch (error) {
      if (error instanceof ApiError && error.diagnostics !== undefined)
        return { errors: error.diagnostics, warnings: [] };
      throw error;
    }
  });
}

async function check(text: string, ask: (signal: AbortSignal) => Promise<Findings>): Promise<readonly Diagnostic[]> {
  controller.abort();
  if (text.trim() === "") return [];
  controller = new AbortController();
  try {
    const { errors, warnings } = await ask(controller.signal);
    return [
      ...errors.map((problem) => toDiagnostic(text, problem, "error")),
      ...warnings.map((problem) => toDiagnostic(text, problem, "warning")),
    ];
  } catch (error) {
    // What is wrong beside the text, the run itself reports.
    if (error instanceof ApiError || isAborted(error) || error instanceof TypeError) return [];
    throw error;
  }
}

function toDiagnostic(text: string, problem: Problem, severity: "error" | "warning"): Diagnostic {
  const start = offsetOf(text, problem.line, problem.column);
  const end = offsetOf(text, problem.end_line, problem.end_column);
  const from = Math.min(start, Math.max(0, text.length - 1));
  return { from, to: Math.max(from + 1, Math.min(end, text.length)), severity, message: problem.message };
}

/** Where a line and a column are, both from 1 and columns in code points, in UTF-16 units. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const characters = [...(lines[line - 1] ?? "")].slice(0, column - 1);
  return before + characters.join("").length;
}
